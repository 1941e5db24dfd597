// Programs that fetch, switch, compute in the Vector Engine, cast, transpose and commit.
#include "tcp/rules/vector.hpp"
#include <algorithm>

#include "generator.hpp"
#include "pass_draft.hpp"
#include "tcp/device/casts.hpp"

namespace tcp::agree {
namespace {

/// A stream of 32-bit numbers: what is stored, what the fetch adapter does to it, and how it is packed.
struct Source {
  ScalarType stored = ScalarType::i32, type = ScalarType::i32;
  ir::Fetch fetch;
  bool interleaved = false;
};

int some_table(Draft& d, ScalarType from, ScalarType to) {
  ir::LookupTable t;
  t.name = "table";
  t.from = from;
  t.to = to;
  for (std::uint32_t i = 0; i <= scalar_mask(from); ++i) t.bits.push_back(d.number(to, Fill::wild));
  t.bits[d.random.below(t.bits.size())] = 0;
  d.module.tables.push_back(std::move(t));
  return static_cast<int>(d.module.tables.size() - 1);
}

Source some_source(Draft& d) {
  constexpr ScalarType integers[] = {ScalarType::i4, ScalarType::i8, ScalarType::i16, ScalarType::i32, ScalarType::i32};
  constexpr ScalarType floats[] = {ScalarType::f8e4m3, ScalarType::f8e5m2, ScalarType::f16,
                                   ScalarType::bf16,   ScalarType::f32,    ScalarType::f32};
  Source s;
  bool const integer = d.chance(50);
  s.type = integer ? ScalarType::i32 : ScalarType::f32;
  s.stored = integer ? integers[d.random.below(5)] : floats[d.random.below(6)];
  s.interleaved = d.chance(22);
  if (d.chance(10)) {
    constexpr ScalarType indices[] = {ScalarType::i4, ScalarType::i8, ScalarType::f8e4m3, ScalarType::f4e2m1};
    ScalarType const looked_up = s.stored;
    s.stored = indices[d.random.below(4)];
    s.fetch.table = some_table(d, s.stored, looked_up);
  } else if (integer && s.stored != ScalarType::i32 && d.chance(35)) {
    std::int64_t const greatest = scalar_mask(s.stored) >> 1;
    s.fetch.zero_points.push_back(d.random.between(-greatest - 1, greatest));
    if (s.interleaved && d.chance(70)) s.fetch.zero_points.push_back(d.random.between(-greatest - 1, greatest));
  }
  return s;
}

/// Another pass that looks at what a pass has left in VRF. `p`: a stream as it was when it was left.
void observe(PassDraft p, ir::TensorId logged, ir::TensorId operand) {
  Draft& d = p.d;
  auto const operand_levels = [&](ir::TensorId id) { return d.module.levels(d.module.tensor(id)); };
  ir::Branch b;
  if (logged != ir::none) {
    b.mode = BranchMode(BranchMode::Kind::Vrf);
    b.vrf = logged;
    Levels const l = operand_levels(logged);
    if (!check_branch(p.device(), p.type, p.at, b.mode, &l)) return;
  } else if (!check_vrf_operand(p.at, operand_levels(operand)) || p.type != d.module.tensor(operand).type) {
    return;
  }
  p.stage(ir::VectorInit{});
  p.stage(b);
  bool const integer = p.type == ScalarType::i32;
  ir::VectorOperation o;
  o.step = integer ? step_of(LogicBinaryOpI32(LogicBinaryOpI32::Code::BitXor)) : step_of(LogicBinaryOpF32(LogicBinaryOpF32::Code::BitXor));
  if (logged != ir::none) {
    for (int bit = 0; bit < 3; ++bit) {
      ir::Operand c;
      c.shape = {OperandKind::immediate, p.type, OperandGuard::bit(bit), true, 0x1234567u << bit};
      o.operands.push_back(c);
    }
  } else {
    ir::Operand from;
    from.shape = {OperandKind::vrf, p.type, OperandGuard::always(), false, 0};
    from.vrf = operand;
    o.operands.push_back(from);
  }
  p.stage(o);
  p.stage(ir::VectorFinal{});
  p.stage_now = StreamStage::Vector;
  d.download(p.commit());
}

/// The step behind a tile of one step, or in front of it; none: it is no such tile.
ir::TensorId neighbour_of(Draft& d, ir::TensorId id) {
  if (id == ir::none || !d.module.tensor(id).view || d.module.tensor(id).view->kind != ir::ViewOf::Kind::tile) return ir::none;
  ir::ViewOf const seen = *d.module.tensor(id).view;
  Mapping const dimension = d.module.map(seen.dimension);
  return d.tile_of(seen.tensor, dimension, 1, (seen.start + 1) % dimension.size);
}

/// A second pass over what a first one has committed.
void again(Draft& d, ir::TensorId from) {
  ir::Tensor const t = d.module.tensor(from);
  std::vector<Mapping> steps = factors(d.module.map(t.element));
  ScalarType const wide = is_integer(t.type) ? ScalarType::i32 : ScalarType::f32;
  Mapping const lanes = steps.empty() ? Mapping{} : steps.back();
  if (!steps.empty()) steps.pop_back();
  bool const plain = std::all_of(steps.begin(), steps.end(), counts_axes);
  if (plain && d.chance(60)) d.shuffle(steps);
  PassDraft p(d, Tu::Main, from);
  p.fetch(wide, joined(steps), pad_to(lanes, (lanes.size + 7) / 8 * 8, Pad::top));
  if (d.chance(25)) p.some_switch();
  if (!p.collect()) return d.download(from);
  p.vector();
  if (d.chance(30)) p.some_cast();
  d.download(p.commit());
}

}  // namespace

void observe_written(const PassDraft& stream, ir::TensorId logged, ir::TensorId written, ir::TensorId counted) {
  if (logged != ir::none) observe(stream, logged, ir::none);
  if (written != ir::none) observe(stream, ir::none, written);
  if (counted != ir::none) observe(stream, ir::none, counted);
  // What lies beside a part that was written is as it was.
  if (ir::TensorId const beside = neighbour_of(stream.d, logged); beside != ir::none) observe(stream, beside, ir::none);
  if (ir::TensorId const beside = neighbour_of(stream.d, written); beside != ir::none) observe(stream, ir::none, beside);
}

void make_vector(Draft& d) {
  Source const s = some_source(d);
  Fill const fill = d.chance(40) ? Fill::wild : Fill::small;
  std::int64_t const word = 64 / scalar_info(s.stored).packet_bits;
  std::int64_t const run = word > 8 ? word : 8;  // whole words in memory, whole flits in the stream

  // The packet's axis, padded to whole runs; the others in Slice and Time.
  bool const odd = d.chance(35), zero = odd && d.chance(40), large = d.chance(4);
  std::int64_t const extent = odd ? d.random.between(1, 2 * run - 1) : run * d.pick({1, 1, 2});
  Mapping const lanes = d.axis(extent);
  std::int64_t room = large ? 16384 : 1024;  // elements
  // Zeros are in memory already, or the fetch makes them; it may also begin before the first element.
  Mapping stored_core = pad_to(lanes, (extent + run - 1) / run * run, zero && d.chance(25) ? Pad::zero : Pad::top);
  std::int64_t const front = zero && d.chance(30) ? d.random.between(1, 3) : 0;
  Mapping const shifted = front > 0 ? pad_front(lanes, front) : lanes;
  Mapping core = pad_to(shifted, (extent + front + run - 1) / run * run, zero ? Pad::zero : Pad::top);
  std::vector<Mapping> in_slice, in_time, repeated;  // repeated: read again and again, of an axis that is in Slice only
  std::int64_t taken = 1;
  // The packet's axis in two slices, which may begin before its first element and end behind its last.
  std::int64_t const ahead = d.random.between(0, 7);
  if (!zero && run == 8 && extent + ahead > 8 && extent + ahead <= 16 && d.slices % 2 == 0 && d.chance(20)) {
    Mapping const both = pad_to(ahead > 0 ? pad_front(lanes, ahead) : lanes, 16, Pad::top);
    in_slice.push_back(divide_by(both, 8));
    stored_core = core = modulo(both, 8);
    taken = 2;
  }
  for (std::int64_t n = d.random.between(0, 2); n > 0; --n) {
    std::int64_t const size = in_slice.empty() && d.chance(15) ? d.pick({3, 5}) : d.pick({2, 2, 4, 8});
    bool const outermost = size % 2 == 1;  // then padding makes up for it
    if (taken * size > d.slices || (!outermost && d.slices % (taken * size) != 0) || taken * size * extent > room) continue;
    in_slice.insert(outermost ? in_slice.begin() : in_slice.end(), d.axis(size));
    taken *= size;
  }
  for (std::int64_t n = d.random.between(0, 2); n > 0; --n) {
    Mapping const whole = d.axis(d.pick({2, 3, 4, 4, 6}));
    if (joined(in_time).size * whole.size * taken * extent > room) continue;
    Mapping const even = pad_to(whole, (whole.size + 1) / 2 * 2, Pad::top);  // the last block may be a part of one
    if (even.size == 4 && d.chance(30) && d.slices % (taken * 2) == 0) {     // an axis with a factor in Slice
      in_slice.push_back(divide_by(even, 2));
      (d.chance(80) ? in_time : repeated).push_back(modulo(even, 2));
      taken *= 2;
    } else {
      in_time.push_back(d.chance(12) ? pad_to(whole, whole.size + d.pick({1, 2}), Pad::top) : whole);
    }
  }
  Mapping const slice =
      d.chance(85) || d.slices % taken != 0 ? d.in_slices(joined(in_slice)) : pair(joined(in_slice), copies(d.slices / taken));
  Box box{d.some_chip(), d.some_cluster(), slice, in_time, stored_core};
  d.shuffle(box.outer);
  // Of its own, or a part of something larger; of two that take turns, both parts of one.
  bool const parts = d.chance(20);
  Mapping const part = d.axis(2);
  std::int64_t const which = d.random.between(0, 1);
  Box larger = box;
  if (parts) larger.outer.insert(larger.outer.begin() + static_cast<std::ptrdiff_t>(d.random.below(larger.outer.size() + 1)), part);
  ir::TensorId const uploaded = d.upload(s.stored, larger, fill);
  ir::TensorId const first = parts ? d.tile_of(uploaded, part, 1, which) : uploaded;
  if (first == ir::none) return make_moves(d);
  // The sub context has no tables and no masks, and reads 8 bytes at once.
  bool const in_sub = !zero && s.fetch.table == ir::none && !s.interleaved && d.chance(15);
  PassDraft p(d, in_sub ? Tu::Sub : Tu::Main, first);
  p.pass.dual = !in_sub && d.chance(5);
  std::vector<Mapping> steps = in_time;
  if (core.size > 8 && d.chance(70)) steps.push_back(divide_by(core, 8));
  bool const whole_packet = core.size > 8 && (steps.size() == in_time.size());
  if (s.interleaved) {
    p.pass.source.push_back(parts ? d.tile_of(uploaded, part, 1, 1 - which) : d.upload(s.stored, box, fill));
    Mapping const turns = d.axis(2);
    p.pass.turns = Draft::name_of_axis(turns);
    steps.push_back(turns);
  }
  if (d.chance(50)) d.shuffle(steps);
  if (d.chance(8)) repeated.push_back(d.axis(2));
  for (const Mapping& m : repeated) steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(d.random.below(steps.size() + 1)), m);
  p.fetch(s.type, joined(steps), whole_packet ? core : modulo(core, 8), s.fetch);
  if (d.chance(40)) p.some_switch();
  if (!p.collect()) return;
  PassDraft const collected_stream = p;
  if (d.chance(92)) p.vector();
  ir::TensorId const logged = p.logged, written = p.written, counted = p.counted;
  if (ir::TensorId const stored = d.chance(30) ? p.to_vrf(collected_stream) : ir::none; stored != ir::none) {
    observe(collected_stream, ir::none, stored);
    return observe_written(collected_stream, logged, written, counted);
  }
  if (d.chance(40)) p.some_cast();
  if (!in_sub && d.chance(40)) p.some_transpose();
  if (d.chance(25)) p.some_commit_cast();
  ir::TensorId const made = p.commit();
  if (d.chance(70)) d.download(made);
  else again(d, made);
  observe_written(collected_stream, logged, written, counted);
}

}  // namespace tcp::agree
