// How a product of matrices is cut for the chip: tile sizes from the capacities of DM and TRF, the grid of slices, and how often data is used again.
//
// C[M, N] = A[M, K] B[K, N] is cut into tiles of m x n x k that a chip computes at once. Within a tile
//   - N lies over both clusters and, in each, over `across_n` slices, `columns` columns of C each: 8 Rows times `reuse` groups of them in the TRF, so that
//     one packet of A, which takes two cycles to arrive, is multiplied `reuse` times;
//   - M lies over `across_m` groups of slices; the slices of a group all need the same rows of A, of which each holds a share of `rows`, and the Switch Engine
//     hands them round on rings of `ring` slices;
//   - K lies in time: `k` is what one half of the TRF holds of the columns.
#pragma once

#include <string>

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::kernels {

struct GemmTiling {
  ScalarType type = ScalarType::bf16;
  std::int64_t m = 0, n = 0, k = 0;  // of a tile; the last ones may be smaller

  bool few_rows = false;  // of A: then B is what takes the time, and lies over as many slices as possible
  std::int64_t reuse = 1, columns = 8;
  std::int64_t across_n = 1, across_m = 1;  // slices of a cluster
  std::int64_t ring = 1, rows = 1;
  std::int64_t packet = 32, flit = 16;  // elements that are multiplied at once, and that travel at once

  std::int64_t dm_bytes = 0;   // that a slice needs at most
  std::int64_t trf_bytes = 0;  // of the half that has 32 KiB
};

/// Law: two tiles fit: 2 * dm_bytes <= a slice's DM, trf_bytes <= a half of its TRF; across_m * across_n is the cluster's number of slices.
/// Refused: sizes below 1 or above 16,384, and types that the Contraction Engine does not multiply.
Expected<GemmTiling> tile_gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at = {});

/// The columns that the next tile takes of n that are left: a power of two of slices, all of their columns in use, or what is left for one.
std::int64_t columns_at_once(const Device& device, const GemmTiling& tiling, std::int64_t n);

/// The same for one tile of it, which may be smaller at an edge.
GemmTiling tile_of(const Device& device, const GemmTiling& whole, std::int64_t m, std::int64_t n);

/// The decisions, a line each.
std::string text_of(const GemmTiling& tiling);

}  // namespace tcp::kernels
