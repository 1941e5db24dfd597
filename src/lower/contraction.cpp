// The Contraction Engine: the stream adapter, the TRF sequencer, the Reducer's tree and accumulator, and the lanes
// whose products are zero.
//
// Needs: what the rules found of align, contract and accumulate. Leaves: program::Contraction. Refuses: zero padding in
// a pattern that lane masks cannot tell.
#include <algorithm>

#include "lower/pass.hpp"

namespace tcp::lower {

namespace {

/// A factor of Time or Packet as rounds: counter = position / inside % size.
struct Rounds {
  std::int64_t inside = 1, size = 1;
};

program::StreamAdapter adapter_of(const AdapterSettings& a) {
  return {a.collect_flits, a.transpose.rows, a.transpose.columns, 0, a.shift_stride, a.tiles, a.shifts, a.pops};
}

/// Everything of zero padding that a computation's Time and Packet hold, as masks: padding of a factor in Packet is
/// lanes at all steps, of one in Time all lanes at some steps, and where an axis begins or ends inside a packet, some
/// lanes at its first or last steps.
class ZeroLanes {
 public:
  explicit ZeroLanes(const Levels& at) : time_(at[Level::time]), packet_(at[Level::packet]) {}

  std::vector<program::LaneMask> find() {
    for (int k = 0; k < packet_.digits; ++k) slot_padding(packet_, k, true);
    for (int k = 0; k < time_.digits; ++k) slot_padding(time_, k, false);
    for (int t = 0; t < packet_.tails; ++t) tail_padding(packet_, t, true);
    for (int t = 0; t < time_.tails; ++t) tail_padding(time_, t, false);
    for (const Mapping* m : {&time_, &packet_})
      for (int a = 0; a < m->axes; ++a) outside(m->axis[a].name);
    return std::move(masks_);
  }

 private:
  struct Factor {
    std::int64_t stride = 1;
    Rounds rounds;
    bool in_packet = false;
  };
  struct Span {
    std::int64_t from = 0, to = 0;
  };

  program::LaneMask all_lanes() const {
    program::LaneMask m;
    for (std::int64_t lane = 0; lane < packet_.size; ++lane)
      m.lanes[static_cast<std::size_t>(lane / 64)] |= std::uint64_t{1} << (lane % 64);
    return m;
  }
  /// The lanes and steps of a mask whose counter of these rounds is in the span.
  program::LaneMask narrowed(program::LaneMask m, bool in_packet, Rounds r, Span s) const {
    if (s.from >= std::min(s.to, r.size)) {
      m.lanes = {};
    } else if (in_packet) {
      for (std::int64_t lane = 0; lane < packet_.size; ++lane)
        if (std::int64_t const counter = lane / r.inside % r.size; counter < s.from || counter >= s.to)
          m.lanes[static_cast<std::size_t>(lane / 64)] &= ~(std::uint64_t{1} << (lane % 64));
    } else if (s.from > 0 || s.to < r.size) {
      m.rounds.push_back({r.inside, r.size, s.from, std::min(s.to, r.size)});
    }
    return m;
  }
  void add(program::LaneMask m) {
    if (!empty(m)) masks_.push_back(std::move(m));
  }
  static bool empty(const program::LaneMask& m) { return m.lanes == std::array<std::uint64_t, 2>{}; }

  void slot_padding(const Mapping& m, int k, bool in_packet) {
    Digit const& d = m.digit[k];
    if (d.joined || d.pad != Pad::zero) return;
    add(narrowed(all_lanes(), in_packet, {footprints(m).inside[k], d.slot}, {live_slots(m, k), d.slot}));
  }
  void tail_padding(const Mapping& m, int t, bool in_packet) {
    if (m.tail[t].pad != Pad::zero) return;
    Footprints const foot = footprints(m);
    add(narrowed(all_lanes(), in_packet, {foot.tail_unit[t], m.tail[t].slot}, {foot.tail_live[t], m.tail[t].slot}));
  }
  /// Coordinates in front of an axis and after it, where these are zero padding.
  void outside(Name axis) {
    for (Name done : done_)
      if (done == axis) return;
    done_.push_back(axis);
    std::vector<Factor> factors;
    std::int64_t extent = 0, start = 0, reach = 0, coarsest = 0;
    Pad kind = Pad::none;
    for (const Mapping* m : {&time_, &packet_}) {
      int const a = find_axis(*m, axis);
      if (a < 0) continue;
      extent = m->axis[a].extent;
      start += m->axis[a].start;
      Footprints const foot = footprints(*m);
      for (int k = 0; k < m->digits; ++k) {
        Digit const& d = m->digit[k];
        if (d.axis != a || d.in_window()) continue;
        factors.push_back({d.stride, {foot.inside[k], d.slot}, m == &packet_});
        reach += (d.size - 1) * d.stride;
        if (d.stride > coarsest) {
          coarsest = d.stride;
          kind = d.pad;
        }
      }
    }
    if (kind != Pad::zero) return;
    std::sort(factors.begin(), factors.end(), [](const Factor& x, const Factor& y) { return x.stride > y.stride; });
    if (start < 0) cut(factors, -start, true);
    if (start + reach >= extent) cut(factors, extent - start, false);
  }
  /// Steps of the factors whose sum is below a number, or at it and beyond: factor by factor from the coarsest, the
  /// first that differs from the number's own decides.
  void cut(const std::vector<Factor>& factors, std::int64_t number, bool below) {
    program::LaneMask equal = all_lanes();
    for (const Factor& f : factors) {
      std::int64_t const own = number / f.stride;
      number %= f.stride;
      bool const last = &f == &factors.back(), rest = last && number > 0;
      Span const beyond{last && !rest ? own : own + 1, f.rounds.size};
      add(narrowed(equal, f.in_packet, f.rounds, below ? Span{0, rest ? own + 1 : own} : beyond));
      equal = narrowed(equal, f.in_packet, f.rounds, {own, own + 1});
      if (empty(equal)) return;
    }
  }

  Mapping time_, packet_;
  std::vector<Name> done_;
  std::vector<program::LaneMask> masks_;
};

/// The kind of padding that a coordinate outside of its axis has: that of the coarsest factor.
Pad kind_outside(const Levels& levels, Name axis) {
  Pad kind = Pad::none;
  std::int64_t coarsest = 0;
  for (const Mapping& m : levels.at)
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.axis == no_axis || !(m.axis[d.axis].name == axis) || d.in_window() || d.stride <= coarsest) continue;
      coarsest = d.stride;
      kind = d.pad;
    }
  return kind;
}

/// Refused: an axis that ends inside some slices, or Rows, only, where a product must be forced to zero: lanes are
/// masked in all slices alike. Two zeros need no force.
Verdict check_alike_in_slices(const TensorUnitPass& p, const Levels& at, const Levels& stream, const Levels& trf, Where where) {
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row}) {
    for (int a = 0; a < at[l].axes; ++a) {
      Name const axis = at[l].axis[a].name;
      std::int64_t start = 0, inside = 0, outside = 0;
      for (int n = 0; n < level_count; ++n) {
        const Mapping& m = at.at[n];
        int const b = find_axis(m, axis);
        if (b < 0) continue;
        start += m.axis[b].start;
        bool const lanes = static_cast<Level>(n) == Level::time || static_cast<Level>(n) == Level::packet;
        for (int k = 0; k < m.digits; ++k)
          if (m.digit[k].axis == b && !m.digit[k].in_window()) (lanes ? inside : outside) += (m.digit[k].size - 1) * m.digit[k].stride;
      }
      bool const leaves = start < 0 || start + inside + outside >= at[l].axis[a].extent;
      if (outside == 0 || inside == 0 || !leaves || kind_outside(at, axis) != Pad::zero) continue;
      if (kind_outside(stream, axis) == Pad::zero && kind_outside(trf, axis) == Pad::zero) continue;
      return refuse("lower-zero-lanes-by-slice", where)
          .what("axis ", axis, " ends inside of Time ", at[Level::time], ", Packet ", at[Level::packet], " in some positions of ",
                name_of(l), " ", at[l], " only, and only one of the operands is zero there")
          .why("the Reducer forces products to zero by lanes and time steps, alike in all ", p.device.levels.slices_per_cluster, " slices")
          .help("give both operands zero padding along ", axis, " in DM, or split ", axis,
                " so that every slice has the same number of elements");
    }
  }
  return accept();
}

/// Where a tile of weights begins in a Row.
std::int64_t bytes_into_row(const ir::Module& module, ir::TensorId trf) {
  std::int64_t bits = 0;
  for (; module.tensor(trf).view; trf = module.tensor(trf).view->tensor)
    bits += ir::seen_by(module, module.tensor(trf))->offset * scalar_info(module.tensor(trf).type).packet_bits;
  return bits / 8;
}

}  // namespace

Expected<program::Contraction> lower_contraction(const TensorUnitPass& p, std::size_t align, std::size_t contract, std::size_t accumulate) {
  const Aligned& pair = p.found(align).as<Aligned>();
  const Contracted& tree = p.found(contract).as<Contracted>();
  const Accumulated& sums = p.found(accumulate).as<Accumulated>();
  ir::TensorId const weights = std::get<ir::Align>(p.stage(align).what).trf;
  const ir::Tensor& trf = p.module.tensor(weights);
  program::Contraction out;
  out.type = pair.type;
  out.weights = pair.trf_type;
  out.adapter = adapter_of(pair.adapter);
  std::int64_t const rows = pair.at[Level::row].size;
  out.rows = static_cast<std::int32_t>(rows);
  out.trf_row_base = trf_layout(p.device, trf.type, rows, p.module.tensor(p.module.root_of(weights)).trf).row_base.value;
  for (int k = 0; k < pair.trf.loops.entries; ++k) out.trf_loops.push_back({pair.trf.loops.entry[k].size, pair.trf.loops.entry[k].stride});
  out.trf_first = pair.trf.loops.base + bytes_into_row(p.module, weights);
  out.trf_read_bytes = pair.trf.read.value;
  out.trf_repeats = pair.trf.repeats;
  out.maximum = std::get<ir::Contract>(p.stage(contract).what).op == ContractOp::Max;
  out.tree_depth = static_cast<std::int32_t>(tree.depth);
  out.steps = pair.at[Level::time].size;
  if (auto v = check_alike_in_slices(p, pair.at, p.in(align), p.module.levels(trf), p.where(align)); !v) return v.refusal();
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
