// Lines of source files, read when they are asked for, each file once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tcp::trace {

class SourceText {
 public:
  /// Without the blanks around it, at most 200 characters; empty if there is no such file or line.
  std::string line(const std::string& file, std::int64_t number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace tcp::trace
