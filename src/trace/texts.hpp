// Texts of reports: words for what a trace has, tables, and characters of several bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

/// `gemm.cpp:12`, or `-`.
std::string place_of(const Source& source);
std::string place_of(const std::vector<Source>& sources, std::int32_t source);

/// Whether a command is the mark between two launches that were joined, which is no command of a chip.
bool begins_launch(const Trace& trace, const Command& command);

/// "tile[3]" is one of the tiles, "tile[...]".
std::string family_of(const std::string& name);
/// Whether a tensor of many, "tile[3]", goes by its own name or by that of all.
enum class Naming { own, family };
/// Why the command could not start earlier: "reads x in DM, which main at gemm.cpp:12 writes". Needs a binding edge.
std::string reason_of(const Trace& trace, const Command& command, Naming naming = Naming::own);

/// "0-2,7" as numbers below `most_queues`.
inline constexpr std::int64_t most_queues = 1024;
std::vector<std::int64_t> numbers_of(std::string_view set);

/// 1,234,567.
std::string with_commas(std::int64_t n);
/// Ticks of the counter that chips are measured with; the most that a number holds where there are more.
std::int64_t ticks_of(Cycles cycles, std::int64_t per_cycle);
/// "12.3 %" of a whole; "-" of nothing.
std::string percent(std::int64_t part, std::int64_t whole);
/// "12 B", "1.5 KiB".
std::string in_bytes(std::int64_t bytes);

// Columns of text in a hundred columns. Texts come from strangers' files: what is no printable character becomes a
// blank, and what does not fit is cut, visibly.

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

/// Bytes of the character that the text begins with; 0 if it begins with none: cut, overlong, a surrogate, or beyond
/// the last.
constexpr std::size_t utf8_length(std::string_view t) {
  if (t.empty()) return 0;
  auto const first = static_cast<unsigned char>(t[0]);
  if (first < 0x80) return 1;
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || t.size() < length) return 0;
  std::uint32_t code = first & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    auto const next = static_cast<unsigned char>(t[i]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3fu);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool const surrogate = code >= 0xd800 && code < 0xe000;
  return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

/// `code` is a character: no surrogate, at most 0x10ffff.
inline void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  int const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  constexpr std::uint32_t first[] = {0, 0xc0, 0xe0, 0xf0};
  out += static_cast<char>(first[more] | code >> (6 * more));
  for (int i = more; i-- > 0;) out += static_cast<char>(0x80u | (code >> (6 * i) & 0x3fu));
}

}  // namespace tcp::trace
