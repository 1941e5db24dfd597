// What is true of a tiling whatever the planner chose: layouts of B in HBM, sizes that follow from others, and the
// decisions in words.
#include "kernels/tiling/tiling.hpp"

#include <algorithm>

#include "kernels/parts/counts.hpp"
#include "kernels/tiling/tile.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {

std::int64_t block_of_k(const Device& device, ScalarType type, std::int64_t k) {
  std::int64_t const block = device.dma.packet_limit.value / (device.levels.rows_per_slice * element_bytes(type));
  return k % block == 0 ? block : k;
}

std::int64_t copies_of_b(const Device& device, ScalarType type, std::int64_t n) {
  std::int64_t const unit = tiling::columns_of_unit(device, type);
  if (n % unit == 0) return 1;
  return std::max<std::int64_t>(2, ceil_div(unit, n));
}

std::int64_t parts_at_once(const GemmTiling& tiling, std::int64_t left, bool last_tile) {
  return std::min(tiling.together, last_tile ? std::max<std::int64_t>(1, left / 2) : left);
}

std::int64_t neighbours_of(const Device& device, const GemmTiling& t) { return tiling::columns_of_unit(device, t.type) / t.columns; }

std::int64_t rings_of(const Device& device, const GemmTiling& t) { return t.across_n / std::max(t.ring, neighbours_of(device, t)); }

std::int64_t columns_at_once(const Device& device, const GemmTiling& tiling, std::int64_t n) {
  std::int64_t const most = tiling.columns * device.levels.slices_per_cluster * tiling.clusters_along_n(device);
  return std::min(most, power_of_two_up_to(n));
}

namespace {

const char* words_of(GemmClusters clusters) {
  switch (clusters) {
    case GemmClusters::along_m: return "clusters along M";
    case GemmClusters::along_n: return "clusters along N";
    case GemmClusters::one: return "one cluster";
  }
  return "";
}
/// How A is loaded.
const char* words_of(GemmStrategy strategy) {
  switch (strategy) {
    case GemmStrategy::stream_rows: return "part by part";
    case GemmStrategy::keep_rows:
    case GemmStrategy::share_rows: return "all at once";
    case GemmStrategy::spread_rows: return "all at once, into every slice";
  }
  return "";
}

}  // namespace

std::string text_of(const GemmTiling& t) {
  auto const n = [](std::int64_t v) { return std::to_string(v); };
  auto const parts = [&](std::int64_t count) { return count == 1 ? std::string("part by part") : n(count) + " parts at once"; };
  std::string const split = t.split > 1 ? " x " + n(t.split) + " along K" : "";
  std::string const idle = t.idle > 1 ? ", one in " + n(t.idle) + " at work" : "";
  std::string const share = n(t.rows) + (t.rows == 1 ? " row" : " rows") +
                            (t.shares > 1 ? ", 1/" + n(t.shares) + (spreads_a(t.strategy) ? " of K" : " of a part of K") : "");
  return "tiles of C: " + n(t.m) + " x " + n(t.n) + " of " + n(t.width) + " columns; K: " + n(t.parts) +
         (t.split > 1 ? " x " + n(t.split) : "") + " of at most " + n(t.k) + "\n" +  //
         "slices: " + n(t.across_m) + " along M x " + n(t.across_n) + " along N" + split + idle + "; " + words_of(t.clusters) + "\n" +
         "columns of C in a slice: " + n(t.columns) + ", so a packet of A is used " + (t.reuse == 1 ? "once" : n(t.reuse) + " times") +
         "\n" + "A in a slice: " + share + (t.ring > 1 ? "; passed around rings of " + n(t.ring) : "") + "\n" +  //
         "loading: A " + words_of(t.strategy) + ", B " + parts(t.together) + ", " + n(t.ahead) +
         (t.ahead == 1 ? " transfer ahead\n" : " transfers ahead\n") +                                    //
         "DM of a slice: " + n(t.dm_bytes) + " bytes; half of its TRF: " + n(t.trf_bytes) + " bytes\n" +  //
         "expected: about " + n(t.cycles) + " cycles\n";
}

}  // namespace tcp::kernels
