// Items: what a file and a module consist of. Bodies of functions are passed over as groups of tokens, so that code
// for the host costs nothing and can hardly be misread.
#include <algorithm>

#include "rust/parser.hpp"

namespace tcp::rust {

bool Parser::is(std::string_view what, std::size_t ahead) const {
  if (what.empty()) return false;
  char const first = what[0];
  bool const word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
  if (word) return peek(ahead).is_word(what);
  for (std::size_t i = 0; i < what.size(); ++i) {
    const Token& t = peek(ahead + i);
    if (!t.is(what[i])) return false;
    if (i + 1 < what.size() && !t.joint) return false;
  }
  return true;
}
bool Parser::take(std::string_view what) {
  if (!is(what)) return false;
  bool const word = peek().kind == TokenKind::identifier;
  at_ += word ? 1 : what.size();
  return true;
}
void Parser::want(std::string_view what) {
  if (!take(what)) fail(std::string("`") + std::string(what) + "`");
}
void Parser::fail(std::string_view wanted) const {
  const Token& found = peek();
  if (wanted == "`;`" && at_ > 0 && found.span.source != nullptr && found.span.source == tokens_[at_ - 1].span.source) {
    Span const last = tokens_[at_ - 1].span;
    std::string_view const text = found.span.source->text;
    if (last.end <= found.span.begin && text.substr(last.end, found.span.begin - last.end).find('\n') != text.npos) {
      Mistake m = mistake(Wrong::syntax, last, "a `;` is missing after this");
      m.refusal.why("the next line continues with ", found.text.substr(0, 40)).help("end the statement with `;`");
      throw m;
    }
  }
  Mistake m = mistake(Wrong::syntax, found.span, wanted, " is needed here, and ",
                      found.kind == TokenKind::end ? std::string_view("the text ends") : std::string_view("this follows: "),
                      found.text.substr(0, 40));
  m.refusal.why("it does not read as Rust").help("write ", wanted, " here, or correct what is before it");
  throw m;
}
const Token& Parser::name() {
  if (peek().kind != TokenKind::identifier) fail("a name");
  return tokens_[at_++];
}
Span Parser::since(std::size_t begin) const {
  if (begin >= tokens_.size()) return end_.span;
  if (at_ <= begin) return tokens_[begin].span;
  return Span::over(tokens_[begin].span, tokens_[at_ - 1].span);
}

TokenRange Parser::group() {
  std::string closing;
  std::vector<std::size_t> opened;
  std::size_t const begin = at_;
  do {
    const Token& t = peek();
    if (t.kind == TokenKind::end) {
      Mistake m = mistake(Wrong::syntax, tokens_[begin].span, "the bracket ", tokens_[begin].text, " is not closed");
      m.refusal.why("the rest of the text would be inside it").help("close it with ", closing.empty() ? ")" : closing.substr(0, 1));
      throw m;
    }
    if (t.is('(') || t.is('[') || t.is('{')) {
      closing += t.is('(') ? ')' : t.is('[') ? ']' : '}';
      opened.push_back(at_);
    } else if (t.is(')') || t.is(']') || t.is('}')) {
      if (closing.empty()) fail("an opening bracket");
      if (closing.back() != t.text[0]) {
        const Token& open = tokens_[opened.back()];
        Mistake m = mistake(Wrong::syntax, open.span, "the bracket ", open.text, " is not closed");
        m.refusal.why("the ", t.text, " in line ", where(t.span).line, " comes first")
            .help("close it with ", closing.substr(closing.size() - 1));
        throw m;
      }
      closing.pop_back();
      opened.pop_back();
    } else if (closing.empty()) {
      fail("an opening bracket");
    }
    ++at_;
  } while (!closing.empty());
  return {tokens_.first + begin + 1, tokens_.first + at_ - 1, tokens_[at_ - 1].span};
}
void Parser::token_tree() {
  if (is("(") || is("[") || is("{")) group();
  else if (done() || is(")") || is("]") || is("}")) fail("a token");
  else ++at_;
}

std::vector<Attribute> Parser::attributes() {
  std::vector<Attribute> all;
  while (is("#") && (is("[", 1) || (is("!", 1) && is("[", 2)))) {
    ++at_;
    take("!");
    Attribute const a{group()};
    if (a.name() == "cfg_attr" && a.tokens.size() > 3) add_conditional({a.tokens.first + 2, a.tokens.last - 1, a.tokens.closing}, all);
    else all.push_back(a);
  }
  return all;
}
/// cfg_attr(condition, attribute, ...): the attributes, if the condition holds.
void Parser::add_conditional(const TokenRange& inside, std::vector<Attribute>& to) const {
  Parser parts(arena_, inside);
  bool first = true;
  while (!parts.done()) {
    std::size_t const begin = parts.position();
    while (!parts.done() && !parts.is(",")) parts.token_tree();
    TokenRange const part{inside.first + begin, inside.first + parts.position(), inside.closing};
    parts.take(",");
    if (first && arena_.condition && !arena_.condition(part, BuildOf::crate)) return;
    if (!first && !part.empty()) to.push_back({part});
    first = false;
  }
}
bool Parser::is_configured(const std::vector<Attribute>& attributes, BuildOf build) const {
  for (const Attribute& a : attributes)
    if (a.name() == "cfg" && a.tokens.size() > 3 && arena_.condition &&
        !arena_.condition({a.tokens.first + 2, a.tokens.last - 1, a.tokens.closing}, build))
      return false;
  return true;
}
void Parser::visibility() {
  if (!take("pub")) return;
  if (is("(") && (is("crate", 1) || is("super", 1) || is("self", 1) || is("in", 1))) group();
}

Item& Parser::new_item(Item::Kind kind, std::size_t begin, std::vector<Attribute> attributes) {
  Item& item = arena_.make<Item>();
  item.kind = kind;
  item.span = since(begin);
  item.attributes = std::move(attributes);
  return item;
}

std::vector<const Item*> Parser::items_to_end() {
  std::vector<const Item*> all;
  while (!done()) all.push_back(item_or_skipped());
  return all;
}

const Item* Parser::item_or_skipped() {
  std::size_t const begin = at_;
  try {
    return item();
  } catch (const KernelMistake&) {
    throw;
  } catch (const Mistake& m) {
    at_ = begin;
    auto attributes = this->attributes();
    bool kernel = false;
    for (const Attribute& a : attributes) kernel |= a.name() == "device";
    if (kernel && passed_over_ == nullptr) throw KernelMistake{m};
    if (kernel) passed_over_->kernels.push_back(m);
    // It is passed over, up to its body or its semicolon.
    std::size_t const before = at_;
    std::string_view item_name;
    static constexpr std::string_view declares[] = {"fn", "type", "const", "static", "struct", "enum", "trait"};
    while (!done() && !is(";") && !is("{")) {
      for (std::string_view word : declares)
        if (item_name.empty() && is(word) && peek(1).kind == TokenKind::identifier && !is("fn", 1)) item_name = peek(1).text;
      token_tree();
    }
    if (is("{")) group();
    else take(";");
    if (at_ == before) throw;
    if (!kernel && passed_over_ != nullptr && !item_name.empty()) passed_over_->helpers.try_emplace(item_name, m);
    return &new_item(Item::Kind::other, begin, std::move(attributes));
  }
}

bool Parser::at_item() const {
  static constexpr std::string_view first[] = {"use", "mod", "type", "static", "struct", "enum", "trait", "impl", "pub", "fn"};
  for (std::string_view word : first)
    if (is(word)) return true;
  if (is("macro_rules") && is("!", 1)) return true;
  if (is("axes") && is("!", 1)) return true;
  if (is("const")) return !is("{", 1);
  if (is("async") || is("unsafe") || is("extern")) return is("fn", 1) || is("impl", 1) || (is("extern") && !is("(", 1)) || is("extern", 1);
  return false;
}

const Item* Parser::item() {
  Deeper const deeper(*this);
  std::size_t const begin = at_;
  auto attributes = this->attributes();
  visibility();
  if (take("use")) {
    Item& use = new_item(Item::Kind::use, begin, std::move(attributes));
    take("::");
    use_tree({}, use.uses);
    want(";");
    return &use;
  }
  if (take("mod")) {
    const Token& name = this->name();
    Item& mod = new_item(Item::Kind::module, begin, std::move(attributes));
    mod.name = name.text;
    mod.name_span = name.span;
    if (take(";")) return &mod;
    mod.has_body = true;
    TokenRange const inside = is("{") ? group() : (fail("`{` or `;`"), TokenRange{});
    Parser parser(arena_, inside, passed_over_);
    parser.depth_ = depth_;
    mod.items = parser.items_to_end();
    return &mod;
  }
  if (take("type")) {
    Item& alias = new_item(Item::Kind::alias, begin, std::move(attributes));
    const Token& name = this->name();
    alias.name = name.text;
    alias.name_span = name.span;
    alias.generics = generics();
    if (take(":")) bounds();
    where_clause();
    if (take("=")) alias.type = type();
    where_clause();
    want(";");
    return &alias;
  }
  if ((is("const") && !is("fn", 1) && !is("unsafe", 1) && !is("async", 1) && !is("extern", 1)) || is("static")) {
    ++at_;
    take("mut");
    Item& constant = new_item(Item::Kind::constant, begin, std::move(attributes));
    const Token& name = this->name();
    constant.name = name.text;
    constant.name_span = name.span;
    want(":");
    constant.type = type();
    if (take("=")) constant.value = expression();
    want(";");
    return &constant;
  }
  std::size_t const words = at_;
  while (is("const") || is("async") || is("unsafe") || is("extern") || is("default")) {
    ++at_;
    if (peek().kind == TokenKind::string) ++at_;
  }
  if (is("fn")) return function(begin, std::move(attributes));
  if (take("impl")) return implementation(begin, std::move(attributes), false);
  if (take("trait")) return implementation(begin, std::move(attributes), true);
  at_ = words;
  if (is("struct") || (is("union") && peek(1).kind == TokenKind::identifier)) return structure(begin, std::move(attributes));
  if (take("enum")) {
    Item& enumeration = new_item(Item::Kind::enumeration, begin, std::move(attributes));
    const Token& name = this->name();
    enumeration.name = name.text;
    enumeration.name_span = name.span;
    enumeration.generics = generics();
    where_clause();
    TokenRange const inside = group();
    Parser variants(arena_, inside);
    while (!variants.done()) {
      bool const configured = is_configured(variants.attributes());
      std::string_view const variant = variants.name().text;
      while (!variants.done() && !variants.is(",") && !variants.is("=")) variants.token_tree();
      const Expr* const number = variants.take("=") ? variants.expression() : nullptr;
      if (configured) enumeration.variants.push_back(variant), enumeration.discriminants.push_back(number);
      variants.take(",");
    }
    return &enumeration;
  }
  if (take("extern")) {
    while (!done() && !is(";") && !is("{")) ++at_;
    if (is("{")) group();
    else want(";");
    return &new_item(Item::Kind::other, begin, std::move(attributes));
  }
  if (is("macro_rules") && is("!", 1)) {
    at_ += 2;
    Item& rules = new_item(Item::Kind::rules, begin, std::move(attributes));
    const Token& name = this->name();
    rules.name = name.text;
    rules.name_span = name.span;
    rules.body = group();
    take(";");
    return &rules;
  }
  if (peek().kind == TokenKind::identifier) {
    Item& macro = new_item(Item::Kind::macro, begin, std::move(attributes));
    macro.path = path(true);
    macro.name_span = macro.path.span;
    if (take("!") && (is("(") || is("[") || is("{"))) {
      bool const braces = is("{");
      macro.name = macro.path.last().name;
      macro.body = group();
      macro.span = since(begin);
      if (!braces) take(";");
      return &macro;
    }
    at_ = words;
  }
  fail("an item, such as fn, type, const, use or mod,");
}

void Parser::use_tree(std::vector<std::string_view> prefix, std::vector<UseLeaf>& out) {
  Deeper const deeper(*this);
  while (true) {
    if (take("*")) {
      out.push_back({std::move(prefix), {}});
      return;
    }
    if (take("{")) {
      while (!take("}")) {
        use_tree(prefix, out);
        if (!take(",")) {
          want("}");
          break;
        }
      }
      return;
    }
    std::string_view const word = name().text;
    if (!(word == "self" && !prefix.empty())) prefix.push_back(word);
    if (take("::")) continue;
    std::string_view known = prefix.back();
    if (take("as")) known = name().text;
    out.push_back({std::move(prefix), known});
    return;
  }
}

const Item* Parser::function(std::size_t begin, std::vector<Attribute> attributes) {
  want("fn");
  Item& f = new_item(Item::Kind::function, begin, std::move(attributes));
  const Token& name = this->name();
  f.name = name.text;
  f.name_span = name.span;
  f.generics = generics();
  parameters(f);
  if (take("->")) f.type = type();
  where_clause();
  if (take(";")) return &f;
  if (!is("{")) fail("the body of the function");
  std::size_t const body = at_;
  TokenRange const inside = group();
  f.has_body = true;
  f.body = {tokens_.first + body, tokens_.first + at_, inside.closing};
  f.span = since(begin);
  return &f;
}

void Parser::parameters(Item& function) {
  want("(");
  while (!take(")")) {
    bool const configured = is_configured(attributes());
    std::size_t const begin = at_;
    std::size_t self = at_;
    if (is("&")) ++self;
    if (self < tokens_.size() && tokens_[self].kind == TokenKind::lifetime) ++self;
    if (self < tokens_.size() && tokens_[self].is_word("mut")) ++self;
    Parameter p;
    if (self < tokens_.size() && tokens_[self].is_word("self")) {
      at_ = self + 1;
      Pattern& pattern = new_pattern(Pattern::Kind::name, begin);
      pattern.name = "self";
      p.pattern = &pattern;
      if (take(":")) p.type = type();
    } else {
      p.pattern = pattern();
      want(":");
      p.type = type();
    }
    p.span = since(begin);
    if (configured) function.parameters.push_back(p);
    if (!take(",")) {
      want(")");
      break;
    }
  }
}

const Item* Parser::structure(std::size_t begin, std::vector<Attribute> attributes) {
  ++at_;
  Item& s = new_item(Item::Kind::structure, begin, std::move(attributes));
  const Token& name = this->name();
  s.name = name.text;
  s.name_span = name.span;
  s.generics = generics();
  where_clause();
  if (take(";")) return &s;
  if (take("(")) {
    s.is_tuple = true;
    static constexpr std::string_view numbers[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"};
    while (!take(")")) {
      bool const configured = is_configured(this->attributes());
      visibility();
      if (s.fields.size() == std::size(numbers)) fail("at most 16 fields in a tuple structure;");
      const TypeSyntax* const t = type();
      if (configured) s.fields.push_back({numbers[s.fields.size()], t});
      if (!take(",")) {
        want(")");
        break;
      }
    }
    where_clause();
    want(";");
    return &s;
  }
  want("{");
  while (!take("}")) {
    bool const configured = is_configured(this->attributes());
    visibility();
    std::string_view const field = this->name().text;
    want(":");
    const TypeSyntax* const t = type();
    if (configured) s.fields.push_back({field, t});
    if (!take(",")) {
      want("}");
      break;
    }
  }
  return &s;
}

const Item* Parser::implementation(std::size_t begin, std::vector<Attribute> attributes, bool trait) {
  Item& made = new_item(trait ? Item::Kind::trait : Item::Kind::implementation, begin, std::move(attributes));
  if (trait) {
    const Token& name = this->name();
    made.name = name.text;
    made.name_span = name.span;
    made.generics = generics();
    if (take(":")) bounds();
  } else {
    made.generics = generics();
    take("!");
    made.type = type();
    if (take("for")) {
      made.of_trait = made.type;
      made.type = type();
    }
  }
  where_clause();
  if (!is("{")) fail("`{`");
  Parser inside(arena_, group(), passed_over_);
  inside.depth_ = depth_;
  auto const all = inside.items_to_end();
  for (const Item* item : all)
    if (is_configured(item->attributes)) made.items.push_back(item);
  // What only tests have is there as well, unless the crate has something of that name.
  for (const Item* item : all) {
    auto const has_its_name = [&](const Item* other) { return other->name == item->name; };
    if (is_configured(item->attributes) || !is_configured(item->attributes, BuildOf::tests)) continue;
    if (std::find_if(made.items.begin(), made.items.end(), has_its_name) == made.items.end()) made.items.push_back(item);
  }
  return &made;
}

std::vector<GenericParameter> Parser::generics() {
  std::vector<GenericParameter> all;
  if (!take("<")) return all;
  while (!take(">")) {
    attributes();
    if (peek().kind == TokenKind::lifetime) {
      ++at_;
      if (take(":"))
        while (peek().kind == TokenKind::lifetime || is("+")) ++at_;
    } else if (take("const")) {
      GenericParameter g{GenericParameter::Kind::constant, name().text, nullptr, nullptr, tokens_[at_ - 1].span};
      want(":");
      g.type = type();
      if (take("=")) g.otherwise = constant_argument();
      all.push_back(g);
    } else {
      GenericParameter g{GenericParameter::Kind::type, name().text, nullptr, nullptr, tokens_[at_ - 1].span};
      if (take(":")) bounds();
      if (take("=")) g.otherwise = type();
      all.push_back(g);
    }
    if (!take(",")) {
      want(">");
      break;
    }
  }
  return all;
}

void Parser::bounds() {
  Deeper const deeper(*this);
  while (true) {
    if (peek().kind == TokenKind::lifetime) ++at_;
    else if (is("(")) group();
    else if (peek().kind == TokenKind::identifier || is("?") || is("~") || is("<") || is("::")) {
      take("?");
      if (take("~")) take("const");
      if (take("for")) generics();
      type_path();
    } else {
      return;
    }
    if (!take("+")) return;
  }
}

void Parser::where_clause() {
  if (!take("where")) return;
  while (!done() && !is("{") && !is(";") && !is("=")) {
    if (peek().kind == TokenKind::lifetime) ++at_;
    else {
      if (take("for")) generics();
      type();
    }
    want(":");
    bounds();
    if (!take(",")) return;
  }
}

}  // namespace tcp::rust
