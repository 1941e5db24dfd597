// What is folded is a list of offsets into the stream, step by step, the same for every result; results are named by
// the coordinates that are kept. Where an axis ends inside what is folded in one result and not in another, or
// undefined elements take part, elements are folded one by one in the order of their places.
#include "exec/vector/reduce.hpp"

#include <algorithm>
#include <optional>

#include "exec/vector/compute.hpp"
#include "exec/vector/kernels/in_parallel.hpp"
#include "exec/vector/kernels/reduce.hpp"
#include "exec/vector/ordered.hpp"
#include "tcp/support/round.hpp"
#include "tcp/support/sort_stably.hpp"

namespace tcp::vector {
namespace {

/// The axes of the result. Along a new one (a broadcast over slices) all elements are the same, so the result lacks it.
std::vector<AxisSize> kept_axes(const Levels& in, const Levels& out) {
  std::vector<AxisSize> axes = axes_of(out);
  std::erase_if(axes, [&in](const AxisSize& axis) {
    return std::none_of(std::begin(in.at), std::end(in.at), [&axis](const Mapping& m) { return find_axis(m, axis.name) >= 0; });
  });
  return axes;
}

struct FoldLoop {
  std::int64_t size = 1, in = 0, out = 0;
};

/// Some steps, equally far apart, each of the same lanes, equally far apart.
struct FoldRun {
  std::int64_t first = 0, steps = 1, step_stride = 0, lane_stride = 0;
  int lanes = 1;
};

struct FoldPlan {
  std::vector<FoldLoop> kept;
  std::vector<FoldRun> runs;
  Tensor out;
};

/// What a level's digits are to a reduce.
enum class Part : std::uint8_t { kept, folded, copies };

class FoldPlanner {
 public:
  FoldPlanner(const Tensor& stream, const Levels& in, const Levels& out) : stream_(stream), in_(in), axes_(in), kept_(kept_axes(in, out)) {}

  /// `part_of(level, digit)` says what becomes of a digit. `lanes`: the packet's folded positions are the lanes of one
  /// step.
  template <class PartOf>
  std::optional<FoldPlan> plan(PartOf&& part_of) {
    if (stream_.has_undefined()) return {};
    state_.resize(axes_.count());
    for (int l = 0; l < level_count; ++l)
      if (!split(l, part_of)) return {};
    for (std::size_t i = 0; i < state_.size(); ++i) {
      const State& s = state_[i];
      if (s.folded && (s.start != 0 || (s.kept && s.reach >= axes_.extent(i)))) return {};
      if (!s.kept && !s.folded && s.start != 0) return {};
    }
    FoldPlan p;
    std::vector<AxisSize> laid = kept_;
    auto const stride_of = [this](Name name) {
      const Axis* const a = stream_.find(name);
      return a == nullptr ? std::int64_t{0} : a->stride;
    };
    std::erase_if(laid, [&](const AxisSize& a) { return stride_of(a.name) == 0; });
    sort_stably(laid, [&](const AxisSize& x, const AxisSize& y) { return stride_of(x.name) > stride_of(y.name); });
    p.out = fresh(stream_.type, laid);
    for (const AxisSize& a : laid)
      if (!add_kept(p, a)) return {};
    if (!list_steps(p)) return {};
    p.out = restricted(spread(p.out, kept_), kept_);
    return p;
  }

 private:
  struct State {
    bool kept = false, folded = false;
    std::int64_t start = 0, reach = 0;
  };
  struct Folded {
    int axis = -1;
    std::int64_t stride = 0, size = 1;
    bool in_packet = false;
  };
  struct Kept {
    int axis;
    std::int64_t stride, size;
  };

  template <class PartOf>
  bool split(int l, PartOf&& part_of) {
    const Mapping& m = in_.at[l];
    if (m.tails > 0) return false;
    for (int a = 0; a < m.axes; ++a) {
      State& s = state_[static_cast<std::size_t>(axes_.find(m.axis[a].name))];
      s.start += m.axis[a].start;
      s.reach += m.axis[a].start;
    }
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.in_window() || d.joined || d.skewed_by != no_axis) return false;
      int const axis = d.axis == no_axis ? -1 : axes_.find(m.axis[d.axis].name);
      std::optional<Part> const part = part_of(static_cast<Level>(l), k);
      if (!part) return false;
      if (axis >= 0) {
        State& s = state_[static_cast<std::size_t>(axis)];
        s.reach += (d.size - 1) * d.stride;
        if (d.size > 1) (*part == Part::folded ? s.folded : s.kept) = true;
      }
      if (*part == Part::folded) folded_.push_back({axis, d.stride, d.size, static_cast<Level>(l) == Level::packet});
      if (*part == Part::kept && axis >= 0) kept_digits_.push_back({axis, d.stride, d.size});
    }
    return true;
  }

  bool add_kept(FoldPlan& p, const AxisSize& a) const {
    int const axis = axes_.find(a.name);
    const Axis* const theirs = stream_.find(a.name);
    std::int64_t const out = p.out.find(a.name)->stride;
    const State& s = state_[static_cast<std::size_t>(axis)];
    if (!s.folded) {
      if (a.size > theirs->size) return false;
      p.kept.push_back({a.size, theirs->stride, out});
      return true;
    }
    if (s.reach >= theirs->size) return false;
    for (const Kept& k : kept_digits_)
      if (k.axis == axis) p.kept.push_back({k.size, k.stride * theirs->stride, k.stride * out});
    return true;
  }

  /// The lanes of every step, in order; steps of which nothing exists left out.
  bool list_steps(FoldPlan& p) const {
    std::vector<Coordinates> steps{Coordinates(axes_.count(), 0)}, lanes = steps;
    for (const Folded& f : folded_) {
      std::vector<Coordinates>& list = f.in_packet ? lanes : steps;
      std::vector<Coordinates> next;
      for (const Coordinates& c : list)
        for (std::int64_t r = 0; r < f.size; ++r) {
          next.push_back(c);
          if (f.axis >= 0) next.back()[static_cast<std::size_t>(f.axis)] += r * f.stride;
        }
      list = std::move(next);
    }
    if (lanes.size() > 4) return false;
    AxisList::Lie const lie = axes_.lie_of(stream_);
    for (const Coordinates& step : steps) {
      std::vector<std::int64_t> there;
      bool gap = false;
      for (const Coordinates& lane : lanes) {
        Coordinates at = step;
        add(at, lane);
        if (!inside_axes(axes_, at)) {
          gap = true;
          continue;
        }
        std::int64_t const offset = offset_at(lie, at);
        if (gap || offset < 0) return false;
        there.push_back(offset);
      }
      if (!there.empty()) add_step(p, there);
    }
    return !p.runs.empty();
  }
  static void add_step(FoldPlan& p, const std::vector<std::int64_t>& lanes) {
    std::int64_t const lane_stride = lanes.size() > 1 ? lanes[1] - lanes[0] : 0;
    FoldRun one{lanes[0], 1, 0, lane_stride, static_cast<int>(lanes.size())};
    if (!p.runs.empty()) {
      FoldRun& r = p.runs.back();
      bool const alike = r.lanes == one.lanes && r.lane_stride == one.lane_stride;
      if (alike && (r.steps == 1 || one.first == r.first + r.steps * r.step_stride)) {
        if (r.steps == 1) r.step_stride = one.first - r.first;
        ++r.steps;
        return;
      }
    }
    p.runs.push_back(one);
  }

  const Tensor& stream_;
  const Levels& in_;
  AxisList axes_;
  std::vector<AxisSize> kept_;
  std::vector<State> state_;
  std::vector<Folded> folded_;
  std::vector<Kept> kept_digits_;
};

void run_plan(FoldPlan& plan, const Tensor& stream, ReduceOp op, const How& how) {
  kernels::Reduction r;
  r.op = op_of(op, stream.type);
  r.model = how.model;
  // The loop with the nearest outputs goes to the kernel.
  sort_stably(plan.kept, [](const FoldLoop& x, const FoldLoop& y) { return x.in > y.in; });
  FoldLoop inner{};
  if (!plan.kept.empty()) {
    inner = plan.kept.back();
    plan.kept.pop_back();
    while (!plan.kept.empty() && plan.kept.back().in == inner.in * inner.size && plan.kept.back().out == inner.out * inner.size) {
      inner.size *= plan.kept.back().size;
      plan.kept.pop_back();
    }
  }
  r.outputs = inner.size;
  r.stride = inner.in;
  r.out_stride = inner.out;
  std::int64_t outer = 1;
  for (const FoldLoop& l : plan.kept) outer *= l.size;
  auto const* in = reinterpret_cast<const std::uint32_t*>(stream.data());
  auto* out = reinterpret_cast<std::uint32_t*>(plan.out.writable_data());
  auto const one = [&](std::int64_t i, std::int64_t first, std::int64_t count) {
    std::int64_t from = first * inner.in, to = first * inner.out;
    for (std::size_t k = plan.kept.size(); k-- > 0;) {
      from += i % plan.kept[k].size * plan.kept[k].in;
      to += i % plan.kept[k].size * plan.kept[k].out;
      i /= plan.kept[k].size;
    }
    kernels::Reduction part = r;
    part.outputs = count;
    part.out = out + to;
    for (const FoldRun& run : plan.runs) {
      part.in = in + from + run.first;
      part.steps = run.steps;
      part.step_stride = run.step_stride;
      part.lanes = run.lanes;
      part.lane_stride = run.lane_stride;
      kernels::reduce(part);
      part.continues = true;
    }
  };
  if (how.threads <= 1) {
    for (std::int64_t i = 0; i < outer; ++i) one(i, 0, inner.size);
    return;
  }
  constexpr std::int64_t grain = 64;
  std::int64_t const parts = ceil_div(inner.size, grain);
  kernels::in_parallel(outer * parts,
                       [&](std::int64_t i) { one(i / parts, i % parts * grain, std::min(grain, inner.size - i % parts * grain)); });
}

struct ReducedElement {
  std::uint32_t bits = 0;
  Origin undefined = 0;
  bool there = false;
};

/// Folds element by element.
class OneByOne {
 public:
  OneByOne(const Tensor& stream, ReduceOp op, const Levels& in, const Levels& out, const How& how)
      : axes(in),
        stream_(stream),
        lie_(axes.lie_of(stream)),
        op_(op_of(op, stream.type)),
        model_(how.model),
        result_(fresh(stream.type, kept_axes(in, out))) {
    std::fill_n(result_.writable_data(), result_.size() * result_.width(), std::byte{0});
    if (stream.has_undefined()) track(result_);
    in_result_ = axes.lie_of(result_);
    begun_by_.assign(static_cast<std::size_t>(result_.size()), 0);
  }

  AxisList axes;

  void next_unit() { ++unit_; }
  ReducedElement at(const Coordinates& c) const {
    std::int64_t const offset = offset_at(lie_, c);
    if (offset < 0) return {0, 0, true};
    return {load_bits(stream_.data() + offset * 4, 4), stream_.origins ? stream_.origin_data()[origin_offset_at(lie_, c)] : 0, true};
  }
  ReducedElement fold(const ReducedElement& a, const ReducedElement& b) const {
    if (!a.there || !b.there) return a.there ? a : b;
    ReducedElement made{0, a.undefined != 0 ? a.undefined : b.undefined, true};
    kernels::compute(op_, {&made.bits, &a.bits, {nullptr, b.bits}, {}, 1}, model_);
    return made;
  }
  /// Copies of a unit fold anew, and come to the same.
  void take(const Coordinates& to, ReducedElement e) {
    std::int64_t const where = offset_at(in_result_, to);
    if (where < 0) return;
    std::byte* const there = result_.writable_data() + where * 4;
    std::int64_t& begun = begun_by_[static_cast<std::size_t>(where)];
    if (begun == unit_) e = fold({load_bits(there, 4), result_.origins ? result_.origin_data()[where] : 0, true}, e);
    else if (stream_.type == ScalarType::f32) kernels::compute(kernels::Op::canonical, {&e.bits, &e.bits, {}, {}, 1}, model_);
    begun = unit_;
    store_bits(there, 4, e.bits);
    if (result_.origins) result_.writable_origins()[where] = e.undefined;
  }
  Tensor result() const { return without_idle_origins(result_); }

 private:
  const Tensor& stream_;
  AxisList::Lie lie_, in_result_;
  kernels::Op op_;
  NumericModel model_;
  Tensor result_;
  std::vector<std::int64_t> begun_by_;
  std::int64_t unit_ = 0;
};

std::vector<OrderedSpot> each_once(const Mapping& m, const AxisList& axes) {
  std::vector<OrderedSpot> all = live_spots(m, axes);
  std::erase_if(all, [](const OrderedSpot& s) { return s.copy; });
  return all;
}

Tensor intra_one_by_one(const Tensor& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, bool tree, const How& how) {
  OneByOne folding(stream, op, in, out, how);
  const AxisList& axes = folding.axes;
  auto const folded = static_cast<std::size_t>(std::max(axes.find(axis), 0));
  auto const time = each_once(in[Level::time], axes), packet = ordered_spots(in[Level::packet], axes);
  for (const OrderedSpot& chip : live_spots(in[Level::chip], axes))
    for (const OrderedSpot& cluster : live_spots(in[Level::cluster], axes))
      for (const OrderedSpot& slice : live_spots(in[Level::slice], axes)) {
        folding.next_unit();
        Coordinates here = chip.at;
        add(here, cluster.at);
        add(here, slice.at);
        for (const OrderedSpot& step : time) {
          ReducedElement lane[4];
          Coordinates to[4];
          for (std::size_t p = 0; p < packet.size() && p < 4; ++p) {
            Coordinates from = here;
            add(from, step.at);
            add(from, packet[p].at);
            if (packet[p].pad != Pad::none || packet[p].copy || !inside_axes(axes, from)) continue;
            lane[p] = folding.at(from);
            to[p] = from;
            to[p][folded] -= step.at[folded] + packet[p].at[folded];
          }
          if (tree) lane[0] = folding.fold(folding.fold(lane[0], lane[1]), folding.fold(lane[2], lane[3]));
          for (std::size_t p = 0; p < 4; ++p) {
            if (to[p].empty()) continue;
            folding.take(to[p], tree ? lane[0] : lane[p]);
            if (tree) break;
          }
        }
      }
  return folding.result();
}

Tensor inter_one_by_one(const Tensor& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out, const How& how) {
  OneByOne folding(stream, op, in, out, how);
  const AxisList& axes = folding.axes;
  auto const time = each_once(in[Level::time], axes), packet = each_once(in[Level::packet], axes),
             slices = live_spots(in[Level::slice], axes);
  auto const folded = ordered_spots(reduced, axes);
  for (const OrderedSpot& chip : live_spots(in[Level::chip], axes))
    for (const OrderedSpot& cluster : live_spots(in[Level::cluster], axes)) {
      std::int64_t group = -1;
      for (const OrderedSpot& slice : slices) {
        if (slice.position / reduced.size != group) folding.next_unit();
        group = slice.position / reduced.size;
        const Coordinates& gone = folded[static_cast<std::size_t>(slice.position % reduced.size)].at;
        Coordinates here = chip.at;
        add(here, cluster.at);
        add(here, slice.at);
        for (const OrderedSpot& step : time)
          for (const OrderedSpot& lane : packet) {
            Coordinates from = here;
            add(from, step.at);
            add(from, lane.at);
            if (!inside_axes(axes, from)) continue;
            Coordinates to = from;
            for (std::size_t i = 0; i < to.size(); ++i) to[i] -= gone[i];
            folding.take(to, folding.at(from));
          }
      }
    }
  return folding.result();
}

}  // namespace

Tensor intra_slice_reduce(const Tensor& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, const How& how) {
  int const in_packet = find_axis(in[Level::packet], axis);
  bool const tree = in_packet >= 0 && coarsest_digit(in[Level::packet], in_packet) >= 0;
  auto plan = FoldPlanner(stream, in, out).plan([&](Level level, int k) -> std::optional<Part> {
    const Mapping& m = in[level];
    bool const counts = m.digit[k].axis != no_axis && m.axis[m.digit[k].axis].name == axis;
    if (level == Level::packet && (m.size > 4 || (tree && !counts && m.digit[k].size > 1 && m.digit[k].axis != no_axis))) return {};
    if (m.digit[k].axis == no_axis) return Part::copies;
    return counts && (level == Level::time || level == Level::packet) ? Part::folded : Part::kept;
  });
  if (!plan) return intra_one_by_one(stream, axis, op, in, out, tree, how);
  run_plan(*plan, stream, op, how);
  return plan->out;
}

Tensor inter_slice_reduce(const Tensor& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out, const How& how) {
  Footprints const foot = footprints(in[Level::slice]);
  auto plan = FoldPlanner(stream, in, out).plan([&](Level level, int k) -> std::optional<Part> {
    Digit const& d = in[level].digit[k];
    if (level == Level::slice) {
      if (foot.inside[k] * d.slot <= reduced.size) return Part::folded;
      if (foot.inside[k] < reduced.size) return {};  // a factor of which part is folded
    }
    return d.axis == no_axis ? Part::copies : Part::kept;
  });
  if (!plan) return inter_one_by_one(stream, reduced, op, in, out, how);
  run_plan(*plan, stream, op, how);
  return plan->out;
}

}  // namespace tcp::vector
