// Walks the old axes of a reshape and the new ones side by side, and gives the new ones strides in the old storage;
// nothing, where they do not go on evenly.
#include "exec/vector/renamed.hpp"

#include <algorithm>

namespace tcp::vector {
namespace {

/// Steps of `inside` positions each, `size` of them live among `slot`, and how far a step goes in memory.
struct LevelStep {
  std::int64_t inside = 1, size = 1, slot = 1;
  std::int64_t stride = 0, origin_stride = 0;
  std::int64_t taken = 0;  // by steps that were found in it: the last position that they reach
};

bool counts_evenly(const Mapping& m) {
  for (int a = 0; a < m.axes; ++a)
    if (m.axis[a].start != 0) return false;
  return std::none_of(m.digit, m.digit + m.digits, [](const Digit& d) { return d.skewed_by != no_axis; });
}
bool is_plain(const Mapping& m) {
  return counts_evenly(m) && std::none_of(m.digit, m.digit + m.digits, [](const Digit& d) { return d.in_window(); });
}
/// Positions that one step of a digit moves on: the members of a window share its places.
std::int64_t positions_of(const Digit& d, std::int64_t inside) { return d.in_window() ? inside * d.step : inside; }

/// How a level walks a tensor, the innermost first; neighbours that go on evenly are one.
std::vector<LevelStep> walks_of(const Mapping& m, const Tensor& in) {
  std::vector<LevelStep> all;
  Footprints const foot = footprints(m);
  for (int k = m.digits - 1; k >= 0; --k) {
    Digit const& d = m.digit[k];
    if (d.slot == 1) continue;
    const Axis* const axis = d.axis == no_axis ? nullptr : in.find(m.axis[d.axis].name);
    LevelStep const w{foot.inside[k],
                      d.size,
                      d.slot,
                      axis == nullptr ? 0 : axis->stride * d.stride,
                      axis == nullptr ? 0 : axis->origin_stride * d.stride,
                      0};
    bool goes_on = false;
    if (!all.empty()) {
      LevelStep const& last = all.back();
      goes_on = last.size == last.slot && w.inside == last.inside * last.slot && w.stride == last.stride * last.slot &&
                w.origin_stride == last.origin_stride * last.slot;
    }
    if (goes_on) {
      all.back().size *= w.size;
      all.back().slot *= w.slot;
    } else {
      all.push_back(w);
    }
  }
  return all;
}

/// Finds how far one step of `inside` positions goes if `size` of them are taken. False: not evenly.
bool step_of(std::vector<LevelStep>& walks, std::int64_t inside, std::int64_t size, LevelStep& step) {
  for (LevelStep& w : walks) {
    std::int64_t const times = inside / w.inside;
    if (inside % w.inside != 0 || times * (size - 1) >= w.slot) continue;
    step.stride = w.stride * times;
    step.origin_stride = w.origin_stride * times;
    w.taken += times * (size - 1);
    return w.taken < w.size ||
           (&w == &walks.back() && w.size == w.slot);  // no sum of steps leaves the walk for padding or the walk around it
  }
  return false;
}

bool is_as_long_as(const Tensor& t, const Levels& levels) {
  std::vector<AxisSize> const axes = axes_of(levels);
  return std::all_of(t.axes.begin(), t.axes.end(), [&](const Axis& have) {
    return std::any_of(axes.begin(), axes.end(), [&](const AxisSize& a) { return a.name == have.name && a.size == have.size; });
  });
}

/// Beyond the first element.
std::int64_t reach(const Tensor& t) {
  std::int64_t far = 0;
  for (const Axis& a : t.axes) far += (a.size - 1) * a.stride;
  return far;
}

}  // namespace

std::optional<Tensor> renamed(const Tensor& in, const Levels& from, const Levels& to) {
  if (!is_as_long_as(in, from)) return {};
  Tensor out = in;
  out.axes.clear();
  for (const AxisSize& a : axes_of(to)) out.axes.push_back({a.name, a.size, 0, 0});
  std::vector<bool> known(out.axes.size(), false);
  for (int l = 0; l < level_count; ++l) {
    const Mapping& m = to.at[l];
    if (!is_plain(from.at[l]) || !counts_evenly(m)) return {};
    std::vector<LevelStep> walks = walks_of(from.at[l], in);
    Footprints const foot = footprints(m);
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.size == 1) continue;
      LevelStep step;
      if (!step_of(walks, positions_of(d, foot.inside[k]), d.size, step)) return {};
      if (d.axis == no_axis) {
        if (step.stride != 0 || step.origin_stride != 0) return {};
        continue;
      }
      auto const axis = std::find_if(out.axes.begin(), out.axes.end(), [&](const Axis& a) { return a.name == m.axis[d.axis].name; });
      if (axis == out.axes.end() || step.stride % d.stride != 0 || step.origin_stride % d.stride != 0) return {};
      std::int64_t const stride = step.stride / d.stride, origin_stride = step.origin_stride / d.stride;
      auto const which = static_cast<std::size_t>(axis - out.axes.begin());
      if (known[which] && (axis->stride != stride || axis->origin_stride != origin_stride)) return {};
      known[which] = true;
      axis->stride = stride;
      axis->origin_stride = origin_stride;
    }
  }
  if (reach(out) > reach(in)) return {};
  return out;
}

}  // namespace tcp::vector
