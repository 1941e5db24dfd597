// Columns of text in a hundred columns. Texts come from strangers' files: what is no printable character becomes a
// blank, and what does not fit is cut, visibly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tcp::trace {

inline constexpr std::size_t page_width = 100;

/// At most `width` characters.
std::string fit(std::string_view text, std::size_t width);
/// Lines of at most `width` characters, broken at blanks; all but the first are indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = page_width);

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  // numbers
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  /// Two blanks in front and between; the last column gets what is left, and no line ends in blanks.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tcp::trace
