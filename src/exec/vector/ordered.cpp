// Lists the positions of a mapping in their order, with the coordinates of each, and finds the offset of an element
// from its coordinates.
#include "exec/vector/ordered.hpp"

#include <algorithm>

namespace tcp::vector {

AxisList::AxisList(const Levels& levels) {
  for (const Mapping& m : levels.at)
    for (int a = 0; a < m.axes; ++a)
      if (find(m.axis[a].name) < 0) {
        names_.push_back(m.axis[a].name);
        extents_.push_back(m.axis[a].extent);
      }
}

int AxisList::find(Name name) const {
  auto const found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

AxisList::Lie AxisList::lie_of(const Tensor& t) const {
  Lie lie;
  for (Name name : names_) {
    const Axis* const a = t.find(name);
    lie.stride.push_back(a == nullptr ? 0 : a->stride);
    lie.origin_stride.push_back(a == nullptr ? 0 : a->origin_stride);
    lie.size.push_back(a == nullptr ? INT64_MAX : a->size);
  }
  return lie;
}

std::vector<OrderedSpot> ordered_spots(const Mapping& m, const AxisList& axes) {
  std::vector<OrderedSpot> all;
  all.reserve(static_cast<std::size_t>(m.size));
  Footprints const foot = footprints(m);
  for (std::int64_t i = 0; i < m.size; ++i) {
    detail::Sum sum;
    detail::add_position(sum, m, i, 0);
    OrderedSpot spot{i, sum.pad, false, Coordinates(axes.count(), 0)};
    for (int a = 0; a < sum.axes; ++a) spot.at[static_cast<std::size_t>(axes.find(sum.axis[a].name))] += sum.axis[a].at;
    for (int k = 0; k < m.digits; ++k)
      spot.copy |= m.digit[k].axis == no_axis && m.digit[k].size > 1 && i / foot.inside[k] % m.digit[k].slot > 0;
    all.push_back(std::move(spot));
  }
  return all;
}

std::vector<OrderedSpot> live_spots(const Mapping& m, const AxisList& axes) {
  std::vector<OrderedSpot> all = ordered_spots(m, axes);
  std::erase_if(all, [](const OrderedSpot& s) { return s.pad != Pad::none; });
  return all;
}

bool inside_axes(const AxisList& axes, const Coordinates& at) {
  for (std::size_t i = 0; i < at.size(); ++i)
    if (at[i] < 0 || at[i] >= axes.extent(i)) return false;
  return true;
}

std::int64_t offset_at(const AxisList::Lie& lie, const Coordinates& at) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0 || at[i] >= lie.size[i]) return -1;
    offset += at[i] * lie.stride[i];
  }
  return offset;
}

std::int64_t origin_offset_at(const AxisList::Lie& lie, const Coordinates& at) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < at.size(); ++i) offset += at[i] * lie.origin_stride[i];
  return offset;
}

}  // namespace tcp::vector
