// Characters of sources: what a word is made of, and where a character of several bytes begins.
#pragma once

namespace tcp::tool {

constexpr bool is_word_character(char c) { return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_'; }
/// True of the second and further bytes of a character in UTF-8.
constexpr bool is_inside_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace tcp::tool
