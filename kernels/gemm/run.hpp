// Records a product: which command of which tile comes when, so that transfers, the sub context and the main context
// work at the same time.
#pragma once

#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "kernels/tiling/tiling.hpp"

namespace tcp::kernels::gemm {

/// What a product is made of, in HBM.
struct Operands {
  dyn::Tensor a, b, c;
  Mapping columns_of_b, columns_of_c;  // copies and padding included
  Mapping matrices{};                  // counts the matrices of B, of which `choice` names one for each product
  dyn::Tensor choice{};                // none: B has one matrix for each product
};

void record(Context& ctx, const Device& device, const Gemm& gemm, const Operands& operands);

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
