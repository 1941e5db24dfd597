// Which slice computes what of one tile. The order of the decisions: columns over slices, K over the slices that are
// left, rows over those that are still left; the rest stays idle. The sizes of a tile and the strategy are given;
// choice.cpp tries them.
#include "kernels/tiling/tile.hpp"

#include <algorithm>
#include <optional>

#include "kernels/parts/counts.hpp"
#include "kernels/tiling/cost.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace tiling {

std::int64_t result_bytes(ScalarType type) { return is_integer(type) ? 4 : 2; }
std::int64_t columns_of_unit(const Device& device, ScalarType type) { return device.hbm.access_bytes.value / result_bytes(type); }

std::int64_t finished_rows(const Device& device, const GemmTiling& t) {
  return round_up(t.rows_of_group(), t.split * neighbours_of(device, t)) / t.split;
}

namespace {

/// What a slice holds of a tile, and of what is on its way while the tile is computed.
std::int64_t dm_bytes(const Device& device, const GemmTiling& t) {
  std::int64_t const element = element_bytes(t.type), finished = finished_rows(device, t) * t.columns;
  std::int64_t const share_of_a = t.rows * t.k / t.shares * element, columns_of_b = t.columns * t.k * element;
  std::int64_t const sums = sum_bytes * (t.split > 1 ? finished * t.split : t.rows_of_group() * t.columns);
  // Parts of A: those of this tile and of the next, or one that is multiplied and those that are loaded meanwhile.
  std::int64_t const buffers_of_a = keeps_a(t.strategy) ? 2 * t.parts : 1 + t.ahead;
  std::int64_t const buffers_of_b = (1 + t.ahead) * t.together;
  std::int64_t const all_of_a = spreads_a(t.strategy) ? t.parts * t.rows_of_group() * t.k * element : 0;
  // Sums: two that are added, and what they add up to. Those of all ranges of K are exchanged, and the tiles before and
  // after them are at other points of that.
  std::int64_t const buffers_of_sums = t.split > 1 ? 6 : 3;
  std::int64_t const results = 2 * finished * result_bytes(t.type);  // one is stored while the next is made
  return all_of_a + buffers_of_a * share_of_a + buffers_of_b * columns_of_b + buffers_of_sums * sums + results;
}

/// The largest power of two, at most `most`, of shares that rows of A may be cut into: whole packets of every part of
/// K.
std::int64_t shares_of_parts(const GemmTiling& t, std::int64_t most) {
  if (t.depth % t.packet != 0) return 1;
  std::int64_t shares = 1;
  while (2 * shares <= most && t.k % (2 * shares * t.packet) == 0 && t.range() % t.k % (2 * shares * t.packet) == 0) shares *= 2;
  return shares;
}

/// The largest power of two, at most `most`, of shares of all that a slice sees of K, in whole flits: pieces of its
/// parts, or several of them. 1 if there are none.
std::int64_t shares_of_range(const GemmTiling& t, std::int64_t most) {
  std::int64_t const k = t.range();
  std::int64_t found = 1;
  if (k % t.k != 0) return found;
  for (std::int64_t shares = 2; shares <= most && k % (shares * t.flit) == 0; shares *= 2)
    if (t.k % (k / shares) == 0 || k / shares % t.k == 0) found = shares;
  return found;
}

/// How the rows of a group, and A, are divided among its slices. DMA copies A once per ring, so a few rows are cut into
/// shares until the ring is long.
void share_rows(const Device& device, GemmTiling& t) {
  std::int64_t const rows = ceil_div(t.m, t.across_m * t.clusters_along_m(device));
  bool const few = has_few_rows(t.strategy);
  // Idle slices separate rings, so that the slices that work are served by all DMNs; a ring then does not reach beyond
  // the slices of one DMN.
  std::int64_t const unseparated = std::max(neighbours_of(device, t), device.levels.slices_per_dmn / t.idle);
  std::int64_t const longest = few && t.idle > 1 ? std::min(t.across_n, unseparated) : t.across_n;
  if (few) {
    std::int64_t const for_each_row = std::max<std::int64_t>(1, longest / power_of_two_from(rows));
    t.shares = spreads_a(t.strategy) ? shares_of_range(t, longest) : shares_of_parts(t, for_each_row);
  }
  t.ring = std::min(power_of_two_from(rows) * t.shares, longest);
  t.rows = ceil_div(rows, t.ring / t.shares);
}

/// Slices that a tile of few rows leaves over divide K in whole blocks of B, and each divides its range into equal
/// parts.
void divide_k(const Device& device, GemmTiling& t) {
  std::int64_t const block = block_of_k(device, t.type, t.depth), left = device.levels.slices_per_cluster / t.across_n;
  t.split = 1;
  while (has_few_rows(t.strategy) && 2 * t.split <= left && t.depth % (2 * t.split * block) == 0) t.split *= 2;
  t.parts = ceil_div(t.range(), t.k);
  while (t.split > 1 && t.range() % (t.parts * block) != 0) ++t.parts;
  if (t.split > 1) t.k = t.range() / t.parts;
  t.together = std::clamp<std::int64_t>(t.range() / t.k, 1, t.together);
  t.trf_bytes = t.columns * t.k * element_bytes(t.type);
}

/// N over slices and clusters.
void divide_n(const Device& device, GemmTiling& t) {
  bool const whole_units = t.n % (device.levels.clusters_per_chip * columns_of_unit(device, t.type)) == 0;
  if (t.clusters == GemmClusters::along_n && !whole_units) t.clusters = GemmClusters::one;
  t.across_n = t.n / (t.columns * t.clusters_along_n(device));
}

/// The tile with M over `across_m` groups of slices, of the slices that N and K leave over; the others are idle.
GemmTiling with_groups(const Device& device, GemmTiling t, std::int64_t left, std::int64_t across_m) {
  t.across_m = across_m;
  t.idle = left / across_m;
  share_rows(device, t);
  t.dm_bytes = dm_bytes(device, t);
  return t;
}

}  // namespace

bool fits(const Device& device, const GemmTiling& t) { return 2 * t.dm_bytes <= device.dm.slice_capacity.value; }

bool all_fit(const Device& device, const GemmTiling& t) {
  for (std::int64_t left = t.width; left > 0;) {
    std::int64_t const n = columns_at_once(device, t, left), alike = n == t.n ? left / n : 1;
    if (!fits(device, tile_of(device, t, t.m, n))) return false;
    left -= alike * n;
  }
  return true;
}

}  // namespace tiling

/// More groups of slices along M multiply faster, but each needs a copy of B: the slower of the two decides, among
/// those that fit. If none does, the last one is the smallest.
GemmTiling tile_of(const Device& device, const GemmTiling& whole, std::int64_t m, std::int64_t n) {
  using namespace tiling;
  GemmTiling t = whole;
  t.m = m;
  t.n = n;
  divide_n(device, t);
  divide_k(device, t);
  std::int64_t const left = device.levels.slices_per_cluster / (t.across_n * t.split);
  std::optional<GemmTiling> best;
  std::int64_t least = 0;
  for (std::int64_t across_m = 1; across_m <= (has_few_rows(t.strategy) ? 1 : left); across_m *= 2) {
    GemmTiling const tried = with_groups(device, t, left, across_m);
    std::int64_t const slowest = slowest_of_part(device, tried);
    if (best && fits(device, *best) && slowest > least) continue;
    best = tried;
    least = slowest;
  }
  return *best;
}

}  // namespace tcp::kernels
