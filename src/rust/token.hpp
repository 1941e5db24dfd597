// Rust source as tokens. Every token knows where it stands, also after a macro has copied it elsewhere, so that an
// error points into the file that its author wrote.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/support/expected.hpp"
#include "tcp/support/where.hpp"

namespace tcp::rust {

/// A file, as it is shown and as it reads.
struct SourceFile {
  std::string name, text;
  std::vector<std::uint32_t> lines;  // where each begins

  SourceFile(std::string shown, std::string read);
};

/// A piece of a file, in bytes.
struct Span {
  const SourceFile* source = nullptr;
  std::uint32_t begin = 0, end = 0;

  /// From the begin of one to the end of another, if they are of one file; otherwise the first.
  static Span over(const Span& first, const Span& last);
  std::string_view text() const;
};

/// Line and column of the begin, both counted from 1; a column counts characters.
Where where(const Span& span);
/// The byte of a line and column; none if the file has no such line. Behind the end of a line: its end.
std::optional<std::uint32_t> offset_of(const SourceFile& source, unsigned line, unsigned column);

enum class TokenKind : std::uint8_t { identifier, lifetime, number, string, character, punctuation, end };

struct Token {
  TokenKind kind = TokenKind::end;
  bool joint = false;  // the next character is punctuation too: `<<` is two tokens
  int mark = 0;        // the macro expansion that wrote it; 0: the file itself
  std::string_view text{};
  Span span{};

  bool is(char punctuation) const { return kind == TokenKind::punctuation && text.size() == 1 && text[0] == punctuation; }
  bool is_word(std::string_view word) const { return kind == TokenKind::identifier && text == word; }
};

using Tokens = std::vector<Token>;

/// Some tokens of a list that outlives it.
struct TokenRange {
  const Token* first = nullptr;
  const Token* last = nullptr;
  Span closing{};  // where the text ends

  std::size_t size() const { return static_cast<std::size_t>(last - first); }
  bool empty() const { return first == last; }
  const Token* begin() const { return first; }
  const Token* end() const { return last; }
  const Token& operator[](std::size_t i) const { return first[i]; }
  Span span() const { return empty() ? closing : Span::over(first->span, last[-1].span); }
};

/// A mistake in a kernel's source, and the piece of it that is wrong.
struct Mistake {
  Refusal refusal;
  Span span;
};

/// One that stands in a kernel, and not in code for the host, which is passed over: the modules around it end with it.
struct KernelMistake : Mistake {};

/// What can be wrong with a kernel's source beside what the rules of the chip say; each is a code of its own.
enum class Wrong : std::uint8_t {
  syntax,
  too_deep,
  macro,
  file,
  edition,
  unknown_name,
  unknown_method,
  type_needed,
  type_mismatch,
  arguments,
  duplicate,
  not_constant,
  number,
  assertion,
  unsupported,
};
Refusal refusal_of(Wrong what);

template <class... Parts>
Mistake mistake(Wrong code, const Span& span, const Parts&... what) {
  Mistake m{refusal_of(code), span};
  m.refusal.at = where(span);
  m.refusal.what(what...);
  return m;
}

/// Throws Mistake: a character that Rust does not have, text that does not end.
Tokens lex(const SourceFile& source);

}  // namespace tcp::rust
