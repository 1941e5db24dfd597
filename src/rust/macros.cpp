// The rules of a macro are tried in their order. A fragment such as $x:expr takes as much as the parser reads; the
// tokens stay, with the places where their author wrote them.
#include "rust/macros.hpp"

#include <map>

#include "rust/parser.hpp"

namespace tcp::rust {
namespace {

struct Element {
  enum class Kind : std::uint8_t { token, fragment, group, repetition };
  Kind kind = Kind::token;
  Token token{};                // also the opening bracket of a group
  std::string_view name{};      // of a fragment
  std::string_view fragment{};  // expr, ty, …
  std::vector<Element> inside{};
  Tokens separator{};
  char how_often = '*';
};

/// What a fragment stands for, or one such for every round of a repetition.
struct Bound {
  Tokens tokens{};
  std::vector<Bound> rounds{};
  bool repeated = false;
};
using Bindings = std::map<std::string_view, Bound>;

[[noreturn]] void broken_rules(const Span& at, std::string_view what) {
  Mistake m = mistake(Wrong::macro, at, "the rules of this macro cannot be read: ", what);
  m.refusal.why("a rule is (pattern) => { text }").help("write it as the Rust reference has it");
  throw m;
}

/// Patterns and texts have the same form: tokens, $names, $( … ) with a sign behind it.
std::vector<Element> elements_of(Arena& arena, const TokenRange& range, bool pattern, int depth = 0) {
  if (depth > 50) broken_rules(range.span(), "too many brackets inside each other");
  std::vector<Element> all;
  Parser p(arena, range);
  while (!p.done()) {
    Element e;
    e.token = p.peek();
    if (p.is("$") && p.is("(", 1)) {
      p.go_to(p.position() + 1);
      e.kind = Element::Kind::repetition;
      e.inside = elements_of(arena, p.group(), pattern, depth + 1);
      auto const ends = [&p] { return p.is("*") || p.is("+") || p.is("?"); };
      while (!p.done() && !ends()) {
        e.separator.push_back(p.peek());
        p.go_to(p.position() + 1);
        if (e.separator.size() > 3) broken_rules(e.token.span, "a repetition ends with *, + or ?");
      }
      if (p.done()) broken_rules(e.token.span, "a repetition ends with *, + or ?");
      e.how_often = p.peek().text[0];
      p.go_to(p.position() + 1);
    } else if (p.is("$") && p.peek(1).kind == TokenKind::identifier && !p.is("crate", 1)) {
      e.kind = Element::Kind::fragment;
      e.name = p.peek(1).text;
      p.go_to(p.position() + 2);
      if (pattern) {
        if (!p.take(":")) broken_rules(e.token.span, "a fragment has a kind, as in $x:expr");
        e.fragment = p.name().text;
      }
    } else if (p.is("(") || p.is("[") || p.is("{")) {
      e.kind = Element::Kind::group;
      TokenRange const inside = p.group();
      e.inside = elements_of(arena, inside, pattern, depth + 1);
      e.separator = {*inside.last};  // the closing bracket
    } else {
      if (p.is("$") && p.is("crate", 1)) p.go_to(p.position() + 1);  // a path that begins at the crate
      e.token = p.peek();
      p.go_to(p.position() + 1);
    }
    all.push_back(std::move(e));
  }
  return all;
}

class Matcher {
 public:
  Matcher(Arena& arena, Bindings& bindings) : arena_(arena), bindings_(&bindings) {}

  bool all(const std::vector<Element>& elements, Parser& input) {
    for (const Element& each : elements)
      if (!one(each, input)) return false;
    return true;
  }

 private:
  bool one(const Element& e, Parser& input) {
    switch (e.kind) {
      case Element::Kind::token: {
        if (input.done() || input.peek().kind != e.token.kind || input.peek().text != e.token.text) return false;
        input.go_to(input.position() + 1);
        return true;
      }
      case Element::Kind::group: {
        if (!input.is(e.token.text)) return false;
        Parser inside(arena_, input.group());
        return all(e.inside, inside) && inside.done();
      }
      case Element::Kind::fragment: return fragment(e, input);
      case Element::Kind::repetition: return repetition(e, input);
    }
    return false;
  }

  bool fragment(const Element& e, Parser& input) {
    std::size_t const begin = input.position();
    if (input.done() && e.fragment != "vis") return false;
    try {
      if (e.fragment == "ident") input.name();
      else if (e.fragment == "ty") input.type();
      else if (e.fragment == "path") input.type_path();
      else if (e.fragment == "expr" || e.fragment == "expr_2021") input.expression();
      else if (e.fragment == "literal") input.literal_expression();
      else if (e.fragment == "block") input.block();
      else if (e.fragment == "pat" || e.fragment == "pat_param") input.pattern();
      else if (e.fragment == "stmt") input.statement();
      else if (e.fragment == "item") input.item();
      else if (e.fragment == "vis") input.visibility();
      else if (e.fragment == "lifetime") {
        if (input.peek().kind != TokenKind::lifetime) return false;
        input.go_to(begin + 1);
      } else if (e.fragment == "meta") {
        input.type_path();
        if (input.is("(") || input.is("[") || input.is("{")) input.group();
        else if (input.take("=")) input.expression();
      } else {
        input.token_tree();  // tt
      }
    } catch (const Mistake&) {
      input.go_to(begin);
      return false;
    }
    Bound bound;
    std::size_t const end = input.position();
    input.go_to(begin);
    for (std::size_t i = begin; i < end; ++i) {
      bound.tokens.push_back(input.peek());
      input.go_to(i + 1);
    }
    // An expression stays one, whatever stands beside it later.
    if (e.fragment.starts_with("expr") && bound.tokens.size() > 1) {
      Token open = bound.tokens.front(), close = bound.tokens.back();
      open.kind = close.kind = TokenKind::punctuation;
      open.text = "(";
      close.text = ")";
      open.joint = close.joint = false;
      bound.tokens.insert(bound.tokens.begin(), open);
      bound.tokens.push_back(close);
    }
    if (!bound.tokens.empty()) bound.tokens.back().joint = false;
    (*bindings_)[e.name] = std::move(bound);
    return true;
  }

  void declare(const std::vector<Element>& elements, Bindings& to) {
    for (const Element& e : elements) {
      if (e.kind == Element::Kind::fragment) to[e.name].repeated = true;
      declare(e.inside, to);
    }
  }

  bool repetition(const Element& e, Parser& input) {
    declare(e.inside, *bindings_);
    Bindings* const outer = bindings_;
    int rounds = 0;
    while (!input.done()) {
      std::size_t const begin = input.position();
      bool separated = true;
      if (rounds > 0)
        for (const Token& s : e.separator) {
          separated &= !input.done() && input.peek().kind == s.kind && input.peek().text == s.text;
          if (separated) input.go_to(input.position() + 1);
        }
      Bindings round;
      bindings_ = &round;
      std::size_t const from = input.position();
      bool const matched = separated && all(e.inside, input) && input.position() > from;
      bindings_ = outer;
      if (!matched) {
        input.go_to(begin);
        break;
      }
      for (auto& [name, bound] : round) (*outer)[name].rounds.push_back(std::move(bound));
      ++rounds;
      if (e.how_often == '?') break;
    }
    return rounds > 0 || e.how_often != '+';
  }

  Arena& arena_;
  Bindings* bindings_;
};

class Writer {
 public:
  /// Who writes a macro writes that one's fragments, too.
  Writer(int mark, const Span& call, bool writes_rules) : mark_(mark), call_(call), writes_rules_(writes_rules) {}

  void write(const std::vector<Element>& elements, const Bindings& bindings) {
    for (const Element& e : elements) one(e, bindings);
  }
  Tokens tokens;

 private:
  void token(Token t) {
    t.mark = mark_;
    tokens.push_back(t);
    if (tokens.size() > 1'000'000) {
      Mistake m = mistake(Wrong::macro, call_, "this macro writes more than a million tokens");
      m.refusal.why("such an expansion is a mistake more often than not").help("call it for a smaller part");
      throw m;
    }
  }
  void one(const Element& e, const Bindings& bindings) {
    switch (e.kind) {
      case Element::Kind::token: return token(e.token);
      case Element::Kind::group:
        token(e.token);
        write(e.inside, bindings);
        return token(e.separator[0]);
      case Element::Kind::fragment: {
        auto const found = bindings.find(e.name);
        if (found == bindings.end() && !writes_rules_) {
          std::string known;
          for (auto const& [name, bound] : bindings) known += (known.empty() ? "$" : ", $") + std::string(name);
          Mistake m = mistake(Wrong::macro, e.token.span, "the rule has no `$", e.name.substr(0, 60), "`");
          m.refusal.why("what a rule writes names the fragments of its pattern");
          if (known.empty()) m.refusal.help("add it to the pattern: $", e.name.substr(0, 60), ":expr");
          else m.refusal.help("it has ", known.substr(0, 160), "; use one of them, or add $", e.name.substr(0, 60), ":expr to the pattern");
          throw m;
        }
        if (found == bindings.end()) {  // of the rules that it writes: as it stands
          token(e.token);
          Token name = e.token;
          name.kind = TokenKind::identifier;
          name.text = e.name;
          return token(name);
        }
        if (found->second.repeated) broken_rules(e.token.span, "a repeated fragment is used outside $( ... )");
        tokens.insert(tokens.end(), found->second.tokens.begin(), found->second.tokens.end());
        return;
      }
      case Element::Kind::repetition: return repeat(e, bindings);
    }
  }
  static void rounds_of(const std::vector<Element>& elements, const Bindings& bindings, std::size_t& rounds, bool& any) {
    for (const Element& e : elements) {
      if (e.kind == Element::Kind::fragment)
        if (auto const found = bindings.find(e.name); found != bindings.end() && found->second.repeated) {
          rounds = any ? std::min(rounds, found->second.rounds.size()) : found->second.rounds.size();
          any = true;
        }
      rounds_of(e.inside, bindings, rounds, any);
    }
  }
  void repeat(const Element& e, const Bindings& bindings) {
    std::size_t rounds = 0;
    bool any = false;
    rounds_of(e.inside, bindings, rounds, any);
    if (!any) broken_rules(e.token.span, "nothing inside $( … ) says how often");
    for (std::size_t i = 0; i < rounds; ++i) {
      if (i > 0)
        for (const Token& s : e.separator) token(s);
      Bindings inner = bindings;
      for (auto& [name, bound] : inner)
        if (bound.repeated && i < bound.rounds.size()) {
          Bound const round = bound.rounds[i];
          bound = round;
        }
      write(e.inside, inner);
    }
  }

  int mark_;
  Span call_;
  bool writes_rules_;
};

bool has_word(const TokenRange& range, std::string_view word) {
  for (std::size_t i = 0; i < range.size(); ++i)
    if (range[i].is_word(word)) return true;
  return false;
}

/// The text on one line.
std::string on_one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool const blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!blank) out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

}  // namespace

Tokens expand(Arena& arena, Marks& marks, const Item& rules, const TokenRange& arguments, const Span& call) {
  Parser p(arena, rules.body);
  std::string forms;
  while (!p.done()) {
    TokenRange const pattern = p.group();
    std::string const form = on_one_line(pattern.empty() ? std::string_view() : pattern.span().text());
    if (forms.size() < 160) forms += (forms.empty() ? "" : ", or ") + std::string(rules.name) + "!(" + form.substr(0, 120) + ")";
    p.want("=>");
    TokenRange const text = p.group();
    p.take(";");
    Bindings bindings;
    Parser input(arena, arguments);
    Matcher matcher(arena, bindings);
    if (!matcher.all(elements_of(arena, pattern, true), input) || !input.done()) continue;
    int const written_under = rules.body.empty() ? 0 : rules.body[0].mark;
    Writer writer(marks.next(written_under), call, has_word(text, "macro_rules"));
    writer.write(elements_of(arena, text, false), bindings);
    Token end;
    end.span = call;
    writer.tokens.push_back(end);
    return std::move(writer.tokens);
  }
  Mistake m = mistake(Wrong::macro, call, "no rule of the macro `", rules.name, "!` has this form");
  m.refusal.why("a call takes the first rule whose pattern it matches");
  m.refusal.help("write ", forms);
  throw m;
}

}  // namespace tcp::rust
