// Statements and expressions.
#include "rust/parser.hpp"

namespace tcp::rust {

namespace {

/// Operators that take two sides, the loosest first; of one level, longer ones before those that they begin with.
struct BinaryOperator {
  std::string_view text;
  int level;
};
constexpr BinaryOperator binary_operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 3}, {">=", 3},
                                               {"<<", 7}, {">>", 7}, {"<", 3},  {">", 3},  {"|", 4},  {"^", 5},
                                               {"&", 6},  {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9}};
constexpr std::string_view assignments[] = {"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "="};

/// A chain of calls or operators: the records of it point at each other, and the evaluator follows them.
constexpr int longest_chain = 300;

[[noreturn]] void refuse_chain(const Span& at) {
  Mistake m = mistake(Wrong::too_deep, at, "more than ", longest_chain, " calls or operators in one expression");
  m.refusal.why("the reader keeps a fixed room for what is not finished yet").help("give parts of it names with let");
  throw m;
}

}  // namespace

Expr& Parser::new_expr(Expr::Kind kind, std::size_t begin) {
  Expr& e = arena_.make<Expr>();
  e.kind = kind;
  e.span = since(begin);
  return e;
}
const Expr* Parser::finished(Expr& e, std::size_t begin) {
  e.span = since(begin);
  return &e;
}

const Expr* Parser::expression_to_end() {
  const Expr* const e = expression();
  if (!done()) fail("the end of the expression");
  return e;
}
const BlockSyntax* Parser::block_of_all() {
  BlockSyntax& b = arena_.make<BlockSyntax>();
  b.span = tokens_.span();
  while (is("#") && is("!", 1)) {  // of the block; those of its first statement belong to that
    go_to(position() + 2);
    group();
  }
  bool ends_with_value = false;
  while (!done()) {
    if (take(";")) continue;
    std::size_t const begin = at_;
    bool const configured = is_configured(attributes());
    at_ = begin;
    Statement const s = statement();
    if (!configured) continue;
    b.statements.push_back(s);
    ends_with_value = s.kind == Statement::Kind::expression && !tokens_[at_ - 1].is(';');
  }
  if (ends_with_value) {
    b.tail = b.statements.back().value;
    b.statements.pop_back();
  }
  return &b;
}
const BlockSyntax* Parser::block() {
  Deeper const deeper(*this);
  if (!is("{")) fail("`{`");
  std::size_t const begin = at_;
  TokenRange const inside = group();
  Parser parser(arena_, inside);
  parser.depth_ = depth_;
  const BlockSyntax* const read = parser.block_of_all();
  const_cast<BlockSyntax*>(read)->span = since(begin);  // NOLINT: with its braces
  return read;
}

Statement Parser::statement() {
  std::size_t const begin = at_;
  auto const attributes = this->attributes();
  Statement s;
  if (take("let")) {
    s.kind = Statement::Kind::let;
    s.pattern = pattern();
    if (take(":")) s.type = type();
    if (take("=")) s.value = expression();
    if (take("else")) s.otherwise = block();
    want(";");
    s.span = since(begin);
    return s;
  }
  if (at_item()) {
    at_ = begin;
    s.kind = Statement::Kind::item;
    s.item = item();
    s.span = s.item->span;
    return s;
  }
  bool const block_like = at_block_like();
  std::size_t const expression_begin = at_;
  const Expr* e = nullptr;
  if (block_like) {
    e = this->block_like(at_);
    if ((is(".") && !is("..")) || is("?")) e = binary_from(postfix(e, expression_begin), expression_begin, 0);
    for (const Attribute& a : attributes)
      if (a.name() == "unroll") const_cast<Expr*>(e)->unrolled = true;  // NOLINT: it is being made
  } else {
    e = expression();
  }
  s.value = e;
  bool const semicolon = take(";");
  s.span = since(begin);
  if (!semicolon && !done() && !block_like && e->kind != Expr::Kind::macro) fail("`;`");
  if (e->kind == Expr::Kind::macro && (semicolon || !done())) s.kind = Statement::Kind::macro;
  return s;
}

bool Parser::at_block_like() const {
  if (is("{") || is("if") || is("match") || is("for") || is("while") || is("loop")) return true;
  if ((is("unsafe") || is("const")) && is("{", 1)) return true;
  return peek().kind == TokenKind::lifetime && is(":", 1);
}

const Expr* Parser::without_structures(const Expr* (Parser::*read)()) {
  bool const before = std::exchange(structures_, false);
  const Expr* const e = (this->*read)();
  structures_ = before;
  return e;
}
const Expr* Parser::with_structures(const Expr* (Parser::*read)()) {
  bool const before = std::exchange(structures_, true);
  const Expr* const e = (this->*read)();
  structures_ = before;
  return e;
}

const Expr* Parser::expression() {
  Deeper const deeper(*this);
  return assignment();
}

bool Parser::ends_expression() const {
  return done() || is(")") || is("]") || is("}") || is(";") || is(",") || is("=>") || (is("{") && !structures_);
}

const Expr* Parser::assignment() {
  std::size_t const begin = at_;
  if (is("return") || is("break") || is("continue")) {
    Expr::Kind const kind = is("return") ? Expr::Kind::return_value : is("break") ? Expr::Kind::break_loop : Expr::Kind::continue_loop;
    ++at_;
    std::string_view label;
    if (peek().kind == TokenKind::lifetime) {
      label = peek().text;
      ++at_;
    }
    Expr& e = new_expr(kind, begin);
    e.name = label;
    if (kind != Expr::Kind::continue_loop && !ends_expression()) e.left = expression();
    return finished(e, begin);
  }
  const Expr* const left = range();
  for (std::string_view op : assignments) {
    if (!is(op) || is("==") || is("=>")) continue;
    at_ += op.size();
    const Expr* const right = expression();
    Expr& e = new_expr(Expr::Kind::assign, begin);
    e.name = op;
    e.left = left;
    e.right = right;
    return finished(e, begin);
  }
  return left;
}

const Expr* Parser::range() {
  std::size_t const begin = at_;
  const Expr* low = nullptr;
  if (!is("..")) low = binary(0);
  if (!is("..")) return low;
  bool const inclusive = is("..=");
  at_ += inclusive ? 3 : 2;
  const Expr* const high = ends_expression() ? nullptr : binary(0);
  Expr& e = new_expr(Expr::Kind::range, begin);
  e.left = low;
  e.right = high;
  e.inclusive = inclusive;
  return finished(e, begin);
}

const Expr* Parser::binary(int level) {
  std::size_t const begin = at_;
  return binary_from(unary(), begin, level);
}
const Expr* Parser::binary_from(const Expr* left, std::size_t begin, int level) {
  Deeper const deeper(*this);
  for (int links = 0;; ++links) {
    if (links > longest_chain) refuse_chain(peek().span);
    if (take("as")) {
      const TypeSyntax* const to = type();
      Expr& e = new_expr(Expr::Kind::cast, begin);
      e.left = left;
      e.type = to;
      left = finished(e, begin);
      continue;
    }
    const BinaryOperator* found = nullptr;
    for (const BinaryOperator& op : binary_operators) {
      if (!is(op.text)) continue;
      found = &op;
      break;
    }
    if (found == nullptr || found->level <= level) return left;
    bool const assigns = found->text != "==" && found->text != "!=" && found->text != "<=" && found->text != ">=" &&
                         is("=", found->text.size()) && peek(found->text.size() - 1).joint && !is("==", found->text.size());
    if (assigns) return left;
    if (is("=>")) return left;
    at_ += found->text.size();
    const Expr* const right = binary(found->level);
    Expr& e = new_expr(Expr::Kind::binary, begin);
    e.name = found->text;
    e.left = left;
    e.right = right;
    left = finished(e, begin);
  }
}

const Expr* Parser::unary() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  auto const prefixed = [&](Expr::Kind kind) {
    const Expr* const operand = unary();
    Expr& e = new_expr(kind, begin);
    e.left = operand;
    return finished(e, begin);
  };
  if (take("&")) {  // `&&x` is two references
    if (is("raw") && (is("const", 1) || is("mut", 1))) at_ += 2;
    bool const is_mut = take("mut");
    const Expr* const operand = unary();
    Expr& e = new_expr(Expr::Kind::reference, begin);
    e.left = operand;
    e.is_mut = is_mut;
    return finished(e, begin);
  }
  if (take("*")) return prefixed(Expr::Kind::dereference);
  if (take("!")) return prefixed(Expr::Kind::invert);
  if (take("-")) return prefixed(Expr::Kind::negate);
  if (is("|") || is("move") || (is("async") && (is("|", 1) || is("move", 1)) && !is("{", 2))) return closure();
  return postfix(primary(), begin);
}

const Expr* Parser::closure() {
  std::size_t const begin = at_;
  bool const waits = take("async"), moves = take("move");
  std::vector<Parameter> parameters;
  if (!take("||")) {
    want("|");
    while (!take("|")) {
      std::size_t const parameter_begin = at_;
      Parameter p;
      p.pattern = single_pattern();
      if (take(":")) p.type = type();
      p.span = since(parameter_begin);
      parameters.push_back(p);
      if (!take(",")) {
        want("|");
        break;
      }
    }
  }
  const TypeSyntax* result = nullptr;
  const Expr* value = nullptr;
  if (take("->")) {
    result = type();
    std::size_t const body_begin = at_;
    const BlockSyntax* const body = block();
    Expr& b = new_expr(Expr::Kind::block, body_begin);
    b.body = body;
    value = &b;
  } else {
    value = expression();
  }
  Expr& e = new_expr(waits ? Expr::Kind::async_block : Expr::Kind::closure, begin);
  e.parameters = std::move(parameters);
  e.type = result;
  e.right = value;
  e.moves = moves;
  return &e;
}

std::vector<const Expr*> Parser::expressions(std::string_view closing) {
  std::vector<const Expr*> all;
  bool const before = std::exchange(structures_, true);
  while (!take(closing)) {
    bool const configured = is_configured(attributes());
    const Expr* const each = expression();
    if (configured) all.push_back(each);
    if (!take(",")) {
      want(closing);
      break;
    }
  }
  structures_ = before;
  return all;
}

const Expr* Parser::postfix(const Expr* e, std::size_t begin) {
  for (int links = 0;; ++links) {
    if (links > longest_chain) refuse_chain(peek().span);
    if (take("?")) {
      Expr& q = new_expr(Expr::Kind::question, begin);
      q.left = e;
      e = &q;
    } else if (is(".") && !is("..")) {
      ++at_;
      std::size_t const name_begin = at_;
      if (peek().kind == TokenKind::number) {  // of a tuple: .0, and .0.1, which reads as a number with a fraction
        Token const number = tokens_[at_++];
        std::string_view rest = number.text;
        while (true) {
          std::size_t const dot = rest.find('.');
          Expr& f = new_expr(Expr::Kind::field, begin);
          f.left = e;
          f.name = rest.substr(0, dot);
          f.name_span = number.span;
          e = &f;
          if (dot == rest.npos) break;
          rest.remove_prefix(dot + 1);
        }
        continue;
      }
      const Token& word = name();
      if (word.text == "await") {
        Expr& a = new_expr(Expr::Kind::await, begin);
        a.left = e;
        e = &a;
        continue;
      }
      std::vector<const TypeSyntax*> arguments;
      if (is("<") && is("m", 1) && is("!", 2)) {
        Mistake m = mistake(Wrong::syntax, since(name_begin), "types of a method follow `::`");
        m.refusal.why("without it, < is a comparison").help("write .", word.text, "::<...>(...)");
        throw m;
      }
      if (is("::") && is("<", 2)) {
        at_ += 2;
        arguments = type_arguments();
      }
      bool const call = take("(");
      std::vector<const Expr*> items;
      if (call) items = expressions(")");
      Expr& m = new_expr(call ? Expr::Kind::method : Expr::Kind::field, begin);
      m.left = e;
      m.name = word.text;
      m.name_span = since(name_begin);
      m.type_arguments = std::move(arguments);
      m.items = std::move(items);
      e = &m;
    } else if (take("(")) {
      auto items = expressions(")");
      Expr& c = new_expr(Expr::Kind::call, begin);
      c.left = e;
      c.items = std::move(items);
      e = &c;
    } else if (take("[")) {
      const Expr* const at = with_structures(&Parser::expression);
      want("]");
      Expr& i = new_expr(Expr::Kind::index, begin);
      i.left = e;
      i.right = at;
      e = &i;
    } else {
      return e;
    }
  }
}

const Expr* Parser::literal_expression() {
  std::size_t const begin = at_;
  if (take("-")) {
    const Expr* const operand = literal_expression();
    Expr& e = new_expr(Expr::Kind::negate, begin);
    e.left = operand;
    return finished(e, begin);
  }
  TokenKind const kind = peek().kind;
  if (kind != TokenKind::number && kind != TokenKind::string && kind != TokenKind::character && !is("true") && !is("false"))
    fail("a literal");
  Token const token = tokens_[at_++];
  Expr& e = new_expr(Expr::Kind::literal, begin);
  e.literal = token;
  return &e;
}

const Expr* Parser::primary() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  TokenKind const kind = peek().kind;
  if (kind == TokenKind::number || kind == TokenKind::string || kind == TokenKind::character || is("true") || is("false"))
    return literal_expression();
  if (at_block_like()) return block_like(begin);
  if (take("(")) {
    bool const empty = is(")");
    auto items = expressions(")");
    bool const comma = tokens_[at_ - 2].is(',');
    if (!empty && items.size() == 1 && !comma) return items[0];
    Expr& e = new_expr(Expr::Kind::tuple, begin);
    e.items = std::move(items);
    return &e;
  }
  if (take("[")) {
    if (take("]")) return &new_expr(Expr::Kind::array, begin);
    const Expr* const first = with_structures(&Parser::expression);
    if (take(";")) {
      const Expr* const count = with_structures(&Parser::expression);
      want("]");
      Expr& e = new_expr(Expr::Kind::repeat, begin);
      e.left = first;
      e.right = count;
      return &e;
    }
    std::vector<const Expr*> items{first};
    if (take(",")) {
      auto more = expressions("]");
      items.insert(items.end(), more.begin(), more.end());
    } else {
      want("]");
    }
    Expr& e = new_expr(Expr::Kind::array, begin);
    e.items = std::move(items);
    return &e;
  }
  if (take("async")) {
    take("move");
    block();
    return &new_expr(Expr::Kind::async_block, begin);
  }
  if (kind == TokenKind::identifier || is("<") || is("::") || is("$")) return named();
  fail("an expression");
}

const Expr* Parser::block_like(std::size_t begin) {
  std::string_view label;
  if (peek().kind == TokenKind::lifetime) {
    label = peek().text;
    at_ += 2;
  }
  auto const with_body = [&](Expr::Kind kind) {
    const BlockSyntax* const body = block();
    Expr& e = new_expr(kind, begin);
    e.name = label;
    e.body = body;
    return finished(e, begin);
  };
  if (is("{")) return with_body(Expr::Kind::block);
  if (take("unsafe")) return with_body(Expr::Kind::unsafe_block);
  if (take("const")) return with_body(Expr::Kind::const_block);
  if (take("loop")) return with_body(Expr::Kind::endless_loop);
  if (is("if")) return branch();
  if (is("match")) return matching();
  if (take("while")) {
    const Expr* const condition = this->condition();
    const BlockSyntax* const body = block();
    Expr& e = new_expr(Expr::Kind::while_loop, begin);
    e.name = label;
    e.left = condition;
    e.body = body;
    return finished(e, begin);
  }
  want("for");
  const Pattern* const pattern = this->pattern();
  want("in");
  const Expr* const over = without_structures(&Parser::expression);
  const BlockSyntax* const body = block();
  Expr& e = new_expr(Expr::Kind::for_loop, begin);
  e.name = label;
  e.pattern = pattern;
  e.left = over;
  e.body = body;
  return finished(e, begin);
}

const Expr* Parser::condition() {
  std::size_t const begin = at_;
  if (!is("let")) return without_structures(&Parser::expression);
  ++at_;
  const Pattern* const pattern = this->pattern();
  want("=");
  bool const before = std::exchange(structures_, false);
  const Expr* const value = binary(2);
  structures_ = before;
  Expr& e = new_expr(Expr::Kind::let_condition, begin);
  e.pattern = pattern;
  e.left = value;
  if (!take("&&")) return &e;
  const Expr* const more = condition();
  Expr& both = new_expr(Expr::Kind::binary, begin);
  both.name = "&&";
  both.left = &e;
  both.right = more;
  return &both;
}

const Expr* Parser::branch() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  want("if");
  const Expr* const condition = this->condition();
  const BlockSyntax* const body = block();
  const Expr* otherwise = nullptr;
  if (take("else")) {
    std::size_t const else_begin = at_;
    if (is("if")) otherwise = branch();
    else {
      const BlockSyntax* const other = block();
      Expr& o = new_expr(Expr::Kind::block, else_begin);
      o.body = other;
      otherwise = &o;
    }
  }
  Expr& e = new_expr(Expr::Kind::branch, begin);
  e.left = condition;
  e.body = body;
  e.otherwise = otherwise;
  return finished(e, begin);
}

const Expr* Parser::matching() {
  std::size_t const begin = at_;
  want("match");
  const Expr* const over = without_structures(&Parser::expression);
  want("{");
  std::vector<MatchArm> arms;
  bool const before = std::exchange(structures_, true);
  while (!take("}")) {
    MatchArm arm;
    bool const configured = is_configured(attributes());
    arm.pattern = pattern();
    if (take("if")) arm.guard = expression();
    want("=>");
    bool const is_block = at_block_like();
    std::size_t const arm_begin = at_;
    if (is_block) {
      arm.value = block_like(at_);
      if ((is(".") && !is("..")) || is("?")) arm.value = binary_from(postfix(arm.value, arm_begin), arm_begin, 0);
    } else {
      arm.value = expression();
    }
    if (configured) arms.push_back(arm);
    if (!take(",") && !is_block && !is("}")) fail("`,`");
  }
  structures_ = before;
  Expr& e = new_expr(Expr::Kind::matching, begin);
  e.left = over;
  e.arms = std::move(arms);
  return finished(e, begin);
}

/// A path, and what may follow it at once: a macro's arguments, a structure's fields.
const Expr* Parser::named() {
  std::size_t const begin = at_;
  Path path = this->path(true);
  if (is("!") && !is("!=") && (is("(", 1) || is("[", 1) || is("{", 1))) {
    ++at_;
    TokenRange const body = group();
    Expr& e = new_expr(Expr::Kind::macro, begin);
    e.path = std::move(path);
    e.tokens = body;
    return finished(e, begin);
  }
  char const first = path.last().name.empty() ? 'a' : path.last().name[0];
  if (!is("{") || !structures_ || !(first >= 'A' && first <= 'Z')) {
    Expr& e = new_expr(Expr::Kind::path, begin);
    e.path = std::move(path);
    return &e;
  }
  want("{");
  std::vector<FieldValue> fields;
  const Expr* base = nullptr;
  while (!take("}")) {
    bool const configured = is_configured(attributes());
    if (is("..")) {
      at_ += 2;
      if (!is("}")) base = expression();
      want("}");
      break;
    }
    std::size_t const field_begin = at_;
    if (peek().kind != TokenKind::identifier && peek().kind != TokenKind::number) fail("a field");
    Token const field = tokens_[at_++];
    const Expr* value = nullptr;
    if (take(":")) {
      value = expression();
    } else {
      Expr& same = new_expr(Expr::Kind::path, field_begin);
      same.path.segments = {{field.text, field.mark, false, {}, field.span}};
      same.path.span = field.span;
      value = &same;
    }
    if (configured) fields.push_back({field.text, value, field.span});
    if (!take(",")) {
      want("}");
      break;
    }
  }
  Expr& e = new_expr(Expr::Kind::structure, begin);
  e.path = std::move(path);
  e.fields = std::move(fields);
  e.left = base;
  return finished(e, begin);
}

}  // namespace tcp::rust
