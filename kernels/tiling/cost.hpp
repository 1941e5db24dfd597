// What a tiling is expected to cost, from the rates of the chip alone: no program is made, no command is scheduled. The
// planner compares candidates by it.
#pragma once

#include "kernels/tiling/tiling.hpp"

namespace tcp::kernels::tiling {

/// What the slower of multiplying and loading takes for one part of K of a tile.
std::int64_t slowest_of_part(const Device& device, const GemmTiling& t);

struct Cost {
  std::int64_t cycles = 0;     // of the whole product
  std::int64_t given_out = 0;  // packets of A that DMA copies

  /// What candidates are compared by.
  std::int64_t weight(const Device& device) const;
};

/// The cost of `batch` products of m x n, one after the other.
Cost cost_of(const Device& device, const GemmTiling& t, std::int64_t m, std::int64_t n, std::int64_t batch);

}  // namespace tcp::kernels::tiling
