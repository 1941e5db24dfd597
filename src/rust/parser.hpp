// A reader of tokens: items, types, patterns and expressions of Rust by recursive descent. It knows the whole syntax
// that such files have, so that code for the host can be passed over; what a kernel may use of it is decided by the
// evaluator. Throws Mistake.
#pragma once

#include <map>

#include "rust/syntax.hpp"

namespace tcp::rust {

/// What was passed over while items were read.
struct PassedOver {
  std::vector<Mistake> kernels;                 // kernels that cannot be read
  std::map<std::string_view, Mistake> helpers;  // other items, by their names: who asks for one is told why it is missing
};

class Parser {
 public:
  Parser(Arena& arena, const TokenRange& tokens, PassedOver* passed_over = nullptr)
      : arena_(arena), tokens_(tokens), passed_over_(passed_over) {
    end_.span = tokens.closing;
  }

  // Whole texts.

  /// A function that cannot be read and is no kernel becomes an item of the kind `other`.
  std::vector<const Item*> items_to_end();
  const BlockSyntax* block_of_all();
  const Expr* expression_to_end();
  const TypeSyntax* type_to_end();

  // Pieces, for macros: what stands next, and how far it goes.

  bool done() const { return at_ >= tokens_.size(); }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  const Token& peek(std::size_t ahead = 0) const { return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end_; }
  /// Punctuation of one or several characters without blanks between them, or a word.
  bool is(std::string_view what, std::size_t ahead = 0) const;
  bool take(std::string_view what);
  void want(std::string_view what);
  const Token& name();
  /// The tokens inside the brackets that open here; both brackets are passed.
  TokenRange group();
  /// One token, or a group with its brackets.
  void token_tree();
  const Item* item();
  const Expr* expression();
  const Expr* literal_expression();
  const TypeSyntax* type();
  /// What may stand between `::<` and `>`.
  const TypeSyntax* generic_argument() { return constant_argument(); }
  const Pattern* pattern();
  const BlockSyntax* block();
  Statement statement();
  Path type_path();
  void visibility();
  [[noreturn]] void fail(std::string_view wanted) const;

 private:
  class Deeper;  // counts nesting, and refuses too much of it

  Span since(std::size_t begin) const;
  std::vector<Attribute> attributes();
  bool is_configured(const std::vector<Attribute>& attributes, BuildOf build = BuildOf::crate) const;
  void add_conditional(const TokenRange& inside, std::vector<Attribute>& to) const;

  const Item* item_or_skipped();
  Item& new_item(Item::Kind kind, std::size_t begin, std::vector<Attribute> attributes);
  const Item* function(std::size_t begin, std::vector<Attribute> attributes);
  const Item* structure(std::size_t begin, std::vector<Attribute> attributes);
  const Item* implementation(std::size_t begin, std::vector<Attribute> attributes, bool trait);
  void parameters(Item& function);
  void use_tree(std::vector<std::string_view> prefix, std::vector<UseLeaf>& out);
  std::vector<GenericParameter> generics();
  void bounds();
  void where_clause();
  bool at_item() const;

  TypeSyntax& new_type(TypeSyntax::Kind kind, std::size_t begin);
  const TypeSyntax* constant_argument();
  std::vector<const TypeSyntax*> type_arguments();
  Path path(bool in_expression);

  Pattern& new_pattern(Pattern::Kind kind, std::size_t begin);
  const Pattern* single_pattern();
  std::vector<const Pattern*> pattern_list(std::string_view closing);

  Expr& new_expr(Expr::Kind kind, std::size_t begin);
  const Expr* finished(Expr& e, std::size_t begin);
  const Expr* assignment();
  const Expr* range();
  const Expr* binary(int level);
  const Expr* binary_from(const Expr* left, std::size_t begin, int level);
  const Expr* unary();
  const Expr* postfix(const Expr* e, std::size_t begin);
  const Expr* primary();
  const Expr* block_like(std::size_t begin);
  const Expr* condition();
  const Expr* branch();
  const Expr* matching();
  const Expr* closure();
  const Expr* named();
  const Expr* without_structures(const Expr* (Parser::*read)());
  const Expr* with_structures(const Expr* (Parser::*read)());
  std::vector<const Expr*> expressions(std::string_view closing);
  bool at_block_like() const;
  bool ends_expression() const;

  Arena& arena_;
  TokenRange tokens_;
  PassedOver* passed_over_;
  Token end_{};
  std::size_t at_ = 0;
  int depth_ = 0;
  bool structures_ = true;  // whether `Name {` begins a structure; not in the head of an if
};

// How deep a text may nest before the parser refuses it: far more than people write, and far less than a stack holds.

class Parser::Deeper {
 public:
  explicit Deeper(Parser& parser) : parser_(parser) {
    constexpr int deepest = 100;
    if (++parser_.depth_ <= deepest) return;
    --parser_.depth_;
    Mistake m = mistake(Wrong::too_deep, parser_.peek().span, "the text nests more than ", deepest, " levels deep here");
    m.refusal.why("the reader keeps a fixed room for what is not finished yet").help("give the inner part a name with let, type or fn");
    throw m;
  }
  ~Deeper() { --parser_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Parser& parser_;
};

}  // namespace tcp::rust
