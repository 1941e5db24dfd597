// How a product of matrices is cut for the chip: tile sizes from the capacities of DM and TRF, the grid of slices, and how often data is used again.
//
// C[M, N] = A[M, K] B[K, N] is cut into tiles of m x n x k that a chip computes at once. Within a tile
//   - N lies over `across_n` slices of a cluster, `columns` columns of C each: 8 Rows times `reuse` groups of them in the TRF, so that one packet of A, which
//     takes two cycles to arrive, is multiplied `reuse` times;
//   - M lies over `across_m` groups of slices, and over the two clusters, unless rows are few: then N lies over the clusters, too, and B is loaded once; slices that
//     N leaves divide K among them, `split` ranges of it, whose sums are added up in the end;
//   - the slices of a group all need the same rows of A; each holds a share, and the Switch Engine hands the shares round on rings of `ring` slices. A share is
//     `rows` rows; of a few rows it is one of `shares` parts of them along K;
//   - K lies in time: `k` is what one half of the TRF holds of the columns, or less, so that loading and computing overlap.
// Columns are padded to whole units of HBM (256 bytes of C), so that no tile writes one in part, or further, where one wide tile is faster than several narrow ones.
// What is beyond N is left behind by a last transfer.
//
// Of the tilings that fit, tile_gemm takes the one that it expects to be the fastest, by what it knows of the chip's rates: see `cycles`.
#pragma once

#include <string>

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::kernels {

struct GemmTiling {
  ScalarType type = ScalarType::bf16;
  std::int64_t m = 0, n = 0, k = 0;  // of a tile; the last ones may be smaller
  std::int64_t width = 0;            // columns of C that are computed, padding included
  std::int64_t depth = 0;            // all of K

  std::int64_t reuse = 1, columns = 8;
  bool few_rows = false;                                         // slices along N alone, so that B is loaded once
  bool clusters_share_rows = false;                              // N lies over the clusters; otherwise M does, if there are enough rows
  bool keeps_a = false;                                          // all parts of A's rows are loaded at once
  bool spreads_a = false;                                        // and handed round once, into DM: then `shares` are parts of all of K
  std::int64_t across_n = 1, across_m = 1, split = 1, idle = 1;  // slices of a cluster; `idle` of each are left out but one
  std::int64_t ring = 1, rows = 1, shares = 1;
  std::int64_t parts = 1, together = 1;  // parts of a slice's range of K, and how many of them one transfer of B loads
  std::int64_t ahead = 1;                // transfers of B that are under way beside a multiplication
  std::int64_t packet = 32, flit = 16;   // elements that are multiplied at once, and that travel at once

  std::int64_t dm_bytes = 0;   // that a slice needs at most
  std::int64_t trf_bytes = 0;  // of the half that has 32 KiB
  std::int64_t cycles = 0;     // that the whole product is expected to take
  std::int64_t given_out = 0;  // packets of A that are copied by DMA

  /// Elements of K that a slice sees.
  std::int64_t range() const { return depth / split; }
  /// Rows of A that a group of slices computes.
  std::int64_t rows_of_group() const { return ring / shares * rows; }
  std::int64_t clusters_along_m(const Device& device) const { return few_rows ? 1 : device.levels.clusters_per_chip; }
  std::int64_t clusters_along_n(const Device& device) const { return clusters_share_rows ? device.levels.clusters_per_chip : 1; }
};

/// Law: two tiles fit: 2 * dm_bytes <= a slice's DM, trf_bytes <= a half of its TRF; across_m * across_n * split * idle is the cluster's number of slices. Both
/// hold for every tile of it (tile_of).
/// Refused: sizes below 1, M above 16,384, N or K above 131,072, and types that the Contraction Engine does not multiply.
/// `batch`: of so many products one after the other.
Expected<GemmTiling> tile_gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at = {},
                               std::int64_t batch = 1);

/// Elements of K that lie together in B for a column: what one transfer moves of 8 columns is then a packet of DMA. K itself if it is no multiple.
std::int64_t block_of_k(const Device& device, ScalarType type, std::int64_t k);

/// Copies of B that are there, so that a tile may reach beyond N. Like block_of_k it knows nothing of M: weights lie as they lie, for one token and for many.
std::int64_t copies_of_b(const Device& device, ScalarType type, std::int64_t n);

/// How many of the parts of K that are left the next transfer of B takes. In the last tile they become fewer: nothing is left beside which the last ones could
/// be multiplied.
std::int64_t parts_at_once(const GemmTiling& tiling, std::int64_t left, bool last_tile);

/// Slices whose columns of C together fill a unit of HBM.
std::int64_t neighbours_of(const Device& device, const GemmTiling& tiling);
/// Rings of slices that lie apart: of `ring` slices, or of as many as are neighbours.
std::int64_t rings_of(const Device& device, const GemmTiling& tiling);

/// The columns that the next tile takes of n that are left: a power of two of slices, all of their columns in use.
std::int64_t columns_at_once(const Device& device, const GemmTiling& tiling, std::int64_t n);

/// The same for one tile of it, which may be smaller at an edge: fewer columns leave more slices that divide K among them.
GemmTiling tile_of(const Device& device, const GemmTiling& whole, std::int64_t m, std::int64_t n);

/// The decisions, a line each.
std::string text_of(const GemmTiling& tiling);

}  // namespace tcp::kernels
