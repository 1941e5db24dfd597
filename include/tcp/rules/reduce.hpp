// What the intra-slice reduce accepts: it folds one axis away inside each slice, first the 4 lanes of a packet by a
// tree, then packets over time into accumulators. Factors of the axis that lie in Slice stay: every slice keeps the
// fold of its own part.
//
// Elements that do not exist take no part. How the chip is told which do exist is a matter of lowering: valid_count.hpp
// says which placements the Valid Count Generator can count, `plan_reduce_padding` there what else can be done.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/device/tensor_unit.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/mapping/levels.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp {

using IntraSliceReduceOp = ReduceOp;

/// The operations as kernels name them.
enum class IntraSliceReduceOpI32 : std::uint8_t { AddSat, Max, Min };
enum class IntraSliceReduceOpF32 : std::uint8_t { Add, Max, Min };

constexpr ReduceOp common(IntraSliceReduceOpI32 op) {
  constexpr ReduceOp ops[] = {ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min};
  return ops[static_cast<int>(op)];
}
constexpr ReduceOp common(IntraSliceReduceOpF32 op) {
  constexpr ReduceOp ops[] = {ReduceOp::Add, ReduceOp::Max, ReduceOp::Min};
  return ops[static_cast<int>(op)];
}

constexpr bool has_intra_slice_op(ScalarType type, ReduceOp op) {
  if (op == ReduceOp::Max || op == ReduceOp::Min) return type == ScalarType::i32 || type == ScalarType::f32;
  return (type == ScalarType::i32 && op == ReduceOp::AddSat) || (type == ScalarType::f32 && op == ReduceOp::Add);
}

/// The value that a position without an element may hold instead of being skipped. Law: folded with any canonical x it
/// gives x, to the last bit.
constexpr std::uint32_t identity_bits(ScalarType type, ReduceOp op) {
  bool const whole = type == ScalarType::i32;
  switch (op) {
    case ReduceOp::Add:
    case ReduceOp::AddSat: return whole ? 0 : 0x80000000u;  // -0.0: +0.0 would turn a sum of negative zeros
    case ReduceOp::Mul: return whole ? 1 : 0x3f800000u;
    case ReduceOp::Max: return whole ? 0x80000000u : 0x7fc00000u;  // NaN is ignored; an infinity would win over NaN
    case ReduceOp::Min: return whole ? 0x7fffffffu : 0x7fc00000u;
  }
  return 0;
}

/// What comes out of an intra-slice reduce, and what it takes.
struct IntraSliceResult {
  Mapping time{}, packet{};
  std::int64_t slots = 1;      // accumulators in use
  std::int64_t steps = 1;      // time steps that go into one result
  bool tree = false;           // the lanes of a packet are folded too
  bool folds_padding = false;  // time steps of mere padding went with the axis
};

namespace detail::fold {

/// Which digits of a mapping go.
struct DigitSet {
  bool has[Mapping::max_digits]{};
  int count = 0;

  constexpr void add(int k) {
    count += !has[k];
    has[k] = true;
  }
};

constexpr std::int64_t positions_of(const Mapping& m) {
  if (m.digits == 0) return 1;
  Footprints const foot = footprints(m);
  if (m.tails > 0 && m.tail[0].first == 0) return foot.tail_unit[0] * m.tail[0].slot;
  return foot.inside[0] * m.digit[0].slot;
}

/// The mapping without some of its digits and their padding. A padded group goes if all its digits do; if one loses
/// only some, `apart` is false and there is no such mapping.
constexpr Mapping without_digits(const Mapping& m, const DigitSet& gone, bool& apart) {
  Mapping p;
  p.axes = m.axes;
  for (int a = 0; a < m.axes; ++a) p.axis[a] = m.axis[a];
  std::int8_t place[Mapping::max_digits]{};
  for (int k = 0; k < m.digits; ++k) {
    place[k] = p.digits;
    if (!gone.has[k]) p.digit[p.digits++] = m.digit[k];
  }
  apart = true;
  for (int t = 0; t < m.tails; ++t) {
    Tail tail = m.tail[t];
    int lost = 0;
    for (int k = tail.first; k <= tail.last; ++k) lost += gone.has[k];
    if (lost == tail.last - tail.first + 1) continue;
    if (lost > 0) apart = false;
    tail.last = static_cast<std::int8_t>(place[tail.first] + tail.last - tail.first);
    tail.first = place[tail.first];
    p.tail[p.tails++] = tail;
  }
  if (apart) p.size = positions_of(p);
  return p;
}

/// A factor that holds nothing but its first position.
constexpr bool mere_padding(const Digit& d) { return d.axis == no_axis && d.size == 1 && !d.in_window() && d.skewed_by == no_axis; }

/// True if the digit is in a group that is padded as a whole.
constexpr bool in_group(const Mapping& m, int k) {
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].first <= k && k <= m.tail[t].last) return true;
  return false;
}

constexpr DigitSet digits_of_axis(const Mapping& m, Name axis) {
  DigitSet set;
  int const a = find_axis(m, axis);
  for (int k = 0; k < m.digits; ++k)
    if (a >= 0 && m.digit[k].axis == a) set.add(k);
  return set;
}

/// True if a digit of the axis is part of a window, or wraps around with another axis: then it is no factor that could
/// be taken out.
constexpr bool is_entangled(const Mapping& m, Name axis) {
  int const a = find_axis(m, axis);
  if (a < 0) return false;
  for (int k = 0; k < m.digits; ++k) {
    Digit const& d = m.digit[k];
    if (d.axis == a && (d.in_window() || d.skewed_by != no_axis)) return true;
    if (d.skewed_by == a) return true;
  }
  return false;
}

constexpr std::int64_t start_of(const Mapping& m, Name axis) {
  int const a = find_axis(m, axis);
  return a < 0 ? 0 : m.axis[a].start;
}

/// A mapping without an axis: its digits, their padding and its start.
struct AxisRemoved {
  Mapping mapping{};
  DigitSet gone{};
  bool possible = false;  // no padded group holds the axis together with others
};
/// `padding`: without mere padding too.
constexpr AxisRemoved remove_axis(const Mapping& m, Name axis, bool padding) {
  AxisRemoved r;
  r.gone = digits_of_axis(m, axis);
  for (int k = 0; k < m.digits && padding; ++k)
    if (mere_padding(m.digit[k]) && !in_group(m, k)) r.gone.add(k);
  Mapping p = without_digits(m, r.gone, r.possible);
  if (!r.possible) return r;
  if (int const a = find_axis(p, axis); a >= 0) p.axis[a].start = 0;
  r.mapping = normalise(p);
  return r;
}

/// Positions of what stays inside the outermost factor that goes: each needs an accumulator of its own.
constexpr std::int64_t kept_inside(const Mapping& m, const DigitSet& gone) {
  int outermost = 0;
  while (outermost < m.digits && !gone.has[outermost]) ++outermost;
  DigitSet not_inside = gone;
  for (int k = 0; k <= outermost && k < m.digits; ++k) not_inside.add(k);
  bool apart = true;
  return gone.count == 0 ? 1 : without_digits(m, not_inside, apart).size;
}

constexpr Verdict check_reduce_type(Refusal wrong, ScalarType type) {
  if (type == ScalarType::i32 || type == ScalarType::f32) return accept();
  return wrong.what("the Vector Engine reduces i32 and f32; the stream is ", type)
      .why("the vector engine works on 32-bit values")
      .help("widen it in the fetch: fetch<", is_integer(type) ? "i32" : "f32", ", ...>");
}

}  // namespace detail::fold

/// The operation for a stream of this type. Refused: the operation of the other type.
constexpr Expected<ReduceOp> intra_slice_op(ScalarType stream, IntraSliceReduceOpI32 op, Where at = {}) {
  if (stream == ScalarType::i32) return common(op);
  return refuse("reduce-op-of-other-type", at)
      .what("IntraSliceReduceOpI32::", common(op), " works on i32; the stream is ", stream)
      .why("the two types have operations of their own")
      .help("use IntraSliceReduceOpF32::", op == IntraSliceReduceOpI32::AddSat ? ReduceOp::Add : common(op));
}
constexpr Expected<ReduceOp> intra_slice_op(ScalarType stream, IntraSliceReduceOpF32 op, Where at = {}) {
  if (stream == ScalarType::f32) return common(op);
  return refuse("reduce-op-of-other-type", at)
      .what("IntraSliceReduceOpF32::", common(op), " works on f32; the stream is ", stream)
      .why("the two types have operations of their own")
      .help("use IntraSliceReduceOpI32::", op == IntraSliceReduceOpF32::Add ? ReduceOp::AddSat : common(op));
}

/// Refused: a type without this operation, a packet that is not 4 lanes, an axis that is not there or not a factor,
/// results declared wrongly, and more results at once than there are accumulators. Gives what comes out, its padding of
/// the kinds that it has.
///
/// Law: the element of the result at a place is the fold of the elements of the stream at the places that differ from
/// it in `axis` alone.
constexpr Expected<IntraSliceResult> check_intra_slice_reduce(const Device& device, ScalarType type, ReduceOp op, Name axis,
                                                              const Levels& stream, const Mapping& time2, const Mapping& packet2,
                                                              Where at = {}) {
  Mapping const& time = stream[Level::time];
  Mapping const& packet = stream[Level::packet];
  if (!time.ok()) return refusal_of(time, at);
  if (!packet.ok()) return refusal_of(packet, at);
  if (!time2.ok()) return refusal_of(time2, at);
  if (!packet2.ok()) return refusal_of(packet2, at);
  if (auto v = detail::fold::check_reduce_type(refuse("reduce-type", at), type); !v) return v.refusal();
  if (!has_intra_slice_op(type, op))
    return refuse("reduce-no-such-op", at)
        .what("the intra-slice reduce has no ", op, " of ", type)
        .why("the tree has these operations only")
        .help(type == ScalarType::i32 ? "use AddSat, Max or Min" : "use Add, Max or Min");
  std::int64_t const lanes = device.vector.narrow_lanes;
  if (packet.size != lanes)
    return refuse("reduce-packet-not-narrow", at)
        .what("Packet ", packet, " has ", packet.size, " lanes; the intra-slice reduce takes ", lanes)
        .why("the tree has ", lanes, " inputs; Narrow makes them of the ", device.vector.lanes, " lanes of a flit")
        .help("narrow first, by vector_split or vector_trim_way4");

  if (detail::fold::is_entangled(time, axis) || detail::fold::is_entangled(packet, axis))
    return refuse("reduce-axis-in-window", at)
        .what("axis ", axis, " is part of a window in Time ", time, ", Packet ", packet)
        .why("a position of a window belongs to several elements, so the axis cannot be taken out alone")
        .help("take the filter's axis out of the window first, by the fetch or the stream adapter");
  detail::fold::DigitSet const in_packet = detail::fold::digits_of_axis(packet, axis);
  if (in_packet.count == 0 && detail::fold::digits_of_axis(time, axis).count == 0) {
    bool const in_slice = detail::fold::digits_of_axis(stream[Level::slice], axis).count > 0;
    return refuse("reduce-axis-absent", at)
        .what("there is no ", axis, " in Time ", time, " or Packet ", packet)
        .why("the intra-slice reduce folds what one slice holds")
        .help(in_slice ? "reduce what is in Slice by vector_inter_slice_reduce"
                       : "name an axis of Time or Packet; an axis of one step is in neither, and needs no reduce: leave it out");
  }
  if (detail::fold::start_of(time, axis) != 0 || detail::fold::start_of(packet, axis) != 0) {
    for (Level l : {Level::chip, Level::cluster, Level::slice})
      if (detail::fold::digits_of_axis(stream[l], axis).count > 0)
        return refuse("reduce-axis-start", at)
            .what("axis ", axis, " starts at ", detail::fold::start_of(time, axis) + detail::fold::start_of(packet, axis),
                  " in Time or Packet, and ", name_of(l), " ", stream[l], " counts it too")
            .why("with the start gone, slices that hold no element could not be told from those that do")
            .help("put the start into ", name_of(l), ", or reduce a tile of the tensor");
  }
  std::int64_t before = 0, folded = 1;
  for (Level l : {Level::chip, Level::cluster, Level::slice}) before += detail::fold::start_of(stream[l], axis);
  for (const Mapping* m : {&time, &packet})
    for (int k = 0; k < m->digits; ++k)
      if (detail::fold::digits_of_axis(*m, axis).has[k]) folded += (m->digit[k].size - 1) * m->digit[k].stride;
  if (before < 0 && before % folded != 0)
    return refuse("reduce-axis-start", at)
        .what("axis ", axis, " starts at ", before, " in Slice ", stream[Level::slice], " and is folded in blocks of ", folded)
        .why("a block that begins before the axis has no coordinate that its result could be found by")
        .help("pad ", axis, " in front by whole blocks, or at its end");

  IntraSliceResult r;
  r.tree = in_packet.count > 0;
  for (int k = 0; k < packet.digits && r.tree; ++k)
    if (!in_packet.has[k] && !detail::fold::mere_padding(packet.digit[k]))
      return refuse("reduce-packet-mixed", at)
          .what("Packet ", packet, " holds ", axis, " together with other factors; the tree folds all ", lanes, " lanes or none")
          .why("the tree folds all lanes of a packet into one")
          .help("put the others into Time: Packet = ", axis, " % ", lanes, ", or ", axis, " into Time alone");
  r.packet = r.tree ? pad_to(Mapping{}, lanes, Pad::top) : packet;

  detail::fold::AxisRemoved removed = detail::fold::remove_axis(time, axis, false);
  if (!removed.possible)
    return refuse("reduce-axis-in-group", at)
        .what("Time ", time, " pads a group that holds ", axis, " together with other factors")
        .why("without ", axis, " the group would end in the middle of its padding")
        .help("pad ", axis, " itself instead of the group");
  if (detail::fold::digits_of_axis(time2, axis).count > 0 || detail::fold::digits_of_axis(packet2, axis).count > 0)
    return refuse("reduce-axis-left", at)
        .what("the result is declared as Time ", time2, ", Packet ", packet2, ", which still counts ", axis)
        .why("all factors of the axis in Time and Packet are folded together")
        .help("write Time = ", removed.mapping, ", Packet = ", r.packet);
  if (!equivalent(time2, removed.mapping)) {
    // Blocks of the axis that lie wholly in its padding are factors like 1 # 2, no longer of the axis; they may go with
    // it.
    detail::fold::AxisRemoved const more = detail::fold::remove_axis(time, axis, true);
    if (!equivalent(time2, more.mapping))
      return refuse("reduce-wrong-time", at)
          .what("Time ", time2, " is not Time ", time, " without ", axis)
          .why("the reduced axis goes, and everything else stays in its order")
          .help("write Time = ", removed.mapping);
    removed = more;
    r.folds_padding = true;
  }
  if (!equivalent(packet2, r.packet))
    return refuse("reduce-wrong-packet", at)
        .what("Packet ", packet2, " is not what the reduce of ", axis, " makes of Packet ", packet)
        .why("the lanes stay as they are, or the tree folds them into the first")
        .help("write Packet = ", r.packet);
  r.time = removed.mapping;
  r.steps = time.size / r.time.size;
  r.slots = detail::fold::kept_inside(time, removed.gone);
  if (r.slots > device.vector.reduce_slots)
    return refuse("reduce-too-many-slots", at)
        .what("Time ", time, " holds ", r.slots, " results inside its outermost factor of ", axis, "; there are ",
              device.vector.reduce_slots, " accumulators")
        .why("each of them is open until the outermost factor has run through")
        .help("move other factors outside of ", axis, ", or into Slice or Packet");
  return r;
}

}  // namespace tcp
