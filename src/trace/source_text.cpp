// Reads a source file when one of its lines is asked for first, and keeps its lines.
#include "tcp/trace/source_text.hpp"

#include <fstream>
#include <utility>

namespace tcp::trace {

namespace {

constexpr std::size_t longest_line = 200;
constexpr std::size_t most_lines = 1'000'000;  // of a file; what has more is no kernel

std::string without_blanks(std::string line) {
  constexpr const char* blanks = " \t\r\f\v";
  std::size_t const first = line.find_first_not_of(blanks);
  if (first == line.npos) return "";
  line.erase(line.find_last_not_of(blanks) + 1);
  return line.substr(first, longest_line);
}

std::vector<std::string> lines_of(const std::string& file) {
  std::vector<std::string> lines;
  std::ifstream in(file);
  for (std::string line; lines.size() < most_lines && std::getline(in, line);) lines.push_back(without_blanks(std::move(line)));
  return lines;
}

}  // namespace

std::string SourceText::line(const std::string& file, std::int64_t number) {
  auto at = files_.find(file);
  if (at == files_.end()) at = files_.emplace(file, lines_of(file)).first;
  const std::vector<std::string>& lines = at->second;
  return number >= 1 && number <= static_cast<std::int64_t>(lines.size()) ? lines[static_cast<std::size_t>(number) - 1] : "";
}

}  // namespace tcp::trace
