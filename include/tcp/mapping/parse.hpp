// The text form: one parser for constant expressions, run time, the IR's files and the command line.
//
//   list    = item { "," item }
//   item    = primary { operator integer }          all operators on one level, from left to right
//   operator = "/" | "%" | "#" | "#z" | "#!" | "#<" | "=" | "@"
//   primary = axis | integer | "[" list "]" | "(" list ")" | "{" name "}" | window | skew
//   window  = "$(" part { "," part } ")"    part = item [ ":" integer ]
//   skew    = "skew(" axis "," axis ")"
//
// Law: parse(print(m)) = m, and print(parse(text)) is the canonical spelling of text.
#pragma once

#include "tcp/mapping/fault.hpp"

namespace tcp {

/// The axes that a text may name, with their sizes.
struct Axes {
  static constexpr int max = 64;

  int n = 0;
  Name name[max]{};
  std::int64_t size[max]{};

  constexpr int find(Name wanted) const {
    for (int i = 0; i < n; ++i)
      if (name[i] == wanted) return i;
    return -1;
  }
};

/// A mapping that a text may splice in by name: `{ Slice }`.
struct Splice {
  std::string_view name;
  Mapping mapping;
};

namespace detail {

class Parser {
 public:
  constexpr Parser(std::string_view text, const Axes& axes, const Splice* splices, int count, Where at)
      : text_(text), axes_(axes), splices_(splices), count_(count), at_(at) {}

  constexpr Expected<Mapping> whole() {
    Mapping const m = list(0);
    if (refused_) return refusal_;
    if (!done()) {
      unexpected("an operator, a comma or the end is needed");
      return refusal_;
    }
    return m;
  }

  /// For texts that cannot be misspelt: the mapping, or the one that carries the fault.
  constexpr Mapping whole_or_fault() {
    Mapping const m = list(0);
    return refused_ ? faulty_ : m;
  }

  /// `several`: an axis that is declared twice is said to have two sizes.
  constexpr Expected<Axes> declarations(bool several) {
    Axes out;
    while (!refused_) {
      Name const n = axis_name();
      if (refused_) break;
      if (out.n == Axes::max) {
        say(refuse("axes-too-many", here())
                .what("more than ", Axes::max, " axes are declared")
                .why("the table of axes is kept in a fixed room")
                .help("declare only the axes that are used"));
        break;
      }
      if (!take('=')) {
        unexpected("a size is needed, as in A = 8");
        break;
      }
      std::int64_t const size = number();
      if (refused_) break;
      Mapping axis = axis_mapping(n, size);
      if (int const i = out.find(n); i >= 0) {
        if (several) axis = with_fault(axis, {FaultKind::axis_two_sizes, ',', out.size[i], size, n});
        else
          say(refuse("axes-declared-twice", here())
                  .what("axis ", n, " is declared twice, with size ", out.size[i], " and with size ", size)
                  .why("axes are told apart by their names alone")
                  .help("give each axis one size"));
      }
      if (!axis.ok()) say(refusal_of(axis, here()));
      if (refused_) break;
      out.name[out.n] = n;
      out.size[out.n++] = size;
      if (done()) return out;
      if (!take(',')) unexpected("axes are separated by commas");
    }
    return refusal_;
  }

 private:
  static constexpr int max_depth = 64;

  constexpr Where here() const {
    Where w = at_;
    if (w.known()) w.column += static_cast<unsigned>(pos_);
    return w;
  }
  constexpr void say(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }
  constexpr void unexpected(const char* wanted) {
    Refusal r = refuse("mapping-text-syntax", here());
    std::string_view const rest = text_.substr(pos_);
    r.what("at column ", pos_ + 1, ": ", wanted, rest.empty() ? ", but the text ends" : ", but found '");
    if (!rest.empty()) r.what(printable(rest.substr(0, 16)), "'");
    say(r.why("a mapping is a comma list of axes and numbers, each followed by operators / % # #z #! #< = @ and a whole number")
            .help("as in A / 8 # 256, B % 32"));
  }
  /// What a stranger typed may hold anything; what we print is plain.
  static constexpr Text printable(std::string_view v) {
    Text t;
    for (char c : v) t << (c >= ' ' && c < 0x7f ? c : '?');
    return t;
  }
  constexpr void blanks() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n' || text_[pos_] == '\r')) ++pos_;
  }
  constexpr bool done() {
    blanks();
    return pos_ == text_.size();
  }
  constexpr char peek(std::size_t ahead = 0) const { return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0'; }
  constexpr bool take(char c) {
    blanks();
    if (peek() != c || pos_ == text_.size()) return false;
    ++pos_;
    return true;
  }
  static constexpr bool digit(char c) { return c >= '0' && c <= '9'; }
  static constexpr bool upper(char c) { return c >= 'A' && c <= 'Z'; }
  static constexpr bool wordy(char c) { return upper(c) || digit(c) || (c >= 'a' && c <= 'z') || c == '_'; }

  constexpr std::int64_t number() {
    blanks();
    bool const negative = peek() == '-' && digit(peek(1));  // wrong wherever it is, but the operator says it better
    if (!negative && !digit(peek())) {
      unexpected("a whole number is needed");
      return 1;
    }
    std::size_t const begin = pos_;
    pos_ += negative;
    Checked v = 0;
    while (digit(peek())) v = v * 10 + (text_[pos_++] - '0');
    if (v.fits) return negative ? -v.value : v.value;
    say(refuse("mapping-text-number", here())
            .what(printable(text_.substr(begin, pos_ - begin < 24 ? pos_ - begin : 24)), " does not fit into 64 bits")
            .why("positions, strides and addresses are 64-bit numbers")
            .help("the largest number is 9223372036854775807"));
    return 1;
  }
  constexpr std::string_view word() {
    blanks();
    std::size_t const begin = pos_;
    while (wordy(peek())) ++pos_;
    return text_.substr(begin, pos_ - begin);
  }
  constexpr Name axis_name() {
    blanks();
    std::size_t const begin = pos_;
    std::string_view const w = word();
    if (!w.empty() && upper(w[0]) && w.size() <= Name::max_length) return Name(w);
    pos_ = begin;
    if (w.empty()) unexpected("an axis is needed");
    else
      say(refuse("mapping-axis-name", here())
              .what("'", printable(w.substr(0, 40)), "' is no name for an axis")
              .why("names are at most 16 characters: an uppercase letter, then letters, digits and underscores")
              .help("use a short name that begins with an uppercase letter"));
    return Name{};
  }

  constexpr Mapping axis() {
    Name const n = axis_name();
    if (refused_) return Mapping{};
    int const i = axes_.find(n);
    if (i >= 0) return axis_mapping(n, axes_.size[i]);
    Refusal r = refuse("mapping-text-unknown-axis", here());
    r.what("there is no axis ", n);
    if (axes_.n > 0) r.what("; declared are ");
    for (int k = 0; k < axes_.n && k < 12; ++k) r.what(k > 0 ? ", " : "", axes_.name[k]);
    say(r.why("a mapping says where the elements of declared axes are stored").help("declare it with its size: ", n, " = 8"));
    return Mapping{};
  }

  constexpr Mapping primary(int depth) {
    blanks();
    char const c = peek();
    if (c == '[' || c == '(') {
      if (depth >= max_depth) {
        say(refuse("mapping-text-too-deep", here())
                .what("groups are nested more than ", max_depth, " deep")
                .why("groups are read by recursion, which must end")
                .help("name an inner part and splice it in: { Inner }"));
        return Mapping{};
      }
      ++pos_;
      Mapping const m = list(depth + 1);
      if (!refused_ && !take(c == '[' ? ']' : ')')) unexpected(c == '[' ? "the group needs its ]" : "the group needs its )");
      return m;
    }
    if (c == '{') {
      ++pos_;
      std::string_view const name = word();
      if (!take('}')) {
        unexpected("a splice is a name in braces");
        return Mapping{};
      }
      for (int i = 0; i < count_; ++i)
        if (splices_[i].name == name) return splices_[i].mapping;
      say(refuse("mapping-text-unknown-splice", here())
              .what("there is no mapping named '", printable(name.substr(0, 40)), "' to splice in")
              .why("a name in braces stands for a mapping that was defined before")
              .help("define it first, or write it out"));
      return Mapping{};
    }
    if (c == '$') return window(depth);
    if (digit(c)) {
      std::int64_t const n = number();
      return refused_ ? Mapping{} : copies(n);
    }
    std::size_t const begin = pos_;
    if (word() == "skew" && peek() == '(') {
      ++pos_;
      Mapping const turning = axis();
      if (!refused_ && !take(',')) unexpected("skew takes two axes");
      if (refused_) return Mapping{};
      Mapping const by = axis();
      if (!refused_ && !take(')')) unexpected("skew needs its )");
      return refused_ ? Mapping{} : skew(turning, by);
    }
    pos_ = begin;
    return axis();
  }

  constexpr Mapping window(int depth) {
    ++pos_;
    if (peek() != '(') {
      unexpected("a window is written $(W:2, Fw)");
      return Mapping{};
    }
    if (depth >= max_depth) {
      say(refuse("mapping-text-too-deep", here())
              .what("groups are nested more than ", max_depth, " deep")
              .why("groups are read by recursion, which must end")
              .help("name an inner part and splice it in: { Inner }"));
      return Mapping{};
    }
    ++pos_;
    constexpr int most = 8;
    Slide member[most];
    int n = 0;
    do {
      Mapping const part = item(depth + 1);
      if (refused_) return Mapping{};
      std::int64_t step = 1;
      if (take(':')) step = number();
      if (refused_) return Mapping{};
      if (n == most) {
        say(refuse("mapping-window-too-many", here())
                .what("a window slides more than ", most, " members")
                .why("a window is kept in a fixed room")
                .help("slide fewer axes at once"));
        return Mapping{};
      }
      member[n++] = {part, step};
    } while (take(','));
    if (!take(')')) unexpected("the window needs its )");
    return refused_ ? Mapping{} : slide_over(member, n);
  }

  constexpr Mapping item(int depth) {
    Mapping m = primary(depth);
    while (!refused_ && m.ok()) {
      blanks();
      char const c = peek();
      if (c != '/' && c != '%' && c != '#' && c != '=' && c != '@') break;
      ++pos_;
      char sign = c;
      if (c == '#' && (peek() == 'z' || peek() == '!' || peek() == '<')) sign = text_[pos_++];
      std::int64_t const n = number();
      if (refused_) break;
      switch (sign) {
        case '/': m = divide_by(m, n); break;
        case '%': m = modulo(m, n); break;
        case '=': m = resize_to(m, n); break;
        case '@': m = start_at(m, n); break;
        case '<': m = pad_front(m, n); break;
        case 'z': m = pad_to(m, n, Pad::zero); break;
        case '!': m = pad_to(m, n, Pad::bottom); break;
        default: m = pad_to(m, n, Pad::top); break;
      }
    }
    return sound(m);
  }

  constexpr Mapping list(int depth) {
    Mapping m = item(depth);
    while (!refused_ && take(',')) m = sound(pair(m, item(depth)));
    return m;
  }

  /// A fault is said where it arises, so that the column is the right one.
  constexpr Mapping sound(const Mapping& m) {
    if (!m.ok() && !refused_) {
      faulty_ = m;
      say(refusal_of(m, here()));
    }
    return m;
  }

  std::string_view text_;
  const Axes& axes_;
  const Splice* splices_;
  int count_;
  Where at_;
  std::size_t pos_ = 0;
  bool refused_ = false;
  Refusal refusal_{};
  Mapping faulty_ = with_fault(Mapping{}, {FaultKind::axis_name});
};

/// The axes of a C++ expression: none, or declared elsewhere, so that two of one name are two axes.
constexpr Expected<Axes> declared_axes(std::string_view text, Where at) {
  Axes const none;
  if (text.empty()) return none;
  return Parser(text, none, nullptr, 0, at).declarations(true);
}

}  // namespace detail

/// "A / 8 # 256, B" over the given axes. `at` is where the text begins, if it is in a file.
constexpr Expected<Mapping> parse(std::string_view text, const Axes& axes, Where at = {}, const Splice* splices = nullptr, int count = 0) {
  return detail::Parser(text, axes, splices, count, at).whole();
}

/// "A = 8, B = 512".
constexpr Expected<Axes> parse_axes(std::string_view text, Where at = {}) {
  Axes const none;
  return detail::Parser(text, none, nullptr, 0, at).declarations(false);
}

}  // namespace tcp
