// Who takes part in a command: what Chip, Cluster and Slice pad stays idle.
#include "lower/pass.hpp"

namespace tcp::lower {

program::SliceSet slice_set(const SliceMask& mask) {
  program::SliceSet s;
  for (std::size_t i = 0; i < s.word.size(); ++i) s.word[i] = mask.word[i];
  return s;
}

program::Units units_of(const Levels& levels) {
  program::Units u;
  LivePositions const chips(levels, Level::chip);
  for (std::int64_t c = 0; c < levels[Level::chip].size; ++c) u.chips.push_back(chips.holds(c));
  u.clusters = static_cast<std::uint32_t>(live_units(levels, Level::cluster).word[0]);
  u.slices = slice_set(live_units(levels, Level::slice));
  return u;
}

}  // namespace tcp::lower
