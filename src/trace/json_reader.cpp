// Parses JSON value by value as the caller asks for it; every mistake names the file and the byte.
#include "trace/json_reader.hpp"

#include <algorithm>
#include <cstddef>

#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

/// What JavaScript and most other readers of JSON keep exactly.
constexpr std::int64_t largest = (std::int64_t{1} << 53) - 1;

bool digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string shown(std::string_view name) {
  constexpr std::size_t room = 40;
  std::string out;
  for (char c : name.substr(0, room)) out += c >= ' ' && c <= '~' ? c : '?';
  return name.size() > room ? out + "..." : out;
}

std::string JsonReader::place() const { return shown(file_) + ", byte " + std::to_string(at_) + ": "; }

bool JsonReader::stop(const Refusal& r) {
  if (!refused_) refusal_ = r;
  refused_ = true;
  return false;
}

bool JsonReader::syntax(std::string_view wanted) {
  Refusal r = refuse("trace-syntax").what(place());
  if (at_ >= text_.size()) r.what("the file ends where ", wanted, " must follow");
  else r.what("found '", shown(text_.substr(at_, 1)), "' where ", wanted, " must follow");
  return stop(
      r.why("a trace is one JSON object, in UTF-8").help("write the trace again; if the file was cut, the run may still be writing it"));
}

bool JsonReader::wrong_type(std::string_view wanted) {
  blanks();
  if (at_ >= text_.size()) return syntax(wanted);
  std::string_view const rest = text_.substr(at_, 40);
  std::string_view const value = rest.substr(0, std::max<std::size_t>(rest.find_first_of(",:]} \n"), 1));
  if (text_.substr(0, at_).find_first_not_of(" \t\r\n") == std::string_view::npos)
    return stop(refuse("trace-wrong-type")
                    .what(place(), "expected a JSON object, found '", shown(value), "'; is this a trace file?")
                    .why("a trace is one JSON object, in UTF-8")
                    .help("TCP_TRACE=FILE before a program, tcp run --trace FILE and tcp plan --trace FILE write traces"));
  return stop(refuse("trace-wrong-type")
                  .what(place(), "expected ", wanted, ", not '", shown(value), "'")
                  .why("every key has values of one type; numbers are whole and below 2^53, so that every reader of JSON keeps them")
                  .help("write the trace again with a tool of this version; docs/trace.md lists keys and types"));
}

bool JsonReader::key_unknown(const std::string& name) {
  return stop(refuse("trace-key-unknown")
                  .what(place(), "there is no key '", shown(name), "' in this object")
                  .why("what a reader does not know might change what the rest means, so nothing is skipped")
                  .help("write the trace again with a tool of this version, or remove the key"));
}

bool JsonReader::key_twice(const std::string& name) {
  return stop(refuse("trace-key-twice")
                  .what(place(), "the key '", shown(name), "' occurs twice in one object")
                  .why("readers of JSON differ in which of the two they take")
                  .help("remove one of the two"));
}

bool JsonReader::key_missing(const char* name) {
  return stop(refuse("trace-key-missing")
                  .what(place(), "the object that ends here has no key '", name, "'")
                  .why("some keys have a default and may be left out; this one has none")
                  .help("add the key; docs/trace.md says which ones must be there"));
}

bool JsonReader::hex4(std::uint32_t& code) {
  code = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    if (at_ == text_.size()) return syntax("four hexadecimal digits");
    char const c = text_[at_], lower = static_cast<char>(c | 0x20);
    if (!digit(c) && (lower < 'a' || lower > 'f')) return syntax("four hexadecimal digits");
    code = code << 4 | static_cast<std::uint32_t>(digit(c) ? c - '0' : lower - 'a' + 10);
  }
  return true;
}

/// Behind the backslash.
bool JsonReader::escaped(std::string& v) {
  constexpr std::string_view letters = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) return syntax("an escape");
  char const c = text_[at_];
  if (std::size_t const i = letters.find(c); i != letters.npos) {
    ++at_;
    v += meant[i];
    return true;
  }
  if (c != 'u') return syntax("an escape");
  ++at_;
  std::uint32_t code = 0;
  if (!hex4(code)) return false;
  if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
    std::uint32_t low = 0;
    if (text_.substr(at_, 2) != "\\u") return syntax("the second half of a surrogate pair");
    at_ += 2;
    if (!hex4(low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return syntax("the second half of a surrogate pair");
    code = 0x10000 + ((code - 0xd800) << 10 | (low - 0xdc00));
  } else if (code >= 0xdc00 && code < 0xe000) {
    return syntax("the first half of a surrogate pair");
  }
  append_utf8(v, code);
  return true;
}

bool JsonReader::value(std::string& v) {
  if (!mark('"', "a text")) return false;
  v.clear();
  while (at_ < text_.size()) {
    std::size_t end = at_;
    while (end < text_.size() && text_[end] >= ' ' && text_[end] <= '~' && text_[end] != '"' && text_[end] != '\\') ++end;
    v += text_.substr(at_, end - at_);
    at_ = end;
    if (at_ == text_.size()) break;
    char const c = text_[at_];
    if (c == '"' || c == '\\') ++at_;
    if (c == '"') return true;
    if (c == '\\') {
      if (!escaped(v)) return false;
      continue;
    }
    std::size_t const length = utf8_length(text_.substr(at_));
    if (length == 0 || static_cast<unsigned char>(c) < 0x20) return syntax("a character of UTF-8 that is not a control character");
    v += text_.substr(at_, length);
    at_ += length;
  }
  return syntax("the closing quote of a text");
}

bool JsonReader::value(bool& v) {
  blanks();
  for (bool candidate : {false, true}) {
    std::string_view const word = candidate ? "true" : "false";
    if (text_.substr(at_, word.size()) != word) continue;
    at_ += word.size();
    v = candidate;
    return true;
  }
  return wrong_type("a truth value");
}

bool JsonReader::value(std::int64_t& v) {
  blanks();
  std::size_t const begin = at_;
  bool const negative = take('-');
  std::size_t const first = at_;
  v = 0;
  while (at_ < text_.size() && digit(text_[at_]) && v <= largest) v = v * 10 + (text_[at_++] - '0');
  std::size_t const digits = at_ - first;
  bool const whole = at_ == text_.size() || (text_[at_] != '.' && text_[at_] != 'e' && text_[at_] != 'E' && !digit(text_[at_]));
  bool const plain = digits > 0 && whole && v <= largest && (text_[first] != '0' || digits == 1);
  if (negative) v = -v;
  if (plain) return true;
  at_ = begin;
  return wrong_type("a whole number below 2^53");
}

bool JsonReader::value(std::int32_t& v) {
  blanks();
  std::size_t const begin = at_;
  std::int64_t wide = 0;
  if (!value(wide)) return false;
  v = static_cast<std::int32_t>(wide);
  if (v == wide) return true;
  at_ = begin;
  return wrong_type("a number of an entry, below 2^31");
}

bool JsonReader::key(std::string& name, bool& there, bool first) {
  there = false;
  if (take('}')) return true;
  if (!first && !take(',')) return syntax("a comma or the end of the object");
  blanks();
  if (at_ == text_.size() || text_[at_] != '"') return syntax("a key");
  if (!value(name)) return false;
  there = true;
  return take(':') || syntax("a colon");
}

bool JsonReader::end() {
  blanks();
  return at_ == text_.size() || syntax("the end of the file");
}

}  // namespace tcp::trace
