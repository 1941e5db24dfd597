// The Contraction Engine: the stream adapter, the TRF sequencer, the Reducer's tree and accumulator, and the lanes whose products are zero.
//
// Needs: what the rules found of align, contract and accumulate. Leaves: program::Contraction. Refuses: zero padding in a pattern that lane masks cannot tell.
#include <algorithm>

#include "pass.hpp"

namespace tcp::lower {

namespace {

/// A factor of Time or Packet as rounds: counter = position / inside % size.
struct Rounds {
  std::int64_t inside = 1, size = 1;
};

program::StreamAdapter adapter_of(const AdapterSettings& a) {
  return {a.collect_flits, a.transpose.rows, a.transpose.columns, a.initial_shift, a.shift_stride, a.tiles, a.shifts, a.pops};
}

/// Everything of zero padding that a computation's Time and Packet hold, as masks: padding of a factor in Packet is lanes at all steps, of one in Time all lanes
/// at some steps, and where an axis ends inside a packet, some lanes at its last steps.
class ZeroLanes {
 public:
  explicit ZeroLanes(const Levels& at) : time_(at[Level::time]), packet_(at[Level::packet]) {}

  std::vector<program::LaneMask> find() {
    for (int k = 0; k < packet_.digits; ++k) slot_padding(packet_, k, true);
    for (int k = 0; k < time_.digits; ++k) slot_padding(time_, k, false);
    for (int t = 0; t < packet_.tails; ++t) tail_padding(packet_, t, true);
    for (int t = 0; t < time_.tails; ++t) tail_padding(time_, t, false);
    for (const Mapping* m : {&time_, &packet_})
      for (int a = 0; a < m->axes; ++a) overshoot(m->axis[a].name);
    return std::move(masks_);
  }

 private:
  program::LaneMask all_lanes() const {
    program::LaneMask m;
    for (std::int64_t lane = 0; lane < packet_.size; ++lane) set(m, lane);
    return m;
  }
  static void set(program::LaneMask& m, std::int64_t lane) {
    m.lanes[static_cast<std::size_t>(lane / 64)] |= std::uint64_t{1} << (lane % 64);
  }
  /// Lanes, or steps, whose counter of these rounds is at or beyond `from`.
  void add(bool in_packet, Rounds r, std::int64_t from) {
    if (from >= r.size) return;
    program::LaneMask m;
    if (in_packet) {
      for (std::int64_t lane = 0; lane < packet_.size; ++lane)
        if (lane / r.inside % r.size >= from) set(m, lane);
    } else {
      m = all_lanes();
      m.rounds.push_back({r.inside, r.size, from});
    }
    masks_.push_back(std::move(m));
  }
  void slot_padding(const Mapping& m, int k, bool in_packet) {
    Digit const& d = m.digit[k];
    if (d.joined || d.pad != Pad::zero) return;
    add(in_packet, {footprints(m).inside[k], d.slot}, live_slots(m, k));
  }
  void tail_padding(const Mapping& m, int t, bool in_packet) {
    if (m.tail[t].pad != Pad::zero) return;
    Footprints const foot = footprints(m);
    add(in_packet, {foot.tail_unit[t], m.tail[t].slot}, foot.tail_live[t]);
  }
  /// A coordinate at or beyond the end of its axis: factor by factor from the coarsest, the first that is greater than the end's own decides.
  void overshoot(Name axis) {
    for (Name done : done_)
      if (done == axis) return;
    done_.push_back(axis);
    struct Factor {
      std::int64_t stride, size;
      Rounds rounds;
      bool in_packet;
    };
    std::vector<Factor> factors;
    std::int64_t extent = 0, reach = 0;
    Pad kind = Pad::none;
    std::int64_t coarsest = 0;
    for (const Mapping* m : {&time_, &packet_}) {
      int const a = find_axis(*m, axis);
      if (a < 0) continue;
      extent = m->axis[a].extent;
      reach += m->axis[a].start;
      Footprints const foot = footprints(*m);
      for (int k = 0; k < m->digits; ++k) {
        Digit const& d = m->digit[k];
        if (d.axis != a || d.in_window()) continue;
        factors.push_back({d.stride, d.size, {foot.inside[k], d.slot}, m == &packet_});
        reach += (d.size - 1) * d.stride;
        if (d.stride > coarsest) {
          coarsest = d.stride;
          kind = d.pad;
        }
      }
    }
    if (reach < extent || kind != Pad::zero) return;
    std::sort(factors.begin(), factors.end(), [](const Factor& x, const Factor& y) { return x.stride > y.stride; });
    program::LaneMask prefix = all_lanes();
    std::int64_t left = extent;
    for (const Factor& f : factors) {
      std::int64_t const digit = left / f.stride;
      left %= f.stride;
      bool const last = &f == &factors.back();
      // Beyond the end's digit everything is outside; at the last factor the end itself is.
      program::LaneMask beyond = narrowed(prefix, f.in_packet, f.rounds, last && left == 0 ? digit : digit + 1);
      if (!empty(beyond)) masks_.push_back(std::move(beyond));
      prefix = narrowed(prefix, f.in_packet, f.rounds, digit);
      if (empty(prefix)) return;
    }
  }
  program::LaneMask narrowed(program::LaneMask m, bool in_packet, Rounds r, std::int64_t from) const {
    if (in_packet) {
      for (std::int64_t lane = 0; lane < packet_.size; ++lane)
        if (lane / r.inside % r.size < from) m.lanes[static_cast<std::size_t>(lane / 64)] &= ~(std::uint64_t{1} << (lane % 64));
    } else if (from >= r.size) {
      m.lanes = {};
    } else if (from > 0) {
      m.rounds.push_back({r.inside, r.size, from});
    }
    return m;
  }
  static bool empty(const program::LaneMask& m) { return m.lanes == std::array<std::uint64_t, 2>{}; }

  Mapping time_, packet_;
  std::vector<Name> done_;
  std::vector<program::LaneMask> masks_;
};

}  // namespace

Expected<program::Contraction> lower_contraction(const TensorUnitPass& p, std::size_t align, std::size_t contract, std::size_t accumulate) {
  const Aligned& pair = std::get<Aligned>(p.found(align).found);
  const Contracted& tree = std::get<Contracted>(p.found(contract).found);
  const Accumulated& sums = std::get<Accumulated>(p.found(accumulate).found);
  const ir::Tensor& trf = p.module.tensor(std::get<ir::Align>(p.stage(align).what).trf);
  program::Contraction out;
  out.type = pair.type;
  out.weights = pair.trf_type;
  out.adapter = adapter_of(pair.adapter);
  std::int64_t const rows = pair.at[Level::row].size;
  out.rows = static_cast<std::int32_t>(rows);
  out.trf_row_base = trf_layout(p.device, trf.type, rows, trf.trf).row_base.value;
  for (int k = 0; k < pair.trf.loops.entries; ++k) out.trf_loops.push_back({pair.trf.loops.entry[k].size, pair.trf.loops.entry[k].stride});
  out.trf_first = pair.trf.loops.base;
  out.trf_read_bytes = pair.trf.read.value;
  out.trf_repeats = pair.trf.repeats;
  out.maximum = std::get<ir::Contract>(p.stage(contract).what).op == ContractOp::Max;
  out.tree_depth = static_cast<std::int32_t>(tree.depth);
  out.steps = pair.at[Level::time].size;
  out.zero_lanes = ZeroLanes(pair.at).find();
  out.sequential = std::get<ir::Accumulate>(p.stage(accumulate).what).kind == AccumulationKind::Sequential;
  for (int k = 0; k < sums.loops; ++k) out.loops.push_back({sums.loop[k].rounds, sums.loop[k].added});
  out.columns = sums.columns;
  out.groups = sums.groups;
  out.slots = sums.slots;
  TCP_BUG_UNLESS(pair.at[Level::packet].size <= 128, "a packet of 64 bytes has at most 128 lanes");
  return out;
}

}  // namespace tcp::lower
