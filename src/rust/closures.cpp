// Closures, iterators and Option. A kernel is recorded, so that an iterator with a closure in it is asked for one
// element after the other, as Rust does it: commands stand in the order of a run.
#include <algorithm>

#include "rust/evaluator.hpp"
#include "rust/value.hpp"

namespace tcp::rust {
namespace {

using Iterator = std::shared_ptr<IteratorValue>;
using Next = std::function<std::optional<RustValue>()>;

Iterator iterator_of(Next next) {
  auto made = std::make_shared<IteratorValue>();
  made->next = std::move(next);
  return made;
}
Aggregate array_of(std::vector<RustValue> items) {
  Aggregate a;
  a.kind = Aggregate::Kind::array;
  a.items = std::move(items);
  return a;
}
std::vector<RustValue> part_of(const std::vector<RustValue>& all, std::size_t begin, std::size_t end) {
  return std::vector<RustValue>(all.begin() + static_cast<std::ptrdiff_t>(begin), all.begin() + static_cast<std::ptrdiff_t>(end));
}
RustValue pair_of(RustValue first, RustValue second) {
  Aggregate a;
  a.items.push_back(std::move(first));
  a.items.push_back(std::move(second));
  return a;
}
Named some(RustValue v) {
  std::vector<RustValue> one;
  one.push_back(std::move(v));
  return {{"Some"}, std::move(one)};
}
Named option_of(std::optional<RustValue> v) { return v ? some(*std::move(v)) : Named({"None"}, {}); }

}  // namespace

// Closures.

RustValue Evaluator::closure(const Expr* e, Scope& scope) {
  auto made = std::make_shared<ClosureValue>();
  made->expr = e;
  if (e->moves) {  // takes along what there is
    made->own = std::make_shared<Scope>(scope.module);
    std::vector<Scope*> around;
    for (Scope* s = &scope; s != nullptr; s = s->parent) around.push_back(s);
    for (auto s = around.rbegin(); s != around.rend(); ++s) {
      for (const Scope::Variable& v : (*s)->variables) made->own->variables.push_back(v);
      for (auto const& [name, b] : (*s)->types) made->own->types[name] = b;
    }
  } else {
    if (!scope.alive) scope.alive = std::make_shared<char>();
    made->around = &scope;
    made->alive = scope.alive;
  }
  return made;
}

const std::shared_ptr<ClosureValue>* Evaluator::closure_in(const Expr* e, Scope& scope) {
  if (e->kind != Expr::Kind::path || !e->path.is_word()) return nullptr;
  Scope::Variable* const v = variable(e->path.last().name, e->path.last().mark, scope);
  return v == nullptr ? nullptr : plain(v->value).as<std::shared_ptr<ClosureValue>>();
}

RustValue Evaluator::call_closure(const ClosureValue& c, const Expr* e, Scope& scope, const Ty& expected) {
  static const std::vector<const TypeSyntax*> none;
  if (c.expr == nullptr) return invoke({c.function, c.module, {}, nullptr, &none, nullptr}, e, scope, expected);
  std::vector<RustValue> arguments;
  for (std::size_t i = 0; i < e->items.size(); ++i) {
    Ty wanted;
    if (i < c.expr->parameters.size() && c.expr->parameters[i].type != nullptr && c.around != nullptr && !c.alive.expired())
      wanted = type(c.expr->parameters[i].type, *c.around);
    arguments.push_back(fitted(evaluate(e->items[i], scope, wanted), wanted, e->items[i]->span));
  }
  return apply(c, std::move(arguments), e->span, expected);
}

RustValue Evaluator::apply(const ClosureValue& c, std::vector<RustValue> arguments, const Span& span, const Ty& expected) {
  if (c.expr == nullptr) {  // a function: it is called with variables that hold the values
    Scope holder(c.module);
    Expr& call = tree_.arena.make<Expr>();
    call.kind = Expr::Kind::call;
    call.span = span;
    static constexpr std::string_view names[] = {"argument 0", "argument 1", "argument 2", "argument 3", "argument 4"};
    if (arguments.size() > std::size(names))
      fail(Wrong::unsupported, span, "a function with that many arguments is passed on", "five are read", "call it by its name");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      holder.variables.push_back({names[i], 0, std::move(arguments[i])});
      Expr& path = tree_.arena.make<Expr>();
      path.kind = Expr::Kind::path;
      path.span = span;
      path.path.segments = {{names[i], 0, false, {}, span}};
      call.items.push_back(&path);
    }
    return call_closure(c, &call, holder, expected);
  }
  const Expr& e = *c.expr;
  if (c.own == nullptr && c.alive.expired())
    fail(Wrong::unsupported, e.span, "this closure is called after the block that it was written in",
         "the variables that it looks at are gone by then", "write `move` before it, so that it takes them along");
  if (arguments.size() != e.parameters.size())
    fail(Wrong::arguments, span,
         "the closure takes " + std::to_string(e.parameters.size()) + (e.parameters.size() == 1 ? " argument" : " arguments") + ", and " +
             std::to_string(arguments.size()) + (arguments.size() == 1 ? " is given" : " are given"),
         "a closure is called with all its arguments", "give as many as it declares");
  Scope* const around = c.own != nullptr ? c.own.get() : c.around;
  Scope inner(around->module, around);
  Ty const result = e.type == nullptr ? expected : type(e.type, inner);
  inner.types["return"] = Scope::Binding{result, nullptr, nullptr, false};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Ty const wanted = e.parameters[i].type == nullptr ? Ty{} : type(e.parameters[i].type, inner);
    bind(e.parameters[i].pattern, fitted(std::move(arguments[i]), wanted, span), inner);
  }
  try {
    return fitted(evaluate(e.right, inner, result), result, span);
  } catch (Returned& returned) {
    return std::move(returned.value);
  }
}

// Iterators.

std::optional<std::vector<RustValue>> Evaluator::listed(const RustValue& v, const Span& span) {
  if (const Aggregate* const a = v.as<Aggregate>(); a != nullptr && a->kind == Aggregate::Kind::array) return a->items;
  const RangeValue* const r = v.as<RangeValue>();
  if (r == nullptr || !r->high) return {};
  constexpr std::int64_t most = 1'000'000;
  std::int64_t const low = r->low.value_or(0);
  if (*r->high > low && (low < -most || *r->high > most || *r->high - low > most))
    fail(Wrong::too_deep, span, "a loop of more than a million rounds", "loops are unrolled when a kernel is recorded", "count less far");
  std::vector<RustValue> all;
  for (std::int64_t i = low; i < *r->high; ++i) all.emplace_back(whole(i, r->type));
  return all;
}

std::shared_ptr<IteratorValue> Evaluator::iterated(const RustValue& v, const Span& span) {
  if (const auto* const i = v.as<Iterator>()) return *i;
  if (auto list = listed(v, span)) {
    auto const items = std::make_shared<std::vector<RustValue>>(*std::move(list));
    return iterator_of([items, at = std::size_t{0}]() mutable -> std::optional<RustValue> {
      if (at >= items->size()) return {};
      return (*items)[at++];
    });
  }
  if (const RangeValue* const r = v.as<RangeValue>())
    return iterator_of(
        [at = r->low.value_or(0), type = r->type]() mutable -> std::optional<RustValue> { return RustValue(whole(at++, type)); });
  fail(Wrong::not_constant, span, "a loop runs over a range or an array, and this is " + in_words(v),
       "loops are unrolled when a kernel is recorded", "write for i in 0..N with a constant N");
}

RustValue Evaluator::method_on_list(MethodCall& call, const RustValue& v) {
  std::string_view const name = call.name();
  const Span& span = call.expr->name_span;
  auto const is = [&](std::initializer_list<std::string_view> names) { return std::find(names.begin(), names.end(), name) != names.end(); };
  auto const argument = [&](std::size_t i) -> const RustValue& {
    if (i >= call.arguments.size())
      fail(Wrong::arguments, span, "`" + std::string(name) + "` is given too few arguments", "it needs what it works with",
           "give it " + std::to_string(i + 1));
    return plain(call.arguments[i]);
  };
  auto const function = [&](std::size_t i) -> std::shared_ptr<ClosureValue> {
    const RustValue& f = argument(i);
    if (const auto* const c = f.as<std::shared_ptr<ClosureValue>>()) return *c;
    fail(Wrong::type_mismatch, span, "`" + std::string(name) + "` takes a closure, and this is " + in_words(f),
         "it is called for each element", "write |x| ...");
  };
  auto const count = [&](std::size_t i, const char* what) {
    std::int64_t const n = integer(argument(i), span, what);
    if (n < 0 || n > 1'000'000) fail(Wrong::number, span, std::string(what) + " is " + std::to_string(n), "it counts", "give another");
    return static_cast<std::size_t>(n);
  };
  auto const truth = [this, span](const RustValue& b) {
    if (const bool* const t = plain(b).as<bool>()) return *t;
    fail(Wrong::type_mismatch, span, "a closure that decides gives a bool, and this one " + in_words(b), "it is asked for each element",
         "write a comparison");
  };
  auto const call_with = [this, span](const std::shared_ptr<ClosureValue>& f, RustValue one) {
    step(span, 20);
    std::vector<RustValue> all;
    all.push_back(std::move(one));
    return apply(*f, std::move(all), span, {});
  };
  auto const list = listed(v, span);
  const Aggregate* const array = v.as<Aggregate>();
  if (is({"iter_mut"}))
    fail(Wrong::unsupported, span, "`iter_mut` is not read", "its elements would be copies, and what is assigned to them lost",
         "count with an index: for i in 0..a.len() { a[i] = ... }");
  auto const as_iterator = [](std::vector<RustValue> items) -> RustValue {
    Aggregate a = array_of(std::move(items));
    a.iterates = true;
    return a;
  };

  // What is there already stays a list.
  if (list) {
    const std::vector<RustValue>& all = *list;
    if (is({"len", "count"})) return whole(static_cast<std::int64_t>(all.size()), NumberType::usize);
    if (is({"is_empty"})) return all.empty();
    if (is({"iter", "into_iter", "copied", "cloned"})) return as_iterator(all);
    if (is({"as_slice", "to_vec", "collect", "as_mut_slice"})) return array_of(all);
    if (is({"rev"})) return as_iterator(std::vector<RustValue>(all.rbegin(), all.rend()));
    if (is({"contains"})) {
      for (const RustValue& each : all)
        if (equal(each, argument(0)).value_or(false)) return true;
      return false;
    }
    if (is({"first"})) return option_of(all.empty() ? std::nullopt : std::optional(all.front()));
    if (is({"last"})) return option_of(all.empty() ? std::nullopt : std::optional(all.back()));
    if (is({"get"})) {
      std::size_t const i = count(0, "an index");
      return option_of(i < all.size() ? std::optional(all[i]) : std::nullopt);
    }
    if (is({"split_at"})) {
      std::size_t const at = count(0, "an index");
      if (at > all.size()) fail(Wrong::number, span, "an index past the end of the array", "a run of it would stop here", "look at it");
      return pair_of(array_of(part_of(all, 0, at)), array_of(part_of(all, at, all.size())));
    }
    if (is({"windows", "chunks", "chunks_exact"})) {
      std::size_t const n = count(0, "a length");
      if (n == 0) fail(Wrong::number, span, "a length of 0", "a run of it would stop here", "give at least 1");
      std::vector<RustValue> parts;
      std::size_t const by = name == "windows" ? 1 : n;
      for (std::size_t i = 0; i < all.size(); i += by) {
        std::size_t const end = std::min(all.size(), i + n);
        if (name != "chunks" && end - i < n) break;
        parts.emplace_back(array_of(part_of(all, i, end)));
      }
      return as_iterator(std::move(parts));
    }
    if (is({"swap"})) {
      RustValue* const owner = place(call.expr->left, *call.scope);
      Aggregate* const a = owner == nullptr ? nullptr : owner->as<Aggregate>();
      std::size_t const i = count(0, "an index"), k = count(1, "an index");
      if (a == nullptr || i >= a->items.size() || k >= a->items.size())
        fail(Wrong::number, span, "this cannot be swapped", "both places are elements of a variable that is an array",
             "look at the indices");
      std::swap(a->items[i], a->items[k]);
      return {};
    }
    // An array's own `map`, not that of its iterator, is done at once.
    if (is({"map"}) && array != nullptr && !array->iterates) {
      std::vector<RustValue> out;
      for (const RustValue& each : all) out.push_back(call_with(function(0), each));
      return array_of(std::move(out));
    }
    if (is({"step_by"})) {
      std::int64_t const by = integer(argument(0), span, "a step");
      if (by < 1) fail(Wrong::number, span, "a step of " + std::to_string(by), "a loop goes forward", "give a step of at least 1");
      std::vector<RustValue> out;
      for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(by)) out.push_back(all[i]);
      return as_iterator(std::move(out));
    }
    if (is({"take", "skip"})) {
      std::size_t const n = std::min(count(0, "a number of elements"), all.size());
      return as_iterator(name == "take" ? part_of(all, 0, n) : part_of(all, n, all.size()));
    }
    if (is({"enumerate"})) {
      std::vector<RustValue> out;
      for (std::size_t i = 0; i < all.size(); ++i) out.push_back(pair_of(whole(static_cast<std::int64_t>(i), NumberType::usize), all[i]));
      return as_iterator(std::move(out));
    }
    if (is({"zip"})) {
      if (argument(0).as<Iterator>() == nullptr) {
        Iterator const others = iterated(argument(0), span);
        std::vector<RustValue> out;
        for (const RustValue& each : all) {
          auto other = others->next();
          if (!other) break;
          out.push_back(pair_of(each, *std::move(other)));
        }
        return as_iterator(std::move(out));
      }
    }
    if (is({"chain"}))
      if (auto const more = listed(argument(0), span)) {
        std::vector<RustValue> out = all;
        out.insert(out.end(), more->begin(), more->end());
        return as_iterator(std::move(out));
      }
    if (is({"next"}))
      fail(Wrong::unsupported, span, "`next` of what is not changed by a closure is not read", "the list would start again each time",
           "count with an index");
  } else if (is({"iter", "into_iter", "copied", "cloned", "by_ref"})) {
    return v;
  }
  if (is({"rev", "len"}))
    fail(Wrong::unsupported, span, "`" + std::string(name) + "` after a closure is not read",
         "its elements are made one after the other, from the first", "write it before the closure: .rev().map(...)");

  Iterator const from = iterated(v, span);
  if (is({"step_by"})) {
    std::size_t const by = count(0, "a step");
    if (by < 1) fail(Wrong::number, span, "a step of 0", "a loop goes forward", "give a step of at least 1");
    return iterator_of([from, by, first = true]() mutable {
      for (std::size_t i = 1; i < by && !first; ++i) from->next();
      first = false;
      return from->next();
    });
  }
  // What waits until it is asked.
  if (is({"map"}))
    return iterator_of([=, f = function(0)]() -> std::optional<RustValue> {
      auto one = from->next();
      if (!one) return {};
      return call_with(f, *std::move(one));
    });
  if (is({"inspect"}))
    return iterator_of([=, f = function(0)]() {
      auto one = from->next();
      if (one) call_with(f, *one);
      return one;
    });
  if (is({"filter", "take_while", "skip_while"}))
    return iterator_of([=, f = function(0), begun = false, how = name]() mutable -> std::optional<RustValue> {
      while (auto one = from->next()) {
        if (how == "skip_while" && begun) return one;
        bool const holds = truth(call_with(f, *one));
        if (how == "take_while") return holds ? one : std::nullopt;
        if (holds == (how == "filter")) {
          begun = true;
          return one;
        }
      }
      return {};
    });
  if (is({"filter_map"}))
    return iterator_of([=, this, f = function(0)]() -> std::optional<RustValue> {
      while (auto one = from->next()) {
        RustValue const made = plain(call_with(f, *std::move(one)));
        if (const Named* const n = made.as<Named>(); n != nullptr && n->name() == "Some" && n->arguments.size() == 1)
          return n->arguments[0];
      }
      return {};
    });
  if (is({"flat_map", "flatten"})) {
    std::shared_ptr<ClosureValue> const f = name == "flatten" ? nullptr : function(0);
    return iterator_of([=, this, part = Iterator()]() mutable -> std::optional<RustValue> {
      while (true) {
        if (part)
          if (auto one = part->next()) return one;
        auto more = from->next();
        if (!more) return {};
        part = iterated(plain(f == nullptr ? *more : call_with(f, *std::move(more))), span);
      }
    });
  }
  if (is({"zip"})) {
    Iterator const others = iterated(argument(0), span);
    return iterator_of([from, others]() -> std::optional<RustValue> {
      auto a = from->next();
      if (!a) return {};
      auto b = others->next();
      if (!b) return {};
      return pair_of(*std::move(a), *std::move(b));
    });
  }
  if (is({"chain"})) {
    Iterator const others = iterated(argument(0), span);
    return iterator_of([from, others]() {
      auto one = from->next();
      return one ? one : others->next();
    });
  }
  if (is({"enumerate"}))
    return iterator_of([from, i = std::int64_t{0}]() mutable -> std::optional<RustValue> {
      auto one = from->next();
      if (!one) return {};
      return pair_of(whole(i++, NumberType::usize), *std::move(one));
    });
  if (is({"take"}))
    return iterator_of([from, left = count(0, "a number of elements")]() mutable -> std::optional<RustValue> {
      if (left == 0) return {};
      --left;
      return from->next();
    });
  if (is({"skip"}))
    return iterator_of([from, left = count(0, "a number of elements")]() mutable {
      for (; left > 0; --left)
        if (!from->next()) break;
      return from->next();
    });
  if (is({"next"})) return option_of(from->next());

  // What asks.
  auto const ask = [&]() {
    step(span, 5);
    return from->next();
  };
  if (is({"collect", "to_vec"})) {
    std::vector<RustValue> out;
    while (auto one = ask()) out.push_back(*std::move(one));
    return array_of(std::move(out));
  }
  if (is({"for_each"})) {
    auto const f = function(0);
    while (auto one = ask()) call_with(f, *std::move(one));
    return {};
  }
  if (is({"count"})) {
    std::int64_t n = 0;
    while (ask()) ++n;
    return whole(n, NumberType::usize);
  }
  if (is({"last"})) {
    std::optional<RustValue> last;
    while (auto one = ask()) last = std::move(one);
    return option_of(std::move(last));
  }
  if (is({"nth"})) {
    for (std::size_t left = count(0, "an index"); left > 0; --left)
      if (!ask()) return option_of({});
    return option_of(ask());
  }
  if (is({"fold"})) {
    RustValue so_far = argument(0);
    auto const f = function(1);
    while (auto one = ask()) {
      step(span, 20);
      std::vector<RustValue> both;
      both.push_back(std::move(so_far));
      both.push_back(*std::move(one));
      so_far = apply(*f, std::move(both), span, {});
    }
    return so_far;
  }
  if (is({"reduce"})) {
    auto const f = function(0);
    auto so_far = ask();
    while (so_far) {
      auto one = ask();
      if (!one) break;
      std::vector<RustValue> both;
      both.push_back(*std::move(so_far));
      both.push_back(*std::move(one));
      so_far = apply(*f, std::move(both), span, {});
    }
    return option_of(std::move(so_far));
  }
  if (is({"sum", "product"})) {
    bool const adds = name == "sum";
    std::optional<Number> total;
    while (auto one = ask()) {
      Number const n = number(*one, span, "what is added");
      total = total ? *calculated(adds ? "+" : "*", *total, n, span).as<Number>() : n;
    }
    if (total) return *total;
    Ty const wanted = !call.types.empty() && call.types[0] ? call.types[0] : call.expected;
    bool const floating = wanted && ((wanted->kind == TypeOf::Kind::scalar && is_floating(wanted->scalar)) ||
                                     (wanted->kind == TypeOf::Kind::number && wanted->number == NumberType::f64));
    return floating ? real(adds ? 0 : 1) : whole(adds ? 0 : 1);
  }
  if (is({"min", "max"})) {
    std::optional<Number> best;
    while (auto one = ask()) {
      Number const n = number(*one, span, "what is compared");
      if (!best || *calculated(name == "min" ? "<" : ">=", n, *best, span).as<bool>()) best = n;
    }
    return best ? some(*best) : Named({"None"}, {});
  }
  if (is({"any", "all"})) {
    auto const f = function(0);
    while (auto one = ask())
      if (truth(call_with(f, *std::move(one))) == (name == "any")) return name == "any";
    return name == "all";
  }
  if (is({"find", "position"})) {
    auto const f = function(0);
    for (std::int64_t i = 0;; ++i) {
      auto one = ask();
      if (!one) return option_of({});
      if (truth(call_with(f, *one))) return some(name == "find" ? *std::move(one) : RustValue(whole(i, NumberType::usize)));
    }
  }
  fail(Wrong::unsupported, span, "`" + std::string(name) + "` of " + in_words(v) + " is not read inside kernels",
       "kernels count with loops", "write a loop: for i in 0..N");
}

// Option and Result.

std::optional<RustValue> Evaluator::method_on_option(MethodCall& call, const Named& n) {
  if (n.path.size() != 1 && n.path[0] != "Option" && n.path[0] != "Result") return {};
  bool const good = n.name() == "Some" || n.name() == "Ok";
  if (!good && n.name() != "None" && n.name() != "Err") return {};
  const Span& span = call.expr->name_span;
  std::string_view const name = call.name();
  auto const function = [&]() -> std::shared_ptr<ClosureValue> {
    const auto* const c = call.arguments.empty() ? nullptr : plain(call.arguments[0]).as<std::shared_ptr<ClosureValue>>();
    if (c == nullptr)
      fail(Wrong::arguments, span, "`" + std::string(name) + "` takes a closure", "it is called with the value", "write |x| ...");
    return *c;
  };
  auto const inside = [&]() -> std::vector<RustValue> { return n.arguments; };
  if (name == "is_some" || name == "is_ok") return RustValue(good);
  if (name == "is_none" || name == "is_err") return RustValue(!good);
  if (name == "unwrap" || name == "expect") {
    if (good && n.arguments.size() == 1) return n.arguments[0];
    fail(Wrong::assertion, span, "`" + std::string(name) + "` of " + in_words(call.receiver), "a run of it would stop here",
         "look at where it comes from");
  }
  if (name == "unwrap_or" && call.arguments.size() == 1) return good ? n.arguments.at(0) : call.arguments[0];
  if (name == "unwrap_or_else")
    return good ? n.arguments.at(0) : apply(*function(), n.name() == "Err" ? n.arguments : std::vector<RustValue>{}, span, call.expected);
  if (name == "filter" && n.name() != "Ok" && n.name() != "Err") {
    if (!good) return n;
    RustValue const keeps = plain(apply(*function(), inside(), span, {}));
    const bool* const b = keeps.as<bool>();
    if (b == nullptr)
      fail(Wrong::type_mismatch, span, "a closure that decides gives a bool, and this one " + in_words(keeps), "it is asked for the value",
           "write a comparison");
    return *b ? RustValue(n) : RustValue(Named({"None"}, {}));
  }
  if (name == "flatten") return good ? n.arguments.at(0) : RustValue(n);
  if (name == "or" && call.arguments.size() == 1) return good ? RustValue(n) : call.arguments[0];
  if (name == "map_or" && call.arguments.size() == 2) {
    if (!good) return call.arguments[0];
    call.arguments.erase(call.arguments.begin());
    return apply(*function(), inside(), span, call.expected);
  }
  if (name == "map") return good ? RustValue(Named(n.path, {apply(*function(), inside(), span, {})})) : RustValue(n);
  if (name == "and_then") return good ? apply(*function(), inside(), span, {}) : RustValue(n);
  if (name == "ok" || name == "copied" || name == "cloned")
    return good ? RustValue(some(n.arguments.at(0))) : RustValue(Named({"None"}, {}));
  if (name == "ok_or" && call.arguments.size() == 1)
    return good ? RustValue(Named({"Ok"}, n.arguments)) : RustValue(Named({"Err"}, {call.arguments[0]}));
  return {};
}

// What is equal.

std::optional<bool> Evaluator::equal(const RustValue& first, const RustValue& second) {
  const RustValue &a = plain(first), &b = plain(second);
  if (const Number* const x = a.as<Number>())
    if (const Number* const y = b.as<Number>()) return *calculated("==", *x, *y, first.span).as<bool>();
  if (const bool* const x = a.as<bool>())
    if (const bool* const y = b.as<bool>()) return *x == *y;
  if (const std::string* const x = a.as<std::string>())
    if (const std::string* const y = b.as<std::string>()) return *x == *y;
  if (a.as<Unit>() != nullptr && b.as<Unit>() != nullptr) return true;
  auto const all = [&](const std::vector<RustValue>& x, const std::vector<RustValue>& y) -> std::optional<bool> {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto const one = equal(x[i], y[i]);
      if (!one || !*one) return one;
    }
    return true;
  };
  if (const Named* const x = a.as<Named>())
    if (const Named* const y = b.as<Named>()) {
      if (x->name() != y->name() || x->fields.size() != y->fields.size()) return false;
      for (std::size_t i = 0; i < x->fields.size(); ++i) {
        auto const one = x->fields[i].first == y->fields[i].first ? equal(x->fields[i].second, y->fields[i].second) : std::nullopt;
        if (!one || !*one) return one;
      }
      return all(x->arguments, y->arguments);
    }
  if (const Aggregate* const x = a.as<Aggregate>())
    if (const Aggregate* const y = b.as<Aggregate>(); y != nullptr && x->kind == y->kind && x->item == y->item)
      return all(x->items, y->items);
  if (const ScalarElement* const x = a.as<ScalarElement>())
    if (const ScalarElement* const y = b.as<ScalarElement>(); y != nullptr && x->type == y->type) return x->value == y->value;
  if (const Ty* const x = a.as<Ty>())
    if (const Ty* const y = b.as<Ty>()) return same_type(*x, *y);
  return {};
}

}  // namespace tcp::rust
