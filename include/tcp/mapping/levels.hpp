// A tensor spread over the levels of the machine: one mapping per level, and a place is one position on each.
//
//   DM:     Chip, Cluster, Slice, Element             m![1], m![1 # 2], m![A / 8 # 256], m![A % 8]:  element a is in slice a / 8 at a % 8
//   stream: Chip, Cluster, Slice, Time, Packet
//
// All units of a level share its mapping, so the levels add up like the factors of one mapping: coordinates are summed
// over them, and no two may count the same steps of an axis.
#pragma once

#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/fault.hpp"

namespace tcp {

enum class Level : std::uint8_t { chip, cluster, slice, row, element, time, packet };

inline constexpr int level_count = 7;

constexpr const char* name_of(Level l) {
  constexpr const char* names[level_count] = {"Chip", "Cluster", "Slice", "Row", "Element", "Time", "Packet"};
  return names[static_cast<int>(l)];
}

struct Levels {
  static constexpr int max_digits = 64;

  Mapping at[level_count]{};  // m![1] where a memory or stream does not have the level

  constexpr Mapping& operator[](Level l) { return at[static_cast<int>(l)]; }
  constexpr const Mapping& operator[](Level l) const { return at[static_cast<int>(l)]; }
  constexpr Levels& set(Level l, const Mapping& m) {
    (*this)[l] = m;
    return *this;
  }
};

/// A position on each level.
struct Place {
  std::int64_t chip = 0, cluster = 0, slice = 0, row = 0, element = 0, time = 0, packet = 0;

  constexpr std::int64_t on(int level) const {
    std::int64_t const all[level_count] = {chip, cluster, slice, row, element, time, packet};
    return all[level];
  }
};

/// Refused: a level whose mapping cannot be, an axis of two sizes, steps that two levels count, more factors than are
/// kept.
constexpr Verdict check_levels(const Levels& levels, Where at = {}) {
  int digits = 0;
  for (const Mapping& m : levels.at) {
    if (!m.ok()) return refusal_of(m, at);
    digits += m.digits;
  }
  if (digits > Levels::max_digits)
    return refuse("levels-too-deep", at)
        .what("the levels have ", digits, " factors together; at most ", Levels::max_digits, " are kept")
        .why("the levels of a tensor are kept in a fixed room")
        .help("join factors of one axis");
  for (int i = 0; i < level_count; ++i) {
    for (int j = i + 1; j < level_count; ++j) {
      Mapping const &x = levels.at[i], &y = levels.at[j];
      for (int a = 0; a < x.axes; ++a) {
        int const b = find_axis(y, x.axis[a].name);
        if (b < 0) continue;
        if (x.axis[a].extent != y.axis[b].extent)
          return refuse("levels-axis-two-sizes", at)
              .what("axis ", x.axis[a].name, " has size ", x.axis[a].extent, " in ", name_of(static_cast<Level>(i)), " and size ",
                    y.axis[b].extent, " in ", name_of(static_cast<Level>(j)))
              .why("axes are told apart by their names alone")
              .help("rename one of them");
        for (int p = 0; p < x.digits; ++p)
          for (int q = 0; q < y.digits; ++q)
            if (x.digit[p].axis == a && y.digit[q].axis == b && !detail::apart(x.digit[p], y.digit[q]))
              return refuse("levels-axis-twice", at)
                  .what("axis ", x.axis[a].name, " is counted by ", name_of(static_cast<Level>(i)), " = ", x, " and by ",
                        name_of(static_cast<Level>(j)), " = ", y, " at once")
                  .why("each step of an axis belongs to one level")
                  .help("split the axis: ", x.axis[a].name, " / n on one level, ", x.axis[a].name, " % n on the other");
      }
    }
  }
  return accept();
}

/// What is at a place. Law: its coordinates are the sums over the levels; a sum outside its axis is padding, as is a
/// place that any level pads.
constexpr Cell cell(const Levels& levels, const Place& place) {
  detail::Sum sum;
  bool several = false;
  for (int i = 0; i < level_count; ++i) {
    Mapping const& m = levels.at[i];
    if (!m.ok() || place.on(i) < 0 || place.on(i) >= m.size) return {};
    several |= detail::add_position(sum, m, place.on(i), 0) > 1;
  }
  Cell const c = sum.conclude();
  return several && c.live() ? Cell{CellKind::several} : c;
}

/// Where an element is, first copy; false if nowhere.
constexpr bool find_place(const Levels& levels, const Index& index, Place& found) {
  std::int64_t position[level_count]{};
  // Each level takes its own digits out of the coordinate; a coordinate must be used up by all of them together.
  for (int i = 0; i < level_count; ++i) {
    Mapping const& m = levels.at[i];
    Footprints const foot = footprints(m);
    for (int k = 0; k < m.digits; ++k) {
      Digit const& d = m.digit[k];
      if (d.axis == no_axis) continue;
      AxisUse const& a = m.axis[d.axis];
      std::int64_t start = 0, next = 0;
      for (const Mapping& other : levels.at) {
        int const b = find_axis(other, a.name);
        if (b < 0) continue;
        start += other.axis[b].start;
        for (int q = 0; q < other.digits; ++q) {
          Digit const& e = other.digit[q];
          if (e.axis == b && e.stride > d.stride && (next == 0 || e.stride < next)) next = e.stride;
        }
      }
      std::int64_t left = index.get(a.name) - start;
      if (left < 0) return false;
      if (next > 0) left %= next;
      std::int64_t step = left / d.stride;
      if (d.skewed_by != no_axis) {
        step = (step - index.get(m.axis[d.skewed_by].name)) % d.size;
        if (step < 0) step += d.size;
      }
      if (step >= d.size) return false;
      int first = k;
      while (m.digit[first].joined) --first;
      position[i] += step * (d.in_window() ? d.step : 1) * foot.inside[first];
    }
  }
  found = {position[0], position[1], position[2], position[3], position[4], position[5], position[6]};
  Cell const c = cell(levels, found);
  if (c.kind == CellKind::several) return true;
  if (!c.live()) return false;
  for (int a = 0; a < c.index.n; ++a)
    if (c.index.at[a] != index.get(c.index.axis[a])) return false;
  return true;
}

}  // namespace tcp
