// Which bytes are one character of UTF-8: the reader demands them, the writer sees to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tcp::trace {

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
