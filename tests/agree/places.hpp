// Positions of mappings and the coordinates that lie there, decoded from the normal form: the oracle's own reading of what a mapping is.
//
// A mapping's position is a number whose digits have the slots as their bases; a digit adds step times stride to the coordinate of its axis. A step beyond the
// digit's size is padding, and so is a coordinate, summed over all levels, outside of its axis.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "tcp/mapping/levels.hpp"

namespace tcp::agree {

inline constexpr int max_axes = 24;
using Coordinates = std::array<std::int32_t, max_axes>;

/// The axes of a module, numbered.
class AxisTable {
 public:
  int number(Name name) {
    for (int i = 0; i < count_; ++i)
      if (names_[static_cast<std::size_t>(i)] == name) return i;
    TCP_BUG_UNLESS(count_ < max_axes, "a program of the corpus has more axes than its oracle can count");
    names_[static_cast<std::size_t>(count_)] = name;
    return count_++;
  }
  Name name(int i) const { return names_[static_cast<std::size_t>(i)]; }
  int count() const { return count_; }

 private:
  std::array<Name, max_axes> names_{};
  int count_ = 0;
};

/// One position of one level, with one of the elements that may lie there (a window has several).
struct Spot {
  std::int64_t position = 0;
  bool padded = false;               // by the level's own padding
  Pad pad = Pad::none;               // the weakest kind of that padding
  bool copy = false;                 // not the first of copies
  std::uint32_t beyond = 0;          // the digits whose step is beyond their size
  Coordinates at{};                  // what the position adds to each coordinate; in padding, as if the digits went on
  int turning = -1, turned_by = -1;  // a skewed digit: coordinate = (step + coordinate of the other axis) mod size
  std::int32_t step = 0, turn = 1;
};

std::vector<Spot> spots(AxisTable& axes, const Mapping& m);

/// The places of some levels, level by level.
class Places {
 public:
  Places(AxisTable& axes, const Levels& levels);

  /// Calls visit(place, coordinates) for every place that holds an element, the innermost level fastest. Copies are left out unless asked for.
  template <class Visit>
  void each_live(Visit&& visit, bool with_copies = false) const {
    Place place;
    Turned turned{};
    walk(0, place, Coordinates{}, turned, visit, with_copies);
  }

  /// True of padding that is promised to be zero, as far as the levels' own padding says.
  bool is_zero(Place place) const {
    Pad weakest = Pad::none;
    for (int l = 0; l < level_count; ++l) {
      const std::vector<Spot>& all = spots_[static_cast<std::size_t>(l)];
      auto const at =
          std::lower_bound(all.begin(), all.end(), on_level(place, l), [](const Spot& s, std::int64_t p) { return s.position < p; });
      weakest = std::max(weakest, at->pad);
    }
    return weakest == Pad::zero;
  }

  const std::vector<Spot>& on(Level level) const { return spots_[static_cast<std::size_t>(level)]; }
  bool inside(const Coordinates& at) const {
    for (int i = 0; i < counted_; ++i) {
      std::int32_t const c = at[static_cast<std::size_t>(axis_[static_cast<std::size_t>(i)])];
      if (c < 0 || c >= extent_[static_cast<std::size_t>(i)]) return false;
    }
    return true;
  }

 private:
  static std::int64_t& on_level(Place& p, int level) {
    std::int64_t* const all[level_count] = {&p.chip, &p.cluster, &p.slice, &p.row, &p.element, &p.time, &p.packet};
    return *all[level];
  }
  using Turned = std::array<const Spot*, level_count>;  // the spot of each level; null: without a skewed digit
  template <class Visit>
  void walk(int level, Place& place, const Coordinates& so_far, Turned& turned, Visit& visit, bool with_copies) const {
    if (level == level_count) {
      Coordinates at = so_far;
      turn(turned, at);
      if (inside(at)) visit(place, at);
      return;
    }
    for (const Spot& s : spots_[static_cast<std::size_t>(level)]) {
      if (s.padded || (s.copy && !with_copies)) continue;
      Coordinates at = so_far;
      add(at, s.at);
      on_level(place, level) = s.position;
      turned[static_cast<std::size_t>(level)] = s.turning >= 0 ? &s : nullptr;
      walk(level + 1, place, at, turned, visit, with_copies);
    }
  }
  static void turn(const Turned& turned, Coordinates& at);

 public:
  static void add(Coordinates& to, const Coordinates& more) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
  }

 private:
  std::array<std::vector<Spot>, level_count> spots_;
  std::array<int, 64> axis_{};
  std::array<std::int64_t, 64> extent_{};
  int counted_ = 0;
};

}  // namespace tcp::agree
