// Positions of the levels, each with what it adds to the coordinates: for the operations in which order matters.
#pragma once

#include <vector>

#include "tcp/exec/reference/value.hpp"

namespace tcp::reference {

/// One position of one level. The sums are those of this level alone; whether they lie in their axes shows when all
/// levels are added.
struct Spot {
  std::int64_t position = 0;
  Pad pad = Pad::none;  // of the level's own padding
  Index sums{};
};

std::vector<Spot> spots(const Mapping& m);
/// Those without the padding of the level's own.
std::vector<Spot> live_spots(const Mapping& m);
/// Where these are: a small part of the memory, for levels of many positions.
std::vector<std::int64_t> live_positions(const Mapping& m);

/// Whether some place may hold several elements.
bool has_windows(const Levels& levels);

/// What one position adds to a coordinate.
std::int64_t sum_at(const Mapping& m, std::int64_t position, Name axis);

/// The declared sizes of all axes of some levels.
class Extents {
 public:
  explicit Extents(const Levels& levels);
  bool hold(const Index& index) const;

 private:
  std::vector<Value::Axis> axes_;
};

inline void add(Index& index, const Index& sums) {
  for (int i = 0; i < sums.n; ++i) index.add(sums.axis[i], sums.at[i]);
}

}  // namespace tcp::reference
