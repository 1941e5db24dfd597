// Types, paths and patterns.
#include "rust/parser.hpp"

namespace tcp::rust {

TypeSyntax& Parser::new_type(TypeSyntax::Kind kind, std::size_t begin) {
  TypeSyntax& t = arena_.make<TypeSyntax>();
  t.kind = kind;
  t.span = since(begin);
  return t;
}

const TypeSyntax* Parser::type_to_end() {
  const TypeSyntax* const t = type();
  if (!done()) fail("the end of the type");
  return t;
}

const TypeSyntax* Parser::type() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  auto const made = [&](TypeSyntax::Kind kind) -> TypeSyntax& { return new_type(kind, begin); };
  if (is("m") && is("<", 1)) {
    Mistake m = mistake(Wrong::syntax, peek().span, "a mapping is a macro in Rust");
    m.refusal.why("m<...> is this project's C++").help("write m![...]");
    throw m;
  }
  if (is("&")) {
    ++at_;  // `&&` is two references
    if (peek().kind == TokenKind::lifetime) ++at_;
    bool const is_mut = take("mut");
    const TypeSyntax* const inner = type();
    TypeSyntax& t = made(TypeSyntax::Kind::reference);
    t.is_mut = is_mut;
    t.inner = inner;
    return &t;
  }
  if (is("*") && (is("const", 1) || is("mut", 1))) {
    at_ += 2;
    type();
    return &made(TypeSyntax::Kind::other);
  }
  if (take("(")) {
    std::vector<const TypeSyntax*> items;
    bool comma = false;
    while (!take(")")) {
      items.push_back(type());
      comma = take(",");
      if (!comma) {
        want(")");
        break;
      }
    }
    if (items.size() == 1 && !comma) return items[0];
    TypeSyntax& t = made(TypeSyntax::Kind::tuple);
    t.items = std::move(items);
    return &t;
  }
  if (take("[")) {
    const TypeSyntax* const inner = type();
    const Expr* length = nullptr;
    if (take(";")) length = expression();
    want("]");
    TypeSyntax& t = made(TypeSyntax::Kind::array);
    t.inner = inner;
    t.value = length;
    return &t;
  }
  if (take("!")) return &made(TypeSyntax::Kind::never);
  if (take("_")) return &made(TypeSyntax::Kind::inferred);
  if (take("impl") || take("dyn")) {
    bounds();
    return &made(TypeSyntax::Kind::other);
  }
  if (is("for") && is("<", 1)) {
    ++at_;
    generics();
    return type();
  }
  if (is("unsafe") || is("extern") || is("fn")) {
    while (is("unsafe") || is("extern") || peek().kind == TokenKind::string) ++at_;
    want("fn");
    group();
    if (take("->")) type();
    return &made(TypeSyntax::Kind::other);
  }
  Path path = this->path(false);
  if (is("!") && path.self == nullptr && (is("(", 1) || is("[", 1) || is("{", 1))) {
    ++at_;
    TokenRange const body = group();
    TypeSyntax& t = made(TypeSyntax::Kind::macro);
    t.path = std::move(path);
    t.body = body;
    return &t;
  }
  TypeSyntax& t = made(TypeSyntax::Kind::path);
  t.path = std::move(path);
  return &t;
}

Path Parser::type_path() { return path(false); }

/// In an expression the arguments of a name follow `::`, since `<` compares.
Path Parser::path(bool in_expression) {
  Deeper const deeper(*this);
  Path path;
  std::size_t const begin = at_;
  if (take("<")) {
    path.self = type();
    if (is("as")) {
      ++at_;
      std::size_t const trait_begin = at_;
      Path trait = this->path(false);
      TypeSyntax& t = new_type(TypeSyntax::Kind::path, trait_begin);
      t.path = std::move(trait);
      path.as_trait = &t;
    }
    want(">");
    want("::");
  } else {
    take("::");
    if (is("$") && is("crate", 1)) ++at_;
  }
  while (true) {
    const Token& word = name();
    Segment segment;
    segment.name = word.text;
    segment.mark = word.mark;
    segment.span = word.span;
    bool const turbofish = is("::") && is("<", 2);
    if (turbofish) at_ += 2;
    if (turbofish || (!in_expression && is("<") && !is("<="))) {
      segment.has_arguments = true;
      segment.arguments = type_arguments();
    } else if (!in_expression && is("(") && (segment.name == "Fn" || segment.name == "FnMut" || segment.name == "FnOnce")) {
      group();
      if (take("->")) type();
    }
    path.segments.push_back(std::move(segment));
    if (is("::") && peek(2).kind == TokenKind::identifier) at_ += 2;
    else break;
  }
  path.span = since(begin);
  return path;
}

const TypeSyntax* Parser::constant_argument() {
  std::size_t const begin = at_;
  const Expr* value = nullptr;
  if (is("{") || is("-") || peek().kind == TokenKind::number || peek().kind == TokenKind::string || peek().kind == TokenKind::character ||
      is("true") || is("false"))
    value = is("{") ? primary() : unary();
  else return type();
  TypeSyntax& t = new_type(TypeSyntax::Kind::constant, begin);
  t.value = value;
  return &t;
}

std::vector<const TypeSyntax*> Parser::type_arguments() {
  std::vector<const TypeSyntax*> all;
  want("<");
  while (!take(">")) {
    if (peek().kind == TokenKind::lifetime) ++at_;
    else if (peek().kind == TokenKind::identifier && is("=", 1) && !is("==", 1)) {  // Output = T
      at_ += 2;
      type();
    } else if (peek().kind == TokenKind::identifier && is(":", 1) && !is("::", 1)) {
      at_ += 2;
      bounds();
    } else {
      all.push_back(constant_argument());
    }
    if (!take(",")) {
      want(">");
      break;
    }
  }
  return all;
}

// Patterns.

Pattern& Parser::new_pattern(Pattern::Kind kind, std::size_t begin) {
  Pattern& p = arena_.make<Pattern>();
  p.kind = kind;
  p.span = since(begin);
  return p;
}

const Pattern* Parser::pattern() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  take("|");
  const Pattern* const first = single_pattern();
  if (!is("|") || is("||")) return first;
  std::vector<const Pattern*> all{first};
  while (is("|") && !is("||")) {
    ++at_;
    all.push_back(single_pattern());
  }
  Pattern& p = new_pattern(Pattern::Kind::either, begin);
  p.items = std::move(all);
  return &p;
}

std::vector<const Pattern*> Parser::pattern_list(std::string_view closing) {
  std::vector<const Pattern*> all;
  while (!take(closing)) {
    all.push_back(pattern());
    if (!take(",")) {
      want(closing);
      break;
    }
  }
  return all;
}

const Pattern* Parser::single_pattern() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  auto const made = [&](Pattern::Kind kind) -> Pattern& { return new_pattern(kind, begin); };
  if (take("_")) return &made(Pattern::Kind::wild);
  if (is("..") && !is("..=")) {
    at_ += 2;
    return &made(Pattern::Kind::rest);
  }
  if (take("&")) {
    take("mut");
    const Pattern* const inner = single_pattern();
    Pattern& p = made(Pattern::Kind::reference);
    p.items = {inner};
    return &p;
  }
  if (take("(")) {
    bool const only = !is(")");
    auto items = pattern_list(")");
    bool const comma = at_ >= 2 && tokens_[at_ - 2].is(',');
    if (only && items.size() == 1 && !comma && items[0]->kind != Pattern::Kind::rest) return items[0];
    Pattern& p = made(Pattern::Kind::tuple);
    p.items = std::move(items);
    return &p;
  }
  if (take("[")) {
    auto items = pattern_list("]");
    Pattern& p = made(Pattern::Kind::slice);
    p.items = std::move(items);
    return &p;
  }
  auto const ranged = [&](const Expr* low) -> const Pattern* {
    if (!is("..")) {
      Pattern& p = made(Pattern::Kind::value);
      p.low = low;
      return &p;
    }
    bool const inclusive = is("..=");
    at_ += inclusive ? 3 : 2;
    const Expr* high = nullptr;
    if (!is("=>") && !is(")") && !is(",") && !is("if") && !is("|") && !is("]") && !is("}")) high = unary();
    Pattern& p = made(Pattern::Kind::range);
    p.low = low;
    p.high = high;
    p.inclusive = inclusive;
    return &p;
  };
  TokenKind const kind = peek().kind;
  if (is("..=")) return ranged(nullptr);
  if (kind == TokenKind::number || kind == TokenKind::string || kind == TokenKind::character || is("-") || is("true") || is("false"))
    return ranged(unary());
  if (is("const") && is("{", 1)) {
    ++at_;
    return ranged(primary());
  }
  bool const by_reference = take("ref"), is_mut = take("mut");
  if (by_reference || is_mut) {
    const Token& word = name();
    std::vector<const Pattern*> part;
    if (take("@")) part.push_back(single_pattern());
    Pattern& p = made(Pattern::Kind::name);
    p.name = word.text;
    p.mark = word.mark;
    p.items = std::move(part);
    p.by_mut_reference = by_reference && is_mut;
    return &p;
  }
  Path path = this->path(true);
  if (take("!")) {
    group();
    return &made(Pattern::Kind::other);
  }
  if (take("{")) {
    Pattern& p = made(Pattern::Kind::structure);
    p.path = std::move(path);
    while (!take("}")) {
      attributes();
      if (is("..")) {
        at_ += 2;
      } else {
        bool const plain = !is(":", 1);
        bool by_mut_reference = false;
        if (plain) {
          bool const refers = take("ref"), changes = take("mut");
          by_mut_reference = refers && changes;
        }
        std::size_t const field_begin = at_;
        const Token& field = peek().kind == TokenKind::number ? tokens_[at_++] : name();
        const Pattern* inner = nullptr;
        if (take(":")) inner = pattern();
        else {
          Pattern& same = new_pattern(Pattern::Kind::name, field_begin);
          same.name = field.text;
          same.mark = field.mark;
          same.by_mut_reference = by_mut_reference;
          inner = &same;
        }
        p.fields.push_back(field.text);
        p.items.push_back(inner);
      }
      if (!take(",")) {
        want("}");
        break;
      }
    }
    return &p;
  }
  if (take("(")) {
    auto items = pattern_list(")");
    Pattern& p = made(Pattern::Kind::variant);
    p.path = std::move(path);
    p.items = std::move(items);
    return &p;
  }
  bool const word = path.is_word();
  if (is("..") || !word) {
    Expr& e = new_expr(Expr::Kind::path, begin);
    e.path = std::move(path);
    return ranged(&e);
  }
  std::vector<const Pattern*> part;
  if (take("@")) part.push_back(single_pattern());
  Pattern& p = made(Pattern::Kind::name);
  p.items = std::move(part);
  p.name = path.segments[0].name;
  p.mark = path.segments[0].mark;
  p.path = std::move(path);
  return &p;
}

}  // namespace tcp::rust
