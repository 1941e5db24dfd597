// The choice: a list of candidates, each a strategy with a few sizes; a tiling made of each; and of those that fit the
// one with the least cost.
#include <algorithm>
#include <optional>
#include <vector>

#include "kernels/parts/counts.hpp"
#include "kernels/tiling/cost.hpp"
#include "kernels/tiling/tile.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace tiling {
namespace {

constexpr std::int64_t most_rows = 16384, longest = 131072;

/// The product that is planned for.
struct Product {
  ScalarType type;
  std::int64_t m, n, k, batch;
};

/// What the planner may choose freely. The rest of a GemmTiling follows from it.
struct Candidate {
  GemmStrategy strategy;
  std::int64_t together;  // parts of K that a transfer of B brings, at most
  std::int64_t groups;    // of columns in a slice
  std::int64_t width;     // columns of C that are computed, padding included
  std::int64_t finer;     // how many times as many parts of K as the TRF asks for
};

/// Parts of K that a long transfer of B brings, so that its start-up counts a quarter. More would take DM from the
/// tiles, and lengthen the first load, which nothing overlaps.
constexpr std::int64_t long_transfer = 4;
/// Up to so many times as many parts of K as the TRF asks for are tried: the first multiplication begins earlier, but
/// there are more start-ups.
constexpr std::int64_t finest = 4;

struct Way {
  GemmStrategy strategy;
  std::int64_t together;
};
/// The earlier of two ways that cost the same is taken. With many rows B is loaded part by part, as the time goes into
/// multiplying.
constexpr Way ways[] = {{GemmStrategy::stream_rows, 1}, {GemmStrategy::keep_rows, 1},
                        {GemmStrategy::share_rows, 1},  {GemmStrategy::share_rows, long_transfer},
                        {GemmStrategy::spread_rows, 1}, {GemmStrategy::spread_rows, long_transfer}};

/// Whole units of HBM, of powers of two of units: N itself first, then wider ones, as far as copies of B reach.
std::vector<std::int64_t> widths_of(const Device& device, const Product& p) {
  std::int64_t const there = copies_of_b(device, p.type, p.n) * p.n;
  std::vector<std::int64_t> all;
  for (std::int64_t unit = columns_of_unit(device, p.type); round_up(p.n, unit) <= there; unit *= 2)
    if (all.empty() || all.back() != round_up(p.n, unit)) all.push_back(round_up(p.n, unit));
  return all;
}

std::vector<Candidate> candidates_of(const Device& device, const Product& p) {
  // As many groups as a packet of A has flits keep the multipliers busy while the next packet arrives; more would only
  // take room in the TRF.
  std::int64_t const most_groups = device.contraction.mac_bytes.value / device.flit.bytes.value;
  std::vector<Candidate> all;
  for (std::int64_t width : widths_of(device, p))
    for (std::int64_t finer = 1; finer <= finest; ++finer)
      for (std::int64_t groups = most_groups; groups >= 1; --groups)
        for (const Way& way : ways) all.push_back({way.strategy, way.together, groups, width, finer});
  return all;
}

/// K in so many times as many equal parts as the TRF asks for, in whole blocks of B, else in whole units of HBM, else
/// in whole packets.
std::int64_t part_of_k(const Device& device, const GemmTiling& t, std::int64_t finer) {
  std::int64_t const element = element_bytes(t.type), unit = device.hbm.access_bytes.value / element;
  std::int64_t const most = device.trf.slice_capacity.value / device.trf.halves / (t.columns * element);
  std::int64_t const range = tile_of(device, t, t.m, t.n).range(), each = ceil_div(range, ceil_div(range, most) * finer);
  std::int64_t const block = block_of_k(device, t.type, t.depth);
  return std::min(most, round_up(each, block < t.depth ? block : each > unit ? unit : t.packet));
}

/// The fewest tiles along M with which all tiles fit, found to within an eighth: steps of one would try thousands for
/// the largest products.
GemmTiling fitted(const Device& device, GemmTiling t, std::int64_t m) {
  for (std::int64_t tiles = 1;; tiles += ceil_div(tiles, 8)) {
    t = tile_of(device, t, ceil_div(m, tiles), t.n);
    if (all_fit(device, t) || t.m == 1) return t;
  }
}

/// With two transfers of B under way instead of one, where they fit: a store of C delays the transfers after it, and a
/// multiplication goes on with what is there.
GemmTiling reading_ahead(const Device& device, const GemmTiling& t) {
  GemmTiling further = t;
  further.ahead = 2;
  further = tile_of(device, further, t.m, t.n);
  return all_fit(device, further) ? further : t;
}

/// What a candidate means for a product; none if it does not apply or does not fit.
std::optional<GemmTiling> tiling_of(const Device& device, const Candidate& c, const Product& p) {
  GemmTiling t;
  t.type = p.type;
  t.strategy = c.strategy;
  t.clusters = has_few_rows(c.strategy) ? GemmClusters::along_n : GemmClusters::along_m;
  t.packet = elements_of_packet(device, p.type);
  t.flit = elements_of_flit(device, p.type);
  t.reuse = c.groups;
  t.columns = c.groups * device.levels.rows_per_slice;
  t.together = c.together;
  t.width = c.width;
  t.depth = t.k = p.k;
  t.m = p.m;
  t.n = columns_at_once(device, t, t.width);
  t.k = part_of_k(device, t, c.finer);
  // Rows that cannot be cut need not be put together: share_rows does the same.
  if (spreads_a(t.strategy) && tile_of(device, t, t.m, t.n).shares == 1) return {};
  t = reading_ahead(device, fitted(device, t, p.m));
  if (!all_fit(device, t)) return {};
  Cost const cost = cost_of(device, t, p.m, p.n, p.batch);
  t.cycles = cost.cycles;
  t.given_out = cost.given_out;
  return t;
}

std::optional<GemmTiling> best_of(const Device& device, const Product& p) {
  auto const weight = [&](const GemmTiling& t) { return Cost{t.cycles, t.given_out}.weight(device); };
  std::optional<GemmTiling> best;
  for (const Candidate& c : candidates_of(device, p)) {
    auto const t = tiling_of(device, c, p);
    if (t && (!best || weight(*t) < weight(*best))) best = t;
  }
  return best;
}

}  // namespace
}  // namespace tiling

Expected<GemmTiling> tile_gemm(const Device& device, ScalarType type, std::int64_t m, std::int64_t n, std::int64_t k, Where at,
                               std::int64_t batch) {
  using tiling::longest, tiling::most_rows;
  if (std::min({m, n, k}) < 1 || m > most_rows || std::max(n, k) > longest)
    return refuse("kernel-gemm-size", at)
        .what("a product of ", m, " x ", k, " by ", k, " x ", n)
        .why("M is 1 to ", most_rows, ", N and K are 1 to ", longest)
        .help("cut the product into parts of at most ", most_rows, " rows and ", longest, " columns, and add up those along K");
  bool const known = type == ScalarType::bf16 || type == ScalarType::f8e4m3 || type == ScalarType::f8e5m2 || type == ScalarType::i8;
  if (!known)
    return refuse("kernel-gemm-type", at)
        .what("a product of ", type, " matrices")
        .why(
            "the Contraction Engine multiplies floating-point numbers of at most 16 bits and integers of at most 9; of these bf16, f8 and "
            "i8 are stored as they are")
        .help("convert the matrices to bf16, f8e4m3, f8e5m2 or i8");
  auto const best = tiling::best_of(device, {type, m, n, k, batch});
  TCP_BUG_UNLESS(best.has_value(), "a tile of one row, part of K after part, fits into every DM");
  return *best;
}

}  // namespace tcp::kernels
