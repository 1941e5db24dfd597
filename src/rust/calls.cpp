// Calls: functions of the crate with their generics, the vendor's constructors, and methods of all that has some.
#include <algorithm>

#include "rust/bindings.hpp"
#include "rust/evaluator.hpp"
#include "rust/numbers.hpp"

namespace tcp::rust {

namespace {

std::vector<std::string_view> names_in(const Path& path) {
  std::vector<std::string_view> words;
  for (const Segment& s : path.segments) words.push_back(s.name);
  return words;
}

}  // namespace

std::vector<RustValue> Evaluator::values(const std::vector<const Expr*>& all, Scope& scope) {
  std::vector<RustValue> out;
  for (const Expr* e : all) out.push_back(evaluate(e, scope));
  return out;
}

RustValue Evaluator::deferred(std::string_view name, const Ty& known, const std::function<RustValue(const Ty&)>& make) {
  std::size_t const site = sites_++;
  if (known) return make(known);
  if (auto const said = known_.find(site); said != known_.end()) return make(said->second);
  recording().abandon_passes();
  return Deferred{site, std::string(name)};
}

RustValue Evaluator::call(const Expr* e, Scope& scope, const Ty& expected) {
  if (e->left->kind != Expr::Kind::path)
    fail(Wrong::unsupported, e->span, "a value is called like a function", "kernels call functions by their names",
         "write a function, and call it");
  return call_path(e, scope, expected);
}

RustValue Evaluator::call_path(const Expr* e, Scope& scope, const Ty& expected) {
  const Path& path = e->left->path;
  std::string_view const last = path.last().name;
  if (path.self == nullptr) {
    KnownName const entry = tree_.find(*scope.module, names_in(path), Namespace::value);
    if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::function) {
      if (!entry.item->has_body)
        fail(Wrong::unsupported, e->span, "the function has no body", "a trait leaves it to its types", "call a function that has one");
      return invoke({entry.item, entry.module, {}, nullptr, &path.last().arguments}, e, scope, expected);
    }
    if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::structure) {  // of a tuple structure
      const Item& item = *entry.item;
      if (item.fields.size() != e->items.size())
        fail(Wrong::arguments, e->span,
             "the structure " + std::string(item.name) + " has " + std::to_string(item.fields.size()) + " fields, and " +
                 std::to_string(e->items.size()) + " are given",
             "a structure is made with all its fields", "give them all");
      Ty const t = expected && expected->item == &item ? expected : Ty{};
      return structure_of(item, *entry.module, t, [&](std::size_t i, const Ty& wanted) {
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
    Scope::Binding* const bound = prefix.size() == 1 ? scope.find_type(prefix[0]) : nullptr;
    KnownName const entry = bound != nullptr ? KnownName{} : tree_.find(*scope.module, prefix, Namespace::type);
    bool const constructs = last == "new" || last == "from_addr" || last == "zeros" || last == "uninit";
    if (bound != nullptr || entry.kind == KnownName::Kind::item || (constructs && entry.kind != KnownName::Kind::module)) {
      TypeSyntax& syntax = tree_.arena.make<TypeSyntax>();
      syntax.kind = TypeSyntax::Kind::path;
      syntax.path = path;
      syntax.path.segments.pop_back();
      syntax.span = syntax.path.segments.back().span;
      owner = type(&syntax, scope);
    }
  }
  if (owner && owner->kind == TypeOf::Kind::tensor) return construct(owner, last, values(e->items, scope), e->span, expected);
  if (owner && owner->item != nullptr) {
    ModuleScope* module = nullptr;
    if (const Item* const f = associated_function(owner, last, &module))
      return invoke({f, module, owner, nullptr, &path.last().arguments}, e, scope, expected);
    if (owner->item->kind == Item::Kind::enumeration) {
      Named n({std::string(owner->item->name), std::string(last)}, values(e->items, scope));
      return n;
    }
    unknown_name(last, path.last().span, "the function", scope);
  }
  return vendor_call(e, scope, expected);
}

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
      if (*scalar == ScalarType::bf16)
        return ScalarElement{*scalar, static_cast<double>(bf16::from_bits(static_cast<std::uint16_t>(bits)).to_float())};
      return ScalarElement{*scalar, static_cast<double>(bits)};
    }
    if (last.starts_with("from") || last == "new") {
      Number const n = number(v, e->span, "an element");
      if (*scalar == ScalarType::f32) return converted(n, NumberType::f32);
      if (*scalar == ScalarType::i32) return converted(n, NumberType::i32);
      return ScalarElement{*scalar, n.as_double()};
    }
  }
  for (auto const& [name, t] : {std::pair<std::string_view, NumberType>{"usize", NumberType::usize},
                                {"u32", NumberType::u32},
                                {"u64", NumberType::u64},
                                {"i64", NumberType::i64},
                                {"f64", NumberType::f64}})
    if (of == name && last.starts_with("from") && e->items.size() == 1)
      return converted(number(evaluate(e->items[0], scope), e->span, "an argument"), t);
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
  Named n;
  for (const Segment& s : path.segments) n.path.emplace_back(s.name);
  for (const Segment& s : path.segments)
    for (const TypeSyntax* a : s.arguments) n.arguments.emplace_back(type(a, scope));
  for (RustValue& v : values(e->items, scope)) n.arguments.push_back(std::move(v));
  return n;
}

const Item* Evaluator::associated_function(const Ty& t, std::string_view name, ModuleScope** module) {
  for (ModuleScope* m = t->module; m != nullptr; m = m->is_block() ? m->lexical : m->parent)
    for (const Item* impl : m->implementations) {
      if (impl->type == nullptr || impl->type->kind != TypeSyntax::Kind::path || impl->type->path.last().name != t->item->name) continue;
      for (const Item* member : impl->items)
        if (member->kind == Item::Kind::function && member->name == name && member->has_body) {
          *module = m;
          return member;
        }
    }
  return nullptr;
}

RustValue Evaluator::invoke(const Callee& callee, const Expr* e, Scope& from, const Ty& expected) {
  const Item& f = *callee.function;
  std::size_t const given = e->items.size() + (callee.self != nullptr ? 1 : 0);
  if (given != f.parameters.size())
    fail(Wrong::arguments, e->span,
         "`" + std::string(f.name) + "` takes " + std::to_string(f.parameters.size()) + " arguments, and " + std::to_string(given) +
             " are given",
         "a function is called with all its arguments", "give as many as it declares");
  Scope scope(callee.module);
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
      if (!wanted) unify(syntax, type_of(v), scope);
      v = fitted(std::move(v), wanted, argument->span);
    }
    arguments.push_back(std::move(v));
  }
  if (expected && f.type != nullptr) unify(f.type, expected, scope);
  if (f.type != nullptr && !knows(f.type, scope))  // who uses the result will say
    return deferred(f.name, {}, [&](const Ty& said) {
      unify(f.type, said, scope);
      if (!knows(f.type, scope))
        fail(Wrong::type_needed, e->span, "nothing says all generics of `" + std::string(f.name) + "`",
             "a generic is bound by arguments, or by the type that is expected",
             "name them in the call: " + std::string(f.name) + "::<m![...]>(...)");
      return run_function(callee, e, scope, std::move(arguments));
    });
  return run_function(callee, e, scope, std::move(arguments));
}

RustValue Evaluator::run_function(const Callee& callee, const Expr* e, Scope& scope, std::vector<RustValue> arguments) {
  const Item& f = *callee.function;
  if (facts_ != nullptr) note_call(e, f, scope);
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
    RustValue v = block(*tree_.body_of(f), scope, result);
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
    ModuleScope* module = nullptr;
    Ty const t = type_of(v);
    if (const Item* const f = associated_function(t, e->name, &module)) {
      // `&mut self` changes the owner.
      std::string_view const self = f->parameters.empty() ? std::string_view() : f->parameters[0].span.text();
      RustValue* const at = self.starts_with('&') && self.find("mut") != self.npos ? place(e->left, scope) : nullptr;
      RustValue const changed = at == nullptr ? v : RustValue(Reference{at});
      return invoke({f, module, t, &changed, &e->type_arguments}, e, scope, expected);
    }
    unknown_name(e->name, e->name_span, "the method", scope);
  }
  for (const TypeSyntax* t : e->type_arguments) call.types.push_back(type(t, scope));
  call.arguments = values(e->items, scope);
  if (const Number* const n = v.as<Number>()) return method_on_number(call, *n);
  if (v.as<TensorValue>() != nullptr) return call_binding(*this, call, Receiver::tensor);
  if (v.as<std::shared_ptr<StreamState>>() != nullptr) return call_binding(*this, call, Receiver::stream);
  if (v.as<std::shared_ptr<GatherState>>() != nullptr) return call_binding(*this, call, Receiver::gather);
  if (v.as<ContextPart>() != nullptr) return call_binding(*this, call, Receiver::context);
  if (v.as<Aggregate>() != nullptr || v.as<RangeValue>() != nullptr) return method_on_aggregate(call, v);
  if (const Named* const n = v.as<Named>()) return method_on_named(call, *n);
  if (const ScalarElement* const s = v.as<ScalarElement>(); s != nullptr && e->name == "to_f32") return real(s->value, NumberType::f32);
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
  if (n.path.front() != "Branched" && n.path.front() != "VeBranchOperand")
    fail(Wrong::unknown_method, call.expr->name_span, in_words(call.receiver) + " has no method `" + std::string(call.name()) + "`",
         "names of operations and modes are values", "give it to the call that takes it");
  Named chain({n.path.front(), "chain"}, {});
  if (n.name() == "chain") chain.arguments = n.arguments;
  else chain.arguments.emplace_back(n);
  chain.arguments.emplace_back(Named({n.path.front(), std::string(call.name())}, std::move(call.arguments)));
  return chain;
}

RustValue Evaluator::method_on_aggregate(MethodCall& call, RustValue v) {
  std::string_view const name = call.name();
  const Span& span = call.expr->name_span;
  Aggregate list;
  list.kind = Aggregate::Kind::array;
  if (const RangeValue* const r = v.as<RangeValue>()) {
    if (!r->high || *r->high - r->low.value_or(0) > 1'000'000)
      fail(Wrong::not_constant, span, "a range without an end, or of more than a million", "loops are unrolled when a kernel is recorded",
           "give it an end");
    for (std::int64_t i = r->low.value_or(0); i < *r->high; ++i) list.items.emplace_back(whole(i, NumberType::usize));
  } else {
    list.items = v.as<Aggregate>()->items;
  }
  if (name == "len") return whole(static_cast<std::int64_t>(list.items.size()), NumberType::usize);
  if (name == "is_empty") return list.items.empty();
  if (name == "iter_mut")
    fail(Wrong::unsupported, span, "`iter_mut` is not read", "its elements would be copies, and what is assigned to them lost",
         "count with an index: for i in 0..a.len() { a[i] = ... }");
  if (name == "iter" || name == "into_iter" || name == "as_slice" || name == "copied" || name == "cloned" || name == "to_vec") return list;
  if (name == "rev") {
    std::reverse(list.items.begin(), list.items.end());
    return list;
  }
  if (name == "step_by" && call.arguments.size() == 1) {
    std::int64_t const by = integer(call.arguments[0], span, "a step");
    if (by < 1) fail(Wrong::number, span, "a step of " + std::to_string(by), "a loop goes forward", "give a step of at least 1");
    Aggregate out = list;
    out.items.clear();
    for (std::size_t i = 0; i < list.items.size(); i += static_cast<std::size_t>(by)) out.items.push_back(list.items[i]);
    return out;
  }
  if (name == "enumerate" || (name == "zip" && call.arguments.size() == 1)) {
    std::vector<RustValue> others;
    if (name == "zip") {
      const RustValue& o = plain(call.arguments[0]);
      if (const Aggregate* const a = o.as<Aggregate>()) others = a->items;
      else if (const RangeValue* const r = o.as<RangeValue>())
        for (std::int64_t i = r->low.value_or(0);
             i < r->high.value_or(static_cast<std::int64_t>(list.items.size()) + r->low.value_or(0)) && others.size() < list.items.size();
             ++i)
          others.emplace_back(whole(i, NumberType::usize));
    }
    Aggregate out;
    out.kind = Aggregate::Kind::array;
    for (std::size_t i = 0; i < list.items.size() && (name == "enumerate" || i < others.size()); ++i) {
      Aggregate pair;
      pair.kind = Aggregate::Kind::tuple;
      if (name == "enumerate") pair.items = {RustValue(whole(static_cast<std::int64_t>(i), NumberType::usize)), list.items[i]};
      else pair.items = {list.items[i], others[i]};
      out.items.emplace_back(std::move(pair));
    }
    return out;
  }
  fail(Wrong::unsupported, span, "`" + std::string(name) + "` of " + in_words(v) + " is not read inside kernels",
       "kernels count with loops", "write a loop: for i in 0..N");
}

RustValue Evaluator::construct(const Ty& type, std::string_view how, const std::vector<RustValue>& arguments, const Span& span,
                               const Ty& expected) {
  bool const zero = how == "new" || how == "zeros", fresh = zero || how == "uninit", at_address = how == "from_addr";
  if (!fresh && !at_address)
    fail(Wrong::unknown_method, span, "a tensor's type has no function `" + std::string(how) + "` inside kernels",
         "kernels make tensors with new and from_addr", "write ::new() or ::from_addr(address)");
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
  return deferred(how, complete ? Ty(wanted) : Ty{}, [&](const Ty& t) -> RustValue {
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
