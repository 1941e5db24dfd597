// What the parser makes of tokens: items, types, patterns and expressions of Rust, as plain records.
//
// Records are kept by an Arena and point at each other; none owns another, so that however deep a file nests, taking it
// down does not recurse. Bodies of functions and arguments of macros stay tokens until they are asked for.
#pragma once

#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "rust/token.hpp"

namespace tcp::rust {

struct Expr;
struct BlockSyntax;
struct Item;
struct TypeSyntax;

/// `Slice`, `Dm<m![A]>` between `::`.
struct Segment {
  std::string_view name{};
  int mark = 0;
  bool has_arguments = false;
  std::vector<const TypeSyntax*> arguments{};  // lifetimes left out
  Span span{};
};

struct Path {
  const TypeSyntax* self = nullptr;      // of <T as Trait>::NAME
  const TypeSyntax* as_trait = nullptr;  // its Trait
  std::vector<Segment> segments{};
  Span span{};

  const Segment& last() const { return segments.back(); }
  bool is_word() const { return self == nullptr && segments.size() == 1 && !segments[0].has_arguments; }
};

struct TypeSyntax {
  enum class Kind : std::uint8_t {
    path,
    macro,      // m![…], or one of the crate's own
    reference,  // &T, &mut T
    tuple,
    array,     // [T; n], [T]
    inferred,  // _
    constant,  // a value where a type may stand: 4, { N + 1 }
    never,
    other,  // impl Trait, dyn Trait, pointers, functions
  };
  Kind kind = Kind::inferred;
  Span span{};
  Path path{};  // of a macro: its name
  bool is_mut = false;
  const TypeSyntax* inner = nullptr;
  std::vector<const TypeSyntax*> items{};
  const Expr* value = nullptr;  // of a constant, and of an array's length
  TokenRange body{};            // of a macro
};

struct Pattern {
  enum class Kind : std::uint8_t { name, wild, rest, tuple, slice, reference, value, range, structure, variant, either, other };
  Kind kind = Kind::wild;
  Span span{};
  std::string_view name{};
  int mark = 0;
  Path path{};
  std::vector<const Pattern*> items{};
  std::vector<std::string_view> fields{};  // of a structure, beside items
  const Expr* low = nullptr;               // of a value, and of a range
  const Expr* high = nullptr;
  bool inclusive = false;
  bool by_mut_reference = false;  // of a name: ref mut
};

struct Attribute {
  TokenRange tokens{};  // without #[ ]

  /// Its last word before arguments: device of #[vendor::device(chip = 1)].
  std::string_view name() const {
    std::size_t at = 0;
    while (at + 3 < tokens.size() && tokens[at + 1].is(':') && tokens[at + 2].is(':')) at += 3;
    return tokens.empty() ? std::string_view() : tokens[at].text;
  }
};

struct Parameter {
  const Pattern* pattern = nullptr;
  const TypeSyntax* type = nullptr;  // null: self
  Span span{};
};

struct Statement {
  enum class Kind : std::uint8_t { let, expression, item, macro };
  Kind kind = Kind::expression;
  Span span{};
  const Pattern* pattern = nullptr;
  const TypeSyntax* type = nullptr;
  const Expr* value = nullptr;
  const BlockSyntax* otherwise = nullptr;  // let … else
  const Item* item = nullptr;
};

struct BlockSyntax {
  Span span{};
  std::vector<Statement> statements{};
  const Expr* tail = nullptr;
};

struct MatchArm {
  const Pattern* pattern = nullptr;
  const Expr* guard = nullptr;
  const Expr* value = nullptr;
};

struct FieldValue {
  std::string_view name{};
  const Expr* value = nullptr;
  Span span{};
};

struct Expr {
  enum class Kind : std::uint8_t {
    literal,
    path,
    macro,
    negate,
    invert,
    reference,
    dereference,
    binary,
    assign,
    cast,
    call,
    method,
    field,
    index,
    tuple,
    array,
    repeat,
    range,
    block,
    unsafe_block,
    const_block,
    branch,  // if
    matching,
    for_loop,
    while_loop,
    endless_loop,
    structure,
    return_value,
    break_loop,
    continue_loop,
    let_condition,
    closure,
    async_block,
    await,
    question,
  };
  Kind kind = Kind::literal;
  Span span{};       // of all of it
  Span name_span{};  // of a method: from its name on
  Token literal{};
  std::string_view name{};  // of a method or field; the operator; the label of a loop or block, and of what leaves it
  Path path{};
  const TypeSyntax* type = nullptr;                 // of a cast
  std::vector<const TypeSyntax*> type_arguments{};  // of a method
  const Expr* left = nullptr;                       // receiver, condition, operand
  const Expr* right = nullptr;
  std::vector<const Expr*> items{};
  const BlockSyntax* body = nullptr;
  const Expr* otherwise = nullptr;  // else
  const Pattern* pattern = nullptr;
  std::vector<MatchArm> arms{};
  std::vector<FieldValue> fields{};
  std::vector<Parameter> parameters{};  // of a closure, whose body is `right`
  bool inclusive = false;
  bool unrolled = false;  // of a loop: #[unroll]
  bool is_mut = false;    // of a reference
  bool moves = false;     // of a closure: move
  TokenRange tokens{};    // of a macro
};

struct GenericParameter {
  enum class Kind : std::uint8_t { type, constant };
  Kind kind = Kind::type;
  std::string_view name{};
  const TypeSyntax* type = nullptr;       // of a constant
  const TypeSyntax* otherwise = nullptr;  // the default
  Span span{};
};

/// One leaf of a `use`.
struct UseLeaf {
  std::vector<std::string_view> path{};
  std::string_view name{};  // under which it is known; empty: a glob
};

struct FieldSyntax {
  std::string_view name{};
  const TypeSyntax* type = nullptr;
};

struct Item {
  enum class Kind : std::uint8_t {
    use,
    module,
    alias,
    constant,
    function,
    structure,
    enumeration,
    implementation,
    trait,
    rules,
    macro,
    other
  };
  Kind kind = Kind::other;
  Span span{};
  Span name_span{};
  std::string_view name{};
  std::vector<Attribute> attributes{};
  std::vector<GenericParameter> generics{};
  std::vector<UseLeaf> uses{};
  bool has_body = false;  // of a module: written here, not in a file
  std::vector<const Item*> items{};
  const TypeSyntax* type = nullptr;      // of an alias, a constant, an implementation; what a function gives back
  const TypeSyntax* of_trait = nullptr;  // of an implementation
  const Expr* value = nullptr;
  std::vector<Parameter> parameters{};
  TokenRange body{};  // of a function, with its braces; of macro rules and macros, without
  std::vector<FieldSyntax> fields{};
  bool is_tuple = false;  // of a structure
  std::vector<std::string_view> variants{};
  std::vector<const Expr*> discriminants{};  // of each variant; null: one more than the one before
  Path path{};                               // of a macro

  const Attribute* attribute(std::string_view wanted) const {
    for (const Attribute& a : attributes)
      if (a.name() == wanted) return &a;
    return nullptr;
  }
};

/// What `test` in a condition means: it is set when the tests of a crate are built, and only then.
enum class BuildOf { crate, tests };

/// Keeps everything that was read.
class Arena {
 public:
  template <class T>
  T& make() {
    return list<T>().emplace_back();
  }
  const Tokens& keep(Tokens tokens) { return tokens_.emplace_back(std::move(tokens)); }
  /// Whether what is inside of cfg(...) holds, in the crate as it is built or in its tests; if there is nothing to ask,
  /// it does.
  std::function<bool(const TokenRange&, BuildOf)> condition{};

 private:
  template <class T>
  std::deque<T>& list() {
    if constexpr (std::is_same_v<T, Expr>) return exprs_;
    else if constexpr (std::is_same_v<T, TypeSyntax>) return types_;
    else if constexpr (std::is_same_v<T, Pattern>) return patterns_;
    else if constexpr (std::is_same_v<T, BlockSyntax>) return blocks_;
    else return items_;
  }

  std::deque<Expr> exprs_;
  std::deque<TypeSyntax> types_;
  std::deque<Pattern> patterns_;
  std::deque<BlockSyntax> blocks_;
  std::deque<Item> items_;
  std::deque<Tokens> tokens_;
};

/// All tokens of a list but the end.
inline TokenRange range_of(const Tokens& tokens) {
  if (tokens.empty()) return {};
  bool const ended = tokens.back().kind == TokenKind::end;
  return {tokens.data(), tokens.data() + tokens.size() - (ended ? 1 : 0), tokens.back().span};
}

}  // namespace tcp::rust
