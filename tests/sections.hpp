// Reads files that hold many small ones, each behind a line `// # NAME` (tests/sections.py writes them to a folder).
#pragma once

#include <fstream>
#include <map>
#include <string>

namespace tcp {

/// The texts by their names.
inline std::map<std::string, std::string> sections_of(const std::string& file) {
  std::map<std::string, std::string> all;
  std::string* now = nullptr;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("// # ")) now = &all[line.substr(5)];
    else if (now != nullptr) *now += line + "\n";
  }
  return all;
}

}  // namespace tcp
