// Positions of the levels, each with what it adds to the coordinates: for operations in which order matters and no
// shortcut applies.
#pragma once

#include "exec/vector/tensor.hpp"

namespace tcp::vector {

/// The axes of some levels, by number, and how a tensor lies along them.
class AxisList {
 public:
  explicit AxisList(const Levels& levels);

  std::size_t count() const { return names_.size(); }
  Name name(std::size_t i) const { return names_[i]; }
  std::int64_t extent(std::size_t i) const { return extents_[i]; }
  int find(Name name) const;
  /// Strides and sizes of a tensor; an axis that it lacks has stride 0 and no end.
  struct Lie {
    std::vector<std::int64_t> stride, origin_stride, size;
  };
  Lie lie_of(const Tensor& t) const;

 private:
  std::vector<Name> names_;
  std::vector<std::int64_t> extents_;
};

using Coordinates = std::vector<std::int64_t>;

/// One position of one level. The sums are those of this level alone.
struct OrderedSpot {
  std::int64_t position = 0;
  Pad pad = Pad::none;  // of the level's own padding
  bool copy = false;    // it repeats another
  Coordinates at;
};
std::vector<OrderedSpot> ordered_spots(const Mapping& m, const AxisList& axes);
/// Those without padding of the level's own.
std::vector<OrderedSpot> live_spots(const Mapping& m, const AxisList& axes);

inline void add(Coordinates& to, const Coordinates& more) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += more[i];
}
bool inside_axes(const AxisList& axes, const Coordinates& at);
/// -1: the tensor does not reach so far.
std::int64_t offset_at(const AxisList::Lie& lie, const Coordinates& at);
std::int64_t origin_offset_at(const AxisList::Lie& lie, const Coordinates& at);

}  // namespace tcp::vector
