// Reads formulas, by recursive descent. What only the whole formula shows is asked of check().
#include "tcp/formula/parse.hpp"

#include <charconv>
#include <cmath>
#include <optional>

#include "formula/words.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::formula {
namespace {

constexpr std::size_t longest_text = 4096;
constexpr int deepest = 64;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class FormulaReader {
 public:
  FormulaReader(std::string_view text, Where at) : text_(text), at_(at) {}

  Expected<Formula> read() {
    if (text_.size() > longest_text)
      return refuse("formula-too-long", at_)
          .what("the formula has ", text_.size(), " characters; at most ", longest_text, " are read")
          .why("a formula is one contraction, or a few reductions in sequence")
          .help("make it of several formulas");
    do statement();
    while (!refused_ && take(';'));
    if (!refused_ && take_word("where")) sizes();
    if (!refused_ && !at_end()) unexpected("an operator, ';', 'where' or the end is expected");
    if (refused_) return *refused_;
    finish_types();
    if (auto v = check(f_, text_); !v) {
      Refusal r = v.refusal();
      r.at = at_;
      return r;
    }
    return f_;
  }

 private:
  // Characters.

  void blanks() {
    while (pos_ < text_.size() && (text_[pos_] == ' ' || text_[pos_] == '\t' || text_[pos_] == '\n' || text_[pos_] == '\r')) ++pos_;
  }
  bool at_end() {
    blanks();
    return pos_ == text_.size();
  }
  char next() {
    blanks();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }
  bool take(char c) {
    if (next() != c || c == '\0') return false;
    ++pos_;
    return true;
  }
  std::string_view word_here() {
    blanks();
    std::size_t end = pos_;
    if (end < text_.size() && begins_name(text_[end]))
      while (end < text_.size() && (begins_name(text_[end]) || is_digit(text_[end]))) ++end;
    return text_.substr(pos_, end - pos_);
  }
  bool take_word(std::string_view wanted) {
    if (word_here() != wanted) return false;
    pos_ += wanted.size();
    return true;
  }

  // Errors. The first one counts.

  void say(Refusal r, const TextPart& at) {
    if (refused_) return;
    show_place(r, text_, at);
    refused_ = r;
  }
  void unexpected(std::string_view wanted) {
    blanks();
    Refusal r = refuse("formula-syntax", at_);
    std::string_view const rest = text_.substr(pos_);
    r.what(column_of(text_, {pos_, pos_}), wanted, rest.empty() ? ", but the text ends" : ", but found '");
    if (!rest.empty()) r.what(plain_words(rest, 16), "'");
    r.why("a formula is tensor[axes] = expression");
    say(r.help("as in C[m, n] = sum[k] A[m, k] * B[n, k] + bias[n]"), {pos_, pos_ + 1});
  }
  bool expect(char c, std::string_view wanted) {
    if (refused_) return false;
    if (take(c)) return true;
    unexpected(wanted);
    return false;
  }

  // Names and numbers.

  std::string name(std::string_view wanted) {
    std::string_view const word = word_here();
    if (word.empty()) unexpected(wanted);
    pos_ += word.size();
    return std::string(word);
  }
  std::int64_t whole_number(std::string_view wanted) {
    blanks();
    std::size_t const begin = pos_;
    std::int64_t value = 0;
    bool fits = true;
    while (pos_ < text_.size() && is_digit(text_[pos_])) {
      value = value * 10 + (text_[pos_++] - '0');
      if (value > largest_axis) {
        fits = false;
        value = largest_axis;
      }
    }
    if (pos_ == begin) unexpected(wanted);
    else if (!fits) too_large({begin, pos_});
    return value;
  }
  void too_large(const TextPart& at) {
    say(refuse("formula-number", at_)
            .what(column_of(text_, at), "'", plain_words(text_.substr(at.begin, at.end - at.begin), 32),
                  "' is no number that a formula can have")
            .why("whole numbers go up to ", largest_axis, ", others must be numbers of f32")
            .help("write a smaller number"),
        at);
  }
  int axis() {
    std::string const n = name("the name of an axis is expected");
    if (refused_) return 0;
    int const found = f_.axis(n);
    if (found >= 0) return found;
    f_.axes.push_back({n, 0});
    return static_cast<int>(f_.axes.size()) - 1;
  }

  // Tensors.

  struct Mention {
    int tensor = -1;
    std::vector<AffineIndex> index;
    TextPart at;
  };
  AffineIndex index() {
    AffineIndex x;
    bool minus = take('-');
    do {
      std::int64_t times = 1;
      int a = -1;
      if (is_digit(next())) {
        times = whole_number("a number is expected");
        if (take('*')) a = axis();
      } else {
        a = axis();
        if (!refused_ && take('*')) times = whole_number("a whole number is expected: how many places one step of the axis is");
      }
      if (refused_) return x;
      add(x, a, minus ? -times : times);
      minus = next() == '-';
    } while (take('+') || take('-'));
    return x;
  }
  static void add(AffineIndex& x, int axis, std::int64_t times) {
    if (axis < 0) {
      x.offset += times;
      return;
    }
    for (auto& p : x.parts)
      if (p.axis == axis) {
        p.times += times;
        if (p.times == 0) std::erase_if(x.parts, [&](const AffineIndex::Part& q) { return q.axis == axis; });
        return;
      }
    if (times != 0) x.parts.push_back({axis, times});
  }
  Mention mention(bool made) {
    Mention m;
    blanks();
    m.at.begin = pos_;
    std::string const n = name("the name of a tensor is expected");
    std::optional<ScalarType> type;
    if (!refused_ && take(':')) {
      std::string const of = name("a type is expected, such as bf16");
      if (refused_) return m;
      auto const parsed = parse_scalar_type(of, at_);
      if (!parsed) {
        say(parsed.refusal(), {pos_ - of.size(), pos_});
        return m;
      }
      type = *parsed;
    }
    std::vector<std::int64_t> extent;
    if (!expect('[', "'[' is expected, and the indices of the tensor")) return m;
    do {
      m.index.push_back(index());
      extent.push_back(!refused_ && take(':') ? whole_number("the number of places along this index is expected") : 0);
    } while (!refused_ && take(','));
    if (!expect(']', "']' is expected after the indices")) return m;
    std::optional<StoredAs> const stored = layout();
    if (refused_) return m;
    m.at.end = pos_;
    m.tensor = tensor(n, type, extent, stored, made, m.at);
    return m;
  }
  std::optional<StoredAs> layout() {
    if (!take('{')) return {};
    std::size_t const begin = pos_;
    std::string const word = name("how the tensor is stored is expected: rows, any or blocks n");
    StoredAs stored;
    if (refused_) return {};
    if (word == "any") stored.kind = StoredAs::Kind::any;
    else if (word == "blocks") stored = {StoredAs::Kind::blocks, whole_number("the number of elements of a block is expected")};
    else if (word != "rows")
      say(refuse("formula-layout", at_)
              .what(column_of(text_, {begin, pos_}), "'", plain_words(word, 24), "' is no way to store a tensor")
              .why("rows: row after row; blocks n: the last index in blocks of n; any: the mapper chooses")
              .help("write {rows}, {blocks 256} or {any}"),
          {begin, pos_});
    if (!refused_) expect('}', "'}' is expected after the layout");
    return stored;
  }
  /// The tensor of a name: a new one, or one that was mentioned before, to which this mention must not object.
  int tensor(const std::string& n, std::optional<ScalarType> type, const std::vector<std::int64_t>& extent, std::optional<StoredAs> stored,
             bool made, const TextPart& at) {
    for (std::size_t i = 0; i < f_.tensors.size(); ++i) {
      FormulaTensor& t = f_.tensors[i];
      if (t.name != n) continue;
      bool differs = (type && *type != t.type) || (stored && !(*stored == t.stored)) || extent.size() != t.extent.size();
      for (std::size_t k = 0; !differs && k < extent.size(); ++k) differs = extent[k] != 0 && extent[k] != t.extent[k];
      if (made)
        say(refuse("formula-tensor-order", at_)
                .what(column_of(text_, at), n, " is ", t.made_by < 0 ? "read before it is made" : "made twice")
                .why("statements follow each other, and each makes a tensor of its own")
                .help("give this one another name, or put it ", t.made_by < 0 ? "before its use" : "elsewhere"),
            at);
      else if (differs)
        say(refuse("formula-tensor-differs", at_)
                .what(column_of(text_, at), n, " was mentioned before with another type, layout, extent or number of indices (",
                      t.extent.size(), " then, ", extent.size(), " here)")
                .why("a name is one tensor; its type, extents and layout are said once")
                .help("say them at the first mention only, and give ", n, " ", t.extent.size(), " indices"),
            at);
      return static_cast<int>(i);
    }
    FormulaTensor t{n, type.value_or(ScalarType::bf16), stored.value_or(StoredAs{}), extent, -1, at};
    if (made) t.made_by = static_cast<int>(f_.statements.size());
    typed_.push_back(type.has_value());
    f_.tensors.push_back(t);
    return static_cast<int>(f_.tensors.size()) - 1;
  }

  // Expressions.

  struct Deeper {
    explicit Deeper(FormulaReader& r) : reader(r) { ++reader.depth_; }
    ~Deeper() { --reader.depth_; }
    FormulaReader& reader;
  };
  Expression of_two(Operation operation, Expression a, Expression b) {
    Expression e;
    e.operation = operation;
    e.at = {a.at.begin, b.at.end};
    e.of = {std::move(a), std::move(b)};
    return e;
  }
  Expression expression() {
    Expression e = term();
    while (!refused_) {
      if (take('+')) e = of_two(Operation::add, std::move(e), term());
      else if (take('-')) e = of_two(Operation::sub, std::move(e), term());
      else break;
    }
    return e;
  }
  Expression term() {
    Expression e = factor();
    while (!refused_) {
      if (take('*')) e = of_two(Operation::mul, std::move(e), factor());
      else if (take('/')) e = of_two(Operation::div, std::move(e), factor());
      else break;
    }
    return e;
  }
  Expression factor() {
    Deeper const deeper(*this);
    blanks();
    std::size_t const begin = pos_;
    if (depth_ > deepest) {
      say(refuse("formula-too-deep", at_)
              .what(column_of(text_, {pos_, pos_}), "the formula is nested ", depth_, " deep; at most ", deepest, " are read")
              .why("each level takes room while it is read")
              .help("make a statement of an inner part: t[m] = ...; C[m] = ... t[m]"),
          {pos_, pos_ + 1});
      return {};
    }
    if (!take('-')) return primary();
    Expression inner = factor();
    if (inner.operation == Operation::number) {
      inner.number = -inner.number;
      inner.at.begin = begin;
      return inner;
    }
    Expression e;
    e.operation = Operation::negate;
    e.at = {begin, inner.at.end};
    e.of.push_back(std::move(inner));
    return e;
  }
  Expression primary() {
    char const c = next();
    std::size_t const begin = pos_;
    if (take('(')) {
      Expression e = expression();
      expect(')', "')' is expected");
      return e;
    }
    if (is_digit(c) || c == '.') return literal();
    std::string_view const word = word_here();
    if (word.empty()) {
      unexpected("a tensor, a number, a function, sum[...], max[...] or '(' is expected");
      return {};
    }
    std::size_t after = pos_ + word.size();
    while (after < text_.size() && (text_[after] == ' ' || text_[after] == '\t')) ++after;
    char const follows = after < text_.size() ? text_[after] : '\0';
    if (follows == '(') return call(word);
    if ((word == "sum" || word == "max") && follows == '[') return reduction(word);
    Mention m = mention(false);
    Expression e;
    e.operation = Operation::read;
    e.tensor = m.tensor;
    e.index = std::move(m.index);
    e.at = {begin, pos_};
    return e;
  }
  Expression literal() {
    std::size_t const begin = pos_;
    Expression e;
    auto const read = std::from_chars(text_.data() + pos_, text_.data() + text_.size(), e.number);
    if (read.ec == std::errc::invalid_argument) {
      unexpected("a number is expected");
      return e;
    }
    pos_ = static_cast<std::size_t>(read.ptr - text_.data());
    e.at = {begin, pos_};
    constexpr double largest = 3.4e38;
    if (read.ec != std::errc() || !(std::abs(e.number) < largest)) too_large(e.at);
    return e;
  }
  Expression call(std::string_view word) {
    std::size_t const begin = pos_;
    const Word* found = nullptr;
    for (const Word& w : words)
      if (word == w.name) found = &w;
    if (found == nullptr) {
      unknown_function(word);
      return {};
    }
    pos_ += word.size();
    Expression e;
    e.operation = found->operation;
    expect('(', "'(' is expected");
    do e.of.push_back(expression());
    while (!refused_ && take(','));
    expect(')', "')' is expected after the arguments");
    e.at = {begin, pos_};
    if (!refused_ && static_cast<int>(e.of.size()) != found->arguments)
      say(refuse("formula-function", at_)
              .what(column_of(text_, e.at), found->name, " has ", e.of.size(), " arguments here, and takes ", found->arguments)
              .why("functions are those of the Vector Engine")
              .help("write ", found->name,
                    found->arguments == 1   ? "(x)"
                    : found->arguments == 2 ? "(x, y)"
                                            : "(x, y, z)"),
          e.at);
    return e;
  }
  void unknown_function(std::string_view word) {
    Refusal r = refuse("formula-function", at_);
    r.what(column_of(text_, {pos_, pos_}), "there is no function '", plain_words(word, 24), "'")
        .why("functions are those of the Vector Engine");
    const Word* nearest = nullptr;
    std::size_t distance = 3;
    for (const Word& w : words)
      if (std::size_t const d = edit_distance(word.substr(0, 32), w.name); d < distance) {
        distance = d;
        nearest = &w;
      }
    if (nearest != nullptr) r.help("perhaps you meant ", nearest->name, "; there are");
    else r.help("write one of");
    const char* separator = " ";
    for (const Word& w : words) {
      r.help(separator, w.name);
      separator = ", ";
    }
    say(r, {pos_, pos_ + word.size()});
  }
  Expression reduction(std::string_view word) {
    Expression e;
    e.operation = word == "sum" ? Operation::sum : Operation::max_over;
    e.at.begin = pos_;
    pos_ += word.size();
    expect('[', "'[' is expected");
    do e.over.push_back(axis());
    while (!refused_ && take(','));
    expect(']', "']' is expected after the axes of the reduction");
    if (refused_) return e;
    Deeper const deeper(*this);
    e.of.push_back(term());
    e.at.end = pos_;
    return e;
  }

  void statement() {
    Mention m = mention(true);
    if (refused_) return;
    Statement s;
    s.tensor = m.tensor;
    FormulaTensor& made = f_.tensors[static_cast<std::size_t>(m.tensor)];
    for (std::size_t i = 0; i < m.index.size(); ++i) {
      if (!m.index[i].plain() || made.extent[i] != 0) {
        say(refuse("formula-left-side", at_)
                .what(column_of(text_, m.at), "index ", i + 1, " of ", made.name, " is not one axis as it is")
                .why("an element is made for each step of the axes on the left; windows belong to tensors that are read")
                .help("write axes only: ", made.name, "[m, n] = ..."),
            m.at);
        return;
      }
      s.axes.push_back(m.index[i].parts[0].axis);
    }
    if (!expect('=', "'=' is expected after the tensor that is made")) return;
    f_.statements.push_back(s);
    Expression value = expression();
    f_.statements.back().value = std::move(value);
  }
  void sizes() {
    do {
      blanks();
      std::size_t const begin = pos_;
      std::string const n = name("the name of an axis is expected");
      if (refused_ || !expect('=', "'=' and the size of the axis are expected")) return;
      std::int64_t const size = whole_number("the size of the axis is expected");
      if (refused_) return;
      auto sized = with_sizes(f_, {{n, size}});
      if (!sized) return say(sized.refusal(), {begin, pos_});
      f_ = *std::move(sized);
    } while (take(','));
  }
  /// What has no type of its own: results follow the inputs.
  void finish_types() {
    bool const integer = f_.integer();
    for (std::size_t t = 0; t < f_.tensors.size(); ++t) {
      if (typed_[t] || f_.tensors[t].made_by < 0) continue;
      bool const last = f_.tensors[t].made_by + 1 == static_cast<int>(f_.statements.size());
      f_.tensors[t].type = integer ? ScalarType::i32 : last ? ScalarType::bf16 : ScalarType::f32;
    }
  }

  std::string_view text_;
  Where at_;
  std::size_t pos_ = 0;
  int depth_ = 0;
  Formula f_{};
  std::vector<bool> typed_{};
  std::optional<Refusal> refused_{};
};

}  // namespace

Expected<Formula> parse(std::string_view text, Where at) { return FormulaReader(text, at).read(); }

}  // namespace tcp::formula
