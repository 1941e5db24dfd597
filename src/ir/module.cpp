// Interning of mappings, and what follows from a module's tables: levels of a tensor, the tensor at the root of a
// view, addresses through views.
#include "tcp/ir/module.hpp"

#include <string_view>
#include <vector>

#include "ir/lives.hpp"
#include "tcp/rules/view.hpp"

namespace tcp::ir {

namespace {

/// A hash of the digits and axes, which nearly always tell two mappings apart.
std::uint64_t hash_of(const Mapping& m) {
  std::uint64_t h = 0xcbf29ce484222325u;
  auto const add = [&h](std::uint64_t v) { h = (h ^ v) * 0x100000001b3u; };
  add(static_cast<std::uint64_t>(m.size));
  for (int k = 0; k < m.digits; ++k) {
    add(static_cast<std::uint64_t>(m.digit[k].stride));
    add(static_cast<std::uint64_t>(m.digit[k].size));
    add(static_cast<std::uint64_t>(m.digit[k].slot));
  }
  for (int a = 0; a < m.axes; ++a) add(m.axis[a].name.head ^ m.axis[a].name.tail);
  return h;
}

}  // namespace

StageRecord plain_stage(StageKind kind) {
  switch (kind) {
#define TCP_STAGE(RECORD, ...)                              \
  case StageKind::RECORD:                                   \
    if constexpr (std::is_empty_v<RECORD>) return RECORD{}; \
    break;
#include "tcp/rules/stages.def"
  }
  TCP_BUG_UNLESS(false, "a stage with fields was made without them");
  return Collect{};
}

MapId Module::intern(const Mapping& m) {
  if (m == maps[0]) return {};
  std::vector<MapId>& alike = maps_by_hash[hash_of(m)];
  for (MapId id : alike)
    if (map(id) == m) return id;
  alike.push_back(maps.add(m));
  return alike.back();
}

Levels Module::levels(const Tensor& t) const {
  Levels l;
  l.set(Level::chip, map(t.chip)).set(Level::cluster, map(t.cluster)).set(Level::slice, map(t.slice));
  return l.set(Level::row, map(t.row)).set(Level::element, map(t.element));
}

Levels Module::levels(const Shape& s) const {
  Levels l;
  l.set(Level::chip, map(s.chip)).set(Level::cluster, map(s.cluster)).set(Level::slice, map(s.slice)).set(Level::row, map(s.row));
  return l.set(Level::time, map(s.time)).set(Level::packet, map(s.packet));
}

TensorId Module::root_of(TensorId id) const {
  while (tensor(id).view) id = tensor(id).view->tensor;
  return id;
}

bool Module::is_whole(TensorId id) const {
  for (; tensor(id).view; id = tensor(id).view->tensor)
    if (!tensor(id).view->renames()) return false;
  return true;
}

std::optional<std::int64_t> Module::address_of(TensorId id) const {
  std::int64_t bits = 0;
  for (; tensor(id).view; id = tensor(id).view->tensor) {
    auto const view = seen_by(*this, tensor(id));
    if (!view) return {};
    bits += view->offset * scalar_info(tensor(id).type).packet_bits;
  }
  if (!tensor(id).address) return {};
  return *tensor(id).address + bits / 8;
}

Place Module::first_unit(TensorId id) const {
  Place first;
  for (; tensor(id).view; id = tensor(id).view->tensor) {
    auto const view = seen_by(*this, tensor(id));
    if (!view) break;
    if (view->level == Level::chip) first.chip += view->units;
    if (view->level == Level::cluster) first.cluster += view->units;
    if (view->level == Level::slice) first.slice += view->units;
  }
  return first;
}

Expected<View> seen_by(const Module& module, const Tensor& view) {
  const Tensor& of = module.tensor(view.view->tensor);
  Levels const from = module.levels(of), to = module.levels(view);
  // A reshape may read the same bits as another type of the same width.
  bool const same_width = scalar_info(view.type).packet_bits == scalar_info(of.type).packet_bits;
  bool const readable = view.type == of.type || (view.view->kind == ViewOf::Kind::reshape && same_width);
  if (view.memory != of.memory || !readable)
    return refuse("ir-view-differs", view.at)
        .what("a view of ", view.type, " in ", view.memory, " looks at a tensor of ", of.type, " in ", of.memory)
        .why("a view is the tensor itself, seen otherwise")
        .help("give the view the tensor's type and memory");
  if (view.view->renames()) {
    auto const v = view.view->kind == ViewOf::Kind::reshape ? check_reshape(from, to, view.at) : check_relabel(from, to, view.at);
    if (!v) return v.refusal();
    return View{to[Level::element], 0, {}, 0};
  }
  bool const part = view.view->kind == ViewOf::Kind::tile;
  Level const tiled = part ? level_of_tile(from, module.map(view.view->dimension)) : Level::element;
  for (Level level : {Level::chip, Level::cluster, Level::slice, Level::row, Level::element})
    if (!(from[level] == to[level]) && level != tiled)
      return refuse("ir-view-levels", view.at)
          .what("a view has ", name_of(level), " ", to[level], "; its tensor has ", from[level])
          .why("a tile takes a part of the level that counts its dimension, and leaves the others alone")
          .help("keep ", name_of(level));
  if (view.view->kind == ViewOf::Kind::whole) {
    if (!equivalent(from[Level::element], to[Level::element]))
      return refuse("ir-view-element", view.at)
          .what("a view of all of a tensor has Element ", to[Level::element], "; the tensor has ", from[Level::element])
          .why("a whole view shows what is there")
          .help("make it a tile or a reshape");
    return View{to[Level::element], 0, {}, 0};
  }
  auto const tile = tile_of(from, module.map(view.view->dimension), view.view->length, view.view->start, to[tiled], view.at);
  if (tile && tile->offset * scalar_info(view.type).packet_bits % 8 != 0)
    return refuse("ir-view-inside-byte", view.at)
        .what("a tile of ", view.type, " begins ", tile->offset, " positions into its tensor, inside a byte")
        .why("addresses count bytes")
        .help("let the tile begin at an even position");
  return tile;
}

// Which line may name which tensor; what a line says is read in support/source_names.cpp.

namespace {

class Namer {
 public:
  Namer(Module& module, const LineReader& lines) : module_(module), lines_(lines) {}

  void run() {
    for (std::size_t i = 0; i < module_.arguments.size(); ++i)
      name_exchanged(module_.arguments[i], "argument", i, module_.arguments.size());
    for (std::size_t i = 0; i < module_.results.size(); ++i) name_exchanged(module_.results[i], "result", i, module_.results.size());
    for (const Command& c : module_.commands) std::visit([&](const auto& what) { name_ends(what, c.at); }, c.what);
  }

 private:
  Tensor& root(TensorId id) { return module_.tensors[module_.root_of(id)]; }

  /// A kernel in text form may well write the number of a tensor in the place of its name.
  bool written_as_number(TensorId id, Where at) const {
    return lines_(at.file, at.line).find("%" + std::to_string(id.number)) != std::string::npos;
  }
  void name_exchanged(TensorId id, const std::string& role, std::size_t position, std::size_t of) {
    Tensor& t = root(id);
    if (!t.name.empty() || written_as_number(id, t.at)) return;
    if (role == "argument") t.name = receiver_at(lines_, t.at.file, t.at.line);
    if (t.name.empty()) t.name = of == 1 ? role : role + " " + std::to_string(position);
  }

  void name_source(TensorId id, Where at) {
    if (Tensor& t = root(id); t.name.empty()) t.name = receiver_at(lines_, at.file, at.line);
  }
  /// The variable that the line sets, or the function that returns the tensor.
  void name_destination(TensorId id, Where at) {
    Tensor& t = root(id);
    if (!t.name.empty()) return;
    t.name = variable_at(lines_, at.file, at.line);
    if (!t.name.empty() || lines_(at.file, at.line).empty()) return;
    std::string function = short_function(at.function);
    if (constexpr std::string_view call = "::operator()"; function.ends_with(call)) function.resize(function.size() - call.size());
    t.name = function.substr(function.rfind(':') + 1);
  }

  void name_ends(const Pass& p, Where at) {
    for (TensorId id : p.source) name_source(id, at);
    if (p.stages.empty()) return;
    for (TensorId id : uses_of(p.stages.back().what).writes) name_destination(id, at);
  }
  void name_ends(const Transfer& t, Where at) {
    name_source(t.source, at);
    name_destination(t.destination, at);
  }
  void name_ends(const HostTransfer& t, Where at) {
    name_source(t.source, at);
    name_destination(t.destination, at);
  }
  void name_ends(const Memset& m, Where at) { name_destination(m.destination, at); }

  Module& module_;
  const LineReader& lines_;
};

}  // namespace

void name_tensors(Module& module, const LineReader& lines) { Namer(module, lines).run(); }

}  // namespace tcp::ir
