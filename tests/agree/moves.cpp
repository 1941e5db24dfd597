// Programs that only move data.
#include <algorithm>

#include "generator.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/rules/memory.hpp"

namespace tcp::agree {
namespace {

constexpr ScalarType stored_types[] = {ScalarType::i4,     ScalarType::i8,     ScalarType::i16, ScalarType::i32,  ScalarType::f4e2m1,
                                       ScalarType::f8e4m3, ScalarType::f8e5m2, ScalarType::f16, ScalarType::bf16, ScalarType::f32};

ScalarType some_type(Draft& d) { return stored_types[d.random.below(10)]; }

/// A core of whole 8-byte words, perhaps padded.
Mapping some_core(Draft& d, ScalarType type) {
  std::int64_t const word = 64 / scalar_info(type).packet_bits, words = d.pick({1, 1, 2, 3});
  if (d.chance(75)) return d.axis(word * words);
  std::int64_t const live = d.random.between(1, word * words);
  return pad_to(d.axis(live), word * words, Pad::top);
}
/// Beside them there are `others` elements of each.
std::vector<Mapping> some_axes(Draft& d, std::int64_t others) {
  std::vector<Mapping> all;
  bool const large = d.chance(5);
  std::int64_t const room = large ? 32768 : 8192;
  for (std::int64_t n = d.random.between(1, 3); n > 0; --n) {
    if (!all.empty() && joined(all).size * others * 8 > room) break;
    Mapping const whole = d.axis(large ? d.pick({8, 12, 16}) : d.pick({2, 3, 4, 4, 5, 6, 8}));
    // Some axes in two factors, which may then go separate ways.
    std::int64_t const inner = whole.size % 4 == 0 ? 2 : whole.size % 3 == 0 ? 3 : whole.size;
    if (d.chance(40) && inner < whole.size) {
      all.push_back(divide_by(whole, inner));
      all.push_back(modulo(whole, inner));
    } else {
      all.push_back(whole);
    }
  }
  return all;
}

/// The factors on the levels of a memory, at random.
Levels placed_in(Draft& d, Memory memory, const Mapping& chip, std::vector<Mapping> all, const Mapping& core) {
  d.shuffle(all);
  Levels l;
  l.set(Level::chip, chip);
  if (memory == Memory::Hbm) return d.hbm_levels(chip, all, core);
  bool const spm = memory == Memory::Spm;
  bool const geometry = d.program.device->checks.geometry;
  std::int64_t const units = spm ? (geometry ? d.program.device->levels.pes_per_cluster : d.pick({1, 2, 4})) : d.slices;
  std::int64_t const clusters = geometry ? d.program.device->levels.clusters_per_chip : d.pick({1, 2});
  Mapping cluster;
  std::vector<Mapping> slice, element;
  for (const Mapping& f : all) {
    std::int64_t const taken = joined(slice).size;
    if (cluster.size == 1 && f.size == clusters && d.chance(30)) cluster = f;
    else if (taken * f.size <= units && units % (taken * f.size) == 0 && d.chance(50)) slice.push_back(f);
    else element.push_back(d.chance(12) ? pad_to(f, f.size + d.pick({1, 2}), Pad::top) : f);
  }
  if (cluster.size == 1 && clusters > 1 && d.chance(60)) cluster = d.one_cluster(clusters);
  if (cluster.size < clusters)
    cluster = d.chance(75) ? pad_to(cluster, clusters, Pad::top) : pair(copies(clusters / cluster.size), cluster);
  Mapping in = joined(slice);
  if (in.size < units) in = d.chance(75) ? pad_to(in, units, Pad::top) : pair(copies(units / in.size), in);
  if (d.chance(12)) element.insert(element.begin(), copies(2));
  return l.set(Level::cluster, cluster).set(Level::slice, in).set(Level::element, pair(joined(element), core));
}

/// A tile of some tensor along one of its factors, which becomes as long as the tile.
ir::TensorId some_tile(Draft& d, ir::TensorId of, std::vector<Mapping>& all) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].size > 1 && all[i].digits == 1) candidates.push_back(i);
  if (candidates.empty()) return of;
  std::size_t const which = d.one_of(candidates);
  Mapping const dimension = all[which];
  std::int64_t const length = d.random.between(1, dimension.size - 1), start = d.random.between(0, dimension.size - length);
  ir::TensorId const seen = d.tile_of(of, dimension, length, start);
  if (seen == ir::none) return of;
  all[which] = length == 1 ? Mapping{} : resize_to(dimension, length);
  std::erase_if(all, [](const Mapping& m) { return m.size == 1; });
  return seen;
}

/// A window over so many places, whose members go separate ways from here on; or one axis of them.
Mapping some_walk(Draft& d, std::int64_t places, std::vector<Mapping>& all) {
  std::int64_t const inner = d.pick({2, 3, 4}), step = d.pick({1, 1, 2, 3, 5});
  if (d.chance(50) || places <= inner || (places - inner) % step != 0) {
    all = {d.axis(places)};
    return all[0];
  }
  all = {d.axis((places - inner) / step + 1), d.axis(inner)};
  Slide const members[] = {{all[0], step}, {all[1], 1}};
  return slide_over(members);
}

/// Names the same places by new axes, and perhaps reads the same bits under another type.
ir::TensorId reshaped(Draft& d, ir::TensorId of, ScalarType& type, std::vector<Mapping>& all, Mapping& core) {
  ir::Tensor const t = d.module.tensor(of);
  const Mapping element = d.module.map(t.element);
  std::vector<Mapping> parts = factors(element);
  bool const plain = element.tails == 0 && !parts.empty() && std::all_of(parts.begin(), parts.end(), [](const Mapping& f) {
                       return f.digits == 1 && f.digit[0].slot == f.digit[0].size && f.digit[0].axis != no_axis;
                     });
  std::int64_t const innermost = parts.empty() ? 1 : core.size;
  if (!plain || element.size % innermost != 0 || (t.memory != Memory::Hbm && t.memory != Memory::Dm) || factors(core).size() != 1)
    return of;
  if (core.digit[0].slot != core.digit[0].size) return of;
  for (const Mapping& f : parts)
    for (int a = 0; a < f.axes; ++a)
      if (f.axis[a].start != 0) return of;
  Mapping const outer = some_walk(d, element.size / innermost, all), inner = d.axis(innermost);
  core = inner;
  if (d.chance(40)) type = d.type_like(type);
  return d.reshape_of(of, type, pair(outer, inner));
}

/// A load that ends in padding of its destination: whole rows of DM are written, of which the last bytes are not ours.
void load_into_padding(Draft& d) {
  ScalarType const type = some_type(d);
  std::int64_t const word = 64 / scalar_info(type).packet_bits, pair_of = scalar_info(type).packet_bits == 4 ? 2 : 1;
  std::int64_t const live = pair_of * d.random.between(1, 3 * word / pair_of - 1);
  std::vector<Mapping> outer;
  if (live % 3 == 0 && d.chance(40)) outer.push_back(d.axis(3));
  Mapping const all = pair(joined(outer), d.axis(live / joined(outer).size));
  Levels from, to;
  from.set(Level::chip, d.some_chip()).set(Level::element, all);
  std::int64_t const slot = (live + word - 1) / word * word + (d.chance(30) ? word : 0);
  Mapping const padded = pad_to(all, slot, Pad::top);
  to.set(Level::chip, from[Level::chip]).set(Level::cluster, d.some_cluster()).set(Level::element, padded);
  to.set(Level::slice, d.chance(50) ? d.in_slices(Mapping{}) : copies(d.slices));
  ir::TensorId const in = d.argument(Memory::Hbm, type, from, Fill::wild), dm = d.dm(type, to);
  d.move(in, dm);
  d.download(dm);
}

/// Another factor on Chip, or copies of everything on all chips.
void other_chips(Draft& d, Mapping& chip, std::vector<Mapping>& all) {
  Mapping const was = chip;
  auto const fits = std::find_if(all.begin(), all.end(), [&d](const Mapping& f) { return f.size == d.module.chips; });
  if (fits != all.end()) {
    chip = *fits;
    all.erase(fits);
  } else {
    chip = copies(d.module.chips);
  }
  if (counts_axes(was)) all.push_back(was);
}

/// A tile of a tensor along some factor of its Element but one; what the box holds is then as much less, at the same places.
ir::TensorId part_of(Draft& d, ir::TensorId of, const Mapping& but, Box& box) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < box.outer.size(); ++i)
    if (box.outer[i].digits == 1 && !(box.outer[i] == but)) candidates.push_back(i);
  if (candidates.empty()) return of;
  std::size_t const which = d.one_of(candidates);
  Mapping const dimension = box.outer[which];
  std::int64_t const length = d.random.between(1, dimension.size - 1), start = d.random.between(0, dimension.size - length);
  ir::TensorId const seen = d.tile_of(of, dimension, length, start);
  if (seen == ir::none) return of;
  box.outer[which] = pad_to(length == 1 ? Mapping{} : resize_to(dimension, length), dimension.size, Pad::top);
  return seen;
}

}  // namespace

void make_moves(Draft& d) {
  if (d.chance(5)) return load_into_padding(d);
  ScalarType type = some_type(d);
  Mapping core = some_core(d, type);
  std::vector<Mapping> all = some_axes(d, core.size * d.module.chips);
  Mapping chip = d.some_chip();
  ir::TensorId now = d.argument(Memory::Hbm, type, placed_in(d, Memory::Hbm, chip, all, core), Fill::wild);
  for (std::int64_t n = d.random.between(1, 4); n > 0; --n) {
    if (d.chance(25)) now = some_tile(d, now, all);
    else if (d.chance(25)) now = reshaped(d, now, type, all, core);
    else if (d.chance(10)) now = d.whole_of(now);
    if (d.chance(15)) all.push_back(d.axis(d.pick({2, 3, 4})));  // a broadcast from here on
    Memory memory = d.chance(55) ? Memory::Dm : d.chance(50) ? Memory::Spm : Memory::Hbm;
    if (d.module.chips > 1 && d.module.tensor(now).memory != Memory::Spm && d.chance(40)) {
      if (memory == Memory::Spm) memory = Memory::Dm;
      other_chips(d, chip, all);
    }
    Levels levels = placed_in(d, memory, chip, all, core);
    if (memory == Memory::Spm && !check_spm(*d.program.device, type, levels[Level::element], Bytes{0})) {
      memory = Memory::Dm;  // it has no room for so much
      levels = placed_in(d, memory, chip, all, core);
    }
    ir::TensorId const to = d.add(memory, type, levels);
    d.move(now, to);
    now = to;
  }
  d.download(now);
}

/// Lets an index count bytes, where the rows of the table begin at some.
static void count_bytes(Draft& d, ir::Transfer& t, ir::TensorId table, const Mapping& row, Numbers& numbers) {
  const Mapping& element = d.module.map(d.module.tensor(table).element);
  for (int k = 0; k < element.digits; ++k) {
    if (element.digit[k].axis == no_axis || !(element.axis[element.digit[k].axis].name == Draft::name_of_axis(row))) continue;
    std::int64_t const bits = footprints(element).inside[k] * scalar_info(d.module.tensor(table).type).packet_bits;
    if (bits % 8 != 0) return;
    t.keys = RowKeys::byte_offsets;
    for (std::uint32_t& n : numbers.bits) n *= static_cast<std::uint32_t>(bits / 8);
  }
}

void make_rows(Draft& d) {
  ScalarType const type = some_type(d);
  Mapping const core = some_core(d, type), chip = d.some_chip();
  std::int64_t const rows = d.pick({2, 4, 7, 16});
  Mapping const row = d.axis(rows);
  bool const scatter = d.chance(45), wrong = d.chance(3);
  Mapping const picked = d.axis(scatter ? d.random.between(1, rows) : d.pick({1, 3, 8, 12}));
  std::vector<Mapping> others;
  if (d.chance(60)) others.push_back(d.axis(d.pick({2, 3, 4})));
  auto const with = [&](const Mapping& first) {
    std::vector<Mapping> all = others;
    all.push_back(first);
    return all;
  };
  Memory const table_in = d.chance(60) ? Memory::Hbm : Memory::Dm, picked_in = d.chance(40) ? Memory::Hbm : Memory::Dm;
  Fill const how = wrong ? Fill::wild : scatter ? Fill::distinct_rows : Fill::rows;
  ir::Transfer t;
  std::vector<Mapping> indices = {picked};
  Mapping const lists = d.axis(2);
  bool const one_list = how == Fill::rows && d.chance(25);  // of two, seen as a tile
  if (one_list) indices.push_back(lists);
  t.rows = d.argument(Memory::Hbm, ScalarType::i32,
                      placed_in(d, Memory::Hbm, d.module.chips > 1 ? copies(d.module.chips) : Mapping{}, indices, Mapping{}), how, rows);
  std::size_t const numbers = d.program.arguments.size() - 1;
  if (one_list) t.rows = d.tile_of(t.rows, lists, 1, d.random.between(0, 1));
  if (t.rows == ir::none) return make_moves(d);
  t.row_axis = Draft::name_of_axis(row);
  auto const filled = [&](Memory memory, const std::vector<Mapping>& all) {
    ir::TensorId const from = d.argument(Memory::Hbm, type, placed_in(d, Memory::Hbm, chip, all, core), Fill::wild);
    if (memory == Memory::Hbm) return from;
    ir::TensorId const to = d.add(memory, type, placed_in(d, memory, chip, all, core));
    d.move(from, to);
    return to;
  };
  ir::TensorId const all_of_table = filled(table_in, with(row));
  ir::TensorId const table = d.chance(30) ? some_tile(d, all_of_table, others) : all_of_table;
  ir::TensorId const other =
      scatter ? filled(picked_in, with(picked)) : d.add(picked_in, type, placed_in(d, picked_in, chip, with(picked), core));
  t.kind = scatter ? ir::Transfer::Kind::scatter : ir::Transfer::Kind::gather;
  t.source = scatter ? other : table;
  t.destination = scatter ? table : other;
  if (d.chance(30)) count_bytes(d, t, table, row, d.program.arguments[numbers]);
  d.command(t);
  d.download(scatter ? all_of_table : other);
}

void make_chips(Draft& d) {
  ScalarType const type = some_type(d);
  std::int64_t const chips = d.module.chips;
  Mapping const core = some_core(d, type), chip = d.axis(chips);
  Mapping const sliced = d.axis(d.pick({chips, 2 * chips}));
  std::vector<Mapping> all = some_axes(d, core.size * chips * sliced.size);
  std::vector<Mapping> in_element = all;
  in_element.push_back(sliced);
  d.shuffle(in_element);
  Box box{chip, d.some_cluster(), d.in_slices(Mapping{}), in_element, core};
  if (d.chance(50) && all[0].size <= d.slices && box.slice.digits <= 1) {
    std::erase_if(box.outer, [&](const Mapping& m) { return m == all[0]; });
    box.slice = d.in_slices(all[0]);
  }
  ir::TensorId const from = d.upload(type, box, Fill::wild);
  std::vector<std::int64_t> order;
  for (std::int64_t c = 0; c < chips; ++c) order.push_back(c);
  d.shuffle(order);
  Box to = box;
  ir::Transfer t;
  t.source = from;
  if (d.chance(25)) t.source = part_of(d, from, sliced, to);
  t.permutation = order;
  std::uint64_t const what = d.random.below(4);
  if (what == 0) {
    t.kind = ir::Transfer::Kind::chip_shuffle;
    to.chip = d.chance(50) ? chip : d.axis(chips);
  } else if (what == 1) {
    t.kind = ir::Transfer::Kind::cluster_shuffle;
    std::int64_t const clusters = box.cluster.size;
    t.permutation.clear();
    for (std::int64_t c = 0; c < clusters; ++c) t.permutation.push_back(c);
    bool const idle = box.cluster.digits == 1 && !counts_axes(box.cluster) && box.cluster != copies(clusters);
    if (!idle) d.shuffle(t.permutation);
    if (counts_axes(box.cluster) && d.chance(50)) to.cluster = d.axis(clusters);
  } else {
    t.kind = ir::Transfer::Kind::chip_slice;
    t.dimension = d.id(sliced);
    bool const turned = what == 3 && sliced.size == chips;
    t.length = turned ? sliced.size : d.random.between(1, sliced.size);
    for (std::int64_t c = 0; c < chips; ++c)
      t.permutation[static_cast<std::size_t>(c)] = turned ? c % sliced.size : d.random.between(0, sliced.size - t.length);
    Mapping const kept = turned ? skew(sliced, chip) : t.length == 1 ? Mapping{} : d.axis(t.length);
    std::replace(to.outer.begin(), to.outer.end(), sliced, kept);
    if (!turned && d.chance(30)) to.chip = d.axis(chips);
  }
  t.destination = d.dm(type, to);
  d.command(t);
  if (t.kind == ir::Transfer::Kind::chip_slice && what == 3) {
    // A turned axis cannot be turned back; it goes to HBM as it is.
    Levels l;
    l.set(Level::chip, to.chip)
        .set(Level::element, pair(pair(joined(bare(factors(to.cluster))), joined(bare(factors(to.slice)))), to.element()));
    ir::TensorId const out = d.add(Memory::Hbm, type, l, ir::Role::result);
    d.move(t.destination, out);
    return;
  }
  d.download(t.destination);
}

}  // namespace tcp::agree
