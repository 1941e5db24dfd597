// What expressions gave while a kernel was read, in a form that outlives the reading.
#include "rust/evaluator.hpp"

namespace tcp::rust {
namespace {

std::string key_of(const Ty& t) {
  if (!t) return "?";
  std::string out = std::to_string(static_cast<int>(t->kind)) + ":";
  if (t->kind == TypeOf::Kind::mapping) return out + text_of(*t->mapping);
  if (t->kind == TypeOf::Kind::scalar) return out + scalar_info(t->scalar).name;
  out += std::to_string(static_cast<int>(t->memory)) + ":";
  if (t->element) out += key_of(t->element);
  for (const MappingPtr& m : t->level) out += "|" + (m ? text_of(*m) : std::string("?"));
  return out;
}
std::string key_of(const Number& n) { return n.floating() ? std::to_string(n.as_double()) + "f" : std::to_string(n.whole); }

/// A name with what it is given, if that is numbers and names alone.
bool is_plain(const RustValue& v, std::string& key) {
  if (const Number* const n = v.as<Number>()) return key += key_of(*n) + ",", true;
  if (const bool* const b = v.as<bool>()) return key += *b ? "true," : "false,", true;
  if (const Ty* const t = v.as<Ty>()) return key += key_of(*t) + ",", true;
  if (const Aggregate* const a = v.as<Aggregate>()) {
    key += "[";
    for (const RustValue& each : a->items)
      if (!is_plain(each, key)) return false;
    key += "]";
    return true;
  }
  const Named* const n = v.as<Named>();
  if (n == nullptr) return false;
  for (const std::string& part : n->path) key += part + "::";
  for (const RustValue& each : n->arguments)
    if (!is_plain(each, key)) return false;
  for (auto const& [field, value] : n->fields) {
    key += field + "=";
    if (!is_plain(value, key)) return false;
  }
  key += ";";
  return true;
}

}  // namespace

void Evaluator::note(const Expr* e, const RustValue& given) {
  ExprFact now;
  const RustValue* v = &given;
  for (int i = 0; i < 100 && v->as<Reference>() != nullptr; ++i) v = v->as<Reference>()->to;
  if (const auto* const t = v->as<TensorValue>()) {
    now.kind = t->is_view ? ExprFact::Kind::view : ExprFact::Kind::tensor;
    now.type = type_of(*v);
    now.key = key_of(now.type);
  } else if (const auto* const s = v->as<std::shared_ptr<StreamState>>()) {
    now.kind = ExprFact::Kind::stream;
    auto type = std::make_shared<TypeOf>(*type_of(*v));
    if ((*s)->fetch_pending) type->element = type_of_scalar((*s)->fetch_type);
    now.type = type;
    now.key = key_of(now.type);
  } else if (const auto* const n = v->as<Number>()) {
    now.kind = ExprFact::Kind::number;
    now.number = *n;
    now.key = key_of(*n);
  } else if (const bool* const b = v->as<bool>()) {
    now.kind = ExprFact::Kind::number;
    now.number.whole = *b ? 1 : 0;
    now.key = *b ? "true" : "false";
  } else if (v->as<Named>() != nullptr || v->as<Ty>() != nullptr) {
    now.kind = ExprFact::Kind::name;
    if (is_plain(*v, now.key)) now.name = *v;
  } else if (v->as<std::shared_ptr<GatherState>>() != nullptr) {
    now.kind = ExprFact::Kind::gather;
  } else if (v->as<Aggregate>() != nullptr) {
    now.kind = ExprFact::Kind::aggregate;
  } else if (v->as<ContextPart>() != nullptr) {
    now.kind = ExprFact::Kind::context;
  }
  auto const [at, fresh] = facts_->of.try_emplace(e, now);
  if (!fresh && (at->second.key != now.key || at->second.kind != now.kind)) at->second.varies = true;
}

void Evaluator::note_call(const Expr* e, const Item& function, Scope& scope) {
  CallFact now;
  for (const GenericParameter& g : function.generics) {
    Scope::Binding* const b = scope.find_type(g.name);
    now.generics.push_back(b == nullptr ? Ty{} : b->type);
    const Ty& t = now.generics.back();
    now.key +=
        (t && t->kind == TypeOf::Kind::constant && t->value->as<Number>() != nullptr ? key_of(*t->value->as<Number>()) : key_of(t)) + ";";
  }
  auto const [at, fresh] = facts_->calls.try_emplace(e, now);
  if (!fresh && at->second.key != now.key) at->second.varies = true;
}

}  // namespace tcp::rust
