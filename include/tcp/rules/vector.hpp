// What the Vector Engine's intra-slice block accepts: which streams enter it, and what its steps make of Time, Packet
// and operands.
//
// The engine takes one flit of i32 or f32 at a time, applies the operations of its stages lane by lane
// (vector_state.hpp says which may follow which), and changes the shape of the stream only by cutting packets in half
// and joining them again (split, trim, concat, pad), by telling two groups apart (unzip) and by dropping lanes
// (filter). Second operands come from constants, from VRF and from a stash of the stream itself.
//
// Arithmetic leaves no promise about padding: what was zero padding may hold anything after it
// (padding_after_arithmetic).
#pragma once

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/loops.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/valid_count.hpp"
#include "tcp/rules/vector_state.hpp"

namespace tcp {

/// The engine computes with 32-bit elements only.
constexpr Verdict check_vector_type(ScalarType type, Where at = {}) {
  if (type == ScalarType::i32 || type == ScalarType::f32) return accept();
  return refuse("vector-type", at)
      .what("the Vector Engine works on i32 and f32; the stream is ", type)
      .why("every ALU is 32 bits wide")
      .help("convert while fetching: fetch<", is_integer(type) ? "i32" : "f32", ", ...>");
}

/// The state at `vector_init`. Refused: other types than i32 and f32, packets that are not one flit of them.
constexpr Expected<VectorState> check_vector_init(const Device& device, ScalarType type, const Mapping& packet, Where at = {}) {
  if (!packet.ok()) return refusal_of(packet, at);
  if (auto v = check_vector_type(type, at); !v) return v.refusal();
  if (packet.size != device.vector.lanes)
    return refuse("vector-packet-not-one-flit", at)
        .what("Packet ", packet, " has ", packet.size, " elements; the Vector Engine takes flits of ", device.vector.lanes)
        .why("one flit goes through each cycle")
        .help("collect into packets of ", device.vector.lanes, " elements of ", type);
  VectorState s;
  s.type = type;
  return s;
}

namespace detail::vec {

constexpr bool same(const Mapping& declared, const Mapping& made) { return made.ok() && equivalent(declared, made); }

constexpr Mapping without_zeros(const Mapping& e) {
  Mapping m = e;
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].pad == Pad::zero) m.digit[k].pad = Pad::top;
  for (int t = 0; t < m.tails; ++t)
    if (m.tail[t].pad == Pad::zero) m.tail[t].pad = Pad::top;
  return m.ok() ? normalise(m) : m;
}

}  // namespace detail::vec

/// What an operation (Logic, Fxp, Float, FpDiv, Clip) makes of the kinds of padding. Law: the same cells, zero padding
/// top.
constexpr Stream padding_after_arithmetic(const Mapping& time, const Mapping& packet) {
  return {detail::vec::without_zeros(time), detail::vec::without_zeros(packet)};
}

/// Two packets of four lanes for one of eight: Time2 is [Time, Packet / 4], Packet2 is Packet % 4.
constexpr Expected<Stream> check_split(const Device& device, const Mapping& time, const Mapping& packet, const Mapping& time2,
                                       const Mapping& packet2, Where at = {}) {
  for (const Mapping* m : {&time, &packet, &time2, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  std::int64_t const lanes = device.vector.narrow_lanes;
  Halves const halves = split_at(packet, lanes);
  if (!halves.inner.ok() || packet.size != device.vector.lanes)
    return refuse("vector-split-not-cut", at)
        .what("Packet ", packet, " of ", packet.size, " lanes cannot be cut into two of ", lanes)
        .why("the cut must fall where a factor of the packet, or its padding, ends")
        .help("collect other packets: pad the inner factors so that ", lanes, " lanes fall on a border");
  Stream const made{pair(time, halves.outer), halves.inner};
  if (!made.time.ok()) return refusal_of(made.time, at);
  if (!detail::vec::same(packet2, made.packet))
    return refuse("vector-split-wrong-packet", at)
        .what("Packet ", packet2, " is not the half that vector_split makes of ", packet)
        .why("split makes [T, P / 4], [P % 4] of [T], [P]")
        .help("write Packet = ", made.packet, ", Time = ", made.time);
  if (!detail::vec::same(time2, made.time))
    return refuse("vector-split-wrong-time", at)
        .what("Time ", time2, " is not what vector_split makes of Time ", time, " and Packet ", packet)
        .why("the two halves of a packet follow each other, inside all other time steps")
        .help("write Time = ", made.time);
  return made;
}

/// The lower four lanes; the upper four must be padding.
constexpr Expected<Mapping> check_trim_way4(const Device& device, const Mapping& packet, const Mapping& packet2, Where at = {}) {
  for (const Mapping* m : {&packet, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  std::int64_t const lanes = device.vector.narrow_lanes;
  Halves const halves = split_at(packet, lanes);
  Mapping const one_half = pad_to(Mapping{}, device.vector.lanes / lanes, Pad::top);
  if (!detail::vec::same(halves.outer, one_half))
    return refuse("vector-trim-live-lanes", at)
        .what("vector_trim_way4 would drop elements: lanes ", lanes, " to ", device.vector.lanes - 1, " of Packet ", packet,
              " are not all padding")
        .why("trimming is for packets of at most four elements; nothing is dropped unsaid")
        .help("use vector_split, which keeps both halves");
  if (!detail::vec::same(packet2, halves.inner))
    return refuse("vector-trim-wrong-packet", at)
        .what("Packet ", packet2, " is not what vector_trim_way4 leaves of ", packet)
        .why("trimming keeps the lower lanes, padding among them included")
        .help("write Packet = ", halves.inner);
  return halves.inner;
}

/// One packet of eight lanes for two of four that follow each other: the inverse of split.
constexpr Expected<Stream> check_concat(const Device& device, const Mapping& time, const Mapping& packet, const Mapping& time2,
                                        const Mapping& packet2, Where at = {}) {
  for (const Mapping* m : {&time, &packet, &time2, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  std::int64_t const halves_a_packet = device.vector.lanes / device.vector.narrow_lanes;
  Halves const steps = split_at(time, halves_a_packet);
  Stream const made{steps.outer, pair(steps.inner, packet)};
  if (!steps.inner.ok() || !made.packet.ok())
    return refuse("vector-concat-odd-time", at)
        .what("vector_concat joins every ", halves_a_packet, " packets that follow each other; Time ", time, " with Packet ", packet,
              " does not fall into such")
        .why("concat is the inverse of split")
        .help("keep the factor that vector_split gave to Time, or use vector_pad_way8");
  if (!detail::vec::same(packet2, made.packet))
    return refuse("vector-concat-wrong-packet", at)
        .what("Packet ", packet2, " is not what vector_concat makes of Time ", time, " and Packet ", packet)
        .why("concat makes [T], [P] of [T, P / 4], [P % 4]")
        .help("write Packet = ", made.packet, ", Time = ", made.time);
  if (!detail::vec::same(time2, made.time))
    return refuse("vector-concat-wrong-time", at)
        .what("Time ", time2, " is not what vector_concat leaves of Time ", time)
        .why("concat takes the innermost two steps of Time into the packet")
        .help("write Time = ", made.time);
  return made;
}

/// Eight lanes, the upper four of them without elements: the inverse of trim. The padding added is top.
constexpr Expected<Mapping> check_pad_way8(const Device& device, const Mapping& packet, const Mapping& packet2, Where at = {}) {
  for (const Mapping* m : {&packet, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  Mapping const made = pad_to(packet, device.vector.lanes, Pad::top);
  if (!detail::vec::same(packet2, made))
    return refuse("vector-pad-wrong-packet", at)
        .what("Packet ", packet2, " is not what vector_pad_way8 makes of ", packet)
        .why("four lanes that hold nothing are added after the packet")
        .help("write Packet = ", made);
  return made;
}

/// Two groups from the axis of size 2 that tells them apart: TileTime is Time with the axis as 1 # 2, SplitTime without
/// it. Gives SplitTime.
constexpr Expected<Mapping> check_unzip(const Device& device, const Mapping& time, Name axis, const Mapping& tile_time,
                                        const Mapping& split_time, Where at = {}) {
  for (const Mapping* m : {&time, &tile_time, &split_time})
    if (!m->ok()) return refusal_of(*m, at);
  int const a = find_axis(time, axis);
  int const k = a < 0 ? -1 : coarsest_digit(time, a);
  bool const whole = k >= 0 && time.axis[a].extent == 2 && time.axis[a].start == 0 && time.digit[k].size == 2 && time.digit[k].slot == 2 &&
                     !time.digit[k].in_window();
  Mapping outer, inner;
  bool cut = whole;
  if (whole) {
    std::int64_t const inside = footprints(time).inside[k];
    Halves const above = split_at(time, inside * 2);
    Halves const below = split_at(above.inner, inside);
    outer = above.outer;
    inner = below.inner;
    cut = outer.ok() && inner.ok() && below.outer == axis_mapping(axis, 2);
  }
  if (!cut)
    return refuse("vector-unzip-axis", at)
        .what("the groups are told apart by ", axis, ", which must be a whole axis of size 2 in Time; Time is ", time)
        .why("coordinate 0 is group 0, coordinate 1 is group 1")
        .help("name the axis of begin_interleaved");
  Mapping const tile = pair(pair(outer, pad_to(Mapping{}, 2, Pad::top)), inner), split = pair(outer, inner);
  if (!detail::vec::same(tile_time, tile))
    return refuse("vector-unzip-wrong-tile-time", at)
        .what("TileTime ", tile_time, " is not Time ", time, " with ", axis, " as 1 # 2")
        .why("one group sees every other step")
        .help("write TileTime = ", tile, ", SplitTime = ", split);
  if (!detail::vec::same(split_time, split))
    return refuse("vector-unzip-wrong-split-time", at)
        .what("SplitTime ", split_time, " is not Time ", time, " without ", axis)
        .why("each group has the time steps that are left without the axis")
        .help("write SplitTime = ", split);
  // The flits of group 0 wait until those of group 1 come: as many as lie inside the axis.
  if (Bytes const waiting = device.flit.bytes * inner.size; waiting > device.vector.unzip_group)
    return refuse("vector-unzip-group-size", at)
        .what("Time ", time, " brings ", inner.size, " flits of a group, ", waiting, ", before one of the other; a group has at most ",
              device.vector.unzip_group)
        .why("the flits of the first group are held until those of the second come")
        .help("fetch with ", axis, " further inside Time: at most ", device.vector.unzip_group / device.flit.bytes, " steps inside of it");
  return split;
}

/// What comes out of a filter: the lanes whose execution id is kept, one after the other through all lanes of all time
/// steps, in order of arrival. Time2 and Packet2 count what is kept, anew; Time2 is an upper bound, and what is
/// beyond the number kept is undefined.
constexpr Expected<Stream> check_filter(const Device& device, OperandGuard keep, const Mapping& time, const Mapping& packet,
                                        const Mapping& time2, const Mapping& packet2, Where at = {}) {
  for (const Mapping* m : {&time, &packet, &time2, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  if (keep.ids == 0)
    return refuse("vector-filter-empty", at)
        .what("vector_filter keeps no execution id")
        .why("nothing would come out")
        .help("name the ids that stay");
  bool full = packet2.size == device.vector.lanes && packet2.tails == 0;
  for (int k = 0; k < packet2.digits; ++k) full &= packet2.digit[k].slot == packet2.digit[k].size;
  if (!full)
    return refuse("vector-filter-packet", at)
        .what("vector_filter fills all ", device.vector.lanes, " lanes; Packet ", packet2, " has ",
              packet2.size == device.vector.lanes ? "padding" : "another size")
        .why("what is kept is put one after the other")
        .help("count what is kept by an axis K of its own: Time = K / ", device.vector.lanes, ", Packet = K % ", device.vector.lanes);
  if (time2.size > time.size)
    return refuse("vector-filter-time", at)
        .what("Time ", time2, " has ", time2.size, " steps; vector_filter makes no more than the ", time.size, " of ", time)
        .why("how much is kept shows only at run time, and Time is its bound")
        .help("declare at most ", time.size, " steps");
  return Stream{time2, packet2};
}

/// When a filter runs that keeps more than there is room for.
inline Refusal filter_overflow(std::int64_t room, const Mapping& time, std::int64_t slice, Where at) {
  return refuse("vector-filter-overflow", at)
      .what("vector_filter keeps more than the ", room, " lanes that Time ", time, " has room for, in slice ", slice)
      .why("Time is the author's upper bound of what is kept")
      .help("declare a longer Time");
}

namespace detail::vec {

/// m as one axis sees it: everything else is repetition.
constexpr Mapping along(const Mapping& e, Name axis) {
  Mapping m = e;
  for (int k = 0; k < m.digits; ++k) {
    Digit& d = m.digit[k];
    if (d.axis != no_axis && m.axis[d.axis].name == axis) continue;
    d = Digit{.size = d.slot, .slot = d.slot};
  }
  for (int a = 0; a < m.axes; ++a)
    if (!(m.axis[a].name == axis)) m.axis[a].start = 0;
  return normalise(m);
}

/// True if every position that `inner` pads is padding of `outer`: of each run of padding, outer has one of the same
/// period that begins no later.
constexpr bool pads_whatever(const Mapping& outer, const Mapping& inner) {
  Footprints const fo = footprints(outer), fi = footprints(inner);
  for (int i = 0; i < inner.digits + inner.tails; ++i) {
    bool const tail = i >= inner.digits;
    std::int64_t const unit = tail ? fi.tail_unit[i - inner.digits] : fi.inside[i];
    std::int64_t const live = unit * (tail ? fi.tail_live[i - inner.digits] : live_slots(inner, i));
    std::int64_t const period = unit * (tail ? inner.tail[i - inner.digits].slot : inner.digit[i].slot);
    if (live >= period) continue;
    bool found = false;
    for (int k = 0; k < outer.digits; ++k)
      found |= fo.inside[k] * outer.digit[k].slot == period && fo.inside[k] * live_slots(outer, k) <= live;
    for (int t = 0; t < outer.tails; ++t)
      found |= fo.tail_unit[t] * outer.tail[t].slot == period && fo.tail_unit[t] * fo.tail_live[t] <= live;
    if (!found) return false;
  }
  return true;
}

constexpr bool counts(const Mapping& m, Name axis) {
  int const a = find_axis(m, axis);
  return a >= 0 && coarsest_digit(m, a) >= 0;
}
constexpr bool counts(const Levels& levels, Name axis) {
  for (const Mapping& m : levels.at)
    if (counts(m, axis)) return true;
  return false;
}

/// The smallest step of an axis that a mapping counts; 0: it counts none.
constexpr std::int64_t finest_step(const Mapping& m, Name axis) {
  int const a = find_axis(m, axis);
  std::int64_t finest = 0;
  for (int k = 0; k < m.digits && a >= 0; ++k)
    if (m.digit[k].axis == a && m.digit[k].size > 1 && (finest == 0 || m.digit[k].stride < finest)) finest = m.digit[k].stride;
  return finest;
}

/// True if Time or Packet counts steps of an axis that lie between those of Element: the operand is coarse there.
constexpr bool steps_between(const Levels& stream, const Mapping& element, Name axis) {
  std::int64_t const held = finest_step(element, axis);
  for (Level level : {Level::time, Level::packet})
    if (std::int64_t const step = finest_step(stream[level], axis); held > 0 && step > 0 && step < held) return true;
  return false;
}

/// True if the levels count an axis from 0 on and by plain factors: then the steps of one factor never carry into
/// another, and those that an operand lacks can be left out of a coordinate.
constexpr bool counts_plainly(const Levels& levels, Name axis) {
  bool plain = true;
  for (const Mapping& m : levels.at) {
    int const a = find_axis(m, axis);
    if (a < 0) continue;
    plain &= m.axis[a].start == 0;
    for (int k = 0; k < m.digits; ++k) plain &= m.digit[k].axis != a || (!m.digit[k].in_window() && m.digit[k].skewed_by == no_axis);
  }
  return plain;
}

/// True if, from the smallest step that Element counts on, the tensor counts all steps of an axis up to its end. Then a
/// coarse operand is rounded down to its own steps, and in no other way.
constexpr bool counts_all_above(const Levels& vrf, Name axis) {
  std::int64_t next = finest_step(vrf[Level::element], axis), extent = 0;
  bool more = true;
  for (const Mapping& m : vrf.at)
    if (int const a = find_axis(m, axis); a >= 0) extent = m.axis[a].extent;
  while (more && next < extent) {
    more = false;
    for (const Mapping& m : vrf.at)
      for (int k = 0, a = find_axis(m, axis); k < m.digits && a >= 0 && !more; ++k)
        if (m.digit[k].axis == a && m.digit[k].stride == next && m.digit[k].size > 1) {
          next *= m.digit[k].size;
          more = true;
        }
  }
  return next >= extent;
}

/// How the lanes of a packet lie in the VRF.
enum class LanesRead : std::uint8_t { one_cell, neighbours, mixed };
constexpr LanesRead lanes_read(const Loops& loops, const Mapping& packet) {
  bool one = true, neighbours = true;
  std::int64_t first = -1, from = 0;
  for (std::int64_t i = 0; i < packet.size; ++i) {
    if (!cell(packet, i).live()) continue;
    if (first < 0) {
      first = i;
      from = loops.at(i);
    }
    one &= loops.at(i) == from;
    neighbours &= loops.at(i) - from == i - first;
  }
  return one ? LanesRead::one_cell : neighbours ? LanesRead::neighbours : LanesRead::mixed;
}

}  // namespace detail::vec

/// How a VRF tensor is read beside a stream: in each slice from its own VRF, at the same address in all. Axes that it
/// lacks are repeated, as are the steps of an axis that only its slices count; of an axis that it has, Chip, Cluster
/// and Slice must be split as the stream's are. An operand may be coarse: H / 16 beside a stream of H serves sixteen
/// steps with one element. `stream` has Chip, Cluster, Slice, Time and Packet, `vrf` Chip, Cluster, Slice and Element.
///
/// Law: at every live position of the stream, the VRF of that slice holds at `at(position)` the element of the same
/// coordinates, as far as the VRF tensor counts their steps.
constexpr Expected<Loops> check_vrf_operand(const Levels& stream, const Levels& vrf, Where at = {}) {
  if (auto v = check_levels(stream, at); !v) return v.refusal();
  if (auto v = check_levels(vrf, at); !v) return v.refusal();
  for (Level level : {Level::chip, Level::cluster, Level::slice}) {
    Mapping const &s = stream[level], &o = vrf[level];
    if (s.size != o.size)
      return refuse("vector-operand-level-size", at)
          .what(name_of(level), " of the VRF tensor is ", o, " with ", o.size, " positions; the stream's is ", s, " with ", s.size)
          .why("the operand is in the same units as the stream")
          .help("give both the same ", name_of(level));
    if (!detail::vec::pads_whatever(s, o))
      return refuse("vector-operand-absent", at)
          .what(name_of(level), " of the VRF tensor is ", o, ", which is padding where the stream's ", s, " holds elements")
          .why("every slice reads its own VRF")
          .help("load the operand into all slices that compute: copies are written as a bare number");
  }
  bool coarse = false, whole = true;
  for (const Mapping& m : vrf.at) {
    for (int a = 0; a < m.axes; ++a) {
      Name const axis = m.axis[a].name;
      if (!detail::vec::counts(vrf, axis)) continue;
      if (!detail::vec::counts(stream, axis))
        return refuse("vector-operand-axis", at)
            .what("the VRF tensor has axis ", axis, ", which the stream does not have")
            .why("nothing says which of its elements is meant")
            .help("load a tensor over the stream's axes, or a tile of it");
      for (Level level : {Level::chip, Level::cluster, Level::slice})
        if (!equivalent(detail::vec::along(stream[level], axis), detail::vec::along(vrf[level], axis)))
          return refuse("vector-operand-slices", at)
              .what("axis ", axis, " is in ", name_of(level), " ", vrf[level], " of the VRF tensor and ", stream[level], " of the stream")
              .why("all slices read their own VRF at one address, so each must hold just the elements it needs")
              .help("load the operand with the stream's ", name_of(level));
      bool const held = detail::vec::counts(vrf[Level::element], axis);
      bool const stepped = detail::vec::counts(stream[Level::time], axis) || detail::vec::counts(stream[Level::packet], axis);
      bool const plain = detail::vec::counts_plainly(stream, axis) && detail::vec::counts_plainly(vrf, axis);
      if (stepped && !held && !plain)
        return refuse("vector-operand-start", at)
            .what("the stream steps through axis ", axis,
                  ", which only slices of the VRF tensor count, and one of them does not count it from 0: ", "Slice ", vrf[Level::slice],
                  ", Time ", stream[Level::time], ", Packet ", stream[Level::packet])
            .why("with a start, or a window, the block that a step belongs to is not the one of its slice, and some slices hold no element")
            .help("count ", axis, " from 0, pad it at its end, or load its steps into Element");
      coarse |= detail::vec::steps_between(stream, vrf[Level::element], axis);
      whole &= !held || (plain && detail::vec::counts_all_above(vrf, axis));
    }
  }
  Walks const how{Access::read, coarse && whole ? Absent::broadcast : Absent::refused, nullptr};
  auto const loops = derive_loops(vrf[Level::element], stream[Level::time], stream[Level::packet], how, at);
  if (loops && coarse && detail::vec::lanes_read(*loops, stream[Level::packet]) == detail::vec::LanesRead::mixed)
    return refuse("vector-operand-mixed-lanes", at)
        .what("the lanes of Packet ", stream[Level::packet], " would read several cells of the VRF tensor's Element ", vrf[Level::element],
              ", and some of them the same one")
        .why("an access to the VRF gives one cell to all lanes, or neighbouring cells to neighbouring lanes")
        .help("let all lanes of a packet fall into one block of the operand, or load an operand with every step of the packet");
  return loops;
}

/// Whether a stream may read what was stashed: the same time steps, the same lanes as far as both have them.
constexpr Verdict check_stash_read(const Device& device, const Stream& stashed, const Stream& now, Where at = {}) {
  for (const Mapping* m : {&stashed.time, &stashed.packet, &now.time, &now.packet})
    if (!m->ok()) return refusal_of(*m, at);
  if (!equivalent(stashed.time, now.time))
    return refuse("vector-stash-time", at)
        .what("the stash was taken with Time ", stashed.time, " and is read with Time ", now.time)
        .why("the stash delivers its packets step by step")
        .help("read it where Time is the same again: after vector_concat if it was taken before vector_split");
  Mapping const was = pad_to(stashed.packet, device.vector.lanes, Pad::top), is = pad_to(now.packet, device.vector.lanes, Pad::top);
  if (!detail::vec::same(was, is))
    return refuse("vector-stash-packet", at)
        .what("the stash was taken with Packet ", stashed.packet, " and is read with Packet ", now.packet)
        .why("the stash delivers its packets lane by lane")
        .help("read it where the lanes hold the same elements");
  return accept();
}

/// What a branch needs beside the stream.
struct BranchPlan {
  Loops log{};             // Vrf: how the ids are read
  ValidCountPlan count{};  // ValidCount: what the generator is told
};

namespace detail::vec {

/// Every axis of which the stream may hold padding.
constexpr ValidCountAsk padded_axes(const Levels& stream) {
  ValidCountAsk ask;
  ask.padding = true;
  for (Level level : {Level::slice, Level::time, Level::packet}) {
    for (int a = 0; a < stream[level].axes; ++a) {
      AxisUse const& axis = stream[level].axis[a];
      std::int64_t reach = 1;
      bool padded = false, known = false;
      for (int i = 0; i < ask.axes; ++i) known |= ask.axis[i] == axis.name;
      for (const Mapping& m : stream.at) {
        int const b = find_axis(m, axis.name);
        if (b < 0) continue;
        reach += m.axis[b].start;
        padded |= m.axis[b].start < 0;
        for (int k = 0; k < m.digits; ++k) {
          if (m.digit[k].axis != b) continue;
          reach += (m.digit[k].size - 1) * m.digit[k].stride;
          padded |= m.digit[k].slot > m.digit[k].size;
        }
      }
      if ((padded || reach > axis.extent) && !known && ask.axes < ValidCountAsk::max_axes) ask.axis[ask.axes++] = axis.name;
    }
  }
  return ask;
}

}  // namespace detail::vec

/// The branch of a stream of `type`. `log` is the VRF tensor that BranchMode::Vrf reads, of `log_type`.
constexpr Expected<BranchPlan> check_branch(const Device& device, ScalarType type, const Levels& stream, const BranchMode& mode,
                                            const Levels* log = nullptr, ScalarType log_type = ScalarType::i32, Where at = {}) {
  BranchPlan plan;
  if (log != nullptr && mode.kind != BranchMode::Kind::Vrf)
    return refuse("vector-branch-log-unwanted", at)
        .what("a VRF tensor of execution ids is read by BranchMode::Vrf only")
        .why("the other modes make the ids from the stream")
        .help("write BranchMode::Vrf, or leave the tensor out");
  switch (mode.kind) {
    case BranchMode::Kind::Unconditional: return plan;
    case BranchMode::Kind::AxisToggle:
      if (detail::vec::counts(stream[Level::time], mode.axis) || detail::vec::counts(stream[Level::packet], mode.axis)) return plan;
      return refuse("vector-branch-axis", at)
          .what("BranchMode::AxisToggle by ", mode.axis, ", which is neither in Time ", stream[Level::time], " nor in Packet ",
                stream[Level::packet])
          .why("all slices branch alike: the axis must change from step to step or from lane to lane")
          .help("name an axis of Time or Packet");
    case BranchMode::Kind::ValidCount: {
      auto const count = plan_valid_count(device, stream, detail::vec::padded_axes(stream), at);
      if (!count) return count.refusal();
      plan.count = *count;
      return plan;
    }
    case BranchMode::Kind::Comparison:
      for (const InputCmp& c : mode.compare)
        if (c.has_boundary() && c.type != type)
          return refuse("vector-branch-type", at)
              .what("BranchMode::Comparison compares with a boundary of ", c.type, "; the stream is ", type)
              .why("the boundary is compared as a number of the stream's type")
              .help("give boundaries of ", type);
      return plan;
    case BranchMode::Kind::Vrf: break;
  }
  if (log == nullptr)
    return refuse("vector-branch-log-missing", at)
        .what("BranchMode::Vrf reads execution ids, and no VRF tensor is given that holds them")
        .why("the ids come from an earlier pass")
        .help("give the result of vector_branch_log, or an i32 tensor loaded by to_vrf");
  if (log_type != ScalarType::i32)
    return refuse("vector-branch-log-type", at)
        .what("execution ids are bits 0 to 3 of i32 words; the VRF tensor holds ", log_type)
        .why("a branch log is i32")
        .help("give the result of vector_branch_log, or an i32 tensor loaded by to_vrf");
  auto const loops = check_vrf_operand(stream, *log, at);
  if (!loops) return loops.refusal();
  plan.log = *loops;
  return plan;
}

/// How execution ids are written to a VRF tensor over the stream's slices, i32 words in the order of Element.
constexpr Expected<Loops> check_branch_log(const Levels& stream, const Mapping& element, Where at = {}) {
  Walks how;
  how.access = Access::write;
  return derive_loops(element, stream[Level::time], stream[Level::packet], how, at);
}

/// An operand written back while the stream goes on, to be read in later time steps: every lane has a place of its own.
/// Gives how it is walked.
constexpr Expected<Loops> check_write_operand(const Levels& stream, ScalarType type, const Levels& vrf, ScalarType vrf_type,
                                              Where at = {}) {
  if (type != vrf_type)
    return refuse("vector-write-operand-type", at)
        .what("vector_write_operand writes ", type, " into a VRF tensor of ", vrf_type)
        .why("the operand is read again with the stream's type")
        .help("give a VRF tensor of ", type);
  auto const loops = check_vrf_operand(stream, vrf, at);
  if (!loops) return loops;
  for (Level level : {Level::time, Level::packet})
    for (int a = 0; a < stream[level].axes; ++a) {
      Name const axis = stream[level].axis[a].name;
      bool const held = detail::vec::counts(vrf[Level::element], axis) && !detail::vec::steps_between(stream, vrf[Level::element], axis);
      if (detail::vec::counts(stream[level], axis) && detail::vec::counts(vrf, axis) && !held)
        return refuse("vector-write-operand-steps", at)
            .what("the stream steps through axis ", axis, " in ", name_of(level), " ", stream[level],
                  "; the VRF tensor counts that axis by fewer steps, for its Element is ", vrf[Level::element])
            .why("one element would stand for several steps, and each would write another number into it")
            .help("give Element the steps of ", axis, ", or leave the axis out of the VRF tensor");
    }
  for (Level level : {Level::chip, Level::cluster, Level::slice})
    for (int a = 0; a < stream[level].axes; ++a)
      if (detail::vec::counts(stream[level], stream[level].axis[a].name) && !detail::vec::counts(vrf, stream[level].axis[a].name))
        return refuse("vector-write-operand-slices", at)
            .what("the stream has axis ", stream[level].axis[a].name, " in ", name_of(level), " ", stream[level],
                  "; the VRF tensor does not have it, and would hold another number in every copy")
            .why("each slice writes into its own VRF; copies of one element are equal")
            .help("give the VRF tensor the stream's ", name_of(level));
  Mapping const& packet = stream[Level::packet];
  for (int k = 0; k < packet.digits; ++k) {
    Digit const& d = packet.digit[k];
    bool const own = d.size == 1 || (d.axis != no_axis && detail::vec::counts(vrf, packet.axis[d.axis].name));
    if (!own)
      return refuse("vector-write-operand-lanes", at)
          .what("several lanes of Packet ", packet, " would write to one place of the VRF tensor, whose Element is ", vrf[Level::element])
          .why("over time the places may repeat, within a packet they may not")
          .help("give the VRF tensor the axes of Packet");
  }
  return loops;
}

}  // namespace tcp
