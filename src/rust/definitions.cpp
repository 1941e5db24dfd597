// Where a name is defined, for editors. Names of items are looked up as the evaluator does it; variables, parameters
// and what a function defines inside are looked for in the tokens of the function, so that a kernel with a mistake in
// it still answers.
#include <algorithm>

#include "rust/crate_tree.hpp"

namespace tcp::rust {

namespace {

bool follows_colons(const Tokens& tokens, std::size_t i) { return i >= 2 && tokens[i - 1].is(':') && tokens[i - 2].is(':'); }

/// `a::b::C` up to the token.
std::vector<std::string_view> path_to(const Tokens& tokens, std::size_t at) {
  std::vector<std::string_view> path{tokens[at].text};
  for (std::size_t i = at; follows_colons(tokens, i) && i >= 3 && tokens[i - 3].kind == TokenKind::identifier; i -= 3)
    path.insert(path.begin(), tokens[i - 3].text);
  return path;
}

/// The innermost function around a token, as tokens: from `fn` to the brace that ends it.
std::pair<std::size_t, std::size_t> function_around(const Tokens& tokens, std::size_t at) {
  std::pair<std::size_t, std::size_t> found{0, 0};
  for (std::size_t i = 0; i <= at; ++i) {
    if (!tokens[i].is_word("fn")) continue;
    int depth = 0;
    std::size_t end = i;
    for (; end < tokens.size(); ++end) {
      if (tokens[end].is('{')) ++depth;
      if (tokens[end].is('}') && --depth == 0) break;
      if (tokens[end].is(';') && depth == 0) break;
    }
    if (at <= end) found = {i, std::min(end + 1, tokens.size())};
  }
  return found;
}

/// Whether the token stands in the list that follows the function's name, and not in a type.
bool is_generic_parameter(const Tokens& tokens, std::size_t i) {
  int depth = 0;
  for (std::size_t back = i; back-- > 2;) {
    if (tokens[back].is('>')) ++depth;
    if (tokens[back].is('(') || tokens[back].is('{')) return false;
    if (tokens[back].is('<') && depth-- == 0) return tokens[back - 2].is_word("fn");
  }
  return false;
}

/// Whether the token is where its name is given a meaning.
bool defines(const Tokens& tokens, std::size_t i, std::size_t body) {
  if (i == 0) return false;
  const Token& before = tokens[i - 1];
  for (const char* word : {"let", "mut", "type", "const", "fn", "for", "struct", "macro_rules"})
    if (before.is_word(word)) return !(before.is_word("mut") && i >= 2 && tokens[i - 2].is('&'));
  bool const has_more = i + 1 < tokens.size();
  // Parameters and generic parameters stand in front of the body: `x: &Dm`, `S: M`, `const N: usize`, `S, T`.
  if (i < body) {
    if (has_more && tokens[i + 1].is(':') && !tokens[i + 1].joint) return true;
    bool const in_list = (before.is('<') || before.is(',')) && has_more && (tokens[i + 1].is(',') || tokens[i + 1].is('>'));
    return in_list && is_generic_parameter(tokens, i);
  }
  // Patterns: `let (a, b) =`, `|x|`.
  for (std::size_t back = i; back-- > body;) {
    const Token& t = tokens[back];
    if (t.is_word("let") || t.is_word("for")) return true;
    bool const inside =
        t.is('(') || t.is(',') || t.is('[') || t.is('&') || t.is_word("mut") || t.is_word("ref") || t.kind == TokenKind::identifier;
    if (!inside) return t.is('|') && has_more && (tokens[i + 1].is('|') || tokens[i + 1].is(',') || tokens[i + 1].is(':'));
  }
  return false;
}

/// `axes![A = 4]` inside a function.
bool is_axis(const Tokens& tokens, std::size_t i) {
  if (i + 1 >= tokens.size() || !tokens[i + 1].is('=')) return false;
  for (std::size_t back = i; back-- > 1;) {
    if (tokens[back].is(';') || tokens[back].is('{') || tokens[back].is('}')) return false;
    if (tokens[back].is('!')) return tokens[back - 1].is_word("axes");
  }
  return false;
}

const Token* local_definition(const Tokens& tokens, std::size_t at) {
  auto const [begin, end] = function_around(tokens, at);
  std::size_t body = begin;
  while (body < end && !tokens[body].is('{')) ++body;
  auto const is_it = [&](std::size_t i) {
    return tokens[i].kind == TokenKind::identifier && tokens[i].text == tokens[at].text && !follows_colons(tokens, i) &&
           (defines(tokens, i, body) || is_axis(tokens, i));
  };
  for (std::size_t i = at + 1; i-- > begin;)
    if (is_it(i)) return &tokens[i];
  for (std::size_t i = at + 1; i < end; ++i)  // an item may follow its use
    if (is_it(i) && i > 0 && (tokens[i - 1].is_word("type") || tokens[i - 1].is_word("const") || tokens[i - 1].is_word("fn")))
      return &tokens[i];
  return nullptr;
}

}  // namespace

std::optional<Where> Crate::definition_at(const std::string& file, unsigned line, unsigned column) const {
  const SourceFile* const source = tree_->source_called(file);
  if (source == nullptr) return {};
  auto const offset = offset_of(*source, line, column);
  if (!offset) return {};
  Tokens tokens;
  try {
    tokens = lex(*source);
  } catch (const Mistake&) {
    return {};
  }
  auto const found = std::find_if(tokens.begin(), tokens.end(), [&](const Token& t) {
    return t.kind == TokenKind::identifier && t.span.begin <= *offset && *offset <= t.span.end;
  });
  if (found == tokens.end()) return {};
  auto const at = static_cast<std::size_t>(found - tokens.begin());
  bool const is_method = at > 0 && tokens[at - 1].is('.');
  if (is_method) return {};
  if (!follows_colons(tokens, at))
    if (const Token* const local = local_definition(tokens, at)) return where(local->span);
  ModuleScope* const module = tree_->module_at(found->span);
  if (module == nullptr) return {};
  if (at + 1 < tokens.size() && tokens[at + 1].is('!')) {
    const Item* const rules = tree_->find_rules(*module, found->text);
    return rules == nullptr ? std::optional<Where>() : where(rules->name_span);
  }
  auto const path = path_to(tokens, at);
  for (Namespace space : {Namespace::type, Namespace::value})
    if (KnownName const known = tree_->find(*module, path, space); known && known.span.source != nullptr) return where(known.span);
  return {};
}

}  // namespace tcp::rust
