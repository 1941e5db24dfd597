#include "draft.hpp"

#include <algorithm>

#include "tcp/rules/view.hpp"

#include "oracle.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/rules/pairing.hpp"
#include "tcp/scalar/scalar.hpp"

namespace tcp::agree {
namespace {

/// The extents of all axes that levels count.
std::vector<Numbers::Axis> axes_of(const Levels& levels) {
  std::vector<Numbers::Axis> axes;
  for (const Mapping& m : levels.at)
    for (int k = 0; k < m.digits; ++k) {
      if (m.digit[k].axis == no_axis) continue;
      AxisUse const& a = m.axis[m.digit[k].axis];
      bool const known = std::any_of(axes.begin(), axes.end(), [&a](const Numbers::Axis& x) { return x.name == a.name; });
      if (!known) axes.push_back({a.name, a.extent});
    }
  return axes;
}

}  // namespace

Mapping Box::element() const { return pair(joined(outer), core); }

std::vector<Mapping> factors(const Mapping& m) {
  std::vector<Mapping> all;
  if (m.tails > 0) {
    all.push_back(m);
    return all;
  }
  for (int k = 0; k < m.digits;) {
    int end = k + 1;
    while (end < m.digits && m.digit[end].joined) ++end;
    Mapping f = detail::part(m, k, end);
    for (int a = 0; a < f.axes; ++a) {
      bool mine = false;
      for (int j = 0; j < f.digits; ++j) mine |= f.digit[j].axis == a;
      if (!mine) f.axis[a].start = 0;
    }
    f.size = m.digit[k].slot;
    all.push_back(detail::normalise(f));
    k = end;
  }
  return all;
}

Mapping joined(const std::vector<Mapping>& all) {
  Mapping m;
  for (const Mapping& f : all) m = pair(m, f);
  return m;
}

bool counts_axes(const Mapping& factor) {
  for (int k = 0; k < factor.digits; ++k)
    if (factor.digit[k].axis != no_axis && !is_one_place(Levels{}.set(Level::cluster, factor), static_cast<int>(Level::cluster), k))
      return true;
  return false;
}

std::vector<Mapping> bare(const std::vector<Mapping>& all) {
  std::vector<Mapping> left;
  for (const Mapping& f : all) {
    if (!counts_axes(f)) continue;
    bool const padded = f.tails == 0 && f.digits == 1 && !f.digit[0].in_window() && f.digit[0].slot > f.digit[0].size;
    left.push_back(padded ? resize_to(f, f.digit[0].size) : f);
  }
  return left;
}

Draft::Draft(std::uint64_t seed, const char* family, const Device& on, std::int64_t chips)
    : random(seed), module(program.module), slices(on.levels.slices_per_cluster) {
  program.seed = seed;
  program.family = family;
  program.device = &on;
  module.name = "corpus";
  module.chips = chips;
  if (chance(30)) module.numeric = NumericModel::ieee;
  placed = chance(50);
  if (!on.checks.geometry) slices = pick({1, 2, 4, 8, 16});
}

Mapping Draft::axis(std::int64_t extent) {
  std::int64_t const n = next_axis_++;
  std::string name(1, static_cast<char>('A' + n % 26));
  if (n >= 26) name += std::to_string(n / 26);
  return axis_mapping(Name(name), extent);
}

Mapping Draft::in_slices(const Mapping& m) { return m.size >= slices ? m : pad_to(m, slices, Pad::top); }

Mapping Draft::some_cluster() {
  std::int64_t const clusters = program.device->checks.geometry ? program.device->levels.clusters_per_chip : pick({1, 1, 2});
  if (clusters == 1) return Mapping{};
  if (chance(60)) return one_cluster(clusters);
  return chance(60) ? axis(clusters) : copies(clusters);
}
Mapping Draft::one_cluster(std::int64_t clusters) {
  return chance(75) ? pad_to(Mapping{}, clusters, Pad::top) : resize_to(pad_front(axis(2), clusters - 1), clusters);
}
Mapping Draft::some_chip() {
  if (module.chips == 1) return Mapping{};
  return chance(70) ? axis(module.chips) : copies(module.chips);
}

ir::TensorId Draft::add(Memory memory, ScalarType type, const Levels& levels, ir::Role role) {
  ir::Tensor t;
  t.name = "t" + std::to_string(module.tensors.size());
  t.memory = memory;
  t.type = type;
  t.chip = id(levels[Level::chip]);
  t.cluster = id(levels[Level::cluster]);
  t.slice = id(levels[Level::slice]);
  t.row = id(levels[Level::row]);
  t.element = id(levels[Level::element]);
  t.role = role;
  if (placed && memory != Memory::Host && memory != Memory::Trf) {
    std::int64_t& next = next_address_[static_cast<int>(memory)];
    t.address = next;
    std::int64_t const bytes = (levels[Level::element].size * scalar_info(type).packet_bits + 7) / 8;
    next += (bytes + 63) / 64 * 64;
  }
  module.tensors.push_back(std::move(t));
  auto const number = ir::TensorId(module.tensors.size() - 1);
  if (role == ir::Role::argument) module.arguments.push_back(number);
  if (role == ir::Role::result) module.results.push_back(number);
  return number;
}

Levels Draft::dm_levels(const Box& box) {
  Levels l;
  l.set(Level::chip, box.chip).set(Level::cluster, box.cluster).set(Level::slice, box.slice).set(Level::element, box.element());
  return l;
}
ir::TensorId Draft::dm(ScalarType type, const Box& box) { return add(Memory::Dm, type, dm_levels(box)); }

ir::TensorId Draft::argument(Memory memory, ScalarType type, const Levels& levels, Fill fill, std::int64_t rows) {
  ir::TensorId const number_of = add(memory, type, levels, ir::Role::argument);
  program.arguments.push_back(filled(type, levels, fill, rows));
  return number_of;
}

Numbers Draft::filled(ScalarType type, const Levels& levels, Fill fill, std::int64_t rows) {
  Numbers n;
  n.type = type;
  n.axes = axes_of(levels);
  std::int64_t size = 1;
  for (const Numbers::Axis& a : n.axes) size *= a.size;
  n.bits.resize(static_cast<std::size_t>(size));
  for (std::uint32_t& bits : n.bits)
    bits = fill == Fill::rows ? static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(rows))) : number(type, fill);
  if (fill == Fill::distinct_rows) {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(rows));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    shuffle(order);
    for (std::size_t i = 0; i < n.bits.size(); ++i) n.bits[i] = order[i % order.size()];
  }
  // Elements that a window has at one place are one and the same.
  const Mapping& element = levels[Level::element];
  for (int k = 0; k < element.digits; ++k)
    if (element.digit[k].in_window()) {
      for (std::int64_t p = 0; p < element.size; ++p) {
        std::int64_t const several = preimages(element, p);
        for (std::int64_t i = 1; i < several; ++i) {
          std::size_t const first = n.offset(preimage(element, p, 0));
          n.bits[n.offset(preimage(element, p, i))] = n.bits[first];
        }
      }
      break;
    }
  return n;
}

ir::TensorId Draft::view_of(ir::TensorId tensor, ScalarType type, const Mapping& element, ir::ViewOf seen) {
  ir::Tensor t = module.tensor(tensor);
  t.name = "t" + std::to_string(module.tensors.size());
  t.address.reset();
  t.role = ir::Role::temporary;
  t.type = type;
  t.element = id(element);
  seen.tensor = tensor;
  t.view = seen;
  module.tensors.push_back(std::move(t));
  return ir::TensorId(module.tensors.size() - 1);
}

ir::TensorId Draft::tile_of(ir::TensorId tensor, const Mapping& dimension, std::int64_t length, std::int64_t start) {
  Levels const levels = module.levels(module.tensor(tensor));
  Level const level = level_of_tile(levels, dimension);
  auto const view = tile(levels[level], dimension, length, start);
  if (!view) return ir::none;
  ir::ViewOf seen;
  seen.kind = ir::ViewOf::Kind::tile;
  seen.dimension = id(dimension);
  seen.length = length;
  seen.start = start;
  ir::TensorId const made =
      view_of(tensor, module.tensor(tensor).type, level == Level::element ? view->mapping : levels[Level::element], seen);
  ir::Tensor& t = module.tensors[made];
  if (level == Level::slice) t.slice = id(view->mapping);
  if (level == Level::cluster) t.cluster = id(view->mapping);
  if (level == Level::chip) t.chip = id(view->mapping);
  return made;
}

ir::TensorId Draft::whole_of(ir::TensorId tensor) {
  ir::ViewOf seen;
  seen.kind = ir::ViewOf::Kind::whole;
  return view_of(tensor, module.tensor(tensor).type, module.map(module.tensor(tensor).element), seen);
}

ir::TensorId Draft::reshape_of(ir::TensorId tensor, ScalarType type, const Mapping& element) {
  ir::ViewOf seen;
  seen.kind = ir::ViewOf::Kind::reshape;
  return view_of(tensor, type, element, seen);
}

ir::TensorId Draft::relabel_of(ir::TensorId tensor, const Levels& names) {
  ir::ViewOf seen;
  seen.kind = ir::ViewOf::Kind::relabel;
  ir::TensorId const view = view_of(tensor, module.tensor(tensor).type, names[Level::element], seen);
  ir::Tensor& t = module.tensors[view];
  t.chip = id(names[Level::chip]);
  t.cluster = id(names[Level::cluster]);
  t.slice = id(names[Level::slice]);
  return view;
}

ScalarType Draft::type_like(ScalarType type) {
  std::vector<ScalarType> all;
  for (ScalarType t : {ScalarType::i4, ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::f4e2m1, ScalarType::f8e4m3,
                       ScalarType::f8e5m2, ScalarType::f16, ScalarType::bf16, ScalarType::f32})
    if (scalar_info(t).packet_bits == scalar_info(type).packet_bits) all.push_back(t);
  return one_of(all);
}

void Draft::move(ir::TensorId from, ir::TensorId to) {
  ir::Transfer t;
  t.source = from;
  t.destination = to;
  command(std::move(t));
}

Levels Draft::hbm_levels(const Mapping& chip, std::vector<Mapping> outer, const Mapping& core) {
  outer = bare(outer);
  shuffle(outer);
  for (Mapping& f : outer)
    if (chance(8) && f.tails == 0) f = pad_to(f, f.size + pick({1, 2, 3}), chance(70) ? Pad::top : Pad::bottom);
  if (outer.size() > 1 && chance(8)) {  // two factors padded as a group
    Mapping const group = pair(outer[0], outer[1]);
    outer.erase(outer.begin());
    outer[0] = pad_to(group, group.size + pick({1, 3}), Pad::top);
  }
  Levels l;
  l.set(Level::chip, chip).set(Level::element, pair(joined(outer), core));
  return l;
}

bool Draft::renamed(Box& box) {
  auto const counts = [](const Mapping& m, Name name) {
    int const a = find_axis(m, name);
    return a >= 0 && coarsest_digit(m, a) >= 0;
  };
  std::vector<Mapping*> whole;
  for (Mapping& f : box.outer) whole.push_back(&f);
  whole.push_back(&box.core);
  std::erase_if(whole, [&](const Mapping* f) {
    if (f->digits != 1 || f->tails != 0 || f->axes != 1 || f->axis[0].start != 0) return true;
    Digit const& d = f->digit[0];
    if (d.axis == no_axis || d.in_window() || d.slot != d.size || d.size != f->axis[0].extent) return true;
    Name const name = f->axis[0].name;
    return counts(box.chip, name) || counts(box.cluster, name) || counts(box.slice, name);
  });
  if (whole.empty()) return false;
  Mapping& f = *one_of(whole);
  f = axis(f.size);
  return true;
}

ir::TensorId Draft::upload(ScalarType type, const Box& box, Fill fill, bool same) {
  if (chance(6)) return argument(Memory::Dm, type, dm_levels(box), fill);  // another kernel has left it there
  Box seen = box;
  bool const by_view = chance(15) && renamed(seen);
  std::vector<Mapping> outer = seen.outer;
  for (const Mapping* m : {&box.cluster, &box.slice})
    for (const Mapping& f : factors(*m))
      if (!same) outer.push_back(f);
  Levels const hbm = hbm_levels(box.chip, outer, seen.core);
  ir::TensorId from;
  if (chance(15) && module.chips == 1) {
    Levels const host = hbm_levels(Mapping{}, outer, seen.core);
    ir::TensorId const on_host = argument(Memory::Host, type, host, fill);
    from = add(Memory::Hbm, type, hbm);
    ir::HostTransfer t;
    t.source = on_host;
    t.destination = from;
    command(t);
  } else {
    from = argument(Memory::Hbm, type, hbm, fill);
  }
  ir::TensorId const to = dm(type, box);
  move(from, by_view ? reshape_of(to, type, seen.element()) : to);
  return to;
}

void Draft::rename_result(ir::TensorId result) {
  Levels const held = module.levels(module.tensor(result));
  Levels const names = Levels{held}.set(Level::element, axis(held[Level::element].size));
  if (!check_relabel(held, names)) return;
  ir::TensorId const seen = relabel_of(result, names);
  module.tensors[result].role = ir::Role::temporary;
  module.tensors[seen].role = ir::Role::result;
  std::replace(module.results.begin(), module.results.end(), result, seen);
}

void Draft::download(ir::TensorId dm_tensor) {
  ir::Tensor const t = module.tensor(dm_tensor);
  if (t.role == ir::Role::temporary && t.memory == Memory::Dm && !t.view && chance(6)) {  // the next kernel takes it from there
    module.tensors[dm_tensor].role = ir::Role::result;
    return module.results.push_back(dm_tensor);
  }
  std::vector<Mapping> outer, inner = factors(module.map(t.element));
  for (ir::MapId m : {t.cluster, t.slice})
    for (const Mapping& f : factors(module.map(m))) outer.push_back(f);
  Mapping core;
  // The innermost factor stays inside: of 4-bit elements, pairs share a byte.
  if (!inner.empty()) {
    core = inner.back();
    inner.pop_back();
  }
  outer.insert(outer.end(), inner.begin(), inner.end());
  Levels const hbm = hbm_levels(module.map(t.chip), outer, core);
  bool const to_host = chance(15) && module.chips == 1;
  ir::TensorId const out = add(Memory::Hbm, t.type, hbm, to_host ? ir::Role::temporary : ir::Role::result);
  move(dm_tensor, out);
  if (!to_host) {
    if (chance(6)) rename_result(out);
    return;
  }
  ir::HostTransfer h;
  h.source = out;
  h.destination = add(Memory::Host, t.type, hbm_levels(Mapping{}, outer, core), ir::Role::result);
  command(h);
}

std::uint32_t Draft::number(ScalarType type, Fill fill) {
  std::uint32_t const mask = scalar_mask(type);
  if (fill == Fill::ids) return static_cast<std::uint32_t>(random.below(32));
  int const kind = static_cast<int>(random.below(fill == Fill::wild ? 8 : 32));
  std::uint32_t const raw = static_cast<std::uint32_t>(random.next());
  if (is_integer(type)) {
    std::uint32_t const sign = 1u << (scalar_info(type).bits - 1);
    if (fill == Fill::wild && kind == 0) return sign;               // the least
    if (fill == Fill::wild && kind == 1) return (sign - 1) & mask;  // the greatest
    if (fill == Fill::wild && kind < 5) return raw & mask;
    return static_cast<std::uint32_t>(random.between(-9, 9)) & mask;
  }
  auto const of = [type](float x) {
    if (type == ScalarType::f4e2m1) return static_cast<std::uint32_t>(x < 0 ? 9 : 3);
    return scalar_cast_bits(ScalarType::f32, type, f32::from_float(x).bits, NumericModel::ieee);
  };
  if (fill == Fill::wild && kind < 4) return raw & mask;  // NaN, infinities and subnormals among them
  if (fill == Fill::wild && kind == 4) {
    constexpr std::uint32_t special[] = {0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000, 0x00000001,
                                         0x807fffff, 0x00800000, 0x7f7fffff, 0x80000000, 0};
    if (type == ScalarType::f4e2m1) return raw & mask;
    return scalar_cast_bits(ScalarType::f32, type, special[random.below(10)], NumericModel::ieee);
  }
  if (kind == 5) return of(-0.0f);
  if (kind == 6) return of(0.0f);
  return of(static_cast<float>(random.between(-64, 64)) * (kind % 2 == 0 ? 0.125f : 0.37f));
}

}  // namespace tcp::agree
