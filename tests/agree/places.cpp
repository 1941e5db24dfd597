#include "places.hpp"

namespace tcp::agree {
namespace {

/// The numbers of a mapping's axes.
using Numbered = std::array<int, max_axes>;

/// Every way in which the members of a window, from digit `first` on, step to one place.
void window_spots(const Numbered& axes, const Mapping& m, int first, int end, int k, std::int64_t left, Spot spot, std::vector<Spot>& out) {
  if (k == end) {
    if (left == 0) out.push_back(spot);
    return;
  }
  Digit const& d = m.digit[k];
  std::size_t const axis = static_cast<std::size_t>(axes[static_cast<std::size_t>(d.axis)]);
  for (std::int64_t s = 0; s < d.size && s * d.step <= left; ++s) {
    Spot next = spot;
    next.at[axis] += static_cast<std::int32_t>(s * d.stride);
    window_spots(axes, m, first, end, k + 1, left - s * d.step, next, out);
  }
}

/// Takes digit after digit off `rest`, what is left of the position, and adds it to `spot`.
void decode(const Numbered& axes, const Mapping& m, const Footprints& foot, int k, std::int64_t rest, Spot& spot, std::vector<Spot>& out) {
  for (int t = 0; t < m.tails; ++t) {
    if (m.tail[t].first != k || rest / foot.tail_unit[t] < foot.tail_live[t]) continue;
    spot.pad = std::max(spot.pad, m.tail[t].pad == Pad::none ? Pad::top : m.tail[t].pad);
    spot.padded = true;  // the padding of a group as a whole: its digits count nothing
    return decode(axes, m, foot, m.tail[t].last + 1, rest % foot.tail_unit[t], spot, out);
  }
  if (k >= m.digits) {
    out.push_back(spot);
    return;
  }
  Digit const& d = m.digit[k];
  std::int64_t const step = rest / foot.inside[k];
  rest %= foot.inside[k];
  if (d.in_window()) {
    int end = k + 1;
    while (end < m.digits && m.digit[end].joined) ++end;
    std::vector<Spot> here;
    window_spots(axes, m, k, end, k, step, spot, here);
    if (here.empty()) {
      spot.padded = true;
      spot.pad = Pad::top;
      here.push_back(spot);
    }
    for (Spot& s : here) decode(axes, m, foot, end, rest, s, out);
    return;
  }
  if (step >= d.size) {
    spot.padded = true;
    spot.pad = std::max(spot.pad, d.pad == Pad::none ? Pad::top : d.pad);
    spot.beyond |= 1u << k;
  }
  if (d.axis == no_axis) {
    spot.copy |= step > 0 && d.size > 1;
  } else if (d.skewed_by != no_axis) {
    spot.turning = axes[static_cast<std::size_t>(d.axis)];
    spot.turned_by = axes[static_cast<std::size_t>(d.skewed_by)];
    spot.step = static_cast<std::int32_t>(step);
    spot.turn = static_cast<std::int32_t>(d.size);
  } else {
    spot.at[static_cast<std::size_t>(axes[static_cast<std::size_t>(d.axis)])] += static_cast<std::int32_t>(step * d.stride);
  }
  decode(axes, m, foot, k + 1, rest, spot, out);
}

}  // namespace

std::vector<Spot> spots(AxisTable& axes, const Mapping& m) {
  Footprints const foot = footprints(m);
  Numbered numbered{};
  Spot begin;
  for (int a = 0; a < m.axes; ++a) {
    numbered[static_cast<std::size_t>(a)] = axes.number(m.axis[a].name);
    begin.at[static_cast<std::size_t>(numbered[static_cast<std::size_t>(a)])] += static_cast<std::int32_t>(m.axis[a].start);
  }
  std::vector<Spot> all;
  all.reserve(static_cast<std::size_t>(m.size));
  for (std::int64_t i = 0; i < m.size; ++i) {
    Spot spot = begin;
    spot.position = i;
    decode(numbered, m, foot, 0, i, spot, all);
  }
  return all;
}

Places::Places(AxisTable& axes, const Levels& levels) {
  for (int l = 0; l < level_count; ++l) {
    Mapping const& m = levels.at[l];
    spots_[static_cast<std::size_t>(l)] = spots(axes, m);
    for (int a = 0; a < m.axes; ++a) {
      axis_[static_cast<std::size_t>(counted_)] = axes.number(m.axis[a].name);
      extent_[static_cast<std::size_t>(counted_++)] = m.axis[a].extent;
    }
  }
}

void Places::turn(const Turned& turned, Coordinates& at) {
  for (const Spot* s : turned)
    if (s != nullptr) at[static_cast<std::size_t>(s->turning)] += (s->step + at[static_cast<std::size_t>(s->turned_by)]) % s->turn;
}

}  // namespace tcp::agree
