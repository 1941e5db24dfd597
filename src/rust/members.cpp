// What an impl gives a type: constants, types and functions, of the type itself or of a trait, with the defaults that
// the trait has. An impl is found by the type it is for, wherever in the crate it stands.
#include "rust/evaluator.hpp"

namespace tcp::rust {
namespace {

std::vector<std::string_view> path_words(const Path& path) {
  std::vector<std::string_view> words;
  for (const Segment& s : path.segments) words.push_back(s.name);
  return words;
}

bool gives(const Item& member, Item::Kind kind, std::string_view name) {
  if (member.kind != kind || member.name != name) return false;
  if (kind == Item::Kind::function) return member.has_body;
  return kind == Item::Kind::constant ? member.value != nullptr : member.type != nullptr;
}
const Item* member_in(const Item& owner, Item::Kind kind, std::string_view name) {
  for (const Item* member : owner.items)
    if (gives(*member, kind, name)) return member;
  return nullptr;
}

/// Numbers of Rust that are scalars of tensors too have one form of type.
Ty as_scalar(const Ty& t) {
  if (t->kind != TypeOf::Kind::number) return t;
  switch (t->number) {
    case NumberType::i8: return type_of_scalar(ScalarType::i8);
    case NumberType::i16: return type_of_scalar(ScalarType::i16);
    case NumberType::i32: return type_of_scalar(ScalarType::i32);
    case NumberType::f32: return type_of_scalar(ScalarType::f32);
    default: return t;
  }
}

}  // namespace

bool Evaluator::same_type(const Ty& first, const Ty& second) const {
  if (!first || !second) return false;
  Ty const a = as_scalar(first), b = as_scalar(second);
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case TypeOf::Kind::mapping: return *a->mapping == *b->mapping;
    case TypeOf::Kind::scalar: return a->scalar == b->scalar;
    case TypeOf::Kind::number: return a->number == b->number;
    case TypeOf::Kind::boolean:
    case TypeOf::Kind::context: return true;
    case TypeOf::Kind::tensor: return difference(a, b).empty();
    case TypeOf::Kind::constant: {
      const Number *const x = a->value->as<Number>(), *const y = b->value->as<Number>();
      const bool *const p = a->value->as<bool>(), *const q = b->value->as<bool>();
      return x != nullptr && y != nullptr ? x->whole == y->whole && x->as_double() == y->as_double()
                                          : p != nullptr && q != nullptr && *p == *q;
    }
    case TypeOf::Kind::structure:
    case TypeOf::Kind::other: return a->item == b->item && (a->item != nullptr || a->name == b->name);
    case TypeOf::Kind::tuple:
      if (a->items.size() != b->items.size()) return false;
      for (std::size_t i = 0; i < a->items.size(); ++i)
        if (!same_type(a->items[i], b->items[i])) return false;
      return true;
    default: return false;
  }
}

/// Whether an impl is for this type; binds its generics.
bool Evaluator::applies(const Implementation& of, const Ty& t, Scope& inner) {
  const Item& impl = *of.item;
  const TypeSyntax* syntax = impl.type;
  while (syntax != nullptr && syntax->kind == TypeSyntax::Kind::reference) syntax = syntax->inner;
  if (syntax == nullptr) return false;
  bind_arguments(impl, {}, inner, inner);
  inner.types["Self"].type = t;
  if (syntax->kind == TypeSyntax::Kind::path && syntax->path.self == nullptr) {
    const Path& path = syntax->path;
    if (path.is_word())
      for (const GenericParameter& g : impl.generics)
        if (g.name == path.last().name) {  // of every type
          inner.types[g.name].type = t;
          return true;
        }
    KnownName const entry = tree_.find(*of.module, path_words(path), Namespace::type);
    bool const declared =
        entry.kind == KnownName::Kind::item && (entry.item->kind == Item::Kind::structure || entry.item->kind == Item::Kind::enumeration);
    if (declared) {
      if (t->item != entry.item) return false;
      const auto& arguments = path.last().arguments;
      for (std::size_t i = 0; i < arguments.size() && i < t->items.size(); ++i) {
        unify(arguments[i], t->items[i], inner);
        if (t->items[i] && knows(arguments[i], inner) && !same_type(type(arguments[i], inner), t->items[i])) return false;
      }
      return true;
    }
  }
  if (t->item != nullptr) return false;
  try {
    unify(syntax, t, inner);
    return knows(syntax, inner) && same_type(type(syntax, inner), t);
  } catch (const Mistake&) {  // of a type that kernels do not know
    return false;
  }
}

std::optional<Evaluator::Member> Evaluator::member_of(const Ty& t, Item::Kind kind, std::string_view name, const TypeSyntax* as_trait,
                                                      Scope& from, const Span& span) {
  if (!t) return {};
  const Item* wanted_trait = nullptr;
  if (as_trait != nullptr) wanted_trait = tree_.find(*from.module, path_words(as_trait->path), Namespace::type).item;
  std::optional<Member> found;
  const Item* found_trait = nullptr;
  for (const Implementation& of : tree_.implementations) {
    const Item* trait = nullptr;
    ModuleScope* trait_module = nullptr;
    if (of.item->of_trait != nullptr && of.item->of_trait->kind == TypeSyntax::Kind::path) {
      KnownName const entry = tree_.find(*of.module, path_words(of.item->of_trait->path), Namespace::type);
      if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::trait) trait = entry.item, trait_module = entry.module;
    }
    if (wanted_trait != nullptr && trait != wanted_trait) continue;
    const Item* member = member_in(*of.item, kind, name);
    bool const is_default = member == nullptr;
    if (is_default && trait != nullptr) member = member_in(*trait, kind, name);
    if (member == nullptr) continue;
    Scope inner(of.module);
    if (!applies(of, t, inner)) continue;
    Member now{member, of.module, {}};
    if (is_default) {
      now.module = trait_module;
      Scope of_trait(trait_module);
      bind_arguments(*trait, of.item->of_trait->path.last().arguments, inner, of_trait);
      for (auto& [generic, b] : of_trait.types)
        if (b.syntax != nullptr) b.type = type(std::exchange(b.syntax, nullptr), *b.where);
      of_trait.types["Self"].type = t;
      now.bound = of_trait.types;
    } else {
      now.bound = inner.types;
    }
    if (of.item->of_trait == nullptr) return now;  // its own comes before that of any trait
    if (found && found->item != member && found_trait != trait)
      fail(Wrong::unknown_name, span, "two traits give " + in_words(t) + " a `" + std::string(name) + "`", "which one is meant is not said",
           "write <Type as Trait>::" + std::string(name));
    if (!found) found = std::move(now), found_trait = trait;
  }
  return found;
}

RustValue Evaluator::member_constant(const Member& m) {
  Once const once(evaluating_, *m.item, m.item->name_span);
  Scope scope(m.module);
  scope.types = m.bound;
  Ty const t = type(m.item->type, scope);
  return fitted(evaluate(m.item->value, scope, t), t, m.item->value->span);
}

Ty Evaluator::member_type(const Member& m, const std::vector<const TypeSyntax*>& arguments, Scope& from) {
  Once const once(evaluating_, *m.item, m.item->name_span);
  Scope scope(m.module);
  scope.types = m.bound;
  bind_arguments(*m.item, arguments, from, scope);
  for (auto& [name, b] : scope.types)
    if (b.syntax != nullptr) b.type = type(std::exchange(b.syntax, nullptr), *b.where);
  return type(m.item->type, scope);
}

/// `C::Slice`, `<C as Config>::Slice`, `C::N`: the owner is known, and the name is what an impl gives it.
Ty Evaluator::associated_type(const Ty& owner, const Path& path, Scope& scope, const Span& span) {
  std::string_view const name = path.last().name;
  if (owner && owner->kind == TypeOf::Kind::mapping && name == "SIZE") {
    auto t = std::make_shared<TypeOf>();
    t->kind = TypeOf::Kind::constant;
    t->value = std::make_shared<const RustValue>(whole(owner->mapping->size, NumberType::usize));
    return t;
  }
  if (auto const m = member_of(owner, Item::Kind::alias, name, path.as_trait, scope, span))
    return member_type(*m, path.last().arguments, scope);
  if (auto const m = member_of(owner, Item::Kind::constant, name, path.as_trait, scope, span)) {
    auto t = std::make_shared<TypeOf>();
    t->kind = TypeOf::Kind::constant;
    t->value = std::make_shared<const RustValue>(member_constant(*m));
    return t;
  }
  if (!owner)
    fail(Wrong::type_needed, span, "nothing says which type this is", "a generic is bound by the types of the arguments, or by the call",
         "name it in the call: function::<Type>(...)");
  fail(Wrong::unknown_name, span, in_words(owner) + " has no type `" + std::string(name.substr(0, 60)) + "`",
       "no impl of the crate gives it one", "add it to the impl: type " + std::string(name.substr(0, 60)) + " = ...;");
}

}  // namespace tcp::rust
