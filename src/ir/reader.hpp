// What all parts of a text share: words, numbers, names of things that were declared, mappings. parse.cpp reads
// statements with it, parse_pass.cpp stages.
//
// A Reader never stops in the middle: after a refusal there are no more tokens, every read gives something harmless,
// and the caller comes to its end.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/words.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/support/refusal.hpp"
#include "tcp/support/text.hpp"

// Names as sentences show them.

namespace tcp::ir {

/// What a stranger typed may hold anything and have any length; what we show of it is plain and short.
inline Text shown(std::string_view v) {
  constexpr std::size_t most = 32;
  Text t;
  for (char c : v.substr(0, most)) t << (c >= ' ' && c <= '~' ? c : '?');
  return v.size() > most ? t << "..." : t;
}

// The text form as tokens, each with its place. Blanks, line ends and // comments separate tokens and mean nothing
// else.
//
// The first refusal is the last token: from then on there is only the end, so that a loop over tokens always ends.

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

/// Things that a text declares and refers to by name: x, "two words", x%2, %7.
class Names {
 public:
  explicit Names(const char* kind) : kind_(kind) {}

  struct Label {
    std::string name;
    std::int64_t number = -1;  // after %

    std::string shown() const;
  };

  const char* kind() const { return kind_; }
  int find(const Label& label) const;
  /// False if there is one of that name already.
  bool add(const Label& label, int id);
  /// The declared name that is most like it, or none.
  std::string nearest(const Label& label) const;

 private:
  static std::string key(const Label& label);

  const char* kind_;
  std::unordered_map<std::string, int> ids_;
  std::vector<std::string> declared_;
};

/// The candidate that a misspelt word is most like; empty if it is like none.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

class Reader {
 public:
  Reader(std::string_view text, const char* file, const char* kept_file, Module& into)
      : lexer_(text, file), kept_file_(kept_file), module(into) {}

  bool refused() const { return lexer_.refused(); }
  const Refusal& refusal() const { return lexer_.refusal(); }
  void say(const Refusal& r) { lexer_.say(r); }

  /// Where the token stands, as a module that is read remembers it.
  Where here() const;
  bool at_end() const { return now().kind == Token::Kind::end; }
  bool at_word() const { return now().kind == Token::Kind::word; }
  bool at_word(std::string_view word) const { return at_word() && now().text == word; }
  bool at_sign(std::string_view sign) const { return now().kind == Token::Kind::sign && now().text == sign; }
  bool at_number() const { return now().kind == Token::Kind::number; }
  bool take_word(std::string_view word);
  bool take_sign(std::string_view sign);
  void need_sign(std::string_view sign, const char* wanted);
  /// A named argument, `name: …`; its name is passed.
  bool take_named(const char* name);
  bool at_named() const { return at_word() && lexer_.followed_by(':'); }
  /// A word that opens parentheses.
  bool at_call(std::string_view word) const { return at_word(word) && lexer_.followed_by('('); }

  void unexpected(const char* wanted);
  void unknown(const char* kind, const std::vector<std::string_view>& candidates);
  void given_twice(std::string_view what);

  std::string_view word(const char* wanted);
  template <class E, std::size_t N>
  E one_of(const words::Word<E> (&table)[N], const char* kind);
  std::int64_t integer(const char* wanted, std::int64_t low = INT64_MIN, std::int64_t high = INT64_MAX);
  std::uint32_t bits();
  std::vector<std::int64_t> integers();
  ScalarType scalar_type();
  bool at_scalar_type() const;
  struct Value {
    ScalarType type = ScalarType::i32;
    std::uint32_t bits = 0;
  };
  bool at_value() const;
  /// 3, -2.5, nan, bf16 0x3f80.
  Value value();
  /// A value of a type that was read before it.
  Value value_of(ScalarType type);
  /// What a name says, quoted or not.
  std::string name(const char* wanted);
  Name axis();
  /// {0..7, 9}: calls add for each number.
  template <class Add>
  void set(int count, Add add);
  MapId mapping();

  Names::Label label(const char* wanted);
  void declare(Names& names, const Names::Label& label, std::size_t id, Where at);
  /// The number of what is named, or none if the text says none.
  int reference(const Names& names);
  TensorId tensor() { return TensorId(reference(tensors)); }

  void declare_axes();
  /// using Name = [mapping]
  void declare_mapping();

  /// (…): calls each for every argument, with its number. Nothing at all is no argument.
  template <class Each>
  void arguments(Each each);
  /// False, and refused, if there is none.
  bool has_arguments(const char* wanted);
  /// Arguments of which at least one is needed.
  template <class Each>
  void needed_arguments(const char* wanted, Each each);

  /// Which arguments and levels were given, so that none is given twice.
  class Given {
   public:
    explicit Given(Reader& reader) : reader_(reader) {}
    void once(std::string_view what) {
      for (std::string_view other : given_)
        if (other == what) return reader_.given_twice(what);
      given_.push_back(what);
    }

   private:
    Reader& reader_;
    std::vector<std::string_view> given_;
  };

 private:
  const Token& now() const { return lexer_.now(); }
  bool is_integer() const;
  std::string unquoted();
  void number_refused(std::string_view reason);
  MapId read_mapping(std::string_view text, Where at);
  struct Known;
  void add_axis(Known& known, std::string_view name);
  void add_splice(Known& known, std::string_view name);
  void unknown_in_mapping(const Known& known, const char* kind, std::string_view name, const std::vector<std::string>& declared);

  Lexer lexer_;
  const char* kept_file_;
  std::unordered_map<std::string_view, MapId> read_;  // mappings by their text
  std::unordered_map<std::string, std::int64_t> axes_;
  std::unordered_map<std::string, MapId> mappings_;
  std::vector<std::string> axis_names_, mapping_names_;  // in the order of declaration

 public:
  Module& module;
  Names tensors{"tensor"}, tables{"table"}, regions{"region"};
};

template <class E, std::size_t N>
E Reader::one_of(const words::Word<E> (&table)[N], const char* kind) {
  if (const auto* found = at_word() ? words::find_in(table, now().text) : nullptr) {
    lexer_.advance();
    return found->value;
  }
  std::vector<std::string_view> candidates;
  for (const auto& w : table) candidates.push_back(w.name);
  unknown(kind, candidates);
  return table[0].value;
}

template <class Each>
void Reader::arguments(Each each) {
  if (!take_sign("(") || take_sign(")")) return;
  int i = 0;
  do each(i++);
  while (!refused() && take_sign(","));
  need_sign(")", "the arguments end with ), and a comma separates two");
}

template <class Each>
void Reader::needed_arguments(const char* wanted, Each each) {
  if (has_arguments(wanted)) arguments(each);
}

template <class Add>
void Reader::set(int count, Add add) {
  need_sign("{", "a set of numbers is written {0..7, 9}");
  if (take_sign("}")) return;
  do {
    std::int64_t const first = integer("a number is needed, as in {0..7, 9}", 0, count - 1);
    std::int64_t const last = take_sign("..") ? integer("the last number of the range is needed", first, count - 1) : first;
    for (std::int64_t i = first; i <= last && !refused(); ++i) add(static_cast<int>(i));
  } while (!refused() && take_sign(","));
  need_sign("}", "the set ends with }, and a comma separates two numbers");
}

/// Stages of a pass, from the first `.` on.
void read_stages(Reader& in, Pass& pass);

}  // namespace tcp::ir
