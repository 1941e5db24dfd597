// Cuts the text form into tokens, and refuses characters, numbers and lines that cannot be part of it.
#include "ir/reader.hpp"

#include <algorithm>

#include "ir/words.hpp"

namespace tcp::ir {

namespace {

using words::is_digit;
using words::is_letter;

// Far longer than anything that is read by people; what is longer is no text, and is left at once.
constexpr std::size_t longest_line = std::size_t{1} << 20;

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

}  // namespace

void Lexer::say(const Refusal& r) {
  if (!refused_) refusal_ = r;
  refused_ = true;
  at_ = text_.size();
  now_ = {Token::Kind::end, {}, now_.at};
}

Where Lexer::here() const { return {file_, line_, static_cast<unsigned>(at_ - line_begin_ + 1)}; }

void Lexer::next_line() {
  ++line_;
  line_begin_ = at_ + 1;
}

bool Lexer::line_too_long() {
  if (at_ - line_begin_ <= longest_line) return false;
  say(refuse("ir-text-line-too-long", {file_, line_, 1})
          .what("a line is longer than ", longest_line, " characters")
          .why("the text form is for people, and an error names the place by its line")
          .help("break the line: every blank may be a line end"));
  return true;
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    if (peek() == '/' && peek(1) == '/') {
      std::size_t const end = text_.find('\n', at_);
      at_ = end == text_.npos ? text_.size() : end;
    } else if (is_blank(peek())) {
      if (peek() == '\n') next_line();
      ++at_;
    } else {
      break;
    }
  }
}

void Lexer::take(Token::Kind kind, std::size_t length) {
  now_ = {kind, text_.substr(at_, length), here()};
  at_ += length;
}

void Lexer::advance() {
  if (refused_) return;
  skip_blanks();
  if (line_too_long()) return;
  if (at_ == text_.size()) return take(Token::Kind::end, 0);
  char const c = peek();
  if (is_letter(c)) {
    std::size_t n = 1;
    while (is_letter(peek(n)) || is_digit(peek(n))) ++n;
    return take(Token::Kind::word, n);
  }
  if (is_digit(c) || (c == '-' && is_digit(peek(1)))) return number();
  if (c == '"') return string();
  if (c <= ' ' || c > '~') {
    now_.at = here();
    return say(refuse("ir-text-character", here())
                   .what("found the byte ", static_cast<int>(static_cast<unsigned char>(c)), ", which is not a character of the text form")
                   .why("the text form is plain ASCII; comments alone may hold anything")
                   .help("take it out, or write it in a quoted name as \\xHH"));
  }
  for (std::string_view sign : {"->", "..", "::"})
    if (text_.substr(at_, 2) == sign) return take(Token::Kind::sign, 2);
  take(Token::Kind::sign, 1);
}

void Lexer::number() {
  std::size_t n = peek() == '-' ? 1 : 0;
  auto const digits = [&] {
    while (is_digit(peek(n))) ++n;
  };
  if (peek(n) == '0' && (peek(n + 1) == 'x' || peek(n + 1) == 'X')) {
    n += 2;
    while (is_hex_digit(peek(n))) ++n;
  } else {
    digits();
    if (peek(n) == '.' && is_digit(peek(n + 1))) {
      ++n;
      digits();
    }
    bool const sign = peek(n + 1) == '-' || peek(n + 1) == '+';
    if ((peek(n) == 'e' || peek(n) == 'E') && is_digit(peek(n + (sign ? 2 : 1)))) {
      n += sign ? 2 : 1;
      digits();
    }
  }
  if (is_letter(peek(n)) || text_[at_ + n - 1] == 'x' || text_[at_ + n - 1] == 'X') {
    while (is_letter(peek(n)) || is_digit(peek(n))) ++n;
    now_.at = here();
    return say(refuse("ir-text-number", here())
                   .what("'", shown(text_.substr(at_, n)), "' is not a number")
                   .why("numbers are written 12, -3, 0x1f, 2.5 or 1e-6")
                   .help("put a blank between a number and a name, and begin names with a letter"));
  }
  take(Token::Kind::number, n);
}

void Lexer::string() {
  std::size_t n = 1;
  while (at_ + n < text_.size() && peek(n) != '"' && peek(n) != '\n')
    n += peek(n) == '\\' && at_ + n + 1 < text_.size() && peek(n + 1) != '\n' ? 2 : 1;
  if (peek(n) == '"') return take(Token::Kind::string, n + 1);
  now_.at = here();
  say(refuse("ir-text-open-string", here())
          .what("a quoted name begins here and does not end in its line")
          .why("a quote that was forgotten would swallow the rest of the text")
          .help("end it with \", and write a line end in it as \\x0a"));
}

bool Lexer::followed_by(char sign) const {
  std::size_t at = at_;
  while (at < text_.size() && (is_blank(text_[at]) || text_.substr(at, 2) == "//"))
    at = is_blank(text_[at]) ? at + 1 : std::min(text_.find('\n', at), text_.size());
  return at < text_.size() && text_[at] == sign;
}

std::string_view Lexer::take_brackets() {
  Where const opened = now_.at;
  std::size_t const begin = at_;
  for (int depth = 1; at_ < text_.size(); ++at_) {
    if (peek() == '\n') next_line();
    if (peek() == '[') ++depth;
    if (peek() != ']' || --depth > 0) continue;
    std::string_view const inside = text_.substr(begin, at_ - begin);
    ++at_;
    advance();
    return inside;
  }
  say(refuse("ir-text-open-mapping", opened)
          .what("a mapping begins here and has no ]")
          .why("a mapping is written between [ and ], and groups inside it have brackets of their own")
          .help("close it: Slice[A / 8 # 256]"));
  return {};
}

}  // namespace tcp::ir
