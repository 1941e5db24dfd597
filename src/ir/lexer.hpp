// The text form as tokens, each with its place. Blanks, line ends and // comments separate tokens and mean nothing
// else.
//
// The first refusal is the last token: from then on there is only the end, so that a loop over tokens always ends.
#pragma once

#include <string>
#include <string_view>

#include "ir/shown.hpp"
#include "tcp/support/refusal.hpp"

namespace tcp::ir {

struct Token {
  enum class Kind : std::uint8_t { end, word, number, string, sign };

  Kind kind = Kind::end;
  std::string_view text;  // a string with its quotes
  Where at{};
};

class Lexer {
 public:
  Lexer(std::string_view text, const char* file) : text_(text), file_(file) { advance(); }

  const Token& now() const { return now_; }
  void advance();
  /// True if `sign` is the next thing after the token.
  bool followed_by(char sign) const;
  /// Needs: the token is a [. What stands between it and its ], which is passed. Brackets inside come in pairs.
  std::string_view take_brackets();

  void say(const Refusal& r);
  bool refused() const { return refused_; }
  const Refusal& refusal() const { return refusal_; }

 private:
  Where here() const;
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  void skip_blanks();
  void next_line();
  bool line_too_long();
  void number();
  void string();
  void take(Token::Kind kind, std::size_t length);

  std::string_view text_;
  const char* file_;
  std::size_t at_ = 0;          // after the token
  std::size_t line_begin_ = 0;  // of the line of at_
  unsigned line_ = 1;
  Token now_;
  bool refused_ = false;
  Refusal refusal_{};
};

}  // namespace tcp::ir
