// Types of a kernel: what a path, an alias, m![…] or a tensor type stands for, and how generics are bound by matching a
// parameter's type with what is given for it.
#include <algorithm>

#include "rust/bindings.hpp"
#include "rust/evaluator.hpp"
#include "rust/parser.hpp"
#include "rust/value.hpp"
#include "tcp/mapping/print.hpp"
#include "tcp/support/edit_distance.hpp"
#include "tcp/support/refused.hpp"

namespace tcp::rust {

Ty type_of_mapping(MappingPtr m) {
  auto t = std::make_shared<TypeOf>();
  t->kind = TypeOf::Kind::mapping;
  t->mapping = std::move(m);
  return t;
}
Ty type_of_scalar(ScalarType type) {
  auto t = std::make_shared<TypeOf>();
  t->kind = TypeOf::Kind::scalar;
  t->scalar = type;
  return t;
}

std::string text_of(const Mapping& m) { return std::string(text(m).view()); }

std::string in_words(const Ty& t) {
  if (!t) return "a type that is not known";
  switch (t->kind) {
    case TypeOf::Kind::mapping: return text_of(*t->mapping);
    case TypeOf::Kind::scalar: return scalar_info(t->scalar).name;
    case TypeOf::Kind::number: return "a number";
    case TypeOf::Kind::boolean: return "bool";
    case TypeOf::Kind::tensor: return std::string("a tensor in ") + name_of(t->memory);
    case TypeOf::Kind::stream: return "a stream";
    case TypeOf::Kind::tuple: return t->items.empty() ? "()" : "a tuple";
    case TypeOf::Kind::array: return "an array";
    case TypeOf::Kind::structure: return "the structure " + std::string(t->item->name);
    case TypeOf::Kind::context: return "the context";
    case TypeOf::Kind::launch_scalar: return "a scalar of the launch";
    case TypeOf::Kind::constant: return "a constant";
    case TypeOf::Kind::other: break;
  }
  return t->name.empty() ? "a type that kernels do not use" : std::string(t->name);
}

Scope::Binding* Scope::find_type(std::string_view name) {
  for (Scope* s = this; s != nullptr; s = s->parent)
    if (auto const at = s->types.find(name); at != s->types.end()) return &at->second;
  return nullptr;
}

namespace {

struct TensorName {
  std::string_view name;
  Memory memory;
  bool is_mut;
  std::array<std::optional<Level>, 5> levels;
};
constexpr TensorName tensor_names[] = {
    {"HbmTensor", Memory::Hbm, false, {Level::chip, Level::element}},
    {"HbmTensorView", Memory::Hbm, false, {Level::chip, Level::element}},
    {"HbmTensorViewMut", Memory::Hbm, true, {Level::chip, Level::element}},
    {"DmTensor", Memory::Dm, false, {Level::chip, Level::cluster, Level::slice, Level::element}},
    {"DmTensorView", Memory::Dm, false, {Level::chip, Level::cluster, Level::slice, Level::element}},
    {"DmTensorViewMut", Memory::Dm, true, {Level::chip, Level::cluster, Level::slice, Level::element}},
    {"TrfTensor", Memory::Trf, false, {Level::chip, Level::cluster, Level::slice, Level::row, Level::element}},
    {"VrfTensor", Memory::Vrf, false, {Level::chip, Level::cluster, Level::slice, Level::element}},
    {"SpmTensor", Memory::Spm, false, {Level::chip, Level::cluster, Level::slice, Level::element}},
    {"SpmTensorView", Memory::Spm, false, {Level::chip, Level::cluster, Level::slice, Level::element}},
};
/// Streams have a lifetime and their context before these.
constexpr std::string_view stream_names[] = {
    "BeginTensor",       "FetchTensor",        "SwitchTensor",     "CollectTensor", "AlignTensor", "ContractTensor", "StreamTensor",
    "ContractionTensor", "AccumulationTensor", "AccumulateTensor", "CastTensor",    "TuTensor",    "TransposeTensor"};
constexpr Level stream_levels[] = {Level::chip, Level::cluster, Level::slice, Level::time, Level::packet};

/// VectorInitTensor, VectorBranchTensor, and all that an edition has between them and VectorFinalTensor.
bool is_stream_name(std::string_view name) {
  return std::find(std::begin(stream_names), std::end(stream_names), name) != std::end(stream_names) ||
         (name.starts_with("Vector") && name.ends_with("Tensor"));
}
/// Which argument of a stream's type is Chip: the one behind its scalar. If that is a generic, the levels are the last
/// ones, or stand before <D, NoTensor, { VeOrder::... }>.
std::optional<std::size_t> first_level_of(const std::vector<const TypeSyntax*>& arguments) {
  for (std::size_t i = 0; i + std::size(stream_levels) < arguments.size(); ++i)
    if (arguments[i]->kind == TypeSyntax::Kind::path && arguments[i]->path.is_word() &&
        parse_scalar_type(arguments[i]->path.last().name, quietly))
      return i + 1;
  std::size_t const behind = !arguments.empty() && arguments.back()->kind == TypeSyntax::Kind::constant ? 3 : 0;
  if (arguments.size() < std::size(stream_levels) + 1 + behind) return {};
  return arguments.size() - std::size(stream_levels) - behind;
}

const TensorName* tensor_name(std::string_view name) {
  for (const TensorName& t : tensor_names)
    if (t.name == name) return &t;
  return nullptr;
}

std::optional<NumberType> number_type(std::string_view name) {
  constexpr std::pair<std::string_view, NumberType> all[] = {
      {"i64", NumberType::i64},  {"isize", NumberType::isize}, {"u8", NumberType::u8},       {"u16", NumberType::u16},
      {"u32", NumberType::u32},  {"u64", NumberType::u64},     {"usize", NumberType::usize}, {"f64", NumberType::f64},
      {"i128", NumberType::i64}, {"u128", NumberType::u64}};
  for (auto const& [n, t] : all)
    if (n == name) return t;
  return std::nullopt;
}

std::string name_of_number(NumberType type) {
  constexpr const char* names[] = {
      "a whole number", "a floating number", "i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64", "char"};
  return names[static_cast<std::size_t>(type)];
}

std::shared_ptr<TypeOf> made(TypeOf::Kind kind) {
  auto t = std::make_shared<TypeOf>();
  t->kind = kind;
  return t;
}

std::vector<std::string_view> words_of(const Path& path) {
  std::vector<std::string_view> words;
  for (const Segment& s : path.segments) words.push_back(s.name);
  return words;
}

}  // namespace

namespace {

/// The module below this one that declares a name.
const ModuleScope* module_with(const ModuleScope& m, std::string_view name, int depth) {
  if (m.types.contains(name) || m.values.contains(name)) return &m;
  if (depth == 0) return nullptr;
  for (auto const& [n, entry] : m.modules)
    if (entry.module != nullptr && entry.module->parent == &m)
      if (const ModuleScope* const found = module_with(*entry.module, name, depth - 1)) return found;
  return nullptr;
}

/// crate::layers::norm, for a name that another module of the crate has; empty: none has it.
std::string declared_elsewhere(const ModuleScope& from, std::string_view name) {
  const ModuleScope* root = &from;
  while (root->lexical != nullptr || root->parent != nullptr) root = root->lexical != nullptr ? root->lexical : root->parent;
  const ModuleScope* const found = name.empty() ? nullptr : module_with(*root, name, 12);
  if (found == nullptr) return {};
  return "crate::" + (found->path.empty() ? "" : found->path + "::") + std::string(name.substr(0, 60));
}

}  // namespace

void Evaluator::unknown_name(std::string_view name, const Span& span, const char* what, Scope& scope) {
  std::string best;
  // Every other name is near a short one.
  std::size_t distance = name.size() < 2 ? 1 : name.size() < 5 ? 2 : 3;
  auto const look = [&](std::string_view candidate) {
    std::size_t const d = edit_distance(name.substr(0, 60), candidate.substr(0, 60));
    if (d < distance && candidate != name) distance = d, best = candidate;
  };
  for (Scope* s = &scope; s != nullptr; s = s->parent) {
    for (auto const& [n, b] : s->types) look(n);
    for (auto const& v : s->variables) look(v.name);
  }
  auto const look_in = [&](const ModuleScope& m) {
    for (auto const& [n, e] : m.types) look(n);
    for (auto const& [n, e] : m.values) look(n);
  };
  for (ModuleScope* m = scope.module; m != nullptr; m = m->lexical) {
    look_in(*m);
    for (const UseLeaf& use : m->uses) {
      if (!use.name.empty()) look(use.name);
      else if (const ModuleScope* const glob = tree_.module_of(*m, use)) look_in(*glob);
    }
  }
  for (const TensorName& t : tensor_names) look(t.name);
  for (std::string_view context : {"Context", "Device"}) look(context);
  for (std::string_view scalar : {"i4", "i8", "i16", "i32", "f8e4m3", "f8e5m2", "bf16", "f16", "f32"}) look(scalar);
  std::string const elsewhere = declared_elsewhere(*scope.module, name);
  if (auto const skipped = tree_.passed_over.helpers.find(name); skipped != tree_.passed_over.helpers.end()) throw skipped->second;
  fail(Wrong::unknown_name, span, std::string(what) + " `" + std::string(name.substr(0, 60)) + "` is not known here",
       elsewhere.empty() ? "it is declared in no file of the crate that was read, and is none of the vendor's names"
                         : "another module of the crate declares it, and nothing brings it here",
       !elsewhere.empty() ? "bring it in: use " + elsewhere + ";"
       : best.empty()     ? "declare it, or bring it in with `use`"
                          : "did you mean `" + best + "`?");
}

Ty Evaluator::type(const TypeSyntax* syntax, Scope& scope) {
  if (syntax == nullptr) return {};
  step(syntax->span);
  switch (syntax->kind) {
    case TypeSyntax::Kind::inferred: return {};
    case TypeSyntax::Kind::reference: {
      Ty const inner = type(syntax->inner, scope);
      if (!inner || !syntax->is_mut) return inner;
      auto t = std::make_shared<TypeOf>(*inner);
      t->is_mut = true;
      return t;
    }
    case TypeSyntax::Kind::tuple: {
      auto t = made(TypeOf::Kind::tuple);
      for (const TypeSyntax* each : syntax->items) t->items.push_back(type(each, scope));
      return t;
    }
    case TypeSyntax::Kind::array: {
      auto t = made(TypeOf::Kind::array);
      t->element = type(syntax->inner, scope);
      if (syntax->value != nullptr) t->length = integer(evaluate(syntax->value, scope), syntax->value->span, "the length of an array");
      return t;
    }
    case TypeSyntax::Kind::constant: {
      auto t = made(TypeOf::Kind::constant);
      t->value = std::make_shared<const RustValue>(evaluate(syntax->value, scope));
      return t;
    }
    case TypeSyntax::Kind::macro: return macro_type(syntax, scope);
    case TypeSyntax::Kind::path: return path_type(syntax, scope);
    case TypeSyntax::Kind::never:
    case TypeSyntax::Kind::other: break;
  }
  auto t = made(TypeOf::Kind::other);
  t->name = syntax->span.text().substr(0, 60);
  return t;
}

Ty Evaluator::macro_type(const TypeSyntax* syntax, Scope& scope) {
  std::string_view const name = syntax->path.last().name;
  if (name == "m") return type_of_mapping(share(mapping(syntax->body, scope)));
  const Item* const rules = tree_.find_rules(*scope.module, name);
  if (rules == nullptr) unknown_name(name, syntax->path.span, "the macro", scope);
  Parser parser(tree_.arena, range_of(tree_.expanded(*rules, syntax->body, syntax->span)));
  return type(parser.type_to_end(), scope);
}

Ty Evaluator::path_type(const TypeSyntax* syntax, Scope& scope) {
  const Path& path = syntax->path;
  if (path.self != nullptr) return associated_type(type(path.self, scope), path, scope, syntax->span);
  if (path.segments.size() > 1 && scope.find_type(path.segments[0].name) != nullptr)
    return associated_type(owner_of(path, scope), path, scope, syntax->span);
  if (path.segments.size() == 1)
    if (Scope::Binding* const b = scope.find_type(path.last().name)) {
      if (b->type) return b->type;
      if (b->syntax != nullptr) return type(b->syntax, *b->where);
      return {};
    }
  KnownName const entry = tree_.find(*scope.module, words_of(path), Namespace::type);
  if (entry && entry.kind != KnownName::Kind::external) {
    Ty const t = entry_type(entry, path.last().arguments, scope, syntax->span);
    bool const fewer = t && t->kind == TypeOf::Kind::structure && t->items.size() < t->item->generics.size();
    if (!fewer) return t;
    auto whole_type = std::make_shared<TypeOf>(*t);  // with the defaults of its generics
    Scope defaults(t->module);
    for (std::size_t i = t->items.size(); i < t->item->generics.size() && t->item->generics[i].otherwise != nullptr; ++i)
      whole_type->items.push_back(type(t->item->generics[i].otherwise, defaults));
    return whole_type;
  }
  if (path.segments.size() > 1)
    if (Ty const owner = owner_of(path, scope)) return associated_type(owner, path, scope, syntax->span);
  std::string_view const name = entry ? entry.name : path.last().name;
  if (Ty const vendor = vendor_type(name, path.last().arguments, scope, syntax->span)) return vendor;
  if (entry || path.segments.size() > 1) {  // of another crate
    auto t = made(TypeOf::Kind::other);
    t->name = name;
    return t;
  }
  // A constant may stand where a type may: Tile::<N>.
  if (path.is_word() && (variable(name, path.last().mark, scope) != nullptr || tree_.find(*scope.module, name, Namespace::value))) {
    Expr& e = tree_.arena.make<Expr>();
    e.kind = Expr::Kind::path;
    e.span = syntax->span;
    e.path = path;
    auto t = made(TypeOf::Kind::constant);
    t->value = std::make_shared<const RustValue>(evaluate(&e, scope));
    return t;
  }
  if (in_mapping_) unknown_axis(name, syntax->span, scope);
  unknown_name(name, syntax->span, "the type", scope);
}

/// A name that is nearly one of the crate's types, or of the vendor's, is a slip of the pen.
void Evaluator::check_spelling_of(std::string_view name, const Span& span, Scope& scope) {
  std::size_t const most = name.size() < 4 ? 0 : name.size() < 7 ? 1 : 2;
  auto const is_near = [&](std::string_view known) { return edit_distance(name.substr(0, 60), known.substr(0, 60)) <= most; };
  bool near = is_near("Context") || is_near("Device");
  for (const TensorName& t : tensor_names) near |= is_near(t.name);
  for (const ModuleScope* m = scope.module; m != nullptr; m = m->lexical)
    for (auto const& [known, entry] : m->types) near |= is_near(known);
  if (near) unknown_name(name, span, "the type", scope);
}

/// A parameter's type as far as it says something: of a name of the vendor's that is not known here, the argument does.
Ty Evaluator::parameter_type(const TypeSyntax* syntax, Scope& scope) {
  if (syntax == nullptr || !knows(syntax, scope)) return {};
  const TypeSyntax* inner = syntax;
  while (inner->kind == TypeSyntax::Kind::reference) inner = inner->inner;
  if (inner->kind == TypeSyntax::Kind::path && inner->path.is_word() && scope.find_type(inner->path.last().name) == nullptr &&
      !tree_.find(*scope.module, inner->path.last().name, Namespace::type) &&
      !vendor_type(inner->path.last().name, {}, scope, inner->span)) {
    check_spelling_of(inner->path.last().name, inner->span, scope);
    return {};
  }
  return type(syntax, scope);
}

/// Inside of m![...] a name is an axis or a mapping: those that there are say more than a name that looks like it.
void Evaluator::unknown_axis(std::string_view name, const Span& span, Scope& scope) {
  if (auto const skipped = tree_.passed_over.helpers.find(name); skipped != tree_.passed_over.helpers.end()) throw skipped->second;
  std::string best, axes;
  std::size_t distance = name.size() < 3 ? 1 : name.size() < 5 ? 2 : 3;
  auto const look = [&](std::string_view candidate) {
    std::size_t const d = edit_distance(name.substr(0, 60), candidate.substr(0, 60));
    if (d < distance && candidate != name) distance = d, best = candidate;
  };
  std::set<const ModuleScope*> seen;
  auto const look_in = [&](const ModuleScope& m) {
    if (!seen.insert(&m).second) return;
    for (auto const& [n, e] : m.types) {
      look(n);
      if (e.kind == KnownName::Kind::axis && axes.size() < 80) axes += (axes.empty() ? "" : ", ") + std::string(n);
    }
  };
  for (Scope* s = &scope; s != nullptr; s = s->parent)
    for (auto const& [n, b] : s->types)
      if (n != "return") look(n);
  for (ModuleScope* m = scope.module; m != nullptr; m = m->lexical) {
    look_in(*m);
    for (const UseLeaf& use : m->uses) {
      if (!use.name.empty()) look(use.name);
      else if (const ModuleScope* const glob = tree_.module_of(*m, use)) look_in(*glob);
    }
  }
  std::string const shown(name.substr(0, 60));
  std::string help = "declare it: axes![" + shown + " = size]" + (axes.empty() ? "" : "; the axes here are " + axes);
  if (!best.empty()) help = "did you mean `" + best + "`?" + (axes.empty() ? "" : " The axes here are " + axes);
  if (std::string const elsewhere = declared_elsewhere(*scope.module, name); !elsewhere.empty())
    help = "bring it in: use " + elsewhere + ";";
  fail(Wrong::unknown_name, span, "the axis or mapping `" + shown + "` is not known here",
       "m![...] is made of axes that axes![...] declares, of types that stand for mappings, and of numbers", help);
}

void Evaluator::bind_arguments(const Item& item, const std::vector<const TypeSyntax*>& arguments, Scope& from, Scope& to) {
  if (arguments.size() > item.generics.size())
    fail(Wrong::arguments, arguments[item.generics.size()]->span,
         "`" + std::string(item.name) + "` has " +
             (item.generics.empty() ? std::string("no generics")
                                    : std::to_string(item.generics.size()) + (item.generics.size() == 1 ? " generic" : " generics")) +
             ", and " + std::to_string(arguments.size()) + (arguments.size() == 1 ? " is" : " are") + " given",
         "each argument is for one generic of the declaration", "leave the others out");
  for (std::size_t i = 0; i < item.generics.size(); ++i) {
    Scope::Binding b;
    b.generic = true;
    if (i < arguments.size() && arguments[i]->kind != TypeSyntax::Kind::inferred) {
      b.syntax = arguments[i];
      b.where = &from;
    }
    to.types[item.generics[i].name] = b;
  }
}

Ty Evaluator::entry_type(const KnownName& entry, const std::vector<const TypeSyntax*>& arguments, Scope& scope, const Span& span) {
  if (entry.kind == KnownName::Kind::axis) return type_of_mapping(share(axis(entry)));
  if (entry.kind == KnownName::Kind::module)
    fail(Wrong::unknown_name, span, "this is a module and no type", "a type is needed here", "name a type of the module: module::Type");
  const Item& item = *entry.item;
  if (item.kind == Item::Kind::alias) {
    if (item.type == nullptr) return {};
    Scope inner(entry.module);
    bind_arguments(item, arguments, scope, inner);
    for (std::size_t i = arguments.size(); i < item.generics.size(); ++i)
      if (Scope::Binding& b = inner.types[item.generics[i].name]; item.generics[i].otherwise != nullptr)
        b.syntax = item.generics[i].otherwise, b.where = &inner;
    for (const GenericParameter& g : item.generics) {
      Scope::Binding& b = inner.types[g.name];
      if (b.syntax != nullptr) b.type = type(std::exchange(b.syntax, nullptr), *b.where);
    }
    Once const once(evaluating_, item, span);
    return type(item.type, inner);
  }
  if (item.kind == Item::Kind::structure && arguments.size() > item.generics.size())
    bind_arguments(item, arguments, scope, scope);  // which refuses that
  auto t = made(item.kind == Item::Kind::structure ? TypeOf::Kind::structure : TypeOf::Kind::other);
  t->item = &item;
  t->module = entry.module;
  t->name = item.name;
  for (const TypeSyntax* a : arguments) t->items.push_back(type(a, scope));
  return t;
}

Ty Evaluator::vendor_type(std::string_view name, const std::vector<const TypeSyntax*>& arguments, Scope& scope, const Span& span) {
  auto const mapping_at = [&](std::size_t i, const char* level) -> MappingPtr {
    if (i >= arguments.size()) return {};
    Ty const t = type(arguments[i], scope);
    if (!t) return {};
    if (t->kind == TypeOf::Kind::mapping) return t->mapping;
    fail(Wrong::type_mismatch, arguments[i]->span,
         std::string(level) + " of " + std::string(name) + " is a mapping, and this is " + in_words(t),
         "a tensor has one mapping on each level", "write it as m![...], or as a type that stands for one");
  };
  if (const TensorName* const tensor = tensor_name(name)) {
    auto t = made(TypeOf::Kind::tensor);
    t->memory = tensor->memory;
    t->is_mut = tensor->is_mut;
    if (!arguments.empty()) {
      t->element = type(arguments[0], scope);
      if (t->element && t->element->kind == TypeOf::Kind::number && t->element->number == NumberType::u8)
        fail(Wrong::unsupported, arguments[0]->span, "u8 is not an element type of tensors on the device",
             "only tensors of the host and tables have it", "use i8, and take its bits as they are");
      if (t->element && t->element->kind != TypeOf::Kind::scalar)
        fail(Wrong::type_mismatch, arguments[0]->span,
             "the elements of a tensor are scalars of the chip, and this is " +
                 (t->element->kind == TypeOf::Kind::number ? name_of_number(t->element->number) : in_words(t->element)),
             "the first argument of a tensor's type is what it holds",
             "write one of i4, i8, i16, i32, f8e4m3, f8e5m2, bf16, f16 and f32 first");
    }
    std::size_t next = 1;
    for (auto const& level : tensor->levels)
      if (level) t->level[static_cast<std::size_t>(*level)] = mapping_at(next++, name_of(*level));
    if (arguments.size() > next || (!arguments.empty() && arguments.size() < next)) {
      std::string form = std::string(name) + "<D";
      for (auto const& level : tensor->levels)
        if (level) form += std::string(", ") + name_of(*level);
      fail(Wrong::arguments, span,
           std::string(name) + " takes " + std::to_string(next) + " arguments, and " + std::to_string(arguments.size()) +
               (arguments.size() == 1 ? " is given" : " are given"),
           "one scalar, then one mapping for each level", "write " + form + ">");
    }
    return t;
  }
  if (is_stream_name(name)) {
    auto t = made(TypeOf::Kind::stream);
    auto const first = first_level_of(arguments);
    if (!first) return t;
    t->element = type(arguments[*first - 1], scope);
    for (std::size_t i = 0; i < std::size(stream_levels); ++i)
      t->level[static_cast<std::size_t>(stream_levels[i])] = mapping_at(*first + i, name_of(stream_levels[i]));
    return t;
  }
  if (auto const scalar = parse_scalar_type(name, quietly)) return type_of_scalar(*scalar);
  if (auto const number = number_type(name)) {
    auto t = made(TypeOf::Kind::number);
    t->number = *number;
    return t;
  }
  if (name == "bool") return made(TypeOf::Kind::boolean);
  for (std::string_view context :
       {"Context", "Device", "Tdma", "TensorDma", "DmaContext", "Pdma", "TuContext", "MainContext", "SubContext"}) {
    if (name != context) continue;
    constexpr int device_since = 8;
    auto const edition = this->edition();
    if (edition && name == (*edition < device_since ? "Device" : "Context"))
      fail(Wrong::edition, span, "edition " + edition_name(*edition) + " has no `" + std::string(name) + "`",
           "Cargo.toml asks for that edition, and names changed between editions",
           *edition < device_since ? "`Device` is `Context` before 0.8" : "`Context` is `Device` since 0.8");
    return made(TypeOf::Kind::context);
  }
  for (std::string_view wrapper : {"BitReq",
                                   "TagMode",
                                   "TagGuard",
                                   "BranchMode",
                                   "Cmp",
                                   "SwitchConfig",
                                   "FxpBinaryOp",
                                   "FpBinaryOp",
                                   "FpUnaryOp",
                                   "ClipBinaryOpF32",
                                   "ClipBinaryOpI32",
                                   "LaneMode",
                                   "char",
                                   "Option",
                                   "Result",
                                   "Vec",
                                   "Box",
                                   "Rc",
                                   "Arc",
                                   "String",
                                   "str",
                                   "PhantomData",
                                   "Self"})
    if (name == wrapper) {
      auto t = made(TypeOf::Kind::other);
      t->name = name;
      return t;
    }
  if (name == "HbmScalar") {
    auto t = made(TypeOf::Kind::launch_scalar);
    if (!arguments.empty()) t->element = type(arguments[0], scope);
    return t;
  }
  return {};
}

// Axes and mappings.

std::string Evaluator::axis_name(const KnownName& entry) {
  auto const known = axes_.find({entry.module, entry.name});
  if (known != axes_.end()) return known->second;
  // A mapping keeps 16 characters of a name, and axes of two modules are two axes, whatever they are called.
  std::string name(entry.name.substr(0, Name::max_length));
  for (int i = 2; !axis_names_.insert(name).second; ++i) {
    std::string const number = std::to_string(i);
    name = std::string(entry.name.substr(0, Name::max_length - 1 - number.size())) + "_" + number;
  }
  return axes_[{entry.module, entry.name}] = name;
}

Mapping Evaluator::axis(const KnownName& entry) {
  Scope scope(entry.module);
  Parser parser(tree_.arena, entry.size);
  std::int64_t const size = integer(evaluate(parser.expression_to_end(), scope), entry.span, "the size of an axis");
  Mapping const m = dyn::axis(axis_name(entry), size);
  if (!m.ok()) throw Mistake{refusal_of(m, where(entry.span)), entry.span};
  return m;
}

/// m![…]: the notation of the book, over the names of the scope.
class MappingReader {
 public:
  MappingReader(Evaluator& evaluator, const TokenRange& tokens, Scope& scope)
      : evaluator_(evaluator), tokens_(tokens), parser_(evaluator.tree_.arena, tokens), scope_(scope) {}

  Mapping whole(int depth) {
    depth_ = depth;
    if (depth > 40)
      Evaluator::fail(Wrong::too_deep, tokens_.span(), "this mapping nests more than 40 levels deep", "the reader keeps a fixed room",
                      "give the inner part a name with type");
    if (tokens_.empty())
      Evaluator::fail(Wrong::syntax, tokens_.span(), "m![] has no factors", "a mapping has at least one position", "write m![1]");
    Mapping all = item();
    while (parser_.take(",")) {
      if (parser_.done()) break;
      all = checked(pair(all, item()), tokens_.span());
    }
    if (!parser_.done()) parser_.fail("an operator of mappings (/ % # = @), a comma or the end");
    return all;
  }

 private:
  static Mapping checked(const Mapping& m, const Span& span) {
    if (!m.ok()) throw Mistake{refusal_of(m, where(span)), span};
    return m;
  }
  Span since(std::size_t begin) const {
    std::size_t const end = parser_.position();
    return end > begin ? Span::over(tokens_[begin].span, tokens_[end - 1].span) : tokens_.closing;
  }

  Mapping item() {
    std::size_t const begin = parser_.position();
    Mapping m = primary();
    while (!parser_.done()) {
      if (parser_.take("/")) {
        std::int64_t const n = number();
        m = checked(m / n, since(begin));
      } else if (parser_.take("%")) {
        std::int64_t const n = number();
        m = checked(m % n, since(begin));
      } else if (parser_.take("=")) {
        std::int64_t const n = number();
        m = checked(m.resize(n), since(begin));
      } else if (parser_.take("@")) {
        std::int64_t const n = number();
        m = checked(m.from(n), since(begin));
      } else if (parser_.take("#")) {
        Pad kind = Pad::top;
        if (parser_.is("{") && (parser_.is("!", 1) || parser_.peek(1).text == "0") && parser_.is("}", 2)) {
          kind = parser_.is("!", 1) ? Pad::bottom : Pad::zero;
          parser_.go_to(parser_.position() + 3);
        }
        std::int64_t const n = number();
        m = checked(pad_to(m, n, kind), since(begin));
      } else {
        break;
      }
    }
    return m;
  }

  /// W:2, Fw
  Mapping window(int depth) {
    depth_ = depth;
    constexpr int most = 8;
    Slide member[most];
    int n = 0;
    do {
      if (n == most)
        Evaluator::fail(Wrong::too_deep, tokens_.span(), "a window slides more than " + std::to_string(most) + " members",
                        "a window is kept in a fixed room", "slide fewer axes at once");
      Mapping const part = item();
      std::int64_t const step = parser_.take(":") ? number() : 1;
      member[n++] = {part, step};
    } while (parser_.take(","));
    if (!parser_.done()) parser_.fail("a comma or the end of the window");
    return slide_over(member, n);
  }
  Mapping inside(const TokenRange& range) { return MappingReader(evaluator_, range, scope_).whole(depth_ + 1); }

  Mapping primary() {
    std::size_t const begin = parser_.position();
    if (parser_.peek().kind == TokenKind::number) {
      std::int64_t const n = number();
      return checked(copies(n), since(begin));
    }
    if (parser_.is("[") || parser_.is("(")) {
      TokenRange const range = parser_.group();
      return inside(range);
    }
    if (parser_.is("{")) {
      TokenRange const range = parser_.group();
      return braced(range);
    }
    if (parser_.take("$")) {
      if (!parser_.is("(")) parser_.fail("a window, $(W:2, Fw)");
      TokenRange const range = parser_.group();
      return checked(MappingReader(evaluator_, range, scope_).window(depth_ + 1), since(begin));
    }
    if (parser_.peek().kind != TokenKind::identifier && !parser_.is("<") && !parser_.is("::"))
      parser_.fail("an axis, a mapping or a number");
    const TypeSyntax* const syntax = parser_.type();
    return of_type(syntax);
  }

  Mapping of_type(const TypeSyntax* syntax) {
    struct Inside {
      bool& flag;
      bool before;
      explicit Inside(bool& f) : flag(f), before(std::exchange(f, true)) {}
      ~Inside() { flag = before; }
    } const inside_mapping(evaluator_.in_mapping_);
    Ty const t = evaluator_.type(syntax, scope_);
    if (t && t->kind == TypeOf::Kind::mapping) return *t->mapping;
    if (t && t->kind == TypeOf::Kind::constant)
      return checked(copies(evaluator_.integer(*t->value, syntax->span, "a factor")), syntax->span);
    if (!t)
      Evaluator::fail(Wrong::type_needed, syntax->span,
                      "nothing says which mapping `" + std::string(syntax->span.text().substr(0, 60)) + "` is",
                      "a generic is bound by the types of the arguments, or by the call", "name it in the call: function::<m![...]>(...)");
    Evaluator::fail(Wrong::type_mismatch, syntax->span, "a mapping is needed here, and this is " + in_words(t),
                    "m![...] is made of axes, mappings and numbers", "name an axis, or a type that stands for a mapping");
  }

  static bool computes(const TokenRange& range) {
    for (const Token& t : range)
      if (t.is('+') || t.is('-') || t.is('*')) return true;
    return false;
  }
  /// A mapping that is spliced in, or a number that is computed.
  Mapping braced(const TokenRange& range) {
    if (!range.empty() && !computes(range)) {
      try {
        Parser parser(evaluator_.tree_.arena, range);
        const TypeSyntax* const syntax = parser.type_to_end();
        bool const names_size = syntax->kind == TypeSyntax::Kind::path && syntax->path.last().name == "SIZE";
        if (!names_size) return of_type(syntax);
      } catch (const Mistake& m) {
        if (std::string_view(m.refusal.code) != "rust-syntax") throw;
      }
    }
    return checked(copies(computed(range)), range.span());
  }
  std::int64_t computed(const TokenRange& range) {
    Parser parser(evaluator_.tree_.arena, range);
    const Expr* const e = parser.expression_to_end();
    return evaluator_.integer(evaluator_.evaluate(e, scope_), e->span, "a number of a mapping");
  }

  /// Behind an operator: a literal, a constant, { an expression }, or the size of a mapping.
  std::int64_t number() {
    std::size_t const begin = parser_.position();
    if (parser_.peek().kind == TokenKind::number) {
      const Expr* const e = parser_.literal_expression();
      return evaluator_.integer(evaluator_.evaluate(e, scope_), e->span, "a number of a mapping");
    }
    if (parser_.is("{")) {
      TokenRange const range = parser_.group();
      return computed(range);
    }
    if (parser_.is("(")) {
      TokenRange const range = parser_.group();
      return computes(range) || (range.size() == 1 && range[0].kind == TokenKind::number) ? computed(range) : inside(range).size;
    }
    if (parser_.peek().kind != TokenKind::identifier && !parser_.is("<")) parser_.fail("a number");
    const TypeSyntax* const syntax = parser_.type();
    if (syntax->kind == TypeSyntax::Kind::path &&
        (syntax->path.self != nullptr || syntax->path.last().name == "SIZE" || is_value(syntax->path))) {
      Expr& e = evaluator_.tree_.arena.make<Expr>();
      e.kind = Expr::Kind::path;
      e.span = since(begin);
      e.path = syntax->path;
      return evaluator_.integer(evaluator_.evaluate(&e, scope_), e.span, "a number of a mapping");
    }
    return of_type(syntax).size;
  }
  bool is_value(const Path& path) {
    if (path.is_word() && evaluator_.variable(path.last().name, path.last().mark, scope_) != nullptr) return true;
    if (path.is_word() && scope_.find_type(path.last().name) != nullptr) return false;
    KnownName const e = evaluator_.tree_.find(*scope_.module, words_of(path), Namespace::value);
    return e.kind == KnownName::Kind::item && e.item->kind == Item::Kind::constant;
  }

  Evaluator& evaluator_;
  TokenRange tokens_;
  Parser parser_;
  Scope& scope_;
  int depth_ = 0;
};

Mapping Evaluator::mapping(const TokenRange& tokens, Scope& scope) { return MappingReader(*this, tokens, scope).whole(0); }

// Generics.

void Evaluator::unify(const TypeSyntax* syntax, const Ty& with, Scope& scope, int depth) {
  if (syntax == nullptr || !with || depth > 30) return;
  switch (syntax->kind) {
    case TypeSyntax::Kind::reference: return unify(syntax->inner, with, scope, depth + 1);
    case TypeSyntax::Kind::tuple:
      if (with->kind == TypeOf::Kind::tuple)
        for (std::size_t i = 0; i < syntax->items.size() && i < with->items.size(); ++i)
          unify(syntax->items[i], with->items[i], scope, depth + 1);
      return;
    case TypeSyntax::Kind::array: {
      if (with->kind != TypeOf::Kind::array) return;
      unify(syntax->inner, with->element, scope, depth + 1);
      if (syntax->value == nullptr || syntax->value->kind != Expr::Kind::path || !syntax->value->path.is_word() || !with->length) return;
      Scope::Binding* const b = scope.find_type(syntax->value->path.last().name);
      if (b == nullptr || b->type || b->syntax != nullptr) return;
      auto t = made(TypeOf::Kind::constant);
      t->value = std::make_shared<const RustValue>(whole(*with->length, NumberType::usize));
      b->type = t;
      return;
    }
    case TypeSyntax::Kind::macro: {  // m![S], m![{ S }]
      if (syntax->path.last().name != "m" || with->kind != TypeOf::Kind::mapping) return;
      TokenRange body = syntax->body;
      if (body.size() == 3 && body[0].is('{')) body = {body.first + 1, body.last - 1, body.closing};
      if (body.size() != 1 || body[0].kind != TokenKind::identifier) return;
      Scope::Binding* const b = scope.find_type(body[0].text);
      if (b == nullptr || b->type) return;
      if (b->syntax != nullptr) return unify(b->syntax, with, *b->where, depth + 1);
      b->type = with;
      return;
    }
    case TypeSyntax::Kind::path: return unify_path(syntax, with, scope, depth);
    default: return;
  }
}

void Evaluator::unify_path(const TypeSyntax* syntax, const Ty& with, Scope& scope, int depth) {
  const Path& path = syntax->path;
  if (path.self != nullptr) return;
  if (path.segments.size() == 1)
    if (Scope::Binding* const b = scope.find_type(path.last().name)) {
      if (b->type) return;
      if (b->syntax != nullptr) return unify(b->syntax, with, *b->where, depth + 1);
      b->type = with;
      return;
    }
  const auto& arguments = path.last().arguments;
  KnownName const entry = tree_.find(*scope.module, words_of(path), Namespace::type);
  if (entry.kind == KnownName::Kind::item && entry.item->kind == Item::Kind::alias) {
    Scope inner(entry.module);
    bind_arguments(*entry.item, arguments, scope, inner);
    return unify(entry.item->type, with, inner, depth + 1);
  }
  if (entry.kind == KnownName::Kind::item && with->kind == TypeOf::Kind::structure) {
    for (std::size_t i = 0; i < arguments.size() && i < with->items.size(); ++i) unify(arguments[i], with->items[i], scope, depth + 1);
    return;
  }
  std::string_view const name = entry ? entry.name : path.last().name;
  const TensorName* const tensor = tensor_name(name);
  if (tensor != nullptr && with->kind == TypeOf::Kind::tensor) {
    if (!arguments.empty()) unify(arguments[0], with->element, scope, depth + 1);
    std::size_t next = 1;
    for (auto const& level : tensor->levels) {
      if (!level || next >= arguments.size()) break;
      const MappingPtr& m = with->level[static_cast<std::size_t>(*level)];
      if (m) unify(arguments[next], type_of_mapping(m), scope, depth + 1);
      ++next;
    }
    return;
  }
  if (with->kind != TypeOf::Kind::stream) return;
  auto const first = first_level_of(arguments);
  if (!first) return;
  for (std::size_t i = 0; i + 1 < *first; ++i) unify(arguments[i], made(TypeOf::Kind::other), scope, depth + 1);  // const T: Tu
  unify(arguments[*first - 1], with->element, scope, depth + 1);
  for (std::size_t i = 0; i < std::size(stream_levels); ++i)
    if (const MappingPtr& m = with->level[static_cast<std::size_t>(stream_levels[i])])
      unify(arguments[*first + i], type_of_mapping(m), scope, depth + 1);
}

/// Whether all generics in a number that a type has in it are bound: [T; N * 2].
bool Evaluator::knows_number(const Expr* e, Scope& scope) {
  if (e == nullptr) return true;
  if (e->kind == Expr::Kind::path && e->path.is_word()) {
    Scope::Binding* const b = scope.find_type(e->path.last().name);
    return b == nullptr || !b->generic || b->type != nullptr || b->syntax != nullptr;
  }
  if (e->kind == Expr::Kind::block && e->body->statements.empty()) return knows_number(e->body->tail, scope);
  return knows_number(e->left, scope) && knows_number(e->right, scope);
}

/// Whether all generics in a type are bound.
bool Evaluator::knows(const TypeSyntax* syntax, Scope& scope, int depth) {
  if (syntax == nullptr || depth > 30) return true;
  switch (syntax->kind) {
    case TypeSyntax::Kind::reference: return knows(syntax->inner, scope, depth + 1);
    case TypeSyntax::Kind::constant: return knows_number(syntax->value, scope);
    case TypeSyntax::Kind::array: return knows(syntax->inner, scope, depth + 1) && knows_number(syntax->value, scope);
    case TypeSyntax::Kind::tuple:
      for (const TypeSyntax* each : syntax->items)
        if (!knows(each, scope, depth + 1)) return false;
      return true;
    case TypeSyntax::Kind::macro:
      for (const Token& t : syntax->body) {
        if (t.kind != TokenKind::identifier) continue;
        Scope::Binding* const b = scope.find_type(t.text);
        if (b != nullptr && b->generic && !b->type && b->syntax == nullptr) return false;
      }
      return true;
    case TypeSyntax::Kind::path: {
      if (syntax->path.segments.size() == 1)
        if (Scope::Binding* const b = scope.find_type(syntax->path.last().name)) return b->type != nullptr || b->syntax != nullptr;
      if (syntax->path.self != nullptr && !knows(syntax->path.self, scope, depth + 1)) return false;
      if (syntax->path.segments.size() > 1)  // C::Slice
        if (Scope::Binding* const b = scope.find_type(syntax->path.segments[0].name)) return b->type != nullptr || b->syntax != nullptr;
      for (const TypeSyntax* each : syntax->path.last().arguments)
        if (!knows(each, scope, depth + 1)) return false;
      return true;
    }
    default: return true;
  }
}

// Values and their types.

Ty Evaluator::type_of(const RustValue& v) {
  const RustValue& p = plain(v);
  if (const auto* const t = p.as<TensorValue>()) {
    auto out = made(TypeOf::Kind::tensor);
    out->memory = t->tensor.memory();
    out->element = type_of_scalar(t->tensor.type());
    Levels const levels = t->tensor.levels();
    for (int l = 0; l < level_count; ++l) out->level[static_cast<std::size_t>(l)] = share(levels.at[l]);
    return out;
  }
  if (const auto* const s = p.as<std::shared_ptr<StreamState>>()) {
    auto out = made(TypeOf::Kind::stream);
    const StreamState& state = **s;
    out->element = type_of_scalar(state.stream ? state.stream->type() : state.fetch_pending ? state.fetch_type : state.source_type);
    const Levels& levels = state.stream ? state.stream->levels() : state.source;
    for (Level l : stream_levels) out->level[static_cast<std::size_t>(l)] = share(levels[l]);
    auto const at = [&](Level l) -> MappingPtr& { return out->level[static_cast<std::size_t>(l)]; };
    if (!state.stream && state.fetch_pending) at(Level::time) = state.fetch_time, at(Level::packet) = state.fetch_packet;
    else if (!state.stream) at(Level::packet) = share(state.source[Level::element]);  // of what is begun with, Element is the packet
    return out;
  }
  if (const auto* const a = p.as<Aggregate>()) {
    auto out = made(a->kind == Aggregate::Kind::tuple   ? TypeOf::Kind::tuple
                    : a->kind == Aggregate::Kind::array ? TypeOf::Kind::array
                                                        : TypeOf::Kind::structure);
    out->item = a->item;
    out->module = a->module;
    if (a->item != nullptr) out->name = a->item->name;
    if (a->type) return a->type;
    if (a->kind == Aggregate::Kind::tuple)
      for (const RustValue& each : a->items) out->items.push_back(each.as<Deferred>() != nullptr ? Ty{} : type_of(each));
    if (a->kind == Aggregate::Kind::array) {
      out->length = static_cast<std::int64_t>(a->items.size());
      if (!a->items.empty()) out->element = type_of(a->items[0]);
    }
    if (a->kind == Aggregate::Kind::structure && a->item != nullptr && !a->item->generics.empty()) {
      Scope scope(a->module);
      bind_arguments(*a->item, {}, scope, scope);
      for (std::size_t i = 0; i < a->items.size() && i < a->item->fields.size(); ++i)
        unify(a->item->fields[i].type, type_of(a->items[i]), scope);
      for (const GenericParameter& g : a->item->generics) out->items.push_back(scope.types[g.name].type);
    }
    return out;
  }
  if (const auto* const n = p.as<Number>()) {
    if (n->type == NumberType::f32) return type_of_scalar(ScalarType::f32);
    auto out = made(TypeOf::Kind::number);
    out->number = n->type;
    return out;
  }
  if (p.as<bool>() != nullptr) return made(TypeOf::Kind::boolean);
  if (p.as<ContextPart>() != nullptr) return made(TypeOf::Kind::context);
  if (const auto* const n = p.as<Named>(); n != nullptr && n->item != nullptr) {
    auto out = made(TypeOf::Kind::other);
    out->item = n->item;
    out->module = n->module;
    out->name = n->item->name;
    return out;
  }
  if (p.as<std::shared_ptr<ClosureValue>>() != nullptr) {
    auto out = made(TypeOf::Kind::other);
    out->name = "a closure";
    return out;
  }
  if (const auto* const e = p.as<ScalarElement>()) return type_of_scalar(e->type);
  return {};
}

std::string Evaluator::difference(const Ty& is, const Ty& wanted) const {
  if (is->memory != wanted->memory && wanted->kind == TypeOf::Kind::tensor)
    return "the tensor is in " + std::string(name_of(is->memory)) + ", and the type says " + name_of(wanted->memory);
  if (is->element && wanted->element && wanted->element->kind == TypeOf::Kind::scalar && is->element->scalar != wanted->element->scalar)
    return std::string("the elements are ") + scalar_info(is->element->scalar).name + ", and the type says " +
           scalar_info(wanted->element->scalar).name;
  for (int l = 0; l < level_count; ++l) {
    const MappingPtr &a = is->level[static_cast<std::size_t>(l)], &b = wanted->level[static_cast<std::size_t>(l)];
    if (!a || !b || *a == *b || without_kinds(*a) == without_kinds(*b)) continue;
    return std::string(name_of(static_cast<Level>(l))) + " is " + text_of(*a) + ", and the type says " + text_of(*b);
  }
  return {};
}

/// Numbers and bools are not converted by themselves; the chip's narrow scalars have literals of any number.
void Evaluator::check_number(const RustValue& v, const Ty& wanted, const Span& span) {
  bool const scalar = wanted->kind == TypeOf::Kind::scalar, number = wanted->kind == TypeOf::Kind::number;
  bool const rust_scalar = scalar && (wanted->scalar == ScalarType::f32 || wanted->scalar == ScalarType::i32 ||
                                      wanted->scalar == ScalarType::i16 || wanted->scalar == ScalarType::i8);
  bool const boolean = wanted->kind == TypeOf::Kind::boolean;
  if (!number && !rust_scalar && !boolean) return;
  const Number* const n = v.as<Number>();
  bool const other = v.as<Unit>() != nullptr || v.as<TensorValue>() != nullptr || v.as<std::string>() != nullptr ||
                     v.as<std::shared_ptr<StreamState>>() != nullptr || v.as<ContextPart>() != nullptr;
  std::string const word = boolean ? "a bool" : scalar ? scalar_info(wanted->scalar).name : name_of_number(wanted->number);
  if (other || (n != nullptr && boolean) || (v.as<bool>() != nullptr && !boolean))
    fail(Wrong::type_mismatch, span, word + " is needed here, and this is " + in_words(v), "a type and its value belong together",
         "give " + word);
  if (n == nullptr) return;
  bool const floating = scalar ? wanted->scalar == ScalarType::f32 : wanted->number == NumberType::f64;
  if (floating != n->floating())
    fail(Wrong::type_mismatch, span, word + " is needed here, and this is " + in_words(v), "Rust converts nothing by itself",
         floating ? "write it with a fraction, or convert it with `as " + word + "`" : "convert it with `as " + word + "`");
  if (floating || n->type != NumberType::integer) return;
  NumberType const type = number                              ? wanted->number
                          : wanted->scalar == ScalarType::i32 ? NumberType::i32
                          : wanted->scalar == ScalarType::i16 ? NumberType::i16
                                                              : NumberType::i8;
  NumberRange const range = range_of(type);
  if (n->whole < range.least || n->whole > range.most)
    fail(Wrong::number, span, std::to_string(n->whole) + " is no number of " + word,
         word + " goes from " + std::to_string(range.least) + " to " + std::to_string(range.most), "use a wider type, or another number");
}

namespace {

/// Whether a value is none of a type that has parts, or a name of its own.
bool is_another(const RustValue& v, const TypeOf& wanted) {
  const auto* const a = v.as<Aggregate>();
  const auto* const n = v.as<Named>();
  const Item* const item = a != nullptr ? a->item : n != nullptr ? n->item : nullptr;
  bool const of_another = item != nullptr && wanted.item != nullptr && item->name != wanted.item->name;
  bool const single = v.as<Deferred>() != nullptr || v.as<ContextPart>() != nullptr || v.as<TensorValue>() != nullptr ||
                      v.as<Number>() != nullptr || v.as<bool>() != nullptr || v.as<std::shared_ptr<StreamState>>() != nullptr;
  switch (wanted.kind) {
    case TypeOf::Kind::context: return v.as<ContextPart>() == nullptr;
    case TypeOf::Kind::structure: return single || of_another || (a != nullptr && a->kind != Aggregate::Kind::structure);
    case TypeOf::Kind::array: return single || (a != nullptr && a->kind != Aggregate::Kind::array);
    case TypeOf::Kind::tuple: return !wanted.items.empty() && (single || (a != nullptr && a->kind != Aggregate::Kind::tuple));
    case TypeOf::Kind::other: return wanted.item != nullptr && wanted.item->kind == Item::Kind::enumeration && (single || of_another);
    default: return false;
  }
}

}  // namespace

RustValue Evaluator::fitted(RustValue v, const Ty& wanted, const Span& span) {
  if (!wanted) return v;
  if (const auto* const waiting = v.as<Deferred>(); waiting != nullptr && wanted->kind == TypeOf::Kind::tensor) {
    known_[waiting->site] = wanted;
    throw Restart{};
  }
  if (v.as<Reference>() != nullptr || v.as<Poisoned>() != nullptr) return v;
  bool const is_tensor = v.as<TensorValue>() != nullptr;
  if (is_another(v, *wanted))
    fail(
        Wrong::type_mismatch, span, in_words(wanted) + " is needed here, and this is " + in_words(v),
        "a type and its value belong together",
        "give " + in_words(wanted) + (wanted->kind == TypeOf::Kind::tuple ? " of " + std::to_string(wanted->items.size()) + " parts" : ""));
  if (v.as<Deferred>() != nullptr) return v;
  if (auto* const a = v.as<Aggregate>()) {
    if (a->kind == Aggregate::Kind::tuple && wanted->kind == TypeOf::Kind::tuple) {
      if (a->items.size() != wanted->items.size())
        fail(Wrong::type_mismatch, span,
             "the tuple has " + std::to_string(a->items.size()) + " parts, and its type " + std::to_string(wanted->items.size()),
             "a tuple and its type have the same number of parts", "write as many as the type has");
      for (std::size_t i = 0; i < a->items.size(); ++i) a->items[i] = fitted(std::move(a->items[i]), wanted->items[i], span);
    }
    if (a->kind == Aggregate::Kind::array && wanted->kind == TypeOf::Kind::array) {
      if (wanted->length && static_cast<std::int64_t>(a->items.size()) != *wanted->length)
        fail(Wrong::type_mismatch, span,
             "the array has " + std::to_string(a->items.size()) + " elements, and its type " + std::to_string(*wanted->length),
             "the length is part of an array's type", "write as many as the type has");
      for (RustValue& each : a->items) each = fitted(std::move(each), wanted->element, span);
    }
    bool const says_more = a->kind == Aggregate::Kind::structure && wanted->item == a->item && !a->type && !wanted->items.empty();
    if (says_more && wanted->items.size() == a->item->generics.size()) a->type = wanted;
    return v;
  }
  if (wanted->kind == TypeOf::Kind::tensor || wanted->kind == TypeOf::Kind::stream) {
    bool const is_stream = v.as<std::shared_ptr<StreamState>>() != nullptr;
    if (!is_tensor && !is_stream) {
      fail(Wrong::type_mismatch, span, in_words(wanted) + " is needed here, and this is " + in_words(v),
           "a type and its value belong together", "give " + in_words(wanted));
    }
    if (is_tensor != (wanted->kind == TypeOf::Kind::tensor))
      fail(Wrong::type_mismatch, span, in_words(wanted) + " is needed here, and this is " + in_words(v),
           "a stream becomes a tensor by commit, to_trf or to_vrf", "end the stream with its sink");
    std::string const differs = difference(type_of(v), wanted);
    if (!differs.empty())
      fail(Wrong::type_mismatch, span, differs, "types are mappings, and the value has another one",
           "correct the type, or move the value into that layout");
  }
  check_number(v, wanted, span);
  if (auto* const n = v.as<Number>()) {
    if (wanted->kind == TypeOf::Kind::scalar && wanted->scalar == ScalarType::f32 && n->type == NumberType::floating)
      n->type = NumberType::f32, n->real = n->single;
    if (wanted->kind == TypeOf::Kind::scalar && wanted->scalar == ScalarType::i32 && n->type == NumberType::integer)
      n->type = NumberType::i32;
    if (wanted->kind == TypeOf::Kind::number && (n->type == NumberType::integer || n->type == NumberType::floating) &&
        n->floating() == (wanted->number == NumberType::f64 || wanted->number == NumberType::floating)) {
      n->type = wanted->number;
      if (n->type == NumberType::f64) n->single = static_cast<float>(n->real);
    }
  }
  return v;
}

}  // namespace tcp::rust
