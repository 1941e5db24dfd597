// Tiles of the same columns follow each other from the first row to the last, then come the next columns. So A that
// stays in DM serves all columns if M is one tile, which is also what the planner counts (cost.cpp).
#include "kernels/gemm/steps.hpp"

#include <algorithm>

namespace tcp::kernels::gemm {
namespace {

/// A slice's range of K in whole parts, several per transfer, and the rest as a shorter part of its own.
std::vector<PartsOfK> parts_of_tile(const GemmTiling& tile, bool last_tile) {
  std::vector<PartsOfK> all;
  std::int64_t const whole = tile.range() / tile.k, rest = tile.range() % tile.k;
  for (std::int64_t first = 0, count = 0; first < whole; first += count) {
    count = parts_at_once(tile, whole - first, last_tile);
    all.push_back({first, count, tile.k});
  }
  if (rest > 0) all.push_back({whole, 1, rest});
  return all;
}

void add_product(const Device& device, const GemmTiling& t, std::int64_t product, std::int64_t m, bool last_product,
                 std::vector<Step>& all) {
  for (std::int64_t n0 = 0, n = 0; n0 < t.width; n0 += n) {
    n = columns_at_once(device, t, t.width - n0);
    GemmTiling const tile = tile_of(device, t, t.m, n);
    for (std::int64_t m0 = 0; m0 < m; m0 += t.m) {
      bool const last_tile = last_product && n0 + n == t.width && m0 + t.m >= m;
      for (const PartsOfK& parts : parts_of_tile(tile, last_tile))
        all.push_back({{product, m0, n0, std::min(t.m, m - m0), n}, parts, false});
      all.back().last = true;
    }
  }
}

}  // namespace

std::vector<Step> steps_of(const Device& device, const GemmTiling& tiling, std::int64_t batch, std::int64_t m) {
  std::vector<Step> all;
  for (std::int64_t product = 0; product < batch; ++product) add_product(device, tiling, product, m, product + 1 == batch, all);
  return all;
}

}  // namespace tcp::kernels::gemm
