// Sorts the axes of a contraction into those of the data, of the weights, of both, and those that are summed, and
// lays them out as loops over a matrix product. No plan where the digits do not allow it.
#include "exec/vector/contraction/plan.hpp"

#include <algorithm>

#include "exec/vector/ordered.hpp"
#include "tcp/support/sort_stably.hpp"

namespace tcp::vector {
namespace {

/// Some rounds of a digit, all kept or all summed.
struct Part {
  int axis = -1;            // into the list of axes; -1: copies
  std::int64_t stride = 0;  // along the axis, of one round
  std::int64_t rounds = 1;  // positions
  std::int64_t inside = 1;  // positions of the level that one round moves on
  bool summed = false;
  bool in_unit = false;  // of Chip, Cluster, Slice or Row
};

bool plain_digits(const Mapping& m) {
  if (m.tails > 0) return false;
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].in_window() || m.digit[k].joined || m.digit[k].skewed_by != no_axis) return false;
  return true;
}

class Planner {
 public:
  Planner(const Tensor& data, const Tensor& weights, const ContractionFacts& facts, const Levels& out)
      : data_(data), weights_(weights), facts_(facts), at_(facts.pair->at), axes_(at_), out_(axes_of(out)) {}

  std::optional<ContractionPlan> plan() {
    if (data_.has_undefined() || weights_.has_undefined()) return {};
    for (const Mapping& m : at_.at)
      if (!plain_digits(m)) return {};
    for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row})
      for (int k = 0; k < at_[l].digits; ++k) {
        keep_digit(at_[l], k);
        parts_.back().in_unit = true;
      }
    if (!split_time() || !split_packet()) return {};
    if (!sort_axes() || !list_k()) return {};
    lay_out();
    return plan_;
  }

 private:
  int axis_of(const Mapping& m, const Digit& d) const { return d.axis == no_axis ? -1 : axes_.find(m.axis[d.axis].name); }
  void keep_digit(const Mapping& m, int k) { parts_.push_back({axis_of(m, m.digit[k]), m.digit[k].stride, m.digit[k].size, 0, false}); }

  /// The digits of Time, cut into the accumulator's loops.
  bool split_time() {
    const Mapping& m = at_[Level::time];
    const Accumulated& a = *facts_.accumulated;
    Footprints const foot = footprints(m);
    int loop = a.loops - 1;
    for (int k = m.digits - 1; k >= 0; --k) {
      Digit const& d = m.digit[k];
      bool any_kept = false, any_added = false;
      std::int64_t unit = 1;
      while (unit < d.slot) {
        if (loop < 0 || d.slot / unit % a.loop[loop].rounds != 0 || a.loop[loop].rounds < 2) return false;
        TimeLoop const& l = a.loop[loop--];
        (l.added ? any_added : any_kept) = true;
        Part const part{axis_of(m, d), d.stride * unit, l.rounds, foot.inside[k] * unit, l.added};
        if (l.added || d.size == d.slot) parts_.push_back(part);
        unit *= l.rounds;
      }
      if (d.size == d.slot) continue;
      if (any_kept && any_added) return false;  // how far the one goes depends on the other
      if (any_kept) keep_digit(m, k);
    }
    return loop < 0;
  }

  /// The digits of Packet, cut where the tree ends.
  bool split_packet() {
    const Mapping& m = at_[Level::packet];
    Footprints const foot = footprints(m);
    std::int64_t const leaves = std::int64_t{1} << facts_.contracted->depth;
    for (int k = m.digits - 1; k >= 0; --k) {
      Digit const& d = m.digit[k];
      std::int64_t const inside = foot.inside[k];
      if (inside >= leaves) {
        keep_digit(m, k);
      } else if (inside * d.slot <= leaves) {
        if (leaves % (inside * d.slot) != 0) return false;
        summed_in_packet_.push_back(axis_of(m, d));
      } else {
        std::int64_t const cut = leaves / inside;
        if (leaves % inside != 0 || d.slot % cut != 0) return false;
        if (d.size > cut && d.size % cut != 0) return false;  // the last column is shorter than the others
        summed_in_packet_.push_back(axis_of(m, d));
        parts_.push_back({axis_of(m, d), d.stride * cut, d.size > cut ? d.size / cut : 1, 0, false});
      }
    }
    return true;
  }

  struct AxisState {
    bool kept = false, summed = false;
    bool repeats = false;               // Time and Packet count steps of it, which find the same weights again
    std::int64_t start = 0, reach = 0;  // reach: the last coordinate that digits come to
    std::int64_t coarsest = -1;
    Pad overshoot = Pad::top;
  };

  bool sort_axes() {
    state_.resize(axes_.count());
    for (const Part& p : parts_)
      if (p.axis >= 0 && p.rounds > 1)
        (p.summed ? state_[static_cast<std::size_t>(p.axis)].summed : state_[static_cast<std::size_t>(p.axis)].kept) = true;
    for (int a : summed_in_packet_)
      if (a >= 0) state_[static_cast<std::size_t>(a)].summed = true;
    for (const Mapping& m : at_.at)
      for (int a = 0; a < m.axes; ++a) {
        AxisState& s = state_[static_cast<std::size_t>(axes_.find(m.axis[a].name))];
        s.start += m.axis[a].start;
        s.reach += m.axis[a].start;
        for (int k = 0; k < m.digits; ++k) {
          if (m.digit[k].axis != a) continue;
          s.reach += (m.digit[k].size - 1) * m.digit[k].stride;
          if (m.digit[k].stride > s.coarsest) {
            s.coarsest = m.digit[k].stride;
            s.overshoot = m.digit[k].pad == Pad::none ? Pad::top : m.digit[k].pad;
          }
        }
      }
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i].repeats = repeats_weights(i);
    for (std::size_t i = 0; i < state_.size(); ++i) {
      const AxisState& s = state_[i];
      if (by_parts(s) &&
          (s.start != 0 || s.reach >= axes_.extent(i) || !holds(data_, i, s.reach) || !holds(weights_, i, s.repeats ? 0 : s.reach)))
        return false;
      std::int64_t const out = out_size(i);
      if (!s.kept && (s.start < 0 || s.start >= axes_.extent(i)) && !s.summed) return false;
      if (s.kept && out == 0) return false;
      if (s.kept && !by_parts(s) && (!holds(data_, i, out - 1) || !holds(weights_, i, out - 1))) return false;
      if (!s.kept && out > 1) return false;
    }
    return true;
  }
  /// Whether what is kept of an axis is walked digit by digit, and not as coordinates one after the other.
  static bool by_parts(const AxisState& s) { return s.kept && (s.summed || s.repeats); }
  bool repeats_weights(std::size_t axis) const {
    if (weights_.find(axes_.name(axis)) == nullptr || facts_.steps_weights(axes_.name(axis))) return false;
    return std::any_of(parts_.begin(), parts_.end(),
                       [axis](const Part& p) { return p.axis == static_cast<int>(axis) && p.rounds > 1 && !p.in_unit; }) ||
           std::find(summed_in_packet_.begin(), summed_in_packet_.end(), static_cast<int>(axis)) != summed_in_packet_.end();
  }
  std::int64_t out_size(std::size_t axis) const {
    for (const AxisSize& a : out_)
      if (a.name == axes_.name(axis)) return a.size;
    return 0;
  }
  bool holds(const Tensor& t, std::size_t axis, std::int64_t coordinate) const {
    const Axis* const a = t.find(axes_.name(axis));
    return a == nullptr || (coordinate >= 0 && coordinate < a->size);
  }
  static std::int64_t stride_of(const Tensor& t, Name name) {
    const Axis* const a = t.find(name);
    return a == nullptr ? 0 : a->stride;
  }

  /// What lies at a position of Time or Packet, as far as summed axes go.
  OrderedSpot summed_spot(const Mapping& m, std::int64_t position) const {
    detail::Sum sum;
    detail::add_position(sum, m, position, 0);
    OrderedSpot spot{position, sum.pad, false, Coordinates(axes_.count(), 0)};
    for (int a = 0; a < sum.axes; ++a) {
      int const axis = axes_.find(sum.axis[a].name);
      int const used = find_axis(m, sum.axis[a].name);
      spot.at[static_cast<std::size_t>(axis)] = sum.axis[a].at - m.axis[used].start;
    }
    return spot;
  }

  /// The steps of Time that are added, in order of arrival, all that is kept at its first round.
  std::vector<OrderedSpot> added_steps() const {
    std::vector<Part> added;
    for (const Part& p : parts_)
      if (p.summed) added.push_back(p);
    std::sort(added.begin(), added.end(), [](const Part& x, const Part& y) { return x.inside > y.inside; });
    std::vector<std::int64_t> positions{0};
    for (const Part& p : added) {
      std::vector<std::int64_t> next;
      next.reserve(positions.size() * static_cast<std::size_t>(p.rounds));
      for (std::int64_t at : positions)
        for (std::int64_t r = 0; r < p.rounds; ++r) next.push_back(at + r * p.inside);
      positions = std::move(next);
    }
    std::vector<OrderedSpot> steps;
    steps.reserve(positions.size());
    for (std::int64_t at : positions) steps.push_back(summed_spot(at_[Level::time], at));
    return steps;
  }

  bool list_k() {
    plan_.depth = static_cast<int>(facts_.contracted->depth);
    std::int64_t const leaves = std::int64_t{1} << plan_.depth;
    if (at_[Level::packet].size < leaves) return false;
    std::vector<OrderedSpot> lanes;
    for (std::int64_t leaf = 0; leaf < leaves; ++leaf) lanes.push_back(summed_spot(at_[Level::packet], leaf));
    std::vector<std::size_t> summed;
    for (std::size_t i = 0; i < state_.size(); ++i)
      if (state_[i].summed) summed.push_back(i);
    AxisList::Lie const data = axes_.lie_of(data_), weights = axes_.lie_of(weights_);
    std::vector<std::int64_t> data_k(static_cast<std::size_t>(leaves)), weights_k = data_k;
    std::vector<kernels::Leaf> kinds(static_cast<std::size_t>(leaves));
    for (const OrderedSpot& step : added_steps()) {
      bool any = false;
      for (std::size_t leaf = 0; leaf < lanes.size(); ++leaf) {
        Pad pad = detail::greater(step.pad, lanes[leaf].pad);
        std::int64_t in_data = 0, in_weights = 0;
        for (std::size_t i : summed) {
          std::int64_t const c = step.at[i] + lanes[leaf].at[i] + state_[i].start;
          if (c < 0 || c >= axes_.extent(i)) pad = detail::greater(pad, state_[i].overshoot);
          else if (c >= data.size[i] || (c >= weights.size[i] && !state_[i].repeats)) return false;
          in_data += c * data.stride[i];
          if (!state_[i].repeats) in_weights += c * weights.stride[i];
        }
        kinds[leaf] = pad == Pad::none ? kernels::Leaf::product : pad == Pad::zero ? kernels::Leaf::zero : kernels::Leaf::absent;
        any |= kinds[leaf] != kernels::Leaf::absent;
        data_k[leaf] = pad == Pad::none ? in_data : 0;
        weights_k[leaf] = pad == Pad::none ? in_weights : 0;
      }
      if (!any) continue;
      plan_.data_k.insert(plan_.data_k.end(), data_k.begin(), data_k.end());
      plan_.weights_k.insert(plan_.weights_k.end(), weights_k.begin(), weights_k.end());
      plan_.leaves.insert(plan_.leaves.end(), kinds.begin(), kinds.end());
      ++plan_.steps;
    }
    return plan_.steps > 0;
  }

  /// The result: axes of both operands outermost, those of the weights innermost; along axes that neither has it is the
  /// same.
  void lay_out() {
    struct Kept {
      AxisSize axis{};
      int group = 0;  // 0 both, 1 rows, 2 columns, 3 neither
    };
    std::vector<Kept> kept;
    for (const AxisSize& a : out_) {
      bool const in_data = stride_of(data_, a.name) != 0, in_weights = stride_of(weights_, a.name) != 0;
      kept.push_back({a, in_data && in_weights ? 0 : in_data ? 1 : in_weights ? 2 : 3});
    }
    sort_stably(kept, [](const Kept& x, const Kept& y) { return x.group < y.group; });
    std::vector<AxisSize> laid;
    for (const Kept& k : kept)
      if (k.group < 3) laid.push_back(k.axis);
    Tensor out = fresh(facts_.contracted->type, laid);
    for (const Kept& k : kept) {
      int const axis = axes_.find(k.axis.name);
      if (axis < 0 || k.group == 3) continue;
      add_loops(static_cast<std::size_t>(axis), k.axis.size, stride_of(out, k.axis.name),
                k.group == 0   ? plan_.both
                : k.group == 1 ? plan_.rows
                               : plan_.columns);
    }
    for (std::size_t i = 0; i < state_.size(); ++i)  // coordinates that stand still
      if (!state_[i].kept && !state_[i].summed) {
        plan_.data_offset += state_[i].start * stride_of(data_, axes_.name(i));
        plan_.weights_offset += state_[i].start * stride_of(weights_, axes_.name(i));
      }
    plan_.out = restricted(spread(out, out_), out_);
  }
  void add_loops(std::size_t axis, std::int64_t size, std::int64_t out_stride, std::vector<KeptLoop>& loops) {
    const AxisState& s = state_[axis];
    std::int64_t const data = stride_of(data_, axes_.name(axis)), weights = stride_of(weights_, axes_.name(axis));
    if (!s.kept) return;
    if (!by_parts(s)) {
      loops.push_back({size, data, weights, out_stride});
      return;
    }
    for (const Part& p : parts_) {
      if (p.axis != static_cast<int>(axis) || p.summed || p.rounds == 1) continue;
      bool const same_weights = s.repeats && !p.in_unit;
      (same_weights ? plan_.rows : loops)
          .push_back({p.rounds, p.stride * data, same_weights ? 0 : p.stride * weights, p.stride * out_stride});
    }
  }

  const Tensor &data_, &weights_;
  const ContractionFacts& facts_;
  const Levels& at_;
  AxisList axes_;
  std::vector<AxisSize> out_;
  std::vector<Part> parts_;
  std::vector<int> summed_in_packet_;
  std::vector<AxisState> state_;
  ContractionPlan plan_;
};

}  // namespace

bool ContractionPlan::plain() const {
  return std::all_of(leaves.begin(), leaves.end(), [](kernels::Leaf l) { return l == kernels::Leaf::product; });
}

std::optional<ContractionPlan> plan_contraction(const Tensor& data, const Tensor& weights, const ContractionFacts& facts,
                                                const Levels& out) {
  return Planner(data, weights, facts, out).plan();
}

}  // namespace tcp::vector
