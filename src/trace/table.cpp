// Lays out cells in columns, and cuts or wraps what is too long; counts characters, not bytes.
#include "trace/table.hpp"

#include <algorithm>

#include "trace/utf8.hpp"

namespace tcp::trace {

namespace {

constexpr std::size_t gap = 2;

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t width, bool right) {
  std::size_t const has = characters(cell);
  std::string const blanks(width > has ? width - has : 0, ' ');
  return right ? blanks + cell : cell + blanks;
}

}  // namespace

std::string fit(std::string_view text, std::size_t width) {
  std::string out;
  std::size_t count = 0, short_end = 0;  // where three dots would still fit
  for (std::size_t at = 0; at < text.size();) {
    if (count == width) {
      out.resize(short_end);
      return out + std::string("...").substr(0, width);
    }
    if (count + 3 <= width) short_end = out.size();
    std::size_t const length = utf8_length(text.substr(at));
    bool const shown = length > 1 ? static_cast<unsigned char>(text[at]) != 0xc2 || static_cast<unsigned char>(text[at + 1]) >= 0xa0
                                  : length == 1 && text[at] >= ' ' && text[at] != 0x7f;  // C1 controls steer terminals, too
    if (shown) out += text.substr(at, length);
    else out += ' ';
    at += std::max<std::size_t>(length, 1);
    ++count;
  }
  return out;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find(' ', at), text.size());
    std::string const word = fit(text.substr(at, end - at), width - indent);
    std::size_t const length = characters(word);
    if (column > indent && column + 1 + length > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
    at = end + 1;
  }
  return out;
}

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const Column& c : columns_) width.push_back(c.title.size());
  for (const auto& cells : rows_)
    for (std::size_t i = 0; i < cells.size(); ++i) width[i] = std::max(width[i], characters(cells[i]));
  std::size_t left = page_width;
  for (std::size_t i = 0; i + 1 < width.size(); ++i) left -= std::min(left, width[i] + gap);
  width.back() = left > gap ? left - gap : 0;

  std::string out;
  auto const add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      bool const last = i + 1 == cells.size();
      std::string const cell = fit(cells[i], width[i]);
      line += std::string(gap, ' ') +
              (last && !columns_[i].right ? cell : padded(cell, last ? columns_[i].title.size() : width[i], columns_[i].right));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += fit(line, page_width) + "\n";
  };
  std::vector<std::string> titles;
  for (const Column& c : columns_) titles.push_back(c.title);
  add(titles);
  for (const auto& cells : rows_) add(cells);
  return out;
}

}  // namespace tcp::trace
