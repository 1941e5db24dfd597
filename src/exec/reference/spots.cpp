// Lists the positions of a mapping, and of those the ones that hold an element, with the coordinates of each.
#include "exec/reference/spots.hpp"

#include <algorithm>

namespace tcp::reference {

bool has_windows(const Levels& levels) {
  for (const Mapping& m : levels.at)
    if (std::any_of(m.digit, m.digit + m.digits, [](const Digit& d) { return d.in_window(); })) return true;
  return false;
}

std::vector<Spot> spots(const Mapping& m) {
  std::vector<Spot> all;
  for (std::int64_t i = 0; i < m.size; ++i) {
    detail::Sum sum;
    detail::add_position(sum, m, i, 0);
    Spot spot{i, sum.pad, {}};
    for (int a = 0; a < sum.axes; ++a) spot.sums.add(sum.axis[a].name, sum.axis[a].at);
    all.push_back(spot);
  }
  return all;
}

std::vector<Spot> live_spots(const Mapping& m) {
  std::vector<Spot> all = spots(m);
  std::erase_if(all, [](const Spot& s) { return s.pad != Pad::none; });
  return all;
}

std::vector<std::int64_t> live_positions(const Mapping& m) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < m.size; ++i) {
    detail::Sum sum;
    detail::add_position(sum, m, i, 0);
    if (sum.pad == Pad::none) all.push_back(i);
  }
  return all;
}

std::int64_t sum_at(const Mapping& m, std::int64_t position, Name axis) {
  detail::Sum sum;
  detail::add_position(sum, m, position, 0);
  for (int a = 0; a < sum.axes; ++a)
    if (sum.axis[a].name == axis) return sum.axis[a].at;
  return 0;
}

Extents::Extents(const Levels& levels) {
  for (const Mapping& m : levels.at)
    for (int a = 0; a < m.axes; ++a) axes_.push_back({m.axis[a].name, m.axis[a].extent});
}

bool Extents::hold(const Index& index) const {
  return std::all_of(axes_.begin(), axes_.end(), [&index](const Value::Axis& a) {
    std::int64_t const c = index.get(a.name);
    return c >= 0 && c < a.size;
  });
}

}  // namespace tcp::reference
