// The steps of a product in the order in which they are recorded: tile after tile, and in each tile the transfers of B
// along K.
#pragma once

#include <vector>

#include "kernels/tiling/tiling.hpp"

namespace tcp::kernels::gemm {

/// The rows and columns of C that a tile computes, and of which product of the batch.
struct Place {
  std::int64_t product, m0, n0, m, n;
};
/// Consecutive parts of a slice's range of K, of `k` elements each.
struct PartsOfK {
  std::int64_t first, count, k;
};
/// What one transfer of B serves.
struct Step {
  Place at;
  PartsOfK parts;
  bool last;  // of the tile
};

/// The steps of `batch` products with m rows each.
std::vector<Step> steps_of(const Device& device, const GemmTiling& tiling, std::int64_t batch, std::int64_t m);

}  // namespace tcp::kernels::gemm
