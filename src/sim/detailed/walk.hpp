// The addresses of a walk of the detailed model, one after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "tcp/support/odometer.hpp"

namespace tcp::sim {

/// The cycle of what does not come.
inline constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

/// Without the loops of one round, which would be turned for nothing at every step. After the last round it begins
/// again.
template <int Sides>
Odometer<Sides> walk_of(std::vector<OdometerLoop<Sides>> loops) {
  std::erase_if(loops, [](const OdometerLoop<Sides>& l) { return l.size <= 1; });
  return Odometer<Sides>(loops);
}

}  // namespace tcp::sim
