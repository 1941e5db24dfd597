// Expressions and statements. A statement that is refused is reported and the next ones are read all the same: what it
// would have made is poisoned, and whatever uses that is silent.
#include <algorithm>
#include <charconv>

#include "rust/evaluator.hpp"
#include "rust/parser.hpp"
#include "rust/value.hpp"
#include "tcp/support/edit_distance.hpp"

namespace tcp::rust {

void Evaluator::fail(Wrong code, const Span& span, const std::string& what, const std::string& why, const std::string& help) {
  Mistake m = mistake(code, span, what);
  m.refusal.why(why).help(help);
  throw m;
}

Once::Once(std::set<const Item*>& open, const Item& item, const Span& span) : open_(open), item_(item) {
  if (open_.size() > 100 || !open_.insert(&item).second)
    Evaluator::fail(Wrong::too_deep, span, "`" + std::string(item.name) + "` is declared by itself", "what it stands for never ends",
                    "name what is meant");
}

/// Calls inside calls: a function that calls itself without end is refused before the stack is used up.
class Evaluator::Deeper {
 public:
  Deeper(Evaluator& e, const Span& span) : evaluator_(e) {
    constexpr int deepest = 350;
    if (++e.depth_ <= deepest) return;
    --e.depth_;
    fail(Wrong::too_deep, span, "expressions are evaluated more than " + std::to_string(deepest) + " deep here",
         "a function that calls itself without end never returns", "look for the call that does not end, or give parts names with let");
  }
  ~Deeper() { --evaluator_.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Evaluator& evaluator_;
};

void Evaluator::step(const Span& span, int weight) {
  constexpr std::int64_t most = 10'000'000;
  steps_ += weight;
  if (steps_ <= most) return;
  Mistake m = mistake(Wrong::too_deep, span, "the kernel takes more than ", most, " steps to read");
  m.refusal.why("loops are unrolled when a kernel is read").help("look for a loop that does not end, or that counts too far");
  report(m);
  throw TooManyErrors{};  // what follows would take as long
}

std::string in_words(const RustValue& v) {
  struct Words {
    std::string operator()(const Unit&) const { return "()"; }
    std::string operator()(const Poisoned&) const { return "a value that was refused"; }
    std::string operator()(const Number& n) const {
      return n.type == NumberType::character ? "a character" : n.floating() ? "a floating number" : "a whole number";
    }
    std::string operator()(bool) const { return "a bool"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const TensorValue& t) const {
      return std::string(t.is_view ? "a view in " : "a tensor in ") + name_of(t.tensor.memory());
    }
    std::string operator()(const std::shared_ptr<StreamState>&) const { return "a stream"; }
    std::string operator()(const std::shared_ptr<GatherState>&) const { return "a gather that is not finished"; }
    std::string operator()(const Aggregate& a) const {
      return a.kind == Aggregate::Kind::tuple   ? "a tuple"
             : a.kind == Aggregate::Kind::array ? "an array"
                                                : "the structure " + std::string(a.item->name);
    }
    std::string operator()(const RangeValue&) const { return "a range"; }
    std::string operator()(const Named& n) const {
      std::string out;
      for (const std::string& part : n.path) out += (out.empty() ? "" : "::") + part;
      return "`" + out.substr(0, 60) + "`";
    }
    std::string operator()(const ContextPart& c) const {
      constexpr const char* names[] = {"the context", "ctx.main", "ctx.sub", "ctx.tdma", "ctx.pdma"};
      return names[static_cast<int>(c.kind)];
    }
    std::string operator()(const ScalarElement& e) const { return std::string("an element of ") + scalar_info(e.type).name; }
    std::string operator()(const Deferred&) const { return "a tensor whose type is not stated"; }
    std::string operator()(const Reference& r) const { return r.to == nullptr ? "a reference" : in_words(*r.to); }
    std::string operator()(const Ty& t) const { return in_words(t); }
    std::string operator()(const std::shared_ptr<ClosureValue>&) const { return "a closure"; }
    std::string operator()(const std::shared_ptr<IteratorValue>&) const { return "an iterator"; }
  };
  return std::visit(Words{}, v.is);
}

const RustValue& Evaluator::plain(const RustValue& v) {
  const RustValue* at = &v;
  for (int i = 0; i < 100; ++i) {
    const Reference* const r = at->as<Reference>();
    if (r == nullptr) break;
    at = r->to;
  }
  if (at->as<Poisoned>() != nullptr) throw PoisonUse{};
  return *at;
}
const Number& Evaluator::number(const RustValue& v, const Span& span, const char* what) {
  const RustValue& p = plain(v);
  if (const Number* const n = p.as<Number>()) return *n;
  if (const Ty* const t = p.as<Ty>(); t != nullptr && *t && (*t)->kind == TypeOf::Kind::mapping)
    fail(Wrong::not_constant, span, std::string(what) + " is a number, and this is the mapping " + in_words(p),
         "an axis is a type, and its size a constant of it",
         "write " + std::string(span.text().size() < 30 ? span.text() : "Axis") + "::SIZE");
  fail(Wrong::not_constant, span, std::string(what) + " is a number, and this is " + in_words(p),
       "a kernel is recorded with all its numbers known: constants, loop indices, scalars of the launch",
       "give a constant, or a const expression");
}
std::int64_t Evaluator::integer(const RustValue& v, const Span& span, const char* what) {
  const Number& n = number(v, span, what);
  if (!n.floating()) return n.whole;
  fail(Wrong::type_mismatch, span, std::string(what) + " is a whole number, and this is a floating one", "Rust converts nothing by itself",
       "write it without a fraction, or convert it with `as usize`");
}
const dyn::Tensor& Evaluator::tensor(const RustValue& v, const Span& span, const char* what) {
  const RustValue& p = plain(v);
  if (const TensorValue* const t = p.as<TensorValue>()) return t->tensor;
  if (p.as<Deferred>() != nullptr)
    fail(Wrong::type_needed, span, std::string("nothing says which mappings ") + what + " has",
         "types are mappings, and a tensor needs one on each level",
         "give the variable a type: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ...");
  fail(Wrong::type_mismatch, span, std::string(what) + " is a tensor, and this is " + in_words(p), "the call works on a tensor",
       "give a tensor or a view");
}

Scope::Variable* Evaluator::variable(std::string_view name, int mark, Scope& scope) {
  while (true) {
    for (Scope* s = &scope; s != nullptr; s = s->parent)
      for (auto v = s->variables.rbegin(); v != s->variables.rend(); ++v)
        if (v->name == name && v->mark == mark) return &*v;
    if (mark == 0) return nullptr;
    mark = tree_.marks.outer(mark);
  }
}

RustValue Evaluator::evaluate(const Expr* e, Scope& scope, const Ty& expected) {
  Deeper const deeper(*this, e->span);
  step(e->span);
  RustValue v = evaluate_inner(e, scope, expected);
  if (v.span.source == nullptr) v.span = e->span;
  if (facts_ != nullptr) note(e, v);
  return v;
}

RustValue Evaluator::evaluate_inner(const Expr* e, Scope& scope, const Ty& expected) {
  auto const unsupported = [&](const char* what, const char* instead) -> RustValue {
    fail(Wrong::unsupported, e->span, std::string(what) + " is not read inside kernels",
         "a kernel is a straight recording: values are known when it is read", instead);
  };
  switch (e->kind) {
    case Expr::Kind::literal: return literal(e->literal, expected);
    case Expr::Kind::path: return path(e, scope, expected);
    case Expr::Kind::macro: return macro(e, scope, expected);
    case Expr::Kind::negate: {
      if (e->left->kind == Expr::Kind::literal) return literal(e->left->literal, expected, true);
      Number const n = number(evaluate(e->left, scope, expected), e->span, "what is negated");
      if (!n.floating()) return calculated("-", whole(0, n.type), n, e->span);
      Number out = n;
      out.real = -n.real;
      out.single = -n.single;
      return out;
    }
    case Expr::Kind::invert: {
      RustValue const v = plain(evaluate(e->left, scope, expected));
      if (const bool* const b = v.as<bool>()) return !*b;
      Number const n = number(v, e->span, "what is inverted");
      if (n.floating()) return unsupported("the inverse of a floating number", "convert it first");
      if (n.type == NumberType::u64 || n.type == NumberType::usize) return unsupported("`!` of a number of 64 bits", "use u32");
      return converted(whole(~n.whole), n.type);
    }
    case Expr::Kind::reference: {
      if (e->is_mut)
        if (RustValue* const to = place(e->left, scope)) {
          bool const counted = to->as<Number>() != nullptr || to->as<bool>() != nullptr || to->as<Aggregate>() != nullptr ||
                               to->as<Named>() != nullptr || to->as<std::string>() != nullptr || to->as<ScalarElement>() != nullptr;
          if (counted) return Reference{to};
          return *to;
        }
      return evaluate(e->left, scope, expected);
    }
    case Expr::Kind::dereference: return plain(evaluate(e->left, scope, expected));
    case Expr::Kind::binary: return binary(e, scope, expected);
    case Expr::Kind::assign: return assign(e, scope);
    case Expr::Kind::cast: return cast(e, scope);
    case Expr::Kind::call: return call(e, scope, expected);
    case Expr::Kind::method: return method(e, scope, expected);
    case Expr::Kind::field: return field(e, scope);
    case Expr::Kind::index: return index(e, scope);
    case Expr::Kind::tuple:
    case Expr::Kind::array: {
      bool const tuple = e->kind == Expr::Kind::tuple;
      if (tuple && e->items.empty()) return Unit{};
      Aggregate a;
      a.kind = tuple ? Aggregate::Kind::tuple : Aggregate::Kind::array;
      for (std::size_t i = 0; i < e->items.size(); ++i) {
        Ty part;
        if (expected && tuple && expected->kind == TypeOf::Kind::tuple && i < expected->items.size()) part = expected->items[i];
        if (expected && !tuple && expected->kind == TypeOf::Kind::array) part = expected->element;
        a.items.push_back(fitted(evaluate(e->items[i], scope, part), part, e->items[i]->span));
      }
      return a;
    }
    case Expr::Kind::repeat: {
      std::int64_t const count = integer(evaluate(e->right, scope), e->right->span, "the length of an array");
      if (count < 0 || count > 100'000) return unsupported("an array of that length", "use at most 100000 elements");
      Aggregate a;
      a.kind = Aggregate::Kind::array;
      Ty const part = expected && expected->kind == TypeOf::Kind::array ? expected->element : Ty{};
      for (std::int64_t i = 0; i < count; ++i) a.items.push_back(fitted(evaluate(e->left, scope, part), part, e->left->span));
      return a;
    }
    case Expr::Kind::range: {
      RangeValue r;
      Number low = whole(0), high = whole(0);
      if (e->left != nullptr) {
        low = number(evaluate(e->left, scope), e->left->span, "the begin of a range");
        r.low = integer(low, e->left->span, "the begin of a range");
      }
      if (e->right != nullptr) {
        high = number(evaluate(e->right, scope), e->right->span, "the end of a range");
        std::int64_t const end = integer(high, e->right->span, "the end of a range");
        if (e->inclusive && end == std::numeric_limits<std::int64_t>::max())
          return unsupported("a range up to the largest number", "end it before that");
        r.high = end + (e->inclusive ? 1 : 0);
      }
      // A range of literals counts as what it is used for; most often that is an index.
      for (const Number* n : {&low, &high})
        if (n->type != NumberType::integer) r.type = n->type;
      if (r.type == NumberType::usize && r.low.value_or(0) < 0) r.type = NumberType::i32;
      return r;
    }
    case Expr::Kind::block:
    case Expr::Kind::unsafe_block:
    case Expr::Kind::const_block: try { return block(*e->body, scope, expected);
      } catch (const LoopLeft& left) {
        if (e->name.empty() || left.label != e->name) throw;
        return left.value;
      }
    case Expr::Kind::branch: return branch(e, scope, expected);
    case Expr::Kind::matching: return matching(e, scope, expected);
    case Expr::Kind::for_loop: return for_loop(e, scope);
    case Expr::Kind::while_loop:
    case Expr::Kind::endless_loop: return while_loop(e, scope);
    case Expr::Kind::structure: return structure(e, scope, expected);
    case Expr::Kind::return_value: {
      Scope::Binding* const type = scope.find_type("return");  // no generic has this name
      Ty const wanted = type == nullptr ? Ty{} : type->type;
      bool const gives = wanted && !(wanted->kind == TypeOf::Kind::tuple && wanted->items.empty());
      if (e->left == nullptr && gives)
        fail(Wrong::type_mismatch, e->span, "this returns nothing, and the function gives " + in_words(wanted),
             "every way out of a function gives what its type says", "write return and the value");
      throw Returned{e->left == nullptr ? RustValue{} : fitted(evaluate(e->left, scope, wanted), wanted, e->span)};
    }
    case Expr::Kind::break_loop: throw LoopLeft{false, e->left == nullptr ? RustValue{} : evaluate(e->left, scope), e->name, e->span};
    case Expr::Kind::continue_loop: throw LoopLeft{true, {}, e->name, e->span};
    case Expr::Kind::let_condition: return matches(e->pattern, evaluate(e->left, scope), scope);
    case Expr::Kind::closure: return closure(e, scope);
    case Expr::Kind::async_block:
    case Expr::Kind::await: return unsupported("`async`", "the host waits for kernels; inside of one there is nothing to wait for");
    case Expr::Kind::question: {
      RustValue const v = plain(evaluate(e->left, scope));
      const Named* const n = v.as<Named>();
      if (n != nullptr && (n->name() == "Some" || n->name() == "Ok") && n->arguments.size() == 1) return n->arguments[0];
      if (n != nullptr && (n->name() == "None" || n->name() == "Err")) throw Returned{v};
      return unsupported("`?` of something that is neither Option nor Result", "calls of kernels do not fail: remove it");
    }
  }
  return {};
}

namespace {

std::string without_separators(std::string_view text) {
  std::string out;
  for (char c : text)
    if (c != '_') out += c;
  return out;
}

struct Suffix {
  std::string_view text;
  NumberType type;
};
constexpr Suffix suffixes[] = {{"isize", NumberType::isize}, {"usize", NumberType::usize}, {"i128", NumberType::i64},
                               {"u128", NumberType::u64},    {"i16", NumberType::i16},     {"i32", NumberType::i32},
                               {"i64", NumberType::i64},     {"u16", NumberType::u16},     {"u32", NumberType::u32},
                               {"u64", NumberType::u64},     {"f32", NumberType::f32},     {"f64", NumberType::f64},
                               {"i8", NumberType::i8},       {"u8", NumberType::u8}};

/// What a string says, whichever way it is written: "a", r#"a"#, b"a".
std::string content_of(std::string_view text) {
  std::size_t const open = text.find('"'), close = text.rfind('"');
  if (open == text.npos || close <= open) return {};
  std::string_view const inside = text.substr(open + 1, close - open - 1);
  if (text.substr(0, open).find('r') != text.npos) return std::string(inside);
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out += inside[i];
      continue;
    }
    char const c = inside[++i];
    if (c == '\n' || c == '\r') {  // the line goes on
      while (i + 1 < inside.size() && (inside[i + 1] == ' ' || inside[i + 1] == '\n' || inside[i + 1] == '\t' || inside[i + 1] == '\r'))
        ++i;
    } else {
      out += c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c == '0' ? '\0' : c;
    }
  }
  return out;
}

/// The number of the character between the quotes.
std::int64_t code_point(std::string_view inside) {
  if (inside.size() >= 2 && inside[0] == '\\') {
    constexpr std::pair<char, char> known[] = {{'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'0', '\0'}, {'\\', '\\'}, {'\'', '\''}, {'"', '"'}};
    for (auto const& [name, value] : known)
      if (inside[1] == name) return value;
    std::string digits;
    for (char c : inside.substr(2))
      if (c != '{' && c != '}' && c != '_') digits += c;
    std::int64_t v = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), v, 16);
    return v;
  }
  if (inside.empty()) return 0;
  auto const first = static_cast<unsigned char>(inside[0]);
  if (first < 0x80) return first;
  std::int64_t v = first & (inside.size() == 2 ? 0x1f : inside.size() == 3 ? 0x0f : 0x07);
  for (char c : inside.substr(1)) v = v << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return v;
}

}  // namespace

std::optional<NumberType> number_type_named(std::string_view name) {
  for (const Suffix& s : suffixes)
    if (s.text == name) return s.type;
  return {};
}

RustValue Evaluator::literal(const Token& t, const Ty& expected, bool negative) {
  if (t.kind == TokenKind::identifier) return t.text == "true";
  if (t.kind == TokenKind::string) return content_of(t.text);
  if (t.kind == TokenKind::character) {
    bool const byte = t.text[0] == 'b';
    return whole(code_point(t.text.substr(byte ? 2 : 1, t.text.size() - (byte ? 3 : 2))), byte ? NumberType::u8 : NumberType::character);
  }
  std::string text = without_separators(t.text);
  bool const hexadecimal = text.starts_with("0x");
  std::optional<NumberType> type;
  for (const Suffix& s : suffixes) {
    if (!text.ends_with(s.text) || (hexadecimal && s.text[0] == 'f')) continue;
    type = s.type;
    text.resize(text.size() - s.text.size());
    break;
  }
  auto const bad = [&]() -> RustValue {
    fail(Wrong::number, t.span, "the number " + std::string(t.text.substr(0, 40)) + " cannot be read",
         "it has digits that its base does not have, or too many", "write it with fewer digits");
  };
  int const base = hexadecimal ? 16 : text.starts_with("0b") ? 2 : text.starts_with("0o") ? 8 : 10;
  bool const based = base != 10;
  bool const floating =
      type ? (*type == NumberType::f32 || *type == NumberType::f64) : !based && text.find_first_of(".eE") != std::string::npos;
  const char* const begin = text.data() + (based ? 2 : 0);
  const char* const end = text.data() + text.size();
  if (floating) {
    double v = 0;
    float f = 0;
    if (std::from_chars(begin, end, v).ptr != end) return bad();
    if (std::from_chars(begin, end, f).ec == std::errc::result_out_of_range) f = static_cast<float>(v);
    Number n;
    n.type = type.value_or(NumberType::floating);
    n.real = negative ? -v : v;
    n.single = negative ? -f : f;
    if (n.type == NumberType::f32) n.real = static_cast<double>(n.single);
    if (n.type == NumberType::f64) n.single = static_cast<float>(n.real);
    return fitted(RustValue(n), expected, t.span);
  }
  std::uint64_t v = 0;
  auto const read = std::from_chars(begin, end, v, base);
  if (read.ptr != end || begin == end || read.ec != std::errc()) return bad();
  Number n = whole(negative ? -static_cast<std::int64_t>(v) : static_cast<std::int64_t>(v), type.value_or(NumberType::integer));
  if (v > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return bad();
  return fitted(RustValue(n), expected, t.span);
}

RustValue Evaluator::path(const Expr* e, Scope& scope, const Ty& expected) {
  const Path& path = e->path;
  if (path.self != nullptr) return associated(type(path.self, scope), path.last().name, path.as_trait, e->span, scope);
  std::string_view const first = path.segments[0].name;
  if (path.is_word()) {
    if (Scope::Variable* const v = variable(first, path.segments[0].mark, scope)) {
      if (v->value.as<Poisoned>() != nullptr) throw PoisonUse{};
      return v->value;
    }
    if (Scope::Binding* const b = scope.find_type(first)) {
      Ty const t = b->type ? b->type : b->syntax != nullptr ? type(b->syntax, *b->where) : Ty{};
      if (t && t->kind == TypeOf::Kind::constant) return *t->value;
      if (t && t->kind == TypeOf::Kind::structure && t->item->fields.empty()) {
        Aggregate a;
        a.kind = Aggregate::Kind::structure;
        a.item = t->item;
        a.module = t->module;
        a.type = t;
        return a;
      }
      if (t) return t;
    }
  }
  std::vector<std::string_view> words;
  for (const Segment& s : path.segments) words.push_back(s.name);
  KnownName const entry = tree_.find(*scope.module, words, Namespace::value);
  if (entry.kind == KnownName::Kind::item) {
    if (entry.item->kind == Item::Kind::constant) return constant(entry);
    if (entry.item->kind == Item::Kind::function && entry.item->has_body) {
      auto f = std::make_shared<ClosureValue>();
      f->function = entry.item;
      f->module = entry.module;
      return f;
    }
  }
  if (path.segments.size() > 1) {
    // What stands before the last name may be a type: Slice::SIZE, Config::TILE.
    std::vector<std::string_view> prefix(words.begin(), words.end() - 1);
    if (Ty const owner = owner_of(path, scope)) return associated(owner, path.last().name, nullptr, e->span, scope);
    std::string_view const of = prefix.back();
    if (of == "f32" || of == "f64") {
      NumberType const t = of == "f32" ? NumberType::f32 : NumberType::f64;
      std::string_view const last = words.back();
      if (last == "INFINITY") return real(std::numeric_limits<double>::infinity(), t);
      if (last == "NEG_INFINITY") return real(-std::numeric_limits<double>::infinity(), t);
      if (last == "NAN") return real(std::numeric_limits<double>::quiet_NaN(), t);
      bool const single = of == "f32";
      if (last == "MAX")
        return real(single ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max(), t);
      if (last == "MIN")
        return real(single ? static_cast<double>(std::numeric_limits<float>::lowest()) : std::numeric_limits<double>::lowest(), t);
      if (last == "EPSILON")
        return real(single ? static_cast<double>(std::numeric_limits<float>::epsilon()) : std::numeric_limits<double>::epsilon(), t);
      if (last == "MIN_POSITIVE")
        return real(single ? static_cast<double>(std::numeric_limits<float>::min()) : std::numeric_limits<double>::min(), t);
    }
    if (auto const scalar = parse_scalar_type(of, quietly))
      if (auto const element = element_constant(*scalar, words.back())) return *element;
    if (of == "consts") {  // std::f32::consts::PI
      bool const single = prefix.size() > 1 && prefix[prefix.size() - 2] == "f32";
      NumberType const t = single ? NumberType::f32 : NumberType::f64;
      constexpr std::pair<std::string_view, double> known[] = {{"PI", 3.14159265358979323846},     {"E", 2.71828182845904523536},
                                                               {"LN_2", 0.693147180559945309417},  {"LOG2_E", 1.44269504088896340736},
                                                               {"SQRT_2", 1.41421356237309504880}, {"LN_10", 2.30258509299404568402}};
      for (auto const& [n, v] : known)
        if (n == words.back()) return real(single ? static_cast<double>(static_cast<float>(v)) : v, t);
    }
    for (const Suffix& s : suffixes) {
      if (s.text != of) continue;
      if (words.back() == "BITS") {
        bool const eight = s.type == NumberType::u8 || s.type == NumberType::i8,
                   sixteen = s.type == NumberType::u16 || s.type == NumberType::i16,
                   thirty_two = s.type == NumberType::u32 || s.type == NumberType::i32;
        return whole(eight ? 8 : sixteen ? 16 : thirty_two ? 32 : 64, NumberType::u32);
      }
      if (words.back() == "MAX" || words.back() == "MIN")
        return whole(words.back() == "MAX" ? range_of(s.type).most : range_of(s.type).least, s.type);
    }
  }
  // A type as a value: AxisToggle { axis: I }.
  if (KnownName const t = tree_.find(*scope.module, words, Namespace::type);
      t.kind == KnownName::Kind::axis || t.kind == KnownName::Kind::item) {
    if (t.kind == KnownName::Kind::axis || t.item->kind == Item::Kind::alias) return entry_type(t, path.last().arguments, scope, e->span);
    if (t.item->kind == Item::Kind::structure && t.item->fields.empty()) {
      Aggregate a;
      a.kind = Aggregate::Kind::structure;
      a.item = t.item;
      a.module = t.module;
      if (Ty const whole_type = entry_type(t, path.last().arguments, scope, e->span); !whole_type->items.empty()) a.type = whole_type;
      return a;
    }
  }
  if (path.segments.size() == 1)
    if (KnownName const v = tree_.find_variant(*scope.module, first)) return variant_of(v, first, {});
  Named n;
  n.path = vendor_path(path, scope);
  for (const Segment& s : path.segments)  // BranchMode::AxisToggle::<I>
    for (const TypeSyntax* a : s.arguments) n.arguments.emplace_back(type(a, scope));
  bool const capital = first[0] >= 'A' && first[0] <= 'Z';
  if (!capital && path.segments.size() == 1) {
    unknown_name(first, e->span, "the name", scope);
  }
  (void)expected;
  return n;
}

/// The words of a name of the vendor's, whose type a `use` may have renamed.
std::vector<std::string> Evaluator::vendor_path(const Path& path, Scope& scope) const {
  std::vector<std::string> words;
  std::vector<std::string_view> prefix;
  for (const Segment& s : path.segments) words.emplace_back(s.name), prefix.push_back(s.name);
  prefix.pop_back();
  if (prefix.empty()) return words;
  KnownName const entry = tree_.find(*scope.module, prefix, Namespace::type);
  if (entry.kind == KnownName::Kind::external && !entry.name.empty()) words[words.size() - 2] = entry.name;
  return words;
}

RustValue Evaluator::constant(const KnownName& entry) {
  const Item& item = *entry.item;
  if (auto const known = constants_.find(&item); known != constants_.end()) return known->second;
  Once const once(evaluating_, item, item.name_span);
  Scope scope(entry.module);
  Ty const t = type(item.type, scope);
  if (item.value == nullptr)
    fail(Wrong::not_constant, item.name_span, "the constant has no value", "a trait leaves it to its types", "give it one");
  RustValue v = fitted(evaluate(item.value, scope, t), t, item.value->span);
  return constants_[&item] = v;
}

/// The type that a path names before its last word, if it is one of the crate or of a scope; null: it is none.
Ty Evaluator::owner_of(const Path& path, Scope& scope) {
  std::vector<std::string_view> prefix;
  for (std::size_t i = 0; i + 1 < path.segments.size(); ++i) prefix.push_back(path.segments[i].name);
  if (prefix.empty()) return {};
  bool own = scope.find_type(prefix[0]) != nullptr;
  for (std::size_t n = prefix.size(); n > 0 && !own; --n) {  // C::Inner::N: the first words may be a type, the others its members
    KnownName const entry = tree_.find(*scope.module, {prefix.begin(), prefix.begin() + static_cast<std::ptrdiff_t>(n)}, Namespace::type);
    if (entry.kind == KnownName::Kind::module) return {};
    own = entry.kind == KnownName::Kind::axis || entry.kind == KnownName::Kind::item;
  }
  if (!own) return {};
  TypeSyntax& syntax = tree_.arena.make<TypeSyntax>();
  syntax.kind = TypeSyntax::Kind::path;
  syntax.path = path;
  syntax.path.segments.pop_back();
  syntax.span = syntax.path.segments.back().span;
  return type(&syntax, scope);
}

RustValue Evaluator::variant_of(const KnownName& entry, std::string_view name, std::vector<RustValue> arguments) {
  Named n({std::string(entry.item->name), std::string(name)}, std::move(arguments));
  n.item = entry.item;
  n.module = entry.module;
  return n;
}

RustValue Evaluator::associated(const Ty& t, std::string_view name, const TypeSyntax* as_trait, const Span& span, Scope& scope) {
  if (t && t->kind == TypeOf::Kind::mapping && name == "SIZE") return whole(t->mapping->size, NumberType::usize);
  if (t && t->kind == TypeOf::Kind::mapping && name == "NAME" && t->mapping->axes > 0)
    return std::string(text(t->mapping->axis[0].name).view());
  if (t && t->item != nullptr && t->item->kind == Item::Kind::enumeration) {
    for (std::string_view variant : t->item->variants)
      if (variant == name) {
        KnownName e;
        e.item = t->item;
        e.module = t->module;
        return variant_of(e, name, {});
      }
  }
  if (auto const m = member_of(t, Item::Kind::constant, name, as_trait, scope, span)) return member_constant(*m);
  if (auto const m = member_of(t, Item::Kind::function, name, as_trait, scope, span)) {
    if (!m->bound.empty() && m->bound.size() > 1)
      fail(Wrong::unsupported, span, "a function of a generic impl is used as a value", "kernels call it where its generics are known",
           "write a closure: |x| Type::function(x)");
    auto f = std::make_shared<ClosureValue>();
    f->function = m->item;
    f->module = m->module;
    return f;
  }
  if (t && t->item != nullptr && t->item->kind == Item::Kind::enumeration) unknown_variant(*t->item, name, span);
  if (!t)
    fail(Wrong::type_needed, span, "nothing says which type this is", "a generic is bound by the types of the arguments, or by the call",
         "name it in the call: function::<m![...]>(...)");
  if (t->item != nullptr)
    fail(Wrong::unknown_name, span, in_words(t) + " has no `" + std::string(name) + "`", "no impl of the crate gives it one",
         "add it to its impl: const " + std::string(name) + ": usize = ...;");
  fail(Wrong::unknown_name, span, in_words(t) + " has no `" + std::string(name) + "`",
       "mappings have SIZE, and structures what their impl says", "write ::SIZE for the number of positions");
}

namespace {

/// The type that a number says it has; null: it would be any that is asked for, or the value is no number.
Ty type_of_number(const RustValue& v) {
  const Number* const n = v.as<Number>();
  if (n == nullptr || n->floating() || n->type == NumberType::integer || n->type == NumberType::character) return {};
  if (n->type == NumberType::i32) return type_of_scalar(ScalarType::i32);
  auto t = std::make_shared<TypeOf>();
  t->kind = TypeOf::Kind::number;
  t->number = n->type;
  return t;
}
bool is_of_literals(const Expr* e) {
  switch (e->kind) {
    case Expr::Kind::literal: return true;
    case Expr::Kind::negate:
    case Expr::Kind::invert: return is_of_literals(e->left);
    case Expr::Kind::binary: return is_of_literals(e->left) && is_of_literals(e->right);
    default: return false;
  }
}

}  // namespace

RustValue Evaluator::binary(const Expr* e, Scope& scope, const Ty& expected) {
  std::string_view const op = e->name;
  if (op == "&&" || op == "||") {
    bool const left = condition(e->left, scope);
    if (left == (op == "||")) return left;
    return condition(e->right, scope);
  }
  bool const compares = op == "==" || op == "!=" || op == "<" || op == ">" || op == "<=" || op == ">=";
  Ty const down = compares ? Ty{} : expected;
  bool const shifts = op == "<<" || op == ">>";
  RustValue a = plain(evaluate(e->left, scope, down));
  RustValue const b = plain(evaluate(e->right, scope, shifts ? Ty{} : down ? down : type_of_number(a)));
  // Literals on the left take the type of the right side.
  if (!shifts && !down && type_of_number(b) && !type_of_number(a) && is_of_literals(e->left))
    a = plain(evaluate(e->left, scope, type_of_number(b)));
  if (const bool* const x = a.as<bool>())
    if (const bool* const y = b.as<bool>()) {
      if (op == "==") return *x == *y;
      if (op == "!=" || op == "^") return *x != *y;
      if (op == "&") return *x && *y;
      if (op == "|") return *x || *y;
    }
  if ((op == "==" || op == "!=") && (a.as<Number>() == nullptr || b.as<Number>() == nullptr)) {
    Ty const compared = type_of(a);
    if (compared && compared->item != nullptr && member_of(compared, Item::Kind::function, "eq", nullptr, scope, e->span))
      fail(Wrong::unsupported, e->span,
           "`" + std::string(op) + "` of " + in_words(compared) + " is what its impl of PartialEq says, and is not read inside kernels",
           "only what #[derive(PartialEq)] makes is known", "call a function of its own, or compare the fields");
    auto const same = equal(a, b);
    if (same) return *same == (op == "==");
    fail(Wrong::type_mismatch, e->span, in_words(a) + " is compared with " + in_words(b),
         "numbers, bools, texts, variants and what is made of them can be compared", "compare two values of one type");
  }
  bool const of_numbers = a.as<Number>() != nullptr && b.as<Number>() != nullptr;
  bool const of_crate =
      a.as<Aggregate>() != nullptr || a.as<Named>() != nullptr || b.as<Aggregate>() != nullptr || b.as<Named>() != nullptr;
  if (!of_numbers && of_crate)
    fail(Wrong::unsupported, e->span,
         "`" + std::string(op) + "` between " + in_words(a) + " and " + in_words(b) + " is not read inside kernels",
         "operators work on numbers; what a trait such as Add or PartialOrd makes of them is not looked for",
         "write it with the numbers: a.x + b.x, a as i32 < b as i32");
  return calculated(op, number(a, e->left->span, "the left side"), number(b, e->right->span, "the right side"), e->span);
}

RustValue Evaluator::cast(const Expr* e, Scope& scope) {
  RustValue const v = plain(evaluate(e->left, scope));
  Ty const t = type(e->type, scope);
  std::optional<NumberType> to;
  if (t && t->kind == TypeOf::Kind::number) to = t->number;
  if (t && t->kind == TypeOf::Kind::scalar) {
    if (t->scalar == ScalarType::f32) to = NumberType::f32;
    if (t->scalar == ScalarType::i32) to = NumberType::i32;
    if (t->scalar == ScalarType::i16) to = NumberType::i16;
    if (t->scalar == ScalarType::i8) to = NumberType::i8;
  }
  if (!t) return v;
  if (t->kind == TypeOf::Kind::other && t->name == "char") to = NumberType::character;
  if (const Named* const n = v.as<Named>(); n != nullptr && n->item != nullptr && to && n->arguments.empty() && n->fields.empty()) {
    std::int64_t number_of_variant = 0;
    Scope inner(n->module);
    for (std::size_t i = 0; i < n->item->variants.size(); ++i) {
      if (const Expr* const said = i < n->item->discriminants.size() ? n->item->discriminants[i] : nullptr)
        number_of_variant = integer(evaluate(said, inner), said->span, "the number of a variant");
      if (n->item->variants[i] == n->name()) return converted(whole(number_of_variant), *to);
      ++number_of_variant;
    }
  }
  if (!to)
    fail(Wrong::unsupported, e->span, "`as` to " + in_words(t) + " is not read", "kernels convert numbers",
         "convert to a number type of Rust");
  if (const bool* const b = v.as<bool>()) return whole(*b ? 1 : 0, *to);
  return converted(number(v, e->span, "what `as` converts"), *to);
}

// Macros.

const BlockSyntax* Evaluator::expansion(const Expr* e, Scope& scope) {
  auto const known = expansions_.find(e);
  if (known != expansions_.end()) return known->second;
  std::string_view const name = e->path.last().name;
  const Item* const rules = tree_.find_rules(*scope.module, name);
  if (rules == nullptr) unknown_name(name, e->path.span, "the macro", scope);
  Parser parser(tree_.arena, range_of(tree_.expanded(*rules, e->tokens, e->span)));
  const BlockSyntax* const b = parser.block_of_all();
  return expansions_[e] = b;
}

RustValue Evaluator::macro(const Expr* e, Scope& scope, const Ty& expected) {
  std::string_view const name = e->path.last().name;
  if (tree_.find_rules(*scope.module, name) == nullptr) {
    if (name == "assert" || name == "assert_eq" || name == "assert_ne") return check_assert(e, scope), RustValue{};
    constexpr std::string_view ignored[] = {"debug_assert", "debug_assert_eq", "debug_assert_ne",  "println", "eprintln", "print", "eprint",
                                            "dbg",          "static_assert",   "static_assertions"};
    for (std::string_view each : ignored)
      if (name == each) return {};
    constexpr std::string_view texts[] = {"format", "stringify", "concat", "file", "module_path", "env", "option_env", "include_str"};
    for (std::string_view each : texts)
      if (name == each) return std::string(e->tokens.span().text());
    if (name == "line" || name == "column") return whole(name == "line" ? where(e->span).line : where(e->span).column, NumberType::u32);
    if (name == "cfg") return tree_.condition_holds(e->tokens);
    if (name == "matches") {
      Parser parser(tree_.arena, e->tokens);
      const Expr* const value = parser.expression();
      parser.want(",");
      const Pattern* const pattern = parser.pattern();
      Scope inner(scope.module, &scope);
      bool holds = matches(pattern, plain(evaluate(value, scope)), inner);
      if (parser.take("if")) holds = holds && condition(parser.expression(), inner);
      return holds;
    }
    if (name == "compile_error")
      fail(Wrong::assertion, e->span, "the kernel comes to `compile_error!`", "it is not meant to be built this way",
           "look at the condition that leads here");
    if (name == "m") return type_of_mapping(share(mapping(e->tokens, scope)));
    if (name == "vec") {
      Tokens tokens(e->tokens.begin(), e->tokens.end());
      Token open, close, end;
      open.kind = close.kind = TokenKind::punctuation;
      open.text = "[";
      close.text = "]";
      open.span = close.span = end.span = e->span;
      tokens.insert(tokens.begin(), open);
      tokens.push_back(close);
      tokens.push_back(end);
      Parser parser(tree_.arena, range_of(tree_.arena.keep(std::move(tokens))));
      return evaluate(parser.expression_to_end(), scope, expected);
    }
    if (name == "panic" || name == "unreachable" || name == "todo" || name == "unimplemented")
      fail(Wrong::assertion, e->span, "the kernel comes to `" + std::string(name) + "!`", "a run of it would stop here",
           "look at the condition that leads here");
  }
  return block(*expansion(e, scope), scope, expected);
}

void Evaluator::check_assert(const Expr* e, Scope& scope) {
  Parser parser(tree_.arena, e->tokens);
  const Expr* const first = parser.expression();
  bool holds = false;
  std::string said;
  if (e->path.last().name == "assert") {
    holds = condition(first, scope);
  } else {
    parser.want(",");
    const Expr* const second = parser.expression();
    RustValue const a = plain(evaluate(first, scope)), b = plain(evaluate(second, scope));
    const Number *const x = a.as<Number>(), *const y = b.as<Number>();
    auto const same = equal(a, b);
    if (!same) return;
    holds = *same == (e->path.last().name == "assert_eq");
    if (x != nullptr && y != nullptr && !x->floating()) said = ": " + std::to_string(x->whole) + " and " + std::to_string(y->whole);
  }
  if (!holds)
    fail(Wrong::assertion, e->span, "an assertion of the kernel does not hold" + said, "a run of it would stop here",
         "look at the numbers it compares");
}

// Parts of values.

RustValue Evaluator::structure_of(const Item& item, ModuleScope& module, const Ty& t,
                                  const std::function<RustValue(std::size_t, const Ty&)>& field) {
  Aggregate a;
  a.kind = Aggregate::Kind::structure;
  a.item = &item;
  a.module = &module;
  Scope scope(&module);
  bind_arguments(item, {}, scope, scope);
  if (t && t->item == &item)
    for (std::size_t i = 0; i < item.generics.size() && i < t->items.size(); ++i) scope.types[item.generics[i].name].type = t->items[i];
  for (std::size_t i = 0; i < item.fields.size(); ++i) {
    a.names.push_back(item.fields[i].name);
    Ty const wanted = knows(item.fields[i].type, scope) ? type(item.fields[i].type, scope) : Ty{};
    RustValue v = field(i, wanted);
    if (v.as<Deferred>() == nullptr && v.as<Poisoned>() == nullptr && !wanted) unify(item.fields[i].type, type_of(v), scope);
    a.items.push_back(std::move(v));
  }
  if (t && t->item == &item && t->items.size() == item.generics.size() && !t->items.empty()) a.type = t;
  return a;
}

RustValue Evaluator::structure(const Expr* e, Scope& scope, const Ty& expected) {
  std::vector<std::string_view> words;
  for (const Segment& s : e->path.segments) words.push_back(s.name);
  Ty t;
  if (words.size() == 1)
    if (Scope::Binding* const b = scope.find_type(words[0])) t = b->type;
  if (!t)
    if (KnownName const entry = tree_.find(*scope.module, words, Namespace::type); entry.kind == KnownName::Kind::item)
      t = entry_type(entry, e->path.last().arguments, scope, e->span);
  if (t && t->kind == TypeOf::Kind::structure) {
    if (t->items.empty() && expected && expected->item == t->item) t = expected;
    RustValue base;
    if (e->left != nullptr) base = plain(evaluate(e->left, scope, t));
    for (const FieldValue& f : e->fields) {
      bool known = false;
      for (const FieldSyntax& s : t->item->fields) known |= s.name == f.name;
      if (!known)
        fail(Wrong::unknown_name, f.span, "the structure " + std::string(t->item->name) + " has no field `" + std::string(f.name) + "`",
             "its declaration has the fields", "name one of them");
    }
    return structure_of(*t->item, *t->module, t, [&](std::size_t i, const Ty& wanted) -> RustValue {
      for (const FieldValue& f : e->fields)
        if (f.name == t->item->fields[i].name) return fitted(evaluate(f.value, scope, wanted), wanted, f.value->span);
      if (e->left != nullptr) return field_of(base, t->item->fields[i].name, e->span);
      fail(Wrong::arguments, e->span, "the field `" + std::string(t->item->fields[i].name) + "` is missing",
           "a structure is made with all its fields", "give it");
    });
  }
  Named n;
  for (std::string_view w : words) n.path.emplace_back(w);
  Ty const owner = owner_of(e->path, scope);
  KnownName const brought = words.size() == 1 ? tree_.find_variant(*scope.module, words[0]) : KnownName{};
  if (owner && owner->item != nullptr && owner->item->kind == Item::Kind::enumeration) n.item = owner->item, n.module = owner->module;
  else if (brought) n.item = brought.item, n.module = brought.module;
  if (n.item != nullptr && std::find(n.item->variants.begin(), n.item->variants.end(), words.back()) == n.item->variants.end())
    unknown_variant(*n.item, words.back(), e->path.last().span);
  for (const FieldValue& f : e->fields) n.fields.emplace_back(std::string(f.name), evaluate(f.value, scope));
  return n;
}

RustValue Evaluator::field_of(const RustValue& v, std::string_view name, const Span& span) {
  const RustValue& p = plain(v);
  if (const auto* const c = p.as<ContextPart>(); c != nullptr && c->kind == ContextPart::Kind::all) {
    if (name == "main") return ContextPart{ContextPart::Kind::main};
    if (name == "sub") return ContextPart{ContextPart::Kind::sub};
    if (name == "tdma" || name == "dma") return ContextPart{ContextPart::Kind::tdma};
    if (name == "pdma") return ContextPart{ContextPart::Kind::pdma};
    fail(Wrong::unknown_name, span, "the context has no `" + std::string(name) + "`", "it has main, sub, tdma and pdma",
         "write ctx.main, ctx.sub, ctx.tdma or ctx.pdma");
  }
  if (const auto* const a = p.as<Aggregate>()) {
    for (std::size_t i = 0; i < a->names.size() && i < a->items.size(); ++i)
      if (a->names[i] == name) return a->items[i];
    std::size_t number = 0;
    bool const is_number = std::from_chars(name.data(), name.data() + name.size(), number).ptr == name.data() + name.size();
    if (is_number && a->kind == Aggregate::Kind::tuple && number < a->items.size()) return a->items[number];
  }
  std::string fields;
  if (const auto* const a = p.as<Aggregate>())
    for (std::string_view each : a->names)
      if (fields.size() < 100) fields += (fields.empty() ? "" : ", ") + std::string(each);
  fail(Wrong::unknown_name, span, in_words(p) + " has no field `" + std::string(name.substr(0, 60)) + "`",
       "fields are those of structures and tuples", fields.empty() ? "name a field that it has" : "name one of its fields: " + fields);
}

RustValue Evaluator::field(const Expr* e, Scope& scope) {
  if (RustValue* const p = place(e, scope)) {
    if (p->as<Poisoned>() != nullptr) throw PoisonUse{};
    return *p;
  }
  return field_of(evaluate(e->left, scope), e->name, e->name_span);
}

RustValue Evaluator::index(const Expr* e, Scope& scope) {
  RustValue const owner = plain(evaluate(e->left, scope)), at = plain(evaluate(e->right, scope));
  const Aggregate* const a = owner.as<Aggregate>();
  if (a == nullptr || a->kind != Aggregate::Kind::array)
    fail(Wrong::type_mismatch, e->span, "an index into " + in_words(owner), "arrays have indices; of a tensor, tile takes a part",
         "write .tile::<m![...], N, _>(i)");
  if (const RangeValue* const r = at.as<RangeValue>()) {
    std::int64_t const size = static_cast<std::int64_t>(a->items.size()), low = r->low.value_or(0), high = r->high.value_or(size);
    if (low < 0 || low > high || high > size)
      fail(Wrong::number, e->span, "the range is not inside the array of " + std::to_string(size), "a run of it would stop here",
           "look at its begin and end");
    Aggregate part;
    part.kind = Aggregate::Kind::array;
    part.items.assign(a->items.begin() + low, a->items.begin() + high);
    return part;
  }
  std::int64_t const i = integer(at, e->right->span, "an index");
  if (i < 0 || i >= static_cast<std::int64_t>(a->items.size()))
    fail(Wrong::number, e->span, "index " + std::to_string(i) + " of an array of " + std::to_string(a->items.size()),
         "a run of it would stop here", "look at where the index comes from");
  return a->items[static_cast<std::size_t>(i)];
}

/// The variable, or the part of one, that an expression names; null: it names a value only.
RustValue* Evaluator::place(const Expr* e, Scope& scope) {
  auto const through = [](RustValue* v) {
    for (int i = 0; v != nullptr && i < 100; ++i) {
      Reference* const r = v->as<Reference>();
      if (r == nullptr) break;
      v = r->to;
    }
    return v;
  };
  switch (e->kind) {
    case Expr::Kind::path: {
      if (!e->path.is_word()) return nullptr;
      Scope::Variable* const v = variable(e->path.last().name, e->path.last().mark, scope);
      return v == nullptr ? nullptr : &v->value;
    }
    case Expr::Kind::dereference:
    case Expr::Kind::reference: return through(place(e->left, scope));
    case Expr::Kind::field: {
      RustValue* const owner = through(place(e->left, scope));
      Aggregate* const a = owner == nullptr ? nullptr : owner->as<Aggregate>();
      if (a == nullptr) return nullptr;
      for (std::size_t i = 0; i < a->names.size() && i < a->items.size(); ++i)
        if (a->names[i] == e->name) return &a->items[i];
      std::size_t number = 0;
      bool const is_number =
          std::from_chars(e->name.data(), e->name.data() + e->name.size(), number).ptr == e->name.data() + e->name.size();
      return is_number && a->kind == Aggregate::Kind::tuple && number < a->items.size() ? &a->items[number] : nullptr;
    }
    case Expr::Kind::index: {
      RustValue* const owner = through(place(e->left, scope));
      Aggregate* const a = owner == nullptr ? nullptr : owner->as<Aggregate>();
      if (a == nullptr || a->kind != Aggregate::Kind::array) return nullptr;
      RustValue const at = evaluate(e->right, scope);
      const Number* const n = plain(at).as<Number>();
      if (n == nullptr || n->floating() || n->whole < 0 || n->whole >= static_cast<std::int64_t>(a->items.size())) return nullptr;
      return &a->items[static_cast<std::size_t>(n->whole)];
    }
    default: return nullptr;
  }
}

RustValue Evaluator::assign(const Expr* e, Scope& scope) {
  RustValue* to = place(e->left, scope);
  if (e->left->kind == Expr::Kind::path && e->left->path.is_word() && e->left->path.last().name == "_") {
    evaluate(e->right, scope);
    return {};
  }
  for (int i = 0; to != nullptr && i < 100; ++i) {
    Reference* const r = to->as<Reference>();
    if (r == nullptr || e->left->kind == Expr::Kind::path) break;
    to = r->to;
  }
  if (e->left->kind == Expr::Kind::dereference && to != nullptr && to->as<TensorValue>() != nullptr) {
    const RustValue* const held = place(e->left->left, scope);
    if (held != nullptr && held->as<Reference>() == nullptr)  // what holds no reference here was one in Rust
      fail(Wrong::unsupported, e->span, "a tensor is assigned through a reference",
           "a tensor that is passed on is the tensor itself here, and its owner would keep the old one",
           "return the new tensor, or write into this one: x.view().to_dm_view(...), x.view().to_hbm_view(...)");
  }
  if (e->left->kind == Expr::Kind::dereference && e->left->left->kind == Expr::Kind::path && to != nullptr) {
    const RustValue* const held = place(e->left->left, scope);
    if (held != nullptr && held->as<Reference>() == nullptr && held->as<Poisoned>() == nullptr)
      fail(Wrong::unsupported, e->span,
           "`" + std::string(e->left->left->span.text().substr(0, 60)) + "` is a copy here, and its owner would keep the old value",
           "patterns and iterators bind parts of a value by copy", "assign to the owner itself: x.field = ..., a[i] = ...");
  }
  if (to == nullptr) {
    if (e->left->kind == Expr::Kind::tuple && e->name == "=") {  // (a, b) = f()
      RustValue const v = plain(evaluate(e->right, scope));
      const Aggregate* const a = v.as<Aggregate>();
      if (a != nullptr && a->items.size() == e->left->items.size()) {
        for (std::size_t i = 0; i < a->items.size(); ++i)
          if (RustValue* const p = place(e->left->items[i], scope)) *p = a->items[i];
        return {};
      }
    }
    fail(Wrong::unsupported, e->span, "this cannot be assigned to", "variables, their fields and elements can", "assign to a variable");
  }
  if (e->name == "=") {
    Ty wanted;
    if (e->left->kind == Expr::Kind::path && e->left->path.is_word())
      if (const Scope::Variable* const v = variable(e->left->path.last().name, e->left->path.last().mark, scope)) wanted = v->type;
    if (!wanted && to->as<TensorValue>() != nullptr) wanted = type_of(*to);
    RustValue v = evaluate(e->right, scope, wanted);
    v = fitted(std::move(v), wanted, e->right->span);
    RustValue* const again = place(e->left, scope);
    *(again == nullptr || e->left->kind != Expr::Kind::path ? to : again) = std::move(v);
    return {};
  }
  RustValue const right = plain(evaluate(e->right, scope));
  Number const before = number(*to, e->left->span, "what is changed");
  *to = calculated(e->name.substr(0, e->name.size() - 1), before, number(right, e->right->span, "the right side"), e->span);
  return {};
}

// Ways through a kernel.

bool Evaluator::condition(const Expr* e, Scope& scope) {
  RustValue const v = plain(evaluate(e, scope));
  if (const bool* const b = v.as<bool>()) return *b;
  fail(Wrong::not_constant, e->span, "a condition is a bool that is known when the kernel is recorded, and this is " + in_words(v),
       "a kernel is one recording: both ways through an `if` would be two", "decide by a constant, a loop index or a scalar of the launch");
}

RustValue Evaluator::branch(const Expr* e, Scope& scope, const Ty& expected) {
  Scope inner(scope.module, &scope);
  if (condition(e->left, inner)) return block(*e->body, inner, expected);
  if (e->otherwise != nullptr) return evaluate(e->otherwise, scope, expected);
  return {};
}

namespace {

/// A round of a loop, which reports and models of time know by its name.
class LoopRound {
 public:
  LoopRound(detail::Recording& r, const std::string& name, std::int64_t i, bool kept) : recording_(r) {
    r.enter_region(name.c_str(), i, kept);
  }
  ~LoopRound() { recording_.leave_region(); }
  LoopRound(const LoopRound&) = delete;
  LoopRound& operator=(const LoopRound&) = delete;

 private:
  detail::Recording& recording_;
};

}  // namespace

RustValue Evaluator::for_loop(const Expr* e, Scope& scope) {
  if (e->left->kind == Expr::Kind::reference && e->left->is_mut)
    fail(Wrong::unsupported, e->left->span, "a loop over `&mut` elements is not read",
         "its elements would be copies, and what is assigned to them lost", "count with an index: for i in 0..a.len() { a[i] = ... }");
  RustValue const over = plain(evaluate(e->left, scope));
  std::string_view const text = e->span.text();
  bool const ends = text.find("break") != text.npos || text.find("return") != text.npos;
  if (const RangeValue* const r = over.as<RangeValue>(); r != nullptr && !r->high && !ends)
    fail(Wrong::not_constant, e->left->span, "a loop runs over a range with an end, and this one has none",
         "loops are unrolled when a kernel is recorded", "write for i in 0..N with a constant N, or leave the loop with break");
  auto const all = iterated(over, e->left->span);
  std::string const name(e->pattern->kind == Pattern::Kind::name ? e->pattern->name : "round");
  std::int64_t count = 0;
  while (auto const next = all->next()) {
    const RustValue& each = *next;
    step(e->span, 20);
    Scope round(scope.module, &scope);
    const Number* const n = each.as<Number>();
    LoopRound const region(recording(), name, n != nullptr && !n->floating() ? n->whole : count, !e->unrolled);
    ++count;
    if (!bind(e->pattern, each, round))
      fail(Wrong::unsupported, e->pattern->span, "this pattern of a loop is not read", "loops count with a name", "write for i in 0..N");
    try {
      block(*e->body, round, {});
    } catch (const LoopLeft& left) {
      if (!left.is_for(e)) throw;
      if (!left.again) break;
    }
  }
  return {};
}

RustValue Evaluator::while_loop(const Expr* e, Scope& scope) {
  // A chip enters it as it does any loop: how often it goes round is known when the kernel is recorded.
  std::string const name = e->kind == Expr::Kind::while_loop ? "while" : "loop";
  for (std::int64_t count = 0;; ++count) {
    step(e->span, 20);
    Scope round(scope.module, &scope);
    if (e->kind == Expr::Kind::while_loop && !condition(e->left, round)) return {};
    LoopRound const region(recording(), name, count, !e->unrolled);
    std::size_t const errors = errors_.size();
    try {
      block(*e->body, round, {});
    } catch (const LoopLeft& left) {
      if (!left.is_for(e)) throw;
      if (!left.again) return left.value;
    }
    if (errors_.size() > errors) return {};  // what would have ended it may be what was refused
  }
}

RustValue Evaluator::matching(const Expr* e, Scope& scope, const Ty& expected) {
  RustValue const v = plain(evaluate(e->left, scope));
  for (const MatchArm& arm : e->arms) {
    Scope inner(scope.module, &scope);
    if (!matches(arm.pattern, v, inner)) continue;
    if (arm.guard != nullptr && !condition(arm.guard, inner)) continue;
    return evaluate(arm.value, inner, expected);
  }
  fail(Wrong::unsupported, e->span, "no arm of this match takes the value",
       "the patterns that are read are numbers, ranges, names and variants", "add an arm for it");
}

/// Whether the value has the form of the pattern; binds its names.
bool Evaluator::matches(const Pattern* p, const RustValue& given, Scope& scope) {
  const RustValue& v = plain(given);
  auto const same = [&](const RustValue& wanted) {
    if (auto const is = equal(v, wanted)) return *is;
    fail(Wrong::type_mismatch, p->span, "a pattern that is " + in_words(wanted) + " is compared with " + in_words(v),
         "a pattern has the type of the value", "write a pattern of that type");
  };
  switch (p->kind) {
    case Pattern::Kind::name: {
      // A name may be a constant, or a variant that was brought in.
      KnownName const e = tree_.find(*scope.module, p->name, Namespace::value);
      if (e.kind == KnownName::Kind::item && e.item->kind == Item::Kind::constant) return same(constant(e));
      bool const capital = !p->name.empty() && p->name[0] >= 'A' && p->name[0] <= 'Z';
      if (const Named* const n = v.as<Named>(); n != nullptr && capital) return n->name() == p->name;
      for (const Pattern* each : p->items)  // name @ pattern
        if (each->kind != Pattern::Kind::rest && !matches(each, given, scope)) return false;
      return bind(p, given, scope);
    }
    case Pattern::Kind::wild:
    case Pattern::Kind::rest: return true;
    case Pattern::Kind::either:
      for (const Pattern* each : p->items)
        if (matches(each, given, scope)) return true;
      return false;
    case Pattern::Kind::reference: return matches(p->items[0], v, scope);
    case Pattern::Kind::value: return same(plain(evaluate(p->low, scope)));
    case Pattern::Kind::range: {
      const Number* const n = v.as<Number>();
      if (n == nullptr)
        fail(Wrong::type_mismatch, p->span, "a range of numbers or characters is compared with " + in_words(v),
             "a pattern has the type of the value", "write a pattern of that type");
      auto const holds = [&](const char* op, const Expr* limit) {
        return limit == nullptr || *calculated(op, *n, number(evaluate(limit, scope), p->span, "a limit"), p->span).as<bool>();
      };
      return holds(">=", p->low) && holds(p->inclusive ? "<=" : "<", p->high);
    }
    case Pattern::Kind::tuple:
    case Pattern::Kind::slice:
      if (const Aggregate* const a = v.as<Aggregate>()) return matches_parts(p, a->items, scope);
      if (p->items.empty() && v.as<Unit>() != nullptr) return true;
      fail(Wrong::type_mismatch, p->span, "a pattern with parts is compared with " + in_words(v), "a pattern has the form of the value",
           "give the value one name");
    case Pattern::Kind::variant:
      check_variant(p, v);
      if (const Named* const n = v.as<Named>())
        return !p->path.segments.empty() && n->name() == p->path.last().name && matches_parts(p, n->arguments, scope);
      if (const Aggregate* const a = v.as<Aggregate>()) return matches_parts(p, a->items, scope);
      fail(Wrong::type_mismatch, p->span, "a variant is compared with " + in_words(v), "a pattern has the type of the value",
           "write a pattern of that type");
    case Pattern::Kind::structure: {
      check_variant(p, v);
      const Named* const n = v.as<Named>();
      if (n != nullptr && (p->path.segments.empty() || n->name() != p->path.last().name)) return false;
      for (std::size_t i = 0; i < p->items.size(); ++i) {
        const RustValue* part = nullptr;
        if (n != nullptr)
          for (auto const& [field, value] : n->fields)
            if (field == p->fields[i]) part = &value;
        if (!matches(p->items[i], part != nullptr ? *part : field_of(v, p->fields[i], p->span), scope)) return false;
      }
      return true;
    }
    default: return bind(p, given, scope);
  }
}

/// A variant that its enum does not have would never be the value's.
void Evaluator::check_variant(const Pattern* p, const RustValue& v) {
  const Named* const n = v.as<Named>();
  if (n == nullptr || n->item == nullptr || n->item->kind != Item::Kind::enumeration || p->path.segments.empty()) return;
  const auto& known = n->item->variants;
  const Segment& said = p->path.last();
  if (std::find(known.begin(), known.end(), said.name) == known.end()) unknown_variant(*n->item, said.name, said.span);
}
void Evaluator::unknown_variant(const Item& enumeration, std::string_view name, const Span& span) {
  std::string known, best;
  std::size_t distance = name.size() < 5 ? 2 : 3;
  for (std::string_view each : enumeration.variants) {
    if (known.size() < 100) known += (known.empty() ? "" : ", ") + std::string(each);
    if (std::size_t const d = edit_distance(name.substr(0, 60), each.substr(0, 60)); d < distance) distance = d, best = each;
  }
  fail(Wrong::unknown_name, span, "the enum " + std::string(enumeration.name) + " has no variant `" + std::string(name.substr(0, 60)) + "`",
       "its declaration has the variants", best.empty() ? "its variants are " + known : "did you mean `" + best + "`?");
}

/// Parts of a pattern, of which one may stand for the rest.
bool Evaluator::matches_parts(const Pattern* p, const std::vector<RustValue>& given, Scope& scope) {
  std::vector<RustValue> const parts = given;  // NOLINT: what is bound may move the values that `given` is a part of
  auto const is_rest = [](const Pattern* each) {
    return each->kind == Pattern::Kind::rest ||
           (each->kind == Pattern::Kind::name && each->items.size() == 1 && each->items[0]->kind == Pattern::Kind::rest);
  };
  std::size_t rest = p->items.size();
  for (std::size_t i = 0; i < p->items.size(); ++i)
    if (is_rest(p->items[i])) rest = i;
  bool const has_rest = rest < p->items.size();
  std::size_t const wanted = p->items.size() - (has_rest ? 1 : 0);
  if (has_rest ? parts.size() < wanted : parts.size() != wanted) return false;
  for (std::size_t i = 0; i < rest; ++i)
    if (!matches(p->items[i], parts[i], scope)) return false;
  if (!has_rest) return true;
  std::size_t const behind = p->items.size() - rest - 1;
  if (p->items[rest]->kind == Pattern::Kind::name) {
    Aggregate middle;
    middle.kind = Aggregate::Kind::array;
    middle.items.assign(parts.begin() + static_cast<std::ptrdiff_t>(rest), parts.end() - static_cast<std::ptrdiff_t>(behind));
    scope.variables.push_back({p->items[rest]->name, p->items[rest]->mark, RustValue(std::move(middle))});
  }
  for (std::size_t i = 0; i < behind; ++i)
    if (!matches(p->items[rest + 1 + i], parts[parts.size() - behind + i], scope)) return false;
  return true;
}

bool Evaluator::bind(const Pattern* p, RustValue v, Scope& scope, const Ty& type) {
  switch (p->kind) {
    case Pattern::Kind::wild: return true;
    case Pattern::Kind::name: {
      if (p->by_mut_reference && v.as<Reference>() == nullptr && v.as<TensorValue>() == nullptr)
        fail(Wrong::unsupported, p->span, "`ref mut` is not read", "the name would be a copy, and what is assigned to it lost",
             "borrow it where it is used: let x = &mut y;");
      for (const Pattern* each : p->items)  // name @ pattern
        if (each->kind != Pattern::Kind::rest && !matches(each, v, scope)) return false;
      scope.variables.push_back({p->name, p->mark, std::move(v), type});
      return true;
    }
    case Pattern::Kind::reference: return bind(p->items[0], plain(v), scope);
    case Pattern::Kind::tuple:
    case Pattern::Kind::slice: {
      const RustValue& whole_value = plain(v);
      const Aggregate* const a = whole_value.as<Aggregate>();
      if (a == nullptr) {
        if (p->items.empty() && whole_value.as<Unit>() != nullptr) return true;
        fail(Wrong::type_mismatch, p->span, "a pattern with parts takes a tuple or an array, and this is " + in_words(whole_value),
             "the parts are given one by one", "give the value one name");
      }
      if (matches_parts(p, a->items, scope)) return true;
      fail(Wrong::type_mismatch, p->span,
           "the pattern has " + std::to_string(p->items.size()) + " parts, and the value " + std::to_string(a->items.size()),
           "each part gets a name", "name as many as there are");
    }
    case Pattern::Kind::structure:
    case Pattern::Kind::variant: {
      RustValue const whole_value = plain(v);
      return matches(p, whole_value, scope);
    }
    default: break;
  }
  fail(Wrong::unsupported, p->span, "this pattern is not read inside kernels", "kernels bind names, tuples, arrays and structures",
       "give the value one name");
}

void Evaluator::poison(const Pattern* p, Scope& scope) {
  if (p == nullptr) return;
  if (p->kind == Pattern::Kind::name) scope.variables.push_back({p->name, p->mark, RustValue(Poisoned{})});
  for (const Pattern* each : p->items) poison(each, scope);
}

/// `let x = …`: the tensor is called x in reports and dumps.
void Evaluator::name_after(const Pattern* p, RustValue& v) {
  if (p->kind == Pattern::Kind::tuple || p->kind == Pattern::Kind::slice) {
    if (Aggregate* const a = v.as<Aggregate>(); a != nullptr && a->items.size() == p->items.size())
      for (std::size_t i = 0; i < p->items.size(); ++i) name_after(p->items[i], a->items[i]);
    return;
  }
  TensorValue* const t = v.as<TensorValue>();
  if (p->kind != Pattern::Kind::name || t == nullptr || t->is_view || t->tensor.node() == nullptr) return;
  names_.try_emplace(t->tensor.node()->id, std::string(p->name));
}

RustValue Evaluator::block(const BlockSyntax& b, Scope& scope, const Ty& expected) {
  Scope inner(&tree_.block_scope(*scope.module, b), &scope);
  statements(b, inner);
  if (b.tail == nullptr) return {};
  return evaluate(b.tail, inner, expected);
}

void Evaluator::statements(const BlockSyntax& b, Scope& scope) {
  for (const Statement& s : b.statements)
    if (!guarded([&] { statement(s, scope); }) && !stand_in(s, scope)) poison(s.pattern, scope);
}

/// A tensor of the declared type takes the place of one that was refused, so that what follows is read as if it were
/// there. Nothing of such a kernel is run.
bool Evaluator::stand_in(const Statement& s, Scope& scope) {
  if (s.kind != Statement::Kind::let || s.type == nullptr || s.pattern->kind != Pattern::Kind::name) return false;
  try {
    Ty const t = type(s.type, scope);
    if (!t || t->kind != TypeOf::Kind::tensor || (t->memory != Memory::Hbm && t->memory != Memory::Dm)) return false;
    RustValue v = construct(t, "uninit", {}, s.span, {});
    if (v.as<TensorValue>() == nullptr) return false;
    return bind(s.pattern, std::move(v), scope);
  } catch (const Mistake&) {
  } catch (const Refused&) {
  } catch (const PoisonUse&) {
  }
  return false;
}

void Evaluator::statement(const Statement& s, Scope& scope) {
  step(s.span);
  switch (s.kind) {
    case Statement::Kind::item: return;
    case Statement::Kind::let: {
      Ty const t = type(s.type, scope);
      if (s.value == nullptr) {
        bind(s.pattern, RustValue{}, scope, t);
        return;
      }
      RustValue v = fitted(evaluate(s.value, scope, t), t, s.value->span);
      name_after(s.pattern, v);
      if (s.otherwise != nullptr) {
        if (!matches(s.pattern, v, scope)) block(*s.otherwise, scope, {});
        return;
      }
      if (!bind(s.pattern, std::move(v), scope, t))
        fail(Wrong::type_mismatch, s.pattern->span, "the pattern does not take this value", "a let takes every value of its type",
             "add an else, or decide with match");
      return;
    }
    case Statement::Kind::macro: return macro_statement(s.value, scope);
    case Statement::Kind::expression: {
      RustValue const v = evaluate(s.value, scope);
      bool const called = s.value->kind == Expr::Kind::call && s.value->left != nullptr && s.value->left->kind == Expr::Kind::path;
      if (const Named* const n = v.as<Named>();
          n != nullptr && called && n->item == nullptr && n->path.size() == s.value->left->path.segments.size())
        unknown_name(n->name(), s.value->left->path.span, "the function", scope);
      return;
    }
  }
}

/// Statements that a macro writes stand where it was called.
void Evaluator::macro_statement(const Expr* e, Scope& scope) {
  if (tree_.find_rules(*scope.module, e->path.last().name) == nullptr) {
    macro(e, scope, {});
    return;
  }
  Deeper const deeper(*this, e->span);
  const BlockSyntax* const b = expansion(e, scope);
  scope.module = &tree_.block_scope(*scope.module, *b);
  for (const Statement& s : b->statements) statement(s, scope);
  if (b->tail != nullptr) evaluate(b->tail, scope);
}

}  // namespace tcp::rust
