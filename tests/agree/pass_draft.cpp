#include "pass_draft.hpp"

#include <algorithm>

#include "tcp/device/casts.hpp"
#include "tcp/rules/cast.hpp"
#include "tcp/rules/commit.hpp"
#include "tcp/rules/switch.hpp"
#include "tcp/rules/transpose.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp::agree {

PassDraft::PassDraft(Draft& draft, Tu context, ir::TensorId source) : d(draft), type(draft.module.tensor(source).type) {
  pass.context = context;
  pass.source = {source};
  at = d.module.levels(d.module.tensor(source));
  at.set(Level::element, Mapping{});
}

void PassDraft::fetch(ScalarType to, const Mapping& time, const Mapping& packet, ir::Fetch how) {
  type = to;
  at.set(Level::time, time).set(Level::packet, packet);
  stage(std::move(how));
}

// The switch.

Mapping PassDraft::copies_of(std::int64_t n) {
  if (n == 1) return Mapping{};
  std::uint64_t const what = d.random.below(20);
  if (what < 6) return copies(n);
  if (what < 12) return pad_to(Mapping{}, n, Pad::top);  // the first of them
  if (what < 13) return divide_by(d.axis(2 * n), 2);
  if (what < 14) return modulo(d.axis(2 * n), n);
  Mapping const whole = d.axis(n);
  if (what < 16 && n > 2 && n % 2 == 0) return pair(modulo(whole, 2), divide_by(whole, 2));
  return whole;
}
bool PassDraft::switch_to(const SwitchConfig& config, const Mapping& slice, const Mapping& time) {
  if (!slice.ok() || !time.ok() || time.size > 256) return false;
  auto const made = check_switch(device(), at, config, slice, time);
  if (!made || !check_consecutive_flits(device(), type, packet(), config)) return false;
  at.set(Level::slice, slice).set(Level::time, time);
  stage(ir::Switch{config});
  stage_now = StreamStage::Switch;
  return true;
}
bool PassDraft::regular_switch(Topology topology) {
  std::int64_t const s1 = d.pick({1, 2, 2, 4}), s0 = d.pick({1, 2, 2, 4}), t0 = d.pick({1, 2, 3});
  if (topology == Topology::Forwarding) return switch_to(SwitchConfig::Forwarding{}, slice(), time());
  if (slice().size % (s1 * s0) != 0) return false;
  Halves const ring = split_at(slice(), s1 * s0);
  if (!ring.outer.ok()) return false;
  Halves const parts = split_at(ring.inner, s0);
  if (!parts.outer.ok()) return false;
  switch (topology) {
    case Topology::Broadcast01: {
      if (time().size % t0 != 0) return false;
      Halves const t = split_at(time(), t0);
      if (!t.outer.ok()) return false;
      return switch_to(SwitchConfig::Broadcast01{s1, s0, t0}, pair(ring.outer, copies_of(s1 * s0)),
                       pair(pair(t.outer, parts.outer), pair(t.inner, parts.inner)));
    }
    case Topology::Broadcast1:
      return switch_to(SwitchConfig::Broadcast1{s1, s0}, pair(pair(ring.outer, copies_of(s1)), parts.inner), pair(time(), parts.outer));
    case Topology::Transpose: return switch_to(SwitchConfig::Transpose{s1, s0}, pair(pair(ring.outer, parts.inner), parts.outer), time());
    case Topology::TransposedBroadcast1:
      return switch_to(SwitchConfig::TransposedBroadcast1{s1, s0}, pair(pair(ring.outer, copies_of(s0)), parts.outer),
                       pair(time(), parts.inner));
    case Topology::InterTranspose: {
      if (time().size % (s1 * t0) != 0) return false;
      Halves const t = split_at(time(), s1 * t0);
      if (!t.outer.ok()) return false;
      Halves const swapped = split_at(t.inner, t0);
      if (!swapped.outer.ok()) return false;
      return switch_to(SwitchConfig::InterTranspose{s1, s0, t0}, pair(pair(ring.outer, swapped.outer), parts.inner),
                       pair(pair(t.outer, swapped.inner), parts.outer));
    }
    default: return false;
  }
}
bool PassDraft::custom_switch() {
  std::vector<Mapping> parts = factors(slice());
  if (parts.empty() || slice().tails > 0) return false;
  SwitchConfig::CustomBroadcast config;
  std::size_t const which = d.random.below(parts.size());
  if (parts.size() > 1 && d.chance(40)) {
    d.shuffle(parts);
    return switch_to(config, joined(parts), time());
  }
  // One factor, or some steps of it, goes to Time; copies take its place.
  Mapping const gone = parts[which];
  std::int64_t const live = gone.digits == 1 ? gone.digit[0].size : gone.size;
  Mapping taken = bare({gone}).empty() ? Mapping{} : bare({gone})[0];
  if (taken.size > 2 && d.chance(40)) {
    taken = resize_to(taken, d.random.between(2, live - 1));
    config.extraction = Extraction::Partial;
  }
  parts[which] = copies_of(gone.size);
  return switch_to(config, joined(parts), pair(time(), taken));
}
void PassDraft::some_switch() {
  for (int attempt = 0; attempt < 4; ++attempt) {
    auto const topology = static_cast<Topology>(d.random.below(7));
    if (topology == Topology::CustomBroadcast ? custom_switch() : regular_switch(topology)) return;
  }
}

bool PassDraft::collect() {
  auto const made = collected(device(), type, time(), packet());
  if (!made) return false;
  at.set(Level::time, made->time).set(Level::packet, made->packet);
  stage(ir::Collect{});
  stage_now = StreamStage::Collect;
  return true;
}

// Behind the engines.

bool PassDraft::narrowed() {
  std::vector<ScalarType> to;
  for (ScalarType t : scalar_types)
    if (has_cast_engine_cast(device(), type, t)) to.push_back(t);
  if (to.empty()) return false;
  ScalarType const wanted = d.one_of(to);
  auto const made = cast_packet(device(), type, wanted, packet());
  if (!made) return false;
  type = wanted;
  at.set(Level::packet, *made);
  return true;
}
void PassDraft::some_cast() {
  if (!narrowed()) return;
  stage(ir::Cast{});
  stage_now = StreamStage::Cast;
}
void PassDraft::some_commit_cast() {
  if (stage_now == StreamStage::Fetch || !narrowed()) return;
  if (d.chance(50)) stage(ir::CommitCast{});
  else stage(ir::CommitCastRelu{});
  stage_now = StreamStage::CommitCast;
}

void PassDraft::some_transpose() {
  TransposeLimits const limits = transpose_limits(device(), type);
  if (packet().size != limits.output_alignment) return;
  if (stage_now == StreamStage::Contraction && scalar_info(type).packet_bits != 32) return;
  std::int64_t const width = d.chance(50) ? limits.packed_elements : limits.elements_per_packet;
  Mapping const elements = resize_to(packet(), width);
  if (!elements.ok() || !equivalent(pad_to(elements, packet().size, Pad::top), packet())) return;
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::int64_t const columns = limits.columns.item[d.random.below(static_cast<std::uint64_t>(limits.columns.count))];
    std::int64_t const packets = columns / width, rows = d.random.between(1, limits.rows);
    if (packets < 1 || time().size % (packets * rows) != 0) continue;
    Halves const inner = split_at(time(), packets);
    if (!inner.outer.ok()) continue;
    Halves const outer = split_at(inner.outer, rows);
    if (!outer.outer.ok()) continue;
    Mapping const made = pad_to(outer.inner, limits.output_alignment, Pad::top);
    // Rows of padding may be left out.
    Mapping kept = elements;
    if (kept.digits > 0 && kept.tails == 0 && (!counts_axes(kept) || d.chance(60)))
      kept = resize_to(kept, footprints(kept).inside[0] * live_slots(kept, 0));
    Mapping const out = pair(pair(outer.outer, inner.inner), kept);
    if (!made.ok() || !out.ok() || !check_transpose(device(), stage_now, type, time(), packet(), out, made)) continue;
    at.set(Level::time, out).set(Level::packet, made);
    stage(ir::Transpose{});
    stage_now = StreamStage::Transpose;
    return;
  }
}

ir::TensorId PassDraft::commit() {
  // The packet's live part in whole words; Time's factors in another order, if it can be taken apart.
  std::int64_t const word = 64 / scalar_info(type).packet_bits;
  std::int64_t live = packet().digits == 0 ? 1 : packet().size;
  if (packet().digits > 0 && packet().tails == 0) live = footprints(packet()).inside[0] * live_slots(packet(), 0);
  std::int64_t const words = (live + word - 1) / word, all = packet().size / word;
  std::int64_t const kept = d.chance(60) ? words : d.random.between(words, all);
  Mapping const leading = resize_to(packet(), kept * word);
  std::vector<Mapping> steps = factors(time());
  // Padding without an axis must stay where it is: elsewhere it would be some axis's own.
  bool const plain = std::all_of(steps.begin(), steps.end(), counts_axes);
  if (plain && d.chance(70)) d.shuffle(steps);
  Mapping innermost = leading.ok() ? leading : packet();
  if (Halves const pieces = split_at(innermost, d.pick({word, word, 2 * word}));
      plain && d.chance(30) && pieces.outer.ok() && counts_axes(pieces.outer)) {
    // The packet in pieces that lie apart.
    steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(d.random.below(steps.size() + 1)), pieces.outer);
    innermost = pieces.inner;
  }
  Mapping const element = without_kinds(pair(joined(steps), innermost));
  Levels l = at;
  l.set(Level::time, Mapping{}).set(Level::packet, Mapping{}).set(Level::row, Mapping{}).set(Level::element, element);
  for (Level level : {Level::chip, Level::cluster, Level::slice}) l.set(level, without_kinds(l[level]));
  ir::TensorId const to = d.dm(type, l);
  ir::Commit c;
  c.destination = to;
  stage(c);
  d.command(std::move(pass));
  return to;
}

ir::TensorId PassDraft::to_vrf(const PassDraft& beside) {
  Levels l = at;
  for (Level level : {Level::chip, Level::cluster, Level::slice}) l.set(level, without_kinds(l[level]));
  l.set(Level::element, without_kinds(pair(time(), packet()))).set(Level::time, Mapping{}).set(Level::packet, Mapping{});
  bool const possible = pass.context == Tu::Main && stage_now == StreamStage::Vector && !reduced && l[Level::element].size <= 512;
  if (!possible || beside.type != type || !check_vrf_operand(beside.at, l)) return ir::none;
  ir::TensorId const to = d.add(Memory::Vrf, type, l);
  stage(ir::ToVrf{to});
  d.command(std::move(pass));
  return to;
}

bool PassDraft::coarsen(Box& box) {
  Box coarse = box;
  std::vector<Mapping> steps;
  for (const Mapping& f : box.outer) {
    bool const whole = f.digits == 1 && f.tails == 0 && f.digit[0].slot == f.digit[0].size && f.size % 2 == 0;
    if (d.chance(30)) continue;
    steps.push_back(whole && f.size > 2 && d.chance(50) ? divide_by(f, 2) : f);
  }
  coarse.outer = steps;
  if (d.chance(60)) coarse.core = pad_to(Mapping{}, device().vector.lanes, Pad::top);
  Levels l;
  l.set(Level::chip, coarse.chip).set(Level::cluster, coarse.cluster).set(Level::slice, coarse.slice);
  l.set(Level::element, pair(joined(coarse.outer), coarse.core));
  if (!check_vrf_operand(at, l)) return false;
  box = coarse;
  return true;
}

ir::TensorId PassDraft::operand_tensor(ScalarType of, Fill fill, bool own) {
  bool repeated = !own && d.chance(30);
  for (const Mapping* stream : {&time(), &packet()})
    for (int k = 0; k < stream->digits; ++k) {  // an axis that is partly in Slice cannot be left out there
      if (stream->digit[k].axis == no_axis) continue;
      int const a = find_axis(slice(), stream->axis[stream->digit[k].axis].name);
      repeated &= a < 0 || coarsest_digit(slice(), a) < 0;
    }
  Box box;
  box.chip = at[Level::chip];
  box.cluster = without_kinds(at[Level::cluster]);
  box.slice = repeated ? copies(slice().size) : without_kinds(slice());
  std::vector<Mapping> steps;
  std::int64_t words = 8;
  for (const Mapping& f : factors(without_kinds(time())))
    if (counts_axes(f) && words * f.size <= 1024 && d.chance(65)) {
      steps.push_back(f);
      words *= f.size;
    }
  // An axis of which some steps are in Slice, or in the packet, must be there as a whole.
  Mapping const lanes = without_kinds(pad_to(packet(), device().vector.lanes, Pad::top));
  for (const Mapping& f : factors(without_kinds(time()))) {
    bool missing = counts_axes(f) && std::find(steps.begin(), steps.end(), f) == steps.end();
    if (!missing) continue;
    bool shared = false;
    std::vector<Mapping> others = factors(box.slice);
    for (const Mapping& g : factors(lanes)) others.push_back(g);
    for (const Mapping& g : factors(box.cluster)) others.push_back(g);
    for (const Mapping& g : factors(box.chip)) others.push_back(g);
    for (const Mapping& g : steps) others.push_back(g);
    for (const Mapping& g : others)
      for (int k = 0; k < g.digits; ++k)
        for (int j = 0; j < f.digits; ++j)
          shared |=
              g.digit[k].axis != no_axis && f.digit[j].axis != no_axis && g.axis[g.digit[k].axis].name == f.axis[f.digit[j].axis].name;
    if (shared) steps.push_back(f);
  }
  box.outer = steps;
  box.core = lanes;
  if (!own && d.chance(30) && coarsen(box)) steps = box.outer;
  // Alone, or beside others of which it is a tile; as what it is, or as bits of another type.
  bool const part = words <= 256 && d.chance(25);
  Mapping const several = d.axis(d.pick({2, 3}));
  if (part) steps.push_back(several);
  d.shuffle(steps);
  box.outer = steps;
  bool const other_bits = fill != Fill::ids && d.chance(15);
  ScalarType const kept = other_bits ? d.type_like(of) : of;
  ir::TensorId const in_dm = d.upload(kept, box, fill);
  PassDraft load(d, d.chance(60) ? Tu::Sub : Tu::Main, in_dm);
  load.fetch(kept, joined(steps), box.core);
  load.collect();
  Levels l = load.at;
  l.set(Level::element, pair(load.time(), without_kinds(load.packet()))).set(Level::time, Mapping{}).set(Level::packet, Mapping{});
  ir::TensorId vrf = d.add(Memory::Vrf, kept, l);
  load.stage(ir::ToVrf{vrf});
  d.command(std::move(load.pass));
  if (other_bits) vrf = d.reshape_of(vrf, of, l[Level::element]);
  ir::TensorId const one = part ? d.tile_of(vrf, several, 1, d.random.between(0, several.size - 1)) : vrf;
  return one == ir::none ? vrf : one;
}

}  // namespace tcp::agree
