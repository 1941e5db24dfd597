// Finds the element at a place of the machine: by adding one table entry per level where the levels are independent,
// by asking the mapping elsewhere.
#include "exec/vector/places.hpp"

#include <algorithm>

namespace tcp::vector {
namespace {

constexpr std::int64_t padding = -1;

/// Whether each level's part of an offset stands for itself: no windows, nothing skewed, and no sum of coordinates
/// leaves its axis or the tensor.
bool parts_add_up(const Levels& levels, const Tensor& tensor) {
  struct Range {
    Name name{};
    std::int64_t start = 0, last = 0, extent = 0;
  };
  std::vector<Range> ranges;
  for (const Mapping& m : levels.at) {
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].in_window() || m.digit[k].joined || m.digit[k].skewed_by != no_axis) return false;
    for (int a = 0; a < m.axes; ++a) {
      auto found = std::find_if(ranges.begin(), ranges.end(), [&](const Range& r) { return r.name == m.axis[a].name; });
      if (found == ranges.end()) found = ranges.insert(ranges.end(), {m.axis[a].name});
      found->extent = m.axis[a].extent;
      found->start += m.axis[a].start;
      found->last += m.axis[a].start;
      for (int k = 0; k < m.digits; ++k)
        if (m.digit[k].axis == a) found->last += (m.digit[k].size - 1) * m.digit[k].stride;
    }
  }
  return std::all_of(ranges.begin(), ranges.end(), [&](const Range& r) {
    const Axis* const axis = tensor.find(r.name);
    return r.start >= 0 && r.last < (axis == nullptr ? r.extent : std::min(r.extent, axis->size));
  });
}

/// Positions of one level to what they add to an offset.
std::vector<std::int64_t> table_of(const Mapping& m, const std::vector<std::int64_t>& stride_of_axis, Copies copies) {
  Footprints const foot = footprints(m);
  std::int64_t base = 0;
  for (int a = 0; a < m.axes; ++a) base += m.axis[a].start * stride_of_axis[static_cast<std::size_t>(a)];
  std::vector<std::int64_t> table{base};
  table.reserve(static_cast<std::size_t>(m.size));
  for (int k = m.digits - 1; k >= 0; --k) {
    Digit const& d = m.digit[k];
    std::int64_t const step = d.axis == no_axis ? 0 : d.stride * stride_of_axis[static_cast<std::size_t>(d.axis)];
    std::int64_t const live = d.axis == no_axis && copies == Copies::first ? 1 : d.size;
    std::size_t const inside = table.size();
    for (std::int64_t s = 1; s < d.slot; ++s)
      for (std::size_t i = 0; i < inside; ++i) table.push_back(s < live && table[i] != padding ? table[i] + s * step : padding);
    for (int t = m.tails - 1; t >= 0; --t)
      if (m.tail[t].first == k) table.resize(static_cast<std::size_t>(foot.tail_unit[t] * m.tail[t].slot), padding);
  }
  return table;
}

}  // namespace

bool has_windows(const Levels& levels) {
  for (const Mapping& m : levels.at)
    if (std::any_of(m.digit, m.digit + m.digits, [](const Digit& d) { return d.in_window(); })) return true;
  return false;
}

std::vector<std::int64_t> positions_in_use(const Mapping& m) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < m.size; ++i) {
    detail::Sum sum;
    detail::add_position(sum, m, i, 0);
    if (sum.pad == Pad::none) all.push_back(i);
  }
  return all;
}

PlaceMap::PlaceMap(const Levels& levels, const Tensor& tensor, Copies copies)
    : levels_(levels), copies_(copies), additive_(parts_add_up(levels, tensor)), tracked_(tensor.has_undefined()) {
  for (const Axis& a : tensor.axes) axes_.push_back({a.name, a.size, a.stride, a.origin_stride});
  for (int l = 0; l < level_count && additive_; ++l) fill(l, levels.at[l], copies);
}

void PlaceMap::fill(int level, const Mapping& m, Copies copies) {
  std::vector<std::int64_t> bits(static_cast<std::size_t>(m.axes), 0), origins = bits;
  for (int a = 0; a < m.axes; ++a)
    for (const Use& use : axes_)
      if (use.name == m.axis[a].name) {
        bits[static_cast<std::size_t>(a)] = use.stride;
        origins[static_cast<std::size_t>(a)] = use.origin_stride;
      }
  bits_[level] = table_of(m, bits, copies);
  if (tracked_) origins_[level] = table_of(m, origins, copies);
}

bool PlaceMap::find(const Index& index, Spot& spot) const {
  spot = {};
  for (const Use& a : axes_) {
    std::int64_t const c = index.get(a.name);
    if (c < 0 || c >= a.size) return false;
    spot.bits += c * a.stride;
    spot.origin += c * a.origin_stride;
  }
  return true;
}

bool PlaceMap::is_copy(const Place& place) const {
  for (int l = 0; l < level_count; ++l) {
    Mapping const& m = levels_.at[l];
    Footprints const foot = footprints(m);
    for (int k = 0; k < m.digits; ++k)
      if (m.digit[k].axis == no_axis && m.digit[k].size > 1 && place.on(l) / foot.inside[k] % m.digit[k].slot > 0) return true;
  }
  return false;
}

bool PlaceMap::find(const Place& place, Spot& spot) const {
  if (!additive_) {
    Cell const c = cell(levels_, place);
    return c.live() && !(copies_ == Copies::first && is_copy(place)) && find(c.index, spot);
  }
  spot = {};
  return add_levels(0, level_count, place, spot);
}

bool PlaceMap::add_levels(int first, int end, const Place& place, Spot& spot) const {
  for (int l = first; l < end; ++l) {
    if (levels_.at[l].size == 1 && levels_.at[l].axes == 0) continue;
    auto const i = static_cast<std::size_t>(place.on(l));
    if (i >= bits_[l].size() || bits_[l][i] == padding) return false;
    spot.bits += bits_[l][i];
    if (tracked_) spot.origin += origins_[l][i];
  }
  return true;
}

}  // namespace tcp::vector
