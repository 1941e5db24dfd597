// Programs that see parts of tensors: passes and transfers from tiles into tiles, over contents that were there before.
#include <algorithm>

#include "generator.hpp"
#include "pass_draft.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp::agree {
namespace {

/// One operation of the vector engine, so that what arrives is not what was sent.
void change(PassDraft& p) {
  if (p.packet().size != 8) return;
  bool const integer = p.type == ScalarType::i32;
  p.stage(ir::VectorInit{});
  p.stage(ir::Branch{});
  ir::VectorOperation o;
  o.step = integer ? step_of(FxpBinaryOp(FxpBinaryOp::Code::AddFxpSat)) : step_of(ClipBinaryOpF32(ClipBinaryOpF32::Code::AbsMax));
  ir::Operand c;
  c.shape = {OperandKind::immediate, p.type, OperandGuard::always(), true, p.d.number(p.type, Fill::small)};
  o.operands.push_back(c);
  p.stage(o);
  p.stage(ir::VectorFinal{});
  p.stage_now = StreamStage::Vector;
}

/// Sums of four lanes, one in each packet, into some of the rows of a tensor that holds one number in each (CHIP-12).
void make_single_values(Draft& d) {
  ScalarType const type = d.chance(50) ? ScalarType::f32 : ScalarType::i32;
  Mapping const rows = d.axis(d.pick({2, 4, 6, 8})), lanes = d.axis(4), few = pad_to(lanes, 4, Pad::top);
  Box const from{d.some_chip(), d.some_cluster(), d.in_slices(d.slices > 1 ? d.axis(2) : Mapping{}), {rows}, pad_to(lanes, 8, Pad::top)};
  Box to = from;
  to.core = pad_to(Mapping{}, d.pick({2, 4, 8}), Pad::top);
  ir::TensorId const source = d.upload(type, from, Fill::small), destination = d.dm(type, to);
  ir::Memset m;
  m.destination = destination;
  m.word = d.number(type, Fill::small);
  d.command(m);
  std::int64_t const length = d.random.between(1, rows.size - 1);
  std::int64_t const begin = d.random.between(0, rows.size - length);
  ir::TensorId const read = d.tile_of(source, rows, length, begin), written = d.tile_of(destination, rows, length, begin);
  if (read == ir::none || written == ir::none) return make_moves(d);
  PassDraft p(d, d.chance(30) ? Tu::Sub : Tu::Main, read);
  p.fetch(type, length > 1 ? resize_to(rows, length) : Mapping{}, pad_to(lanes, 8, Pad::top));
  p.collect();
  p.stage(ir::VectorInit{});
  p.stage(ir::Branch{});
  p.at.set(Level::packet, few);
  p.stage(ir::VectorOperation{step_of(VectorMethod::trim_way4), {}});
  ir::IntraSliceReduce sum;
  sum.axis = Draft::name_of_axis(lanes);
  sum.op = type == ScalarType::i32 ? ReduceOp::AddSat : ReduceOp::Add;
  p.at.set(Level::packet, pad_to(Mapping{}, 4, Pad::top));
  p.stage(sum);
  p.at.set(Level::packet, pad_to(Mapping{}, 8, Pad::top));
  p.stage(ir::VectorOperation{step_of(VectorMethod::pad_way8), {}});
  p.stage(ir::VectorFinal{});
  ir::Commit c;
  c.destination = written;
  p.stage(c);
  d.command(std::move(p.pass));
  d.download(destination);
}

SliceMask some_slices(Draft& d, const Mapping& slice) {
  SliceMask mask = SliceMask::only(0);
  for (int s = 1; s < slice.size && s < SliceMask::slices; ++s)
    if (d.chance(60)) mask = mask.with(s);
  return mask;
}

}  // namespace

/// A tensor whose rows are padded, or no whole words, filled with one word.
void fill_padded(Draft& d) {
  constexpr ScalarType types[] = {ScalarType::i4, ScalarType::i8, ScalarType::i16, ScalarType::bf16, ScalarType::i32};
  ScalarType const type = types[d.random.below(5)];
  std::int64_t const pair_of = type == ScalarType::i4 ? 2 : 1;
  Mapping const row = d.axis(pair_of * d.random.between(1, 9)), rows = d.axis(d.pick({1, 2, 3, 5}));
  Levels l;
  l.set(Level::chip, d.some_chip()).set(Level::cluster, d.some_cluster());
  l.set(Level::slice, d.in_slices(d.chance(50) && d.slices > 1 ? d.axis(2) : Mapping{}));
  l.set(Level::element, pair(rows, d.chance(70) ? pad_to(row, row.size + pair_of * d.random.between(0, 5), Pad::top) : row));
  ir::Memset m;
  m.destination = d.dm(type, l);
  m.word = static_cast<std::uint32_t>(d.random.next());
  d.command(m);
  d.download(m.destination);
}

/// Packets of less than a word in memory, which the cast of the fetch makes whole words.
void fetch_narrow(Draft& d) {
  constexpr ScalarType types[] = {ScalarType::i4, ScalarType::i8, ScalarType::i16, ScalarType::f16, ScalarType::bf16, ScalarType::f8e4m3};
  ScalarType const type = types[d.random.below(6)], wide = is_integer(type) ? ScalarType::i32 : ScalarType::f32;
  std::int64_t const word = 64 / scalar_info(type).packet_bits;
  Mapping const row = d.axis(word * d.pick({1, 2, 3})), rows = d.axis(d.pick({1, 2, 3}));
  Box box{d.some_chip(), d.some_cluster(), d.in_slices(d.chance(50) && d.slices > 1 ? d.axis(2) : Mapping{}), {rows}, row};
  PassDraft p(d, Tu::Main, d.upload(type, box, Fill::wild));
  p.fetch(wide, pair(rows, divide_by(row, 2)), modulo(row, 2));
  if (!p.collect()) return;
  if (d.chance(50)) change(p);
  d.download(p.commit());
}

/// The positions of a factor under another name: as many live ones as before, fewer, or more.
Mapping other_name(Draft& d, std::int64_t live, std::int64_t positions) {
  std::int64_t const named = d.chance(50) ? live : d.chance(60) ? d.random.between(1, live) : d.random.between(live, positions);
  return pad_to(d.axis(named), positions, Pad::top);
}

/// A tensor whose positions get other names, in Slice and in Element (CHIP-03): copies that are told apart, elements that are forgotten, padding that is named.
void relabel(Draft& d) {
  constexpr ScalarType types[] = {ScalarType::i8, ScalarType::bf16, ScalarType::i32, ScalarType::f32};
  ScalarType const type = types[d.random.below(4)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits;
  Mapping const rows = d.axis(d.pick({2, 3, 4})), lanes = d.axis(d.chance(60) ? flit : d.random.between(1, flit));
  Mapping const own = d.slices > 1 ? d.axis(2) : Mapping{};
  bool const told_apart = d.slices > 7 && d.chance(40);
  std::int64_t const several = told_apart ? d.pick({2, 4}) : 1, live = several * own.size;
  Box const from{d.some_chip(),
                 d.some_cluster(),
                 pad_to(told_apart ? pair(copies(several), own) : own, d.slices, Pad::top),
                 {rows},
                 pad_to(lanes, flit, d.chance(20) ? Pad::zero : Pad::top)};
  bool const in_hbm = d.chance(20);
  ir::TensorId const source =
      in_hbm ? d.argument(Memory::Hbm, type, d.hbm_levels(from.chip, {rows}, from.core), Fill::small) : d.upload(type, from, Fill::small);
  Levels names = d.module.levels(d.module.tensor(source));
  if (in_hbm) {
    Mapping const all = names[Level::element];
    names.set(Level::element, other_name(d, all.size, all.size));
    ir::TensorId const to = d.dm(type, Levels{names}.set(Level::cluster, from.cluster).set(Level::slice, d.in_slices(Mapping{})));
    d.move(d.relabel_of(source, names), to);
    return d.download(to);
  }
  if (told_apart) names.set(Level::slice, pad_to(pair(d.axis(several), d.chance(50) ? own : d.axis(own.size)), d.slices, Pad::top));
  else if (d.chance(60)) names.set(Level::slice, other_name(d, live, d.chance(80) ? live : d.slices));
  names.set(Level::slice, names[Level::slice].size == d.slices ? names[Level::slice] : pad_to(names[Level::slice], d.slices, Pad::top));
  Mapping const time = d.chance(50) ? rows : other_name(d, rows.size, rows.size);
  Mapping const packet = d.chance(30) ? from.core : other_name(d, lanes.size, flit);
  names.set(Level::element, pair(time, packet));
  ir::TensorId const seen = d.relabel_of(source, names);
  if (d.chance(25)) return d.download(seen);
  PassDraft p(d, Tu::Main, seen);
  p.fetch(type, time, packet);
  if (!p.collect()) return;
  if (d.chance(50)) change(p);
  d.download(p.commit());
}

/// Packets of 4-bit elements, and packets with more elements than a transpose takes of one, unless it is packed (CHIP-22).
void transpose_packed(Draft& d) {
  constexpr ScalarType types[] = {ScalarType::i8, ScalarType::bf16, ScalarType::i4};
  ScalarType const type = types[d.random.below(3)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits;
  Mapping const rows = d.axis(d.pick({2, 4})), lanes = pad_to(d.axis(d.random.between(9, 16)), flit, Pad::top);
  Box const box{d.some_chip(), d.some_cluster(), d.in_slices(d.slices > 1 ? d.axis(2) : Mapping{}), {rows}, lanes};
  PassDraft p(d, Tu::Main, d.upload(type, box, Fill::wild));
  p.fetch(type, rows, lanes);
  if (!p.collect()) return;
  p.some_transpose();
  d.download(p.commit());
}

/// Copies of a tensor that each read a part of their own (CHIP-26): some of the rows go from Time to Chip, Cluster or Slice.
void lift(Draft& d) {
  constexpr ScalarType types[] = {ScalarType::i4, ScalarType::i8, ScalarType::bf16, ScalarType::i32, ScalarType::f32};
  ScalarType const type = types[d.random.below(5)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits;
  Device const& device = *d.program.device;
  std::int64_t const clusters = device.checks.geometry ? device.levels.clusters_per_chip : 2;
  Mapping const lanes = d.axis(flit), others = d.axis(d.pick({1, 2, 3})), own = d.slices > 7 ? d.axis(2) : Mapping{};
  Level const level = d.module.chips > 1 && d.chance(70) ? Level::chip : d.chance(40) && clusters > 1 ? Level::cluster : Level::slice;
  std::int64_t const many = level == Level::chip      ? d.module.chips
                            : level == Level::cluster ? clusters
                            : d.slices > 7            ? d.pick({2, 4})
                                                      : std::min<std::int64_t>(d.slices, 2);
  // All rows, every n-th of them, or the first of each block; the rest is walked. Some copies may find nothing to do.
  std::int64_t const used = many > 2 && d.chance(30) ? many - 1 : many, rest = d.pick({1, 1, 2, 3});
  Mapping const rows = d.axis(used * rest);
  bool const blocks = d.chance(50);
  Mapping const gone = blocks ? divide_by(rows, rest) : modulo(rows, used), left = blocks ? modulo(rows, rest) : divide_by(rows, used);
  Box box{d.some_chip(), d.some_cluster(), own, {rows, others}, lanes};
  bool const inside = d.chance(40);
  auto const put = [&](Levels& levels, const Mapping& m) {
    Mapping const whole = m.size < many ? pad_to(m, many, Pad::top) : m;
    if (level == Level::slice) levels.set(level, d.in_slices(inside ? pair(own, whole) : pair(whole, own)));
    else levels.set(level, whole);
  };
  Levels at;
  at.set(Level::chip, box.chip).set(Level::cluster, box.cluster).set(Level::slice, d.in_slices(own));
  put(at, copies(many));
  box.chip = at[Level::chip], box.cluster = at[Level::cluster], box.slice = at[Level::slice];
  d.shuffle(box.outer);
  PassDraft p(d, d.chance(25) ? Tu::Sub : Tu::Main, d.upload(type, box, Fill::wild));
  put(p.at, gone);
  std::vector<Mapping> steps{left, others};
  d.shuffle(steps);
  p.fetch(type, joined(steps), lanes);
  if (p.pass.context == Tu::Main && d.chance(40)) p.some_switch();
  if (!p.collect()) return;
  if (d.chance(50) && (type == ScalarType::i32 || type == ScalarType::f32)) change(p);
  d.download(p.commit());
}

/// Some of the slices or clusters of a tensor are written, or read, by a transfer, and the others keep what they hold (CHIP-27).
void tile_units(Draft& d) {
  constexpr ScalarType types[] = {ScalarType::i8, ScalarType::bf16, ScalarType::i32, ScalarType::f32};
  ScalarType const type = types[d.random.below(4)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits;
  Device const& device = *d.program.device;
  std::int64_t const clusters = device.checks.geometry ? device.levels.clusters_per_chip : 2;
  Mapping const lanes = d.axis(flit), others = d.axis(d.pick({1, 2, 3})), own = d.slices > 15 && d.chance(60) ? d.axis(2) : Mapping{};
  bool const of_chip = d.module.chips > 1 && d.chance(80), of_cluster = !of_chip && clusters > 1 && d.chance(40);
  // Rows lie in units, or blocks of them do, and the rest of a block in Element.
  std::int64_t const many = of_chip        ? d.module.chips
                            : of_cluster   ? clusters
                            : d.slices > 7 ? d.pick({2, 4, 8, std::min<std::int64_t>(d.slices / own.size, 100)})
                                           : d.slices;
  std::int64_t const block = d.chance(40) ? 2 : 1;
  if (many < 2) return make_moves(d);
  Mapping const rows = d.axis(many * block), units = block > 1 ? divide_by(rows, block) : rows;
  Box box{of_chip ? units : d.some_chip(), of_cluster ? units : d.some_cluster(), own, {others}, lanes};
  if (!of_chip && !of_cluster) box.slice = d.chance(50) ? pair(units, own) : pair(own, units);
  box.slice = d.in_slices(box.slice);
  if (block > 1) box.outer.push_back(modulo(rows, block));
  d.shuffle(box.outer);
  std::int64_t const length = d.random.between(1, std::max<std::int64_t>(1, many - 1)), most = many - length;
  ir::TensorId const there = d.upload(type, box, Fill::small), here = d.upload(type, box, Fill::wild);
  ir::TensorId const read = d.tile_of(here, units, length, d.random.between(0, most));
  ir::TensorId const written = d.tile_of(there, units, length, d.random.between(0, most));
  if (read == ir::none || written == ir::none) return make_moves(d);
  if (!of_chip && !of_cluster && d.chance(50)) {
    // Through a tensor that has in Element what the tile has in Slice.
    Levels packed = d.module.levels(d.module.tensor(read));
    packed.set(Level::slice, d.in_slices(own));
    packed.set(Level::element, pair(length > 1 ? resize_to(units, length) : Mapping{}, packed[Level::element]));
    ir::TensorId const between = d.dm(type, packed);
    d.move(read, between);
    d.move(between, written);
    return d.download(there);
  }
  d.move(read, written);
  d.download(there);
}

void make_views(Draft& d) {
  if (d.chance(d.module.chips > 1 ? 40 : 12)) return tile_units(d);
  if (d.chance(15)) return lift(d);
  if (d.chance(14)) return transpose_packed(d);
  if (d.chance(12)) return relabel(d);
  if (d.chance(6)) return fill_padded(d);
  if (d.chance(6)) return fetch_narrow(d);
  if (d.chance(12)) return make_single_values(d);
  constexpr ScalarType types[] = {ScalarType::i8,  ScalarType::i16, ScalarType::bf16, ScalarType::i32,
                                  ScalarType::f32, ScalarType::i32, ScalarType::f32};
  ScalarType const type = types[d.random.below(7)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits;
  Mapping const steps = d.axis(d.pick({2, 4, 6, 8})), lanes = d.axis(flit);
  std::vector<Mapping> outer;
  if (d.chance(50)) outer.push_back(d.axis(d.pick({2, 3})));
  Box from{d.some_chip(), d.some_cluster(),
           d.in_slices(d.chance(80) && d.slices > 1 ? d.axis(d.pick({2, d.slices > 2 ? 4 : 2})) : Mapping{}), outer, lanes};
  from.outer.push_back(steps);
  d.shuffle(from.outer);
  Box to = from;
  d.shuffle(to.outer);

  // What lies in the destination before: other numbers, or one word everywhere.
  ir::TensorId const source = d.upload(d.chance(25) ? d.type_like(type) : type, from, Fill::wild);
  ir::TensorId destination;
  std::int64_t const words = to.element().size * scalar_info(type).packet_bits / 32;
  ScalarType const there = d.chance(25) ? d.type_like(type) : type;
  if (d.chance(words <= 64 ? 60 : 30)) {
    destination = d.dm(there, to);
    ir::Memset m;
    m.destination = destination;
    m.word = static_cast<std::uint32_t>(d.random.next());
    d.command(m);
  } else {
    destination = d.upload(there, to, Fill::small);
  }

  // A part of it anew, by words.
  if (d.chance(25)) {
    std::int64_t const rows = d.random.between(1, steps.size);
    ir::Memset m;
    m.destination = d.tile_of(destination, steps, rows, d.random.between(0, steps.size - rows));
    m.word = static_cast<std::uint32_t>(d.random.next());
    if (m.destination != ir::none) d.command(m);
  }

  bool const tiled = d.chance(75);
  std::int64_t const length = tiled ? d.random.between(1, steps.size) : steps.size;
  // Views of views: the bits of another type, some of the steps, all of that.
  auto const seen = [&](ir::TensorId whole) {
    if (d.module.tensor(whole).type != type || d.chance(20))
      whole = d.reshape_of(whole, type, d.module.map(d.module.tensor(whole).element));
    if (tiled) whole = d.tile_of(whole, steps, length, d.random.between(0, steps.size - length));
    return whole != ir::none && d.chance(15) ? d.whole_of(whole) : whole;
  };
  ir::TensorId const read = seen(source), written = seen(destination);
  if (read == ir::none || written == ir::none) return make_moves(d);
  if (tiled && d.chance(30)) {
    d.move(read, written);
    return d.download(destination);
  }
  Tu const context = d.chance(35) ? Tu::Sub : Tu::Main;
  PassDraft p(d, context, read);
  std::vector<Mapping> order = outer;
  if (length > 1) order.push_back(resize_to(steps, length));
  d.shuffle(order);
  p.fetch(type, joined(order), lanes);
  ir::Commit c;
  c.destination = written;
  if (context == Tu::Main || d.chance(50)) {
    p.collect();
    if (d.chance(60)) change(p);
  }
  if (d.chance(40)) c.slices = some_slices(d, from.slice);
  p.stage(c);
  d.command(std::move(p.pass));
  d.download(destination);
}

}  // namespace tcp::agree
