// What this library asks ICU: regular expressions, normal forms and kinds of characters. Texts are UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::tokens {

inline constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes [begin, end) of a text.
struct ByteSpan {
  std::size_t begin = 0, end = 0;
};

/// Bytes of the character that begins at `at`: n > 0, it is there; 0, the text ends within it; -n, these n bytes can
/// begin none.
int character_bytes(std::string_view text, std::size_t at);
/// Every piece that is no character is U+FFFD, as in most programs: one for each beginning of a character that breaks
/// off.
std::string valid_utf8(std::string_view text);
/// Characters, as bytes of the text; it is valid.
std::vector<ByteSpan> characters_of(std::string_view text);
char32_t character_at(std::string_view text, std::size_t at);
std::string utf8_of(char32_t c);

bool is_space(char32_t c);    // White_Space
bool is_of_word(char32_t c);  // \w
bool is_numeric(char32_t c);  // \p{N}

enum class NormalForm : std::uint8_t { nfc, nfd, nfkc, nfkd };
std::string normal_form(std::string_view text, NormalForm form);

/// A piece of text, or a regular expression.
class Pattern {
 public:
  static Pattern literal(std::string text);
  /// Refused: what is no regular expression.
  static Expected<Pattern> regex(const std::string& text, const std::string& where);

  /// Not empty, from left to right. Refused: a regular expression that takes too long.
  Expected<std::vector<ByteSpan>> matches(std::string_view text) const;
  /// Every match replaced.
  Expected<std::string> replaced(std::string_view text, std::string_view by) const;

 private:
  std::string text_;
  std::shared_ptr<void> compiled_;  // none: a literal
};

}  // namespace tcp::tokens
