// Programs that contract: weights into the TRF, a stream beside them, and sums in the chip's order.
#include "tcp/rules/contraction.hpp"
#include <algorithm>

#include "generator.hpp"
#include "pass_draft.hpp"
#include "tcp/device/casts.hpp"

namespace tcp::agree {
namespace {

/// What is stored, and what the fetch makes of it.
struct Operand {
  ScalarType stored = ScalarType::bf16, type = ScalarType::bf16;
  ir::Fetch fetch;
};

Operand some_operand(Draft& d, ScalarType multiplied) {
  Operand o;
  o.stored = o.type = multiplied;
  if (is_integer(multiplied)) {
    // i5 and i9: less a zero point, or just widened.
    if (d.chance(45)) return o;
    o.type = multiplied == ScalarType::i4 ? ScalarType::i5 : ScalarType::i9;
    for (ScalarType wider : {ScalarType::i4, ScalarType::i16})
      if (o.type == ScalarType::i9 && has_fetch_cast(*d.program.device, wider, o.type) && d.chance(wider == ScalarType::i4 ? 75 : 45))
        o.stored = wider;
    std::int64_t const greatest = scalar_mask(o.stored) >> 1;
    if (d.chance(70)) o.fetch.zero_points.push_back(d.random.between(-greatest - 1, greatest));
    return o;
  }
  if (multiplied != ScalarType::bf16) return o;
  for (ScalarType from : {ScalarType::f32, ScalarType::f8e4m3, ScalarType::f8e5m2})
    if (has_fetch_cast(*d.program.device, from, multiplied) && d.chance(25)) o.stored = from;
  return o;
}

/// The axis that is summed, as it lies in packets: all of it in memory and in the TRF in this one order.
struct Summed {
  Mapping core{};    // padded to whole flits
  Mapping stored{};  // the same with undefined padding
  Mapping turned{};  // as the stream adapter's transposition makes it of a flit; else the same as core
};

/// Weights from HBM through DM into the TRF: Row outermost, then `rest`, then the summed axis.
ir::TensorId load_weights(Draft& d, const Box& where, const Operand& o, const Mapping& row, const std::vector<Mapping>& rest,
                          const Mapping& core, const Mapping& stored, std::int64_t flit, Fill fill) {
  Box box = where;
  box.outer = rest;
  if (row.size > 1) box.outer.push_back(row);
  d.shuffle(box.outer);
  box.core = stored;
  ir::TensorId const in_dm = d.upload(o.stored, box, fill, d.chance(50));
  PassDraft p(d, d.chance(50) ? Tu::Sub : Tu::Main, in_dm);
  bool const masked = core.digits > 0 && !(core == stored);
  if (masked) p.pass.context = Tu::Main;
  Mapping const steps = pair(row, joined(rest));
  bool const whole = d.chance(40);
  p.fetch(o.type, whole ? steps : pair(steps, divide_by(core, flit)), whole ? core : modulo(core, flit), o.fetch);
  p.collect();
  Levels l = p.at;
  l.set(Level::time, Mapping{}).set(Level::packet, Mapping{}).set(Level::row, row).set(Level::element, pair(joined(rest), core));
  for (Level level : {Level::chip, Level::cluster, Level::slice}) l.set(level, without_kinds(l[level]));
  ir::TensorId const trf = d.add(Memory::Trf, o.type, l);
  d.module.tensors.back().trf = static_cast<TrfAddress>(d.random.below(3));
  p.stage(ir::ToTrf{trf});
  d.command(std::move(p.pass));
  return trf;
}

/// Weights as a contraction may see them: all of them, some steps of one of their axes, or that axis by another name.
ir::TensorId seen_weights(Draft& d, ir::TensorId trf, std::vector<Mapping>& rest) {
  if (d.chance(15)) return d.whole_of(trf);
  if (rest.empty() || d.chance(35)) return trf;
  Mapping const axis = rest[0];
  if (d.chance(25)) {
    std::vector<Mapping> parts = factors(d.module.map(d.module.tensor(trf).element));
    Mapping const other = d.axis(axis.size);
    std::replace(parts.begin(), parts.end(), axis, other);
    rest[0] = other;
    return d.reshape_of(trf, d.module.tensor(trf).type, joined(parts));
  }
  std::int64_t const length = d.random.between(1, axis.size);
  ir::TensorId const part = d.tile_of(trf, axis, length, d.random.between(0, axis.size - length));
  if (part == ir::none) return trf;
  rest[0] = length == 1 ? Mapping{} : resize_to(axis, length);
  if (length == 1) rest.erase(rest.begin());
  return part;
}

/// Contract and accumulate an aligned pair: `packet` is the computation's, of which the innermost `summed` positions may be added; `kept` is what stays of Time.
void sums(PassDraft& p, ContractOp op, const Mapping& row, const Mapping& packet, std::int64_t summed, const Mapping& kept) {
  Draft& d = p.d;
  std::int64_t tree = summed;
  while (packet.size / tree > p.device().contraction.columns && tree < packet.size) tree *= 2;
  bool begun = false;  // a start would go to the columns that are left, and what lies before it would be lost
  for (int i = 0; i < packet.axes; ++i) begun |= packet.axis[i].start != 0;
  if (!begun && d.chance(30) && packet.size / (tree / 2) <= p.device().contraction.columns && tree > 1) tree /= 2;
  Mapping columns = divide_by(packet, tree);
  p.type = wide_type(p.type);
  p.at.set(Level::packet, columns);
  ir::Contract c;
  c.op = op;
  p.stage(c);
  constexpr std::int64_t lanes = 8;
  ir::Accumulate a;
  bool const interleaved = d.chance(50);
  a.kind = AccumulationKind::Sequential;
  if (interleaved) a.kind = AccumulationKind::Interleaved;
  if (interleaved) {
    p.at.set(Level::time, pair(kept, columns)).set(Level::packet, pad_to(row, lanes, Pad::top));
  } else {
    if (columns.size % lanes != 0) columns = pair(pad_to(Mapping{}, lanes / columns.size, Pad::zero), columns);
    Halves const beats = split_at(columns, lanes);
    p.at.set(Level::time, pair(kept, pair(row, beats.outer))).set(Level::packet, beats.inner);
  }
  p.at.set(Level::row, Mapping{});
  p.stage(a);
  p.stage_now = StreamStage::Contraction;
}

void finish(PassDraft& p) {
  Draft& d = p.d;
  PassDraft const sums = p;
  if (d.chance(35) && p.packet().size == 8) p.vector();
  ir::TensorId const logged = p.logged, written = p.written, counted = p.counted;
  if (d.chance(35)) p.some_cast();
  if (d.chance(30)) p.some_transpose();
  if (d.chance(20)) p.some_commit_cast();
  d.download(p.commit());
  observe_written(sums, logged, written, counted);
}

}  // namespace

void make_contraction(Draft& d) {
  constexpr ScalarType multiplied[] = {ScalarType::i4,     ScalarType::i8,   ScalarType::f8e4m3,
                                       ScalarType::f8e5m2, ScalarType::bf16, ScalarType::bf16};
  ScalarType const type = multiplied[d.random.below(6)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits;
  Operand const data = some_operand(d, type), weights = some_operand(d, type);
  Fill const fill = d.chance(25) ? Fill::wild : Fill::small;
  ContractOp const op = d.chance(15) ? ContractOp::Max : ContractOp::Add;

  // Several flits, one, or one that is not full.
  std::int64_t const flits = type == ScalarType::i4 ? d.pick({1, 1, 2}) : d.pick({1, 1, 1, 2, 2, 4});
  bool const odd = op == ContractOp::Add && d.chance(35);
  std::int64_t const extent = odd ? d.random.between(flit * (flits - 1) + 1, flit * flits - 1) : flit * flits;
  Mapping const k = d.axis(extent);
  Pad const data_pad = d.chance(70) ? Pad::zero : Pad::top;
  Pad const weights_pad = data_pad == Pad::top || d.chance(50) ? Pad::zero : Pad::top;
  std::int64_t const front = odd && d.chance(20) ? d.random.between(1, flit * flits - extent) : 0;
  Mapping const begun = front > 0 ? pad_front(k, front) : k;
  auto const padded = [&](Pad kind) { return pad_to(begun, flit * flits, kind); };
  bool const promised = d.chance(30);  // the zeros are in memory already
  Mapping const data_core = padded(data_pad), weights_core = padded(weights_pad);
  auto const stored = [&](const Mapping& core, const Operand& o) {
    return promised && o.fetch.zero_points.empty() ? core : padded(Pad::top);
  };

  // A flit that the adapter transposes.
  bool const turns = flits == 1 && !odd && d.chance(20);
  std::int64_t const columns = scalar_info(type).packet_bits == 4 ? 16 : scalar_info(type).packet_bits == 8 ? d.pick({16, 8}) : 8;
  Mapping const turned = pair(modulo(k, columns), divide_by(k, columns));

  Box where;
  where.chip = d.some_chip();
  where.cluster = d.some_cluster();
  // Slice counts an axis, or blocks of one of which only the stream, or only the weights, have all steps.
  Mapping const blocks = d.axis(d.pick({4, 6, 8}));
  bool const in_blocks = d.chance(35) && d.slices >= 4;
  Mapping const in_slice = in_blocks ? divide_by(blocks, 2) : d.chance(70) && d.slices >= 4 ? d.axis(d.pick({2, 4})) : Mapping{};
  where.slice = d.in_slices(in_slice);
  Mapping const row = op == ContractOp::Max ? Mapping{} : d.chance(35) ? Mapping{} : d.axis(d.pick({2, 4, 8}));
  std::vector<Mapping> rest, outer;
  if (d.chance(50)) rest.push_back(d.axis(d.pick({2, 3})));
  if (in_blocks) (d.chance(60) ? outer : rest).push_back(modulo(blocks, 2));
  std::int64_t const room = d.chance(4) ? 16384 : 1500;
  for (std::int64_t n = d.random.between(0, 2); n > 0; --n) {
    Mapping const more = d.axis(d.pick({2, 3, 4}));
    if (joined(outer).size * more.size * extent * where.slice.digit[0].size <= room) outer.push_back(more);
  }
  bool const paired = flits == 1 && d.chance(30);  // two flits of different rows of the stream in one packet
  Mapping const two = d.axis(2);

  ir::TensorId const loaded =
      load_weights(d, where, weights, row, rest, turns ? turned : weights_core, turns ? turned : stored(weights_core, weights), flit, fill);
  ir::TensorId const trf = seen_weights(d, loaded, rest);
  Box box = where;
  box.outer = outer;
  if (paired) box.outer.push_back(two);
  d.shuffle(box.outer);
  box.core = stored(data_core, data);
  ir::TensorId const in_dm = d.upload(data.stored, box, fill);
  PassDraft p(d, Tu::Main, in_dm);
  std::vector<Mapping> steps = outer;
  Mapping const pops = flits > 1 ? divide_by(data_core, 2 * flit) : Mapping{};  // of the summed axis, one a packet
  std::size_t const at = d.random.below(steps.size() + 1);
  if (pops.size > 1) steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(at), pops);
  Mapping const inner = flits > 1 ? modulo(divide_by(data_core, flit), 2) : paired ? two : Mapping{};
  p.fetch(data.type, pair(joined(steps), inner), modulo(data_core, flit), data.fetch);
  if (d.chance(15)) p.stage(ir::Switch{}), p.stage_now = StreamStage::Switch;
  p.collect();

  Mapping const flit_now = turns ? turned : p.packet();
  Mapping packet = pair(inner, flit_now);
  std::int64_t const summed = flits > 1 ? 2 * flit : flit;
  bool const half = packet.size == flit;
  Mapping const full = half ? pair(pad_to(Mapping{}, 2, Pad::zero), packet) : packet;
  // An axis that neither has: the same again for each of its steps.
  std::vector<Mapping> const again = d.chance(15) ? std::vector<Mapping>{d.axis(d.pick({2, 3}))} : std::vector<Mapping>{};
  Mapping const time = pair(pair(joined(steps), joined(rest)), joined(again));
  p.at.set(Level::time, time).set(Level::packet, half && d.chance(50) ? packet : full);
  p.at.set(Level::row, row);
  ir::Align align;
  align.trf = trf;
  p.stage(align);
  std::vector<Mapping> kept = outer;
  if (pops.size > 1 && d.chance(20)) kept = steps;
  for (const Mapping& f : rest) kept.push_back(f);
  for (const Mapping& f : again) kept.push_back(f);
  sums(p, op, row, full, summed, joined(kept));
  finish(p);
}

void make_convolution(Draft& d) {
  constexpr ScalarType multiplied[] = {ScalarType::i8, ScalarType::f8e4m3, ScalarType::bf16, ScalarType::bf16};
  ScalarType const type = multiplied[d.random.below(4)];
  std::int64_t const flit = 256 / scalar_info(type).packet_bits, lanes = 2 * flit;
  Operand data, weights;
  data.stored = data.type = weights.stored = weights.type = type;
  Fill const fill = d.chance(20) ? Fill::wild : Fill::small;
  std::int64_t const stride = d.pick({1, 1, 2}), dilation = stride == 1 ? d.pick({1, 1, 2}) : d.pick({1, 1, 2}),
                     filter = d.pick({2, 3, 3, 4});
  std::int64_t const flits = d.pick({1, 2, 2, 3});
  // As many outputs as the flits hold and the multipliers take.
  std::int64_t outputs = (flits * flit - 1 - (filter - 1) * dilation) / stride + 1;
  if (outputs * stride > lanes) outputs = lanes / stride;
  if (outputs > 32) outputs = 32;  // sums that a row supplies
  if (d.chance(40) && outputs > 4) outputs -= d.random.between(0, 3);
  Mapping const w = d.axis(outputs), f = d.axis(filter);
  Slide const members[] = {{w, stride}, {f, dilation}};
  Mapping const window = pad_to(slide_over(members), flits * flit, Pad::top);
  if (!window.ok()) return make_moves(d);
  Box where;
  where.cluster = d.some_cluster();
  if (counts_axes(where.cluster)) where.cluster = pad_to(Mapping{}, where.cluster.size, Pad::top);
  if (d.module.chips > 1) where.chip = copies(d.module.chips);
  where.slice = d.in_slices(Mapping{});
  Mapping const row = d.chance(40) ? Mapping{} : d.axis(d.pick({2, 4, 8}));
  std::vector<Mapping> outer, rest;
  if (d.chance(70)) outer.push_back(d.axis(d.pick({2, 3})));
  bool const channels = d.chance(50);
  if (channels) outer.push_back(d.axis(d.pick({2, 3})));  // summed over time
  Mapping const c = channels ? outer.back() : Mapping{};

  // Where outputs are two places apart, the TRF has the tap and a zero, or two taps.
  bool const taps = stride == 2 && dilation == 1 && filter % 2 == 0;
  Mapping inner_tap, shifted = f;
  if (taps) {
    inner_tap = modulo(f, 2);
    shifted = divide_by(f, 2);
  } else if (stride == 2) {
    inner_tap = pad_to(Mapping{}, 2, Pad::zero);
  }
  Box weights_box = where;
  if (channels) weights_box.outer.push_back(c);
  if (row.size > 1) weights_box.outer.push_back(row);
  d.shuffle(weights_box.outer);
  weights_box.core = pair(pad_to(shifted, flit / inner_tap.size, Pad::top), inner_tap);
  if (!weights_box.core.ok()) return make_moves(d);
  ir::TensorId const weights_dm = d.upload(type, weights_box, fill);
  PassDraft load(d, Tu::Main, weights_dm);
  load.fetch(type, pair(row, c), weights_box.core);
  if (!load.collect()) return make_moves(d);
  Levels l = load.at;
  l.set(Level::time, Mapping{}).set(Level::packet, Mapping{}).set(Level::row, row).set(Level::element, pair(c, weights_box.core));
  ir::TensorId const trf = d.add(Memory::Trf, type, l);
  load.stage(ir::ToTrf{trf});
  d.command(std::move(load.pass));

  Box box = where;
  box.outer = outer;
  d.shuffle(box.outer);
  // The window comes as one, or is another look at plain columns.
  bool const plain = d.chance(35);
  std::int64_t const columns_held = live_slots(window, 0);
  box.core = plain ? pad_to(d.axis(columns_held), window.size, Pad::top) : window;
  ir::TensorId in_dm = d.upload(type, box, fill);
  if (plain) {
    box.core = window;
    in_dm = d.reshape_of(in_dm, type, box.element());
  }
  PassDraft p(d, Tu::Main, in_dm);
  std::vector<Mapping> steps = outer;
  d.shuffle(steps);
  p.fetch(type, joined(steps), window);
  p.collect();
  // The window comes apart: the filter goes to Time, the outputs stay.
  Mapping packet = stride == 1 ? w : pair(w, inner_tap);
  packet = pad_to(packet, packet.size <= flit ? flit : lanes, Pad::top);
  std::int64_t const tree = stride == 2 ? 2 : 1;
  if (stride == 2) packet = pad_to(pair(pad_to(w, (packet.size) / 2, Pad::top), inner_tap), packet.size, Pad::top);
  if (!packet.ok()) return make_moves(d);
  Mapping const full = packet.size == lanes ? packet : pair(pad_to(Mapping{}, 2, Pad::zero), packet);
  p.at.set(Level::time, pair(joined(steps), shifted)).set(Level::packet, full).set(Level::row, row);
  ir::Align align;
  align.trf = trf;
  p.stage(align);
  std::vector<Mapping> kept = steps;
  if (channels) std::erase_if(kept, [&c](const Mapping& m) { return m == c; });
  // All outputs are columns; of those there may be more than a row supplies, so the kind is the sequential one with flits of eight.
  Mapping columns = divide_by(full, tree);
  if (columns.size > 32) columns = resize_to(columns, 32);
  p.type = wide_type(type);
  p.at.set(Level::packet, columns);
  p.stage(ir::Contract{});
  ir::Accumulate a;
  a.kind = AccumulationKind::Sequential;
  Halves const beats = split_at(columns, 8);
  if (!beats.outer.ok()) return;
  p.at.set(Level::time, pair(joined(kept), pair(row, beats.outer))).set(Level::packet, beats.inner).set(Level::row, Mapping{});
  p.stage(a);
  p.stage_now = StreamStage::Contraction;
  finish(p);
}

}  // namespace tcp::agree
