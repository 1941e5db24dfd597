// How a product of matrices is cut for the chip: tile sizes from the capacities of DM and TRF, the grid of slices, and
// how often data is used again.
//
// C[M, N] = A[M, K] B[K, N] is cut into tiles of m x n x k that a chip computes at once. Within a tile
//   - N is divided among `across_n` slices of a cluster, `columns` columns of C each: one column per Row, times
//     `reuse` groups of them in the TRF, so that one packet of A, which takes two cycles to arrive, is multiplied
//     `reuse` times;
//   - M is divided among `across_m` groups of slices, and among the clusters. With few rows, N is divided among the
//     clusters instead, so that B is loaded only once, and the slices that N leaves over divide K: `split` ranges of
//     it, whose sums are added up in the end;
//   - the slices of a group all need the same rows of A; each holds a share, and the Switch Engine hands the shares
//     round on rings of `ring` slices. A share is `rows` rows; of a few rows it is one of `shares` parts of them
//     along K;
//   - K is walked in time: `k` is what one half of the TRF holds of the columns, or less, so that loading and computing
//     overlap.
// Columns are padded to whole units of HBM (256 bytes of C), so that no tile writes a unit in part, or further, where
// one wide tile is faster than several narrow ones. A last transfer copies the N columns that were asked for.
//
// The planner is four files, in the order of their use:
//   tile.cpp    one tile: which slice computes what, and how many bytes of DM and TRF that takes
//   cost.cpp    how many cycles a tile, and the whole product, are expected to take
//   choice.cpp  the list of candidates, and the choice of the fastest that fits
//   tiling.cpp  facts about layouts that do not depend on the choice, and the choice in words
#pragma once

#include <string>

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::kernels {

/// What the slices do with the rows of A; all other decisions follow from it or are sizes.
enum class GemmStrategy : std::uint8_t {
  /// Many rows: M is divided among clusters and groups of slices. For every part of K, one transfer brings the shares
  /// of A and one the columns of B; neither stays. It needs the least DM, so tiles are tall and B is read seldom. Wins
  /// for large products, which multiply-adds bound.
  stream_rows,
  /// Many rows, divided as above, but all parts of A's rows are loaded by one transfer and stay for the tiles that
  /// follow with the same rows. Wins where K is short enough for that to fit: one start-up instead of one per part, and
  /// if M is a single tile, A is read once instead of once per tile along N.
  keep_rows,
  /// Few rows: all slices are divided along N and K, so that no byte of B is read twice. Every slice keeps its share of
  /// A, and the shares are passed around during each multiplication. Wins where B bounds the product, but A has too
  /// many rows to be copied into every slice.
  share_rows,
  /// Few rows, divided as above, but the shares are passed around once, before the first multiplication, and every
  /// slice then holds all rows of A. A share may thus be a piece of all of K: rings are as long as there are slices,
  /// and hardly any copy of A is left to DMA. Wins for one token and for few.
  spread_rows,
};

/// Few rows are not divided among slices.
constexpr bool has_few_rows(GemmStrategy s) { return s == GemmStrategy::share_rows || s == GemmStrategy::spread_rows; }
/// All parts of A's rows are loaded at once.
constexpr bool keeps_a(GemmStrategy s) { return s != GemmStrategy::stream_rows; }
/// A is copied into every slice before it is multiplied, instead of meanwhile.
constexpr bool spreads_a(GemmStrategy s) { return s == GemmStrategy::spread_rows; }

/// What the clusters of a chip have different parts of.
enum class GemmClusters : std::uint8_t {
  along_m,  // rows: the strategies of many rows, always
  along_n,  // columns: the strategies of few rows, if each cluster gets whole units of HBM
  one       // few rows and too few columns for two: only one cluster works
};

struct GemmTiling {
  ScalarType type = ScalarType::bf16;
  GemmStrategy strategy = GemmStrategy::stream_rows;
  GemmClusters clusters = GemmClusters::along_m;

  // Sizes of a tile; the last ones may be smaller.
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t width = 0;  // columns of C that are computed, padding included
  std::int64_t depth = 0;  // all of K

  // The slices of a cluster: across_m * across_n * split * idle. Of each `idle` slices, one works.
  std::int64_t across_n = 1, across_m = 1, split = 1, idle = 1;
  // A slice's columns of C, in `reuse` groups of one column per Row.
  std::int64_t reuse = 1, columns = 8;
  // A slice's share of A.
  std::int64_t ring = 1, rows = 1, shares = 1;
  // How K is walked: parts of a slice's range of it, how many of them one transfer of B loads, and how many such
  // transfers are under way during a multiplication.
  std::int64_t parts = 1, together = 1, ahead = 1;
  // Elements that are multiplied at once, and that travel at once.
  std::int64_t packet = 32, flit = 16;

  // What the planner expects.
  std::int64_t dm_bytes = 0;   // of a slice, at most
  std::int64_t trf_bytes = 0;  // of one half of a slice's TRF
  std::int64_t cycles = 0;     // of the whole product
  std::int64_t given_out = 0;  // packets of A that DMA copies

  /// Elements of K that a slice sees.
  std::int64_t range() const { return depth / split; }
  /// Rows of A that a group of slices computes.
  std::int64_t rows_of_group() const { return ring / shares * rows; }
  std::int64_t clusters_along_m(const Device& device) const {
    return clusters == GemmClusters::along_m ? device.levels.clusters_per_chip : 1;
  }
  std::int64_t clusters_along_n(const Device& device) const {
    return clusters == GemmClusters::along_n ? device.levels.clusters_per_chip : 1;
  }
};

/// Law: two tiles fit: 2 * dm_bytes <= a slice's DM, trf_bytes <= a half of its TRF; across_m * across_n * split * idle
/// is the cluster's number of slices. Both hold for every tile of it (tile_of).
/// Refused: sizes below 1, M above 16,384, N or K above 131,072, and types that the Contraction Engine does not
/// multiply. `batch`: the number of products that are computed one after the other.
Expected<GemmTiling> tile_gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at = {},
                               std::int64_t batch = 1);

/// Elements of K that are stored together in B for a column, so that what one transfer moves of a slice's Rows is a
/// packet of DMA. K itself if it is no multiple.
std::int64_t block_of_k(const Device& device, ScalarType type, std::int64_t k);

/// Copies of B that are stored, so that a tile may reach beyond N. Like block_of_k it does not depend on M: weights are
/// stored once, for one token and for many.
std::int64_t copies_of_b(const Device& device, ScalarType type, std::int64_t n);

/// How many of the parts of K that are left the next transfer of B takes. In the last tile they become fewer: there is
/// nothing left to load during the last multiplications, so these should be short.
std::int64_t parts_at_once(const GemmTiling& tiling, std::int64_t left, bool last_tile);

/// Slices whose columns of C together fill a unit of HBM.
std::int64_t neighbours_of(const Device& device, const GemmTiling& tiling);
/// Groups of slices that idle slices may separate: rings, or as many slices as are neighbours.
std::int64_t rings_of(const Device& device, const GemmTiling& tiling);

/// The columns that the next tile takes of n that are left: a power of two of slices, all of their columns in use.
std::int64_t columns_at_once(const Device& device, const GemmTiling& tiling, std::int64_t n);

/// The tiling of one tile of m x n, which may be smaller at an edge: fewer columns leave more slices over to divide K.
GemmTiling tile_of(const Device& device, const GemmTiling& whole, std::int64_t m, std::int64_t n);

/// The decisions, one per line.
std::string text_of(const GemmTiling& tiling);

}  // namespace tcp::kernels
