// From characters to tokens. Comments and blanks are dropped; punctuation stays single, and says whether more follows
// at once, since `>>` closes two lists of types and shifts two numbers.
#include <algorithm>

#include "rust/token.hpp"

namespace tcp::rust {

SourceFile::SourceFile(std::string shown, std::string read) : name(std::move(shown)), text(std::move(read)) {
  lines.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines.push_back(static_cast<std::uint32_t>(i + 1));
}

Span Span::over(const Span& first, const Span& last) {
  if (first.source != last.source || last.end < first.begin) return first;
  return {first.source, first.begin, last.end};
}
std::string_view Span::text() const {
  if (source == nullptr || begin > end || end > source->text.size()) return {};
  return std::string_view(source->text).substr(begin, end - begin);
}

Where where(const Span& span) {
  if (span.source == nullptr) return {};
  const auto& lines = span.source->lines;
  auto const next = std::upper_bound(lines.begin(), lines.end(), span.begin);
  auto const line = static_cast<unsigned>(next - lines.begin());
  unsigned column = 1;
  for (std::size_t i = *(next - 1); i < span.begin && i < span.source->text.size(); ++i)
    if ((static_cast<unsigned char>(span.source->text[i]) & 0xc0) != 0x80) ++column;  // bytes that begin a character
  return {span.source->name.c_str(), line, column};
}

std::optional<std::uint32_t> offset_of(const SourceFile& source, unsigned line, unsigned column) {
  if (line == 0 || line > source.lines.size()) return {};
  std::size_t at = source.lines[line - 1];
  for (unsigned c = 1; c < column && at < source.text.size() && source.text[at] != '\n'; ++c) {
    ++at;
    while (at < source.text.size() && (static_cast<unsigned char>(source.text[at]) & 0xc0) == 0x80) ++at;
  }
  return static_cast<std::uint32_t>(at);
}

Refusal refusal_of(Wrong what) {
  switch (what) {
    case Wrong::syntax: return refuse("rust-syntax");
    case Wrong::too_deep: return refuse("rust-too-deep");
    case Wrong::macro: return refuse("rust-macro");
    case Wrong::file: return refuse("rust-file");
    case Wrong::edition: return refuse("rust-edition");
    case Wrong::unknown_name: return refuse("rust-unknown-name");
    case Wrong::unknown_method: return refuse("rust-unknown-method");
    case Wrong::type_needed: return refuse("rust-type-needed");
    case Wrong::type_mismatch: return refuse("rust-type-mismatch");
    case Wrong::arguments: return refuse("rust-arguments");
    case Wrong::duplicate: return refuse("rust-duplicate");
    case Wrong::not_constant: return refuse("rust-not-constant");
    case Wrong::number: return refuse("rust-number");
    case Wrong::assertion: return refuse("rust-assert");
    case Wrong::unsupported: break;
  }
  return refuse("rust-unsupported");
}

namespace {

bool begins_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_word(char c) { return begins_word(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool is_punctuation(char c) { return c != '\0' && std::string_view("-+*/%^!&|=<>@.,;:#$?~(){}[]\\").find(c) != std::string_view::npos; }

class Lexer {
 public:
  explicit Lexer(const SourceFile& source) : source_(source), text_(source.text) {}

  Tokens all() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    if (rest().starts_with("#!") && !rest().starts_with("#![")) skip_line();
    while (true) {
      skip_blanks();
      if (at_ >= text_.size()) break;
      one();
    }
    add(TokenKind::end, at_);
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  Span from(std::size_t begin) const { return {&source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)}; }

  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (is_blank(peek())) ++at_;
      else if (rest().starts_with("//")) skip_line();
      else if (rest().starts_with("/*")) skip_comment();
      else return;
    }
  }
  void skip_comment() {
    std::size_t const begin = at_;
    int depth = 0;
    do {
      if (rest().starts_with("/*")) ++depth, at_ += 2;
      else if (rest().starts_with("*/")) --depth, at_ += 2;
      else if (at_ < text_.size()) ++at_;
      else unended(begin, "a comment", "*/");
    } while (depth > 0);
  }
  [[noreturn]] void unended(std::size_t begin, const char* what, const char* closing) const {
    Mistake m = mistake(Wrong::syntax, {&source_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + 1)}, what,
                        " that begins here does not end");
    m.refusal.why("the rest of the file would be part of it").help("close it with ", closing);
    throw m;
  }

  void add(TokenKind kind, std::size_t begin) {
    Token t;
    t.kind = kind;
    t.text = text_.substr(begin, at_ - begin);
    t.span = from(begin);
    tokens_.push_back(t);
  }

  void one() {
    std::size_t const begin = at_;
    char const c = peek();
    if (string_begins()) return string(begin);
    if (c == '\'' || (c == 'b' && peek(1) == '\'')) return quote(begin);
    if (is_digit(c)) return number(begin);
    if (c == 'r' && peek(1) == '#' && begins_word(peek(2))) {
      at_ += 2;
      word(at_);
      return;
    }
    if (begins_word(c)) return word(begin);
    if (is_punctuation(c)) {
      ++at_;
      add(TokenKind::punctuation, begin);
      tokens_.back().joint = is_punctuation(peek());
      return;
    }
    ++at_;
    Mistake m = mistake(Wrong::syntax, from(begin), "a character that Rust does not have here: ", c > ' ' && c < 0x7f ? c : '?');
    m.refusal.why("it begins no word, no number and no sign").help("remove it");
    throw m;
  }

  void word(std::size_t begin) {
    while (continues_word(peek())) ++at_;
    add(TokenKind::identifier, begin);
  }

  /// Whether a string begins here: "…", b"…", c"…", r"…", br#"…"#.
  bool string_begins() const {
    std::size_t i = 0;
    if (peek(i) == 'b' || peek(i) == 'c') ++i;
    if (peek(i) == '"') return true;
    if (peek(i) != 'r') return false;
    ++i;
    while (peek(i) == '#') ++i;
    return peek(i) == '"';
  }
  void string(std::size_t begin) {
    bool raw = false;
    std::string closing = "\"";
    while (peek() != '"') {
      raw |= peek() == 'r';
      if (peek() == '#') closing += '#';
      ++at_;
    }
    ++at_;
    while (!rest().starts_with(closing)) {
      if (at_ >= text_.size()) unended(begin, "a string", closing.c_str());
      at_ += !raw && peek() == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    at_ += closing.size();
    add(TokenKind::string, begin);
  }
  /// A character, or a lifetime.
  void quote(std::size_t begin) {
    if (peek() == 'b') ++at_;
    ++at_;
    bool const escaped = peek() == '\\';
    std::size_t length = 1;
    if (escaped) {
      length = 2;
      if (peek(1) == 'x') length = 4;
      if (peek(1) == 'u')
        while (at_ + length < text_.size() && peek(length - 1) != '}' && length < 12) ++length;
    } else {
      while ((static_cast<unsigned char>(peek(length)) & 0xc0) == 0x80) ++length;
    }
    if (peek(length) == '\'') {
      at_ += length + 1;
      return add(TokenKind::character, begin);
    }
    if (!begins_word(peek())) unended(begin, "a character", "'");
    while (continues_word(peek())) ++at_;
    add(TokenKind::lifetime, begin);
  }
  void number(std::size_t begin) {
    bool const based = peek() == '0' && (peek(1) == 'x' || peek(1) == 'b' || peek(1) == 'o');
    auto const digits = [this] {
      while (continues_word(peek())) ++at_;  // also the type behind it, and the exponent's letter
    };
    digits();
    if (based) return add(TokenKind::number, begin);
    if (peek() == '.' && peek(1) != '.' && !begins_word(peek(1))) {
      ++at_;
      digits();
    }
    char const last = text_[at_ - 1];
    if ((last == 'e' || last == 'E') && (peek() == '+' || peek() == '-') && is_digit(peek(1))) {
      ++at_;
      digits();
    }
    add(TokenKind::number, begin);
  }

  const SourceFile& source_;
  std::string_view text_;
  std::size_t at_ = 0;
  Tokens tokens_;
};

}  // namespace

Tokens lex(const SourceFile& source) { return Lexer(source).all(); }

}  // namespace tcp::rust
