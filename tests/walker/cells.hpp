// What the mappings of a tensor or of a stream hold at each place, as numbers that are quick to compare.
//
// An element is told from others by its name: the sum of its coordinates, each times a large odd number that stands for the axis. So names add up over the
// levels like the coordinates themselves, and an axis that does not matter has the number 0. In a window `$(W:2, Fw)` one place belongs to several elements;
// there the numbers of W and Fw are multiples of one another, and whoever shares a place has the same name.
//
// The decoding is ours; at some of the places `cell` of mapping/levels.hpp is asked as well, and must say the same.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "tcp/mapping/levels.hpp"

namespace tcp::walker {

/// The numbers that stand for axes.
class AxisNumbers {
 public:
  /// Numbers for the axes of these levels; the windows in them make some of them multiples of one another.
  explicit AxisNumbers(const std::vector<const Levels*>& all);

  /// The axis does not matter.
  void forget(Name axis);
  /// No axis matters but those of these levels, and of them only the steps that the levels count: along all others there are copies.
  void keep(const Levels& levels);
  /// Makes this the only axis that matters; its name is its coordinate.
  void only(Name axis);
  std::uint64_t of(Name axis) const { return find(number_, axis); }
  /// What a move along an axis adds to a name.
  std::uint64_t of(Name axis, std::int64_t along) const;
  /// The number of one place of the window that has this member.
  std::uint64_t of_window(Name axis) const;

 private:
  using Pair = std::pair<Name, std::uint64_t>;
  static void set(std::vector<Pair>& in, Name axis, std::uint64_t number);
  static std::uint64_t find(const std::vector<Pair>& in, Name axis);
  void add_windows(const Mapping& m);

  struct Counted {
    Name axis{};
    std::vector<Digit> digits;
  };

  std::vector<Pair> number_, window_;
  std::vector<Counted> counted_;  // axes of which some steps may not matter
};

bool has_axis(const Levels& levels, Name axis);

class Cells {
 public:
  Cells(const Levels& levels, const AxisNumbers& numbers);

  struct Held {
    Pad pad = Pad::none;  // none: an element
    std::uint64_t name = 0;

    bool live() const { return pad == Pad::none; }
  };
  Held at(const Place& place) const;
  /// The sum of names, whether the place holds an element or not.
  std::uint64_t name(const Place& place) const;
  /// Whether no place with this position holds anything.
  bool padded(Level level, std::int64_t position) const {
    return level_[static_cast<std::size_t>(level)].idle[static_cast<std::size_t>(position)];
  }
  std::int64_t size(Level level) const { return levels_[level].size; }
  const Levels& levels() const { return levels_; }
  /// Empty if `cell` says the same of this place.
  bool same_as_cell(const Place& place) const;

 private:
  /// Only axes that some place leaves are added up.
  struct Axis {
    Name name{};
    std::int64_t extent = 0;
    Pad overshoot = Pad::top;
  };
  struct Positions {
    std::vector<Pad> pad;
    std::vector<bool> idle;
    std::vector<std::uint64_t> name;
    std::vector<std::int64_t> at;         // axis by axis
    std::vector<std::uint32_t> discount;  // bit by axis: in a tail's padding it is not counted
  };
  void find_axes();
  Positions decode(const Mapping& m) const;
  void find_idle();
  static bool in_window(const Mapping& m, int first, std::int64_t place);

  Levels levels_;
  AxisNumbers numbers_;
  std::vector<Axis> axis_;
  std::array<Positions, level_count> level_;
};

}  // namespace tcp::walker
