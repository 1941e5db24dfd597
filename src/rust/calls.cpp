// Calls: functions of the crate with their generics, the vendor's constructors, and methods of all that has some.
#include <algorithm>

#include "rust/bindings.hpp"
#include "rust/evaluator.hpp"
#include "rust/value.hpp"

namespace tcp::rust {

namespace {

std::vector<std::string_view> names_in(const Path& path) {
  std::vector<std::string_view> words;
  for (const Segment& s : path.segments) words.push_back(s.name);
  return words;
}

/// As its author wrote them.
std::string declared_parameters(const Item& f) {
  std::string all;
  for (const Parameter& p : f.parameters) all += (all.empty() ? "" : ", ") + std::string(p.span.text().substr(0, 60));
  return all.substr(0, 200);
}

}  // namespace

std::vector<RustValue> Evaluator::values(const std::vector<const Expr*>& all, Scope& scope) {
  std::vector<RustValue> out;
  for (const Expr* e : all) out.push_back(evaluate(e, scope));
  return out;
}

RustValue Evaluator::deferred(std::string_view name, const Span& span, const Ty& known, const std::function<RustValue(const Ty&)>& make) {
  std::size_t const site = sites_++;
  if (known) return make(known);
  if (auto const said = known_.find(site); said != known_.end()) return make(said->second);
  recording().abandon_passes();
  waiting_.emplace_back(span, std::string(name));
  return Deferred{site, std::string(name)};
}

RustValue Evaluator::call(const Expr* e, Scope& scope, const Ty& expected) {
  if (const auto* const c = closure_in(e->left, scope)) {
    auto const kept = *c;
    return call_closure(*kept, e, scope, expected);
  }
  if (e->left->kind == Expr::Kind::path) return call_path(e, scope, expected);
  RustValue const f = plain(evaluate(e->left, scope));
  if (const auto* const c = f.as<std::shared_ptr<ClosureValue>>()) return call_closure(**c, e, scope, expected);
  fail(Wrong::type_mismatch, e->span, in_words(f) + " is called like a function", "functions and closures can be called",
       "write a function, and call it");
}

RustValue Evaluator::call_path(const Expr* e, Scope& scope, const Ty& expected) {
  const Path& path = e->left->path;
  std::string_view const last = path.last().name;
  if (path.self == nullptr) {
    KnownName const entry = tree_.find(*scope.module, names_in(path), Namespace::value);
    if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::function) {
      if (!entry.item->has_body)
        fail(Wrong::unsupported, e->span, "the function has no body", "a trait leaves it to its types", "call a function that has one");
      return invoke({entry.item, entry.module, {}, nullptr, &path.last().arguments, nullptr}, e, scope, expected);
    }
    Scope::Binding* const self = path.is_word() ? scope.find_type(last) : nullptr;
    bool const is_self = self != nullptr && self->type && self->type->kind == TypeOf::Kind::structure;
    if (is_self || (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::structure)) {  // of a tuple structure
      const Item& item = is_self ? *self->type->item : *entry.item;
      if (item.fields.size() != e->items.size())
        fail(Wrong::arguments, e->span,
             "the structure " + std::string(item.name) + " has " + std::to_string(item.fields.size()) + " fields, and " +
                 std::to_string(e->items.size()) + " are given",
             "a structure is made with all its fields", "give them all");
      Ty t = is_self ? self->type : expected && expected->item == &item ? expected : Ty{};
      if (!is_self && !path.last().arguments.empty()) t = entry_type(entry, path.last().arguments, scope, e->span);
      return structure_of(item, is_self ? *self->type->module : *entry.module, t, [&](std::size_t i, const Ty& wanted) {
        return fitted(evaluate(e->items[i], scope, wanted), wanted, e->items[i]->span);
      });
    }
  }
  // Type::function(…)
  Ty owner;
  if (path.self != nullptr) owner = type(path.self, scope);
  else if (path.segments.size() > 1) {
    std::vector<std::string_view> prefix = names_in(path);
    prefix.pop_back();
    owner = owner_of(path, scope);
    KnownName const entry = owner ? KnownName{} : tree_.find(*scope.module, prefix, Namespace::type);
    bool const constructs = last == "new" || last == "from_addr" || last == "zeros" || last == "uninit";
    if (!owner && constructs && entry.kind != KnownName::Kind::module) {
      TypeSyntax& syntax = tree_.arena.make<TypeSyntax>();
      syntax.kind = TypeSyntax::Kind::path;
      syntax.path = path;
      syntax.path.segments.pop_back();
      syntax.span = syntax.path.segments.back().span;
      owner = type(&syntax, scope);
    }
  }
  if (!owner && path.segments.size() == 2 && parse_scalar_type(path.segments[0].name, quietly))
    owner = type_of_scalar(*parse_scalar_type(path.segments[0].name, quietly));
  if (owner)
    if (auto const m = member_of(owner, Item::Kind::function, last, path.as_trait, scope, e->span))
      return call_member(*m, owner, nullptr, path.last().arguments, e, scope, expected);
  if (owner && owner->kind == TypeOf::Kind::tensor) return construct(owner, last, values(e->items, scope), e->span, expected);
  if (owner && last == "default" && e->items.empty()) return default_of(owner, e->span);
  if (owner && owner->item != nullptr) {
    const auto& variants = owner->item->variants;
    if (std::find(variants.begin(), variants.end(), last) != variants.end()) {
      KnownName entry;
      entry.item = owner->item;
      entry.module = owner->module;
      return variant_of(entry, last, values(e->items, scope));
    }
    unknown_name(last, path.last().span, "the function", scope);
  }
  if (path.self != nullptr || (owner && (owner->kind == TypeOf::Kind::mapping || owner->kind == TypeOf::Kind::tuple)))
    fail(Wrong::unknown_name, path.last().span, in_words(owner) + " has no function `" + std::string(last.substr(0, 60)) + "`",
         "no impl of the crate gives it one", "add it to an impl, or call a function by its name");
  if (path.is_word())
    if (KnownName const v = tree_.find_variant(*scope.module, last)) return variant_of(v, last, values(e->items, scope));
  return vendor_call(e, scope, expected);
}

namespace {

bool can_be_changed(const RustValue& v) {
  if (const TensorValue* const t = v.as<TensorValue>()) return t->tensor.memory() != Memory::Vrf;  // an operand
  return v.as<ContextPart>() != nullptr || v.as<std::shared_ptr<StreamState>>() != nullptr;
}

}  // namespace

/// Functions of the standard library, elements of scalars, and names that are made with arguments.
RustValue Evaluator::vendor_call(const Expr* e, Scope& scope, const Ty& expected) {
  const Path& path = e->left->path;
  std::string_view const last = path.last().name;
  std::string_view const of = path.segments.size() > 1 ? path.segments[path.segments.size() - 2].name : std::string_view();
  if (last == "size_of" && path.last().arguments.size() == 1) {
    Ty const t = type(path.last().arguments[0], scope);
    if (t && t->kind == TypeOf::Kind::scalar) return whole((scalar_info(t->scalar).bits + 7) / 8, NumberType::usize);
    if (t && t->kind == TypeOf::Kind::number) {
      bool const eight = t->number == NumberType::u64 || t->number == NumberType::i64 || t->number == NumberType::usize ||
                         t->number == NumberType::isize || t->number == NumberType::f64;
      return whole(eight ? 8 : t->number == NumberType::u8 ? 1 : t->number == NumberType::u16 ? 2 : 4, NumberType::usize);
    }
  }
  if ((last == "min" || last == "max") && e->items.size() == 2) {
    auto const both = values(e->items, scope);
    const Number &a = number(both[0], e->span, "an argument"), &b = number(both[1], e->span, "an argument");
    bool const less = *calculated("<", a, b, e->span).as<bool>();
    return less == (last == "min") ? a : b;
  }
  if (auto const scalar = parse_scalar_type(of, quietly); scalar && e->items.size() == 1) {
    RustValue const v = plain(evaluate(e->items[0], scope));
    if (last == "from_bits") {
      std::int64_t const bits = integer(v, e->span, "the bits of an element");
      if (*scalar == ScalarType::f32)
        return real(static_cast<double>(f32::from_bits(static_cast<std::uint32_t>(bits)).to_float()), NumberType::f32);
      return element_of_bits(*scalar, static_cast<std::uint32_t>(bits));
    }
    if (last.starts_with("from") || last == "new") {
      Number const n = number(v, e->span, "an element");
      if (*scalar == ScalarType::f32) return converted(n, NumberType::f32);
      if (*scalar == ScalarType::i32) return converted(n, NumberType::i32);
      return element_of(*scalar, n.as_double());
    }
  }
  for (auto const& [name, t] : {std::pair<std::string_view, NumberType>{"usize", NumberType::usize},
                                {"u32", NumberType::u32},
                                {"u64", NumberType::u64},
                                {"i64", NumberType::i64},
                                {"f64", NumberType::f64}})
    if (of == name && last.starts_with("from") && e->items.size() == 1)
      return converted(number(evaluate(e->items[0], scope), e->span, "an argument"), t);
  // i32::pow(3, 2) is 3.pow(2).
  if (auto const t = number_type_named(of); t && !e->items.empty() && path.segments.size() == 2) {
    std::vector<RustValue> arguments = values(e->items, scope);
    Expr method = *e;
    method.name = last;
    method.name_span = path.last().span;
    MethodCall call;
    call.expr = &method;
    call.scope = &scope;
    call.arguments.assign(arguments.begin() + 1, arguments.end());
    call.at = where(method.name_span);
    Number n = number(arguments.front(), e->items[0]->span, "an argument");
    if (n.type == NumberType::integer || n.type == NumberType::floating) n = *converted(n, *t).as<Number>();
    return method_on_number(call, n);
  }
  // What is in a box is read where the box is.
  if (last == "new" && e->items.size() == 1 && (of == "Box" || of == "Rc" || of == "Arc")) return evaluate(e->items[0], scope, expected);
  if (last == "default" && e->items.empty()) {
    Ty wanted = of == "Default" ? expected : Ty{};
    if (auto const number = number_type_named(of)) {
      auto t = std::make_shared<TypeOf>();
      t->kind = TypeOf::Kind::number;
      t->number = *number;
      wanted = t;
    }
    if (wanted) return default_of(wanted, e->span);
  }
  // [T; N] from a closure: N is that of the call, or of the type that is expected.
  if (last == "from_fn" && of == "array" && e->items.size() == 1) {
    std::optional<std::int64_t> length;
    const auto& said = path.last().arguments;
    if (said.size() > 1)
      if (Ty const n = type(said[1], scope); n && n->kind == TypeOf::Kind::constant) length = integer(*n->value, said[1]->span, "a length");
    if (!length && expected && expected->kind == TypeOf::Kind::array) length = expected->length;
    if (!length || *length < 0 || *length > 1'000'000)
      fail(Wrong::type_needed, e->span, "nothing says how long this array is", "the length is part of an array's type",
           "write it on the left: let x: [T; N] = ...");
    RustValue const f = plain(evaluate(e->items[0], scope));
    const auto* const closure = f.as<std::shared_ptr<ClosureValue>>();
    if (closure == nullptr)
      fail(Wrong::type_mismatch, e->items[0]->span, "`from_fn` takes a closure, and this is " + in_words(f),
           "it is called for each element", "write |i| ...");
    auto const kept = *closure;
    Aggregate a;
    a.kind = Aggregate::Kind::array;
    for (std::int64_t i = 0; i < *length; ++i) {
      step(e->span, 20);
      a.items.push_back(apply(*kept, {whole(i, NumberType::usize)}, e->items[0]->span, expected ? expected->element : Ty{}));
    }
    return a;
  }
  if (last == "swap" && of == "mem" && e->items.size() == 2) {
    RustValue *const a = place(e->items[0], scope), *const b = place(e->items[1], scope);
    if (a == nullptr || b == nullptr)
      fail(Wrong::unsupported, e->span, "this cannot be swapped", "variables, their fields and elements can", "swap two variables");
    std::swap(*a, *b);
    return {};
  }
  bool const of_rust = path.segments.size() > 1 && (path.segments[0].name == "std" || path.segments[0].name == "core" || of == "mem");
  if (of_rust)
    fail(Wrong::unsupported, e->span, "the function `" + std::string(path.span.text()) + "` of Rust's library is not read",
         "a kernel is recorded, and what happens to a value outside of it is not seen", "write it without the call");
  bool const capital = path.segments[0].name[0] >= 'A' && path.segments[0].name[0] <= 'Z';
  if (!capital && path.segments.size() == 1) unknown_name(last, path.span, "the function", scope);
  (void)expected;
  // What the vendor's names are given is kept with them. Who is given a context or a tensor would do something.
  std::vector<RustValue> arguments = values(e->items, scope);
  bool const in_module = !of.empty() && of[0] >= 'a' && of[0] <= 'z';
  bool const holds = path.segments.size() == 1 && (last == "Some" || last == "Ok" || last == "Err");
  if (in_module ||
      (!holds && std::any_of(arguments.begin(), arguments.end(), [&](const RustValue& v) { return can_be_changed(plain(v)); })))
    unknown_name(last, path.span, "the function", scope);
  Named n;
  n.path = vendor_path(path, scope);
  for (const Segment& s : path.segments)
    for (const TypeSyntax* a : s.arguments) n.arguments.emplace_back(type(a, scope));
  for (RustValue& v : arguments) n.arguments.push_back(std::move(v));
  return n;
}

/// What `#[derive(Default)]` makes, and Default of what it is made of.
RustValue Evaluator::default_of(const Ty& t, const Span& span) {
  Scope scope(kernel_.module);
  if (auto const m = member_of(t, Item::Kind::function, "default", nullptr, scope, span)) {
    Expr& call = tree_.arena.make<Expr>();
    call.kind = Expr::Kind::call;
    call.span = span;
    return call_member(*m, t, nullptr, call.type_arguments, &call, scope, t);
  }
  switch (t->kind) {
    case TypeOf::Kind::boolean: return false;
    case TypeOf::Kind::number:
      return t->number == NumberType::f32 || t->number == NumberType::f64 ? real(0, t->number) : whole(0, t->number);
    case TypeOf::Kind::scalar:
      if (t->scalar == ScalarType::f32) return real(0, NumberType::f32);
      if (t->scalar == ScalarType::i32) return whole(0, NumberType::i32);
      return element_of(t->scalar, 0);
    case TypeOf::Kind::tuple:
    case TypeOf::Kind::array: {
      Aggregate a;
      bool const tuple = t->kind == TypeOf::Kind::tuple;
      a.kind = tuple ? Aggregate::Kind::tuple : Aggregate::Kind::array;
      if (!tuple && (!t->length || *t->length > 10'000)) break;
      std::size_t const count = tuple ? t->items.size() : static_cast<std::size_t>(*t->length);
      for (std::size_t i = 0; i < count; ++i) {
        const Ty& part = tuple ? t->items[i] : t->element;
        if (!part)
          fail(Wrong::type_needed, span, "nothing says which type this default is of", "each part has one of its own", "write the value");
        a.items.push_back(default_of(part, span));
      }
      return a;
    }
    case TypeOf::Kind::structure: {
      const Attribute* const derive = t->item->attribute("derive");
      bool derives = false;
      for (std::size_t i = 0; derive != nullptr && i < derive->tokens.size(); ++i) derives |= derive->tokens[i].is_word("Default");
      if (!derives) break;
      return structure_of(*t->item, *t->module, t, [&](std::size_t, const Ty& wanted) {
        if (!wanted)
          fail(Wrong::type_needed, span, "nothing says which type this default is of", "each field has one of its own", "write the value");
        return default_of(wanted, span);
      });
    }
    default: break;
  }
  fail(Wrong::unknown_name, span, in_words(t) + " has no function `default`",
       "no impl of the crate gives it one, and it does not derive Default", "add #[derive(Default)], or write the value");
}

RustValue Evaluator::call_member(const Member& m, const Ty& type, const RustValue* self, const std::vector<const TypeSyntax*>& types,
                                 const Expr* e, Scope& scope, const Ty& expected) {
  return invoke({m.item, m.module, type, self, &types, &m.bound}, e, scope, expected);
}

/// A method that an impl of the crate gives the value, of its own or of a trait.
std::optional<RustValue> Evaluator::method_of_crate(const Expr* e, const RustValue& v, Scope& scope, const Ty& expected) {
  if (tree_.implementations.empty()) return {};
  Ty const t = type_of(v);
  auto const m = member_of(t, Item::Kind::function, e->name, nullptr, scope, e->name_span);
  if (!m || m->item->parameters.empty() || m->item->parameters[0].pattern->name != "self") return {};
  // `&mut self` changes the owner.
  std::string_view const self = m->item->parameters[0].span.text();
  RustValue* const at = self.starts_with('&') && self.find("mut") != self.npos ? place(e->left, scope) : nullptr;
  bool const counted = at != nullptr && at->as<TensorValue>() == nullptr;
  RustValue const changed = counted ? RustValue(Reference{at}) : v;
  return call_member(*m, t, &changed, e->type_arguments, e, scope, expected);
}

RustValue Evaluator::invoke(const Callee& callee, const Expr* e, Scope& from, const Ty& expected) {
  const Item& f = *callee.function;
  std::size_t const given = e->items.size() + (callee.self != nullptr ? 1 : 0);
  if (given != f.parameters.size())
    fail(Wrong::arguments, e->span,
         "`" + std::string(f.name) + "` takes " + std::to_string(f.parameters.size()) +
             (f.parameters.size() == 1 ? " argument, and " : " arguments, and ") + std::to_string(given) + (given == 1 ? " is" : " are") +
             " given",
         "a function is called with all its arguments", "its declaration is " + std::string(f.name) + "(" + declared_parameters(f) + ")");
  if (!callee.types->empty() && callee.types->size() < f.generics.size())
    fail(Wrong::arguments, e->span,
         "`" + std::string(f.name) + "` has " + std::to_string(f.generics.size()) + " generics, and " +
             std::to_string(callee.types->size()) + (callee.types->size() == 1 ? " is" : " are") + " given",
         "all are named, or none", "write `_` for those that follow from the arguments");
  Scope scope(callee.module);
  if (callee.bound != nullptr) scope.types = *callee.bound;
  bind_arguments(f, *callee.types, from, scope);
  for (auto& [name, b] : scope.types)
    if (b.syntax != nullptr) b.type = type(std::exchange(b.syntax, nullptr), *b.where);
  if (callee.self_type) {
    scope.types["Self"].type = callee.self_type;
    if (callee.self_type->item != nullptr)
      for (std::size_t i = 0; i < callee.self_type->item->generics.size() && i < callee.self_type->items.size(); ++i)
        scope.types.try_emplace(callee.self_type->item->generics[i].name,
                                Scope::Binding{callee.self_type->items[i], nullptr, nullptr, true});
  }
  // What is expected of the call may say what the arguments do not.
  std::vector<RustValue> arguments;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const TypeSyntax* const syntax = f.parameters[i].type;
    if (callee.self != nullptr && i == 0) {
      arguments.push_back(*callee.self);
      continue;
    }
    const Expr* const argument = e->items[i - (callee.self != nullptr ? 1 : 0)];
    Ty const wanted = parameter_type(syntax, scope);
    RustValue v = evaluate(argument, from, wanted);
    if (v.as<Deferred>() == nullptr) {
      bool const whole_type = syntax != nullptr && syntax->kind == TypeSyntax::Kind::reference &&
                              syntax->inner->kind == TypeSyntax::Kind::path && !syntax->inner->path.last().arguments.empty();
      if (!wanted && whole_type && v.as<ContextPart>() != nullptr)
        fail(Wrong::type_mismatch, argument->span,
             "`" + std::string(f.name) + "` takes " + std::string(f.parameters[i].span.text().substr(0, 60)) + " here, and this is " +
                 in_words(v),
             "arguments are given in the order of the declaration",
             "its declaration is " + std::string(f.name) + "(" + declared_parameters(f) + ")");
      if (!wanted) unify(syntax, type_of(v), scope);
      v = fitted(std::move(v), wanted, argument->span);
    }
    arguments.push_back(std::move(v));
  }
  if (expected && f.type != nullptr) unify(f.type, expected, scope);
  if (f.type != nullptr && !knows(f.type, scope))  // who uses the result will say
    return deferred(f.name, e->span, {}, [&](const Ty& said) {
      unify(f.type, said, scope);
      if (!knows(f.type, scope))
        fail(Wrong::type_needed, e->span, "nothing says all generics of `" + std::string(f.name) + "`",
             "a generic is bound by arguments, or by the type that is expected",
             "name them in the call: " + std::string(f.name) + "::<m![...]>(...)");
      return run_function(callee, e, scope, std::move(arguments));
    });
  return run_function(callee, e, scope, std::move(arguments));
}

/// A body whose last expression lost its value to a `;`.
void Evaluator::check_gives(const BlockSyntax& body, const RustValue& v, const Ty& result) {
  if (!result || v.as<Unit>() == nullptr || body.tail != nullptr || body.statements.empty()) return;
  bool const nothing = result->kind == TypeOf::Kind::tuple && result->items.empty();
  const Statement& last = body.statements.back();
  if (nothing || last.kind != Statement::Kind::expression || last.value == nullptr) return;
  fail(Wrong::type_mismatch, last.value->span, in_words(result) + " is needed here, and `;` takes the value away",
       "a body gives its last expression, if no `;` follows", "remove the `;` at the end of this line");
}

RustValue Evaluator::run_function(const Callee& callee, const Expr* e, Scope& scope, std::vector<RustValue> arguments) {
  const Item& f = *callee.function;
  if (facts_ != nullptr) note_call(e, f, scope);
  check_parameters(f);
  for (std::size_t i = 0; i < tree_.found.size(); ++i)
    if (tree_.found[i].item == &f) kernels_called_.insert(i);
  for (std::size_t i = 0; i < tree_.helpers.size(); ++i)
    if (tree_.helpers[i] == &f) helpers_called_.insert(i);
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const TypeSyntax* const syntax = f.parameters[i].type;
    std::size_t const shift = callee.self != nullptr ? 1 : 0;
    const Span& span = i >= shift && i - shift < e->items.size() ? e->items[i - shift]->span : e->span;
    RustValue v = fitted(std::move(arguments[i]), parameter_type(syntax, scope), span);
    bind(f.parameters[i].pattern, std::move(v), scope);
  }
  Ty const result = f.type == nullptr ? Ty{} : type(f.type, scope);
  scope.types["return"] = Scope::Binding{result, nullptr, nullptr, false};
  struct Calling {
    std::vector<Where>& calls;
    Calling(std::vector<Where>& c, const Where& at) : calls(c) { c.push_back(at); }
    ~Calling() { calls.pop_back(); }
  } const calling(calls_, where(e->span));
  try {
    const BlockSyntax& body = *tree_.body_of(f);
    RustValue v = block(body, scope, result);
    check_gives(body, v, result);
    return fitted(std::move(v), result, e->span);
  } catch (Returned& returned) {
    return std::move(returned.value);
  } catch (const Mistake&) {
    if (failed_calls_.empty()) failed_calls_ = calls_;
    throw;
  } catch (const Refused&) {
    if (failed_calls_.empty()) failed_calls_ = calls_;
    throw;
  }
}

// Methods.

RustValue Evaluator::method(const Expr* e, Scope& scope, const Ty& expected) {
  constexpr std::string_view same[] = {"clone", "as_ref", "as_mut", "borrow", "borrow_mut", "to_owned", "by_ref"};
  bool const passes = std::find(std::begin(same), std::end(same), e->name) != std::end(same);
  RustValue const owner = evaluate(e->left, scope, passes ? expected : Ty{});
  const RustValue& v = plain(owner);
  if (passes) return v;
  MethodCall call;
  call.receiver = v;
  call.expr = e;
  call.scope = &scope;
  call.expected = expected;
  call.at = where(e->name_span);
  remember_span(call.at, e->name_span);
  if (const Aggregate* const a = v.as<Aggregate>(); a != nullptr && a->kind == Aggregate::Kind::structure) {
    if (auto const given = method_of_crate(e, v, scope, expected)) return *given;
    for (std::size_t i = 0; i < a->names.size() && i < a->items.size(); ++i)
      if (a->names[i] == e->name)
        fail(Wrong::unknown_method, e->name_span, "`" + std::string(e->name) + "` is a field, and is called like a method",
             "a field is named without brackets", "write ." + std::string(e->name) + ", or (x." + std::string(e->name) + ")(...)");
    unknown_name(e->name, e->name_span, "the method", scope);
  }
  bool const of_vendor = (v.as<TensorValue>() != nullptr && find_binding(Receiver::tensor, e->name) != nullptr) ||
                         (v.as<std::shared_ptr<StreamState>>() != nullptr && find_binding(Receiver::stream, e->name) != nullptr);
  if (!of_vendor && v.as<Deferred>() == nullptr)
    if (auto const given = method_of_crate(e, v, scope, expected)) return *given;
  for (const TypeSyntax* t : e->type_arguments) call.types.push_back(type(t, scope));
  call.arguments = values(e->items, scope);
  constexpr std::string_view bare[] = {"iter", "into_iter", "iter_mut", "enumerate", "rev",    "sum",    "product",
                                       "len",  "copied",    "cloned",   "collect",   "to_f32", "unwrap", "count"};
  bool const of_rust = v.as<std::shared_ptr<StreamState>>() == nullptr && v.as<TensorValue>() == nullptr && v.as<Deferred>() == nullptr;
  if (of_rust && !call.arguments.empty() && std::find(std::begin(bare), std::end(bare), e->name) != std::end(bare))
    fail(Wrong::arguments, e->items[0]->span,
         "`" + std::string(e->name) + "` takes no arguments, and is given " + in_words(plain(call.arguments[0])),
         "it is a method of Rust's library", "write ." + std::string(e->name) + "()");
  if (const Number* const n = v.as<Number>()) return method_on_number(call, *n);
  if (v.as<bool>() != nullptr && (e->name == "value" || e->name == "get" || e->name == "read" || e->name == "load"))
    return v;  // of the launch
  if (v.as<TensorValue>() != nullptr) return call_binding(*this, call, Receiver::tensor);
  if (v.as<std::shared_ptr<StreamState>>() != nullptr) return call_binding(*this, call, Receiver::stream);
  if (v.as<std::shared_ptr<GatherState>>() != nullptr) return call_binding(*this, call, Receiver::gather);
  if (v.as<ContextPart>() != nullptr) return call_binding(*this, call, Receiver::context);
  bool const tuple = v.as<Aggregate>() != nullptr && v.as<Aggregate>()->kind == Aggregate::Kind::tuple;
  if ((v.as<Aggregate>() != nullptr && !tuple) || v.as<RangeValue>() != nullptr || v.as<std::shared_ptr<IteratorValue>>() != nullptr)
    return method_on_list(call, v);
  if (const Named* const n = v.as<Named>()) return method_on_named(call, *n);
  if (const ScalarElement* const s = v.as<ScalarElement>(); s != nullptr && e->name == "to_f32") return real(s->value, NumberType::f32);
  if (v.as<Deferred>() != nullptr && find_binding(Receiver::tensor, e->name) == nullptr &&
      find_binding(Receiver::stream, e->name) == nullptr) {
    call.receiver = v;
    return call_binding(*this, call, Receiver::tensor);  // which has no such name
  }
  if (v.as<Deferred>() != nullptr)
    fail(Wrong::type_needed, e->left->span,
         "nothing says which mappings this tensor has before `" + std::string(e->name) + "` is called on it",
         "types are mappings, and a tensor needs one on each level",
         "give it a type: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ...");
  fail(Wrong::unknown_method, e->name_span, in_words(v) + " has no method `" + std::string(e->name) + "`",
       "kernels call methods of tensors, streams and contexts", "call it on one of them");
}

/// Branched::imm(guard, value).rf(guard, &vrf): a list of operands that grows.
RustValue Evaluator::method_on_named(MethodCall& call, const Named& n) {
  if (auto const given = method_on_option(call, n)) return *given;
  if (n.path.front() != "Branched" && n.path.front() != "VeBranchOperand")
    fail(Wrong::unknown_method, call.expr->name_span, in_words(call.receiver) + " has no method `" + std::string(call.name()) + "`",
         "names of operations and modes are values", "give it to the call that takes it");
  Named chain({n.path.front(), "chain"}, {});
  if (n.name() == "chain") chain.arguments = n.arguments;
  else chain.arguments.emplace_back(n);
  chain.arguments.emplace_back(Named({n.path.front(), std::string(call.name())}, std::move(call.arguments)));
  return chain;
}

RustValue Evaluator::construct(const Ty& type, std::string_view how, const std::vector<RustValue>& arguments, const Span& span,
                               const Ty& expected) {
  bool const zero = how == "new" || how == "zeros", fresh = zero || how == "uninit", at_address = how == "from_addr";
  if (!fresh && !at_address)
    fail(Wrong::unknown_method, span, "a tensor's type has no function `" + std::string(how) + "` inside kernels",
         "kernels make tensors with new and from_addr", "write ::new() or ::from_addr(address)");
  if (fresh && !arguments.empty())
    fail(Wrong::arguments, span,
         "`" + std::string(how) + "` of a tensor takes no arguments, and " + std::to_string(arguments.size()) +
             (arguments.size() == 1 ? " is" : " are") + " given",
         "its type says all of it", "write ::" + std::string(how) + "()");
  // What the path leaves open, the expected type says.
  auto wanted = std::make_shared<TypeOf>(*type);
  if (expected && expected->kind == TypeOf::Kind::tensor && expected->memory == type->memory) {
    if (!wanted->element) wanted->element = expected->element;
    for (std::size_t l = 0; l < wanted->level.size(); ++l)
      if (!wanted->level[l]) wanted->level[l] = expected->level[l];
  }
  auto const level = [](const Ty& t, Level l) -> const MappingPtr& { return t->level[static_cast<std::size_t>(l)]; };
  bool const dm = type->memory == Memory::Dm;
  if (!dm && type->memory != Memory::Hbm)
    fail(Wrong::unsupported, span, std::string("a new tensor in ") + name_of(type->memory), "register files are written by streams",
         "write it with to_trf or to_vrf");
  bool complete = wanted->element && level(wanted, Level::chip) && level(wanted, Level::element);
  if (dm) complete = complete && level(wanted, Level::cluster) && level(wanted, Level::slice);
  return deferred(how, span, complete ? Ty(wanted) : Ty{}, [&](const Ty& t) -> RustValue {
    if (!t->element || t->memory != type->memory)
      fail(Wrong::type_needed, span, "nothing says the whole type of this tensor",
           "a new tensor needs its scalar and a mapping on each level",
           "write the type on the left: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ...");
    for (Level l : {Level::chip, Level::cluster, Level::slice, Level::element})
      if ((dm || l == Level::chip || l == Level::element) && !level(t, l))
        fail(Wrong::type_needed, span, std::string("nothing says ") + name_of(l) + " of this tensor",
             "a new tensor needs a mapping on each level",
             "write the type on the left: let x: DmTensor<D, Chip, Cluster, Slice, Element> = ...");
    Where const at = where(span);
    remember_span(at, span);
    ScalarType const scalar = t->element->scalar;
    if (at_address) {
      if (arguments.empty()) fail(Wrong::arguments, span, "from_addr takes an address", "none is given", "write from_addr(address)");
      std::int64_t const address = integer(arguments[0], span, "an address");
      return TensorValue{dm ? dyn::Tensor::dm_at(address, scalar, *level(t, Level::chip), *level(t, Level::cluster),
                                                 *level(t, Level::slice), *level(t, Level::element), at)
                            : dyn::Tensor::hbm_at(address, scalar, *level(t, Level::chip), *level(t, Level::element), at)};
    }
    dyn::Tensor made = dm ? dyn::Tensor::dm(context(), scalar, *level(t, Level::chip), *level(t, Level::cluster), *level(t, Level::slice),
                                            *level(t, Level::element), at)
                          : dyn::Tensor::hbm(context(), scalar, *level(t, Level::chip), *level(t, Level::element), at);
    if (zero) note_new(made);
    return TensorValue{made};
  });
}

}  // namespace tcp::rust
