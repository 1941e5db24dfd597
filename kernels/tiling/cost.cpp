// The cost model: cycles of the commands of one tile (StepCycles), and of all tiles one after the other (Estimate). DMA
// and the main context work at the same time, so the slower of the two decides, plus what cannot overlap: the first
// loads, the last sums and the last store.
#include "kernels/tiling/cost.hpp"

#include <algorithm>

#include "kernels/parts/counts.hpp"
#include "kernels/tiling/tile.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels::tiling {
namespace {

std::int64_t hbm_bytes_per_cycle(const Device& device) { return hbm_mb_per_s(device) / device.clocks.core_mhz; }

/// What HBM and those DMNs that serve working slices transfer together, in bytes per cycle.
std::int64_t transfer_rate(const Device& device, const GemmTiling& t) {
  std::int64_t const all = device.levels.dmns_per_cluster;
  std::int64_t const of_cluster = t.idle == 1 ? all : std::min(all, t.across_m * t.split * rings_of(device, t));
  std::int64_t const dmns = of_cluster * (t.clusters == GemmClusters::one ? 1 : device.levels.clusters_per_chip);
  return std::min(hbm_bytes_per_cycle(device), dmns * device.dm.dmn_bytes_per_cycle.value);
}

/// Cycles that the accumulators take to give a group of sums to the Vector Engine.
constexpr std::int64_t cycles_to_leave = 2;

/// What the commands of one tile and one part of K take, each by itself; transfers without their start-up.
struct StepCycles {
  std::int64_t main = 0;      // multiplying
  std::int64_t sub = 0;       // filling half of the TRF
  std::int64_t a = 0, b = 0;  // loading
  std::int64_t exchange = 0;  // of the sums of ranges of K, once per tile
  std::int64_t finish = 0;    // adding those up and putting rows together, once per tile
  std::int64_t store = 0;     // once per tile

  StepCycles() = default;
  StepCycles(const Device& device, const GemmTiling& t) {
    std::int64_t const element = element_bytes(t.type), flits_of_packet = t.packet / t.flit;
    main = t.rows_of_group() * (ceil_div(t.k, t.packet) * std::max(t.reuse, flits_of_packet) + cycles_to_leave * t.reuse);
    sub = t.columns * t.k * element / device.fetch.sub_size.value;

    // A request moves a unit of HBM, or less in the same time.
    std::int64_t const rate = transfer_rate(device, t), unit = device.hbm.access_bytes.value;
    std::int64_t const pieces = spreads_a(t.strategy) ? ceil_div(t.shares, t.parts) : t.shares;
    std::int64_t const row_of_a = round_up(t.k * element / pieces, unit) * pieces;
    std::int64_t const copies_of_a = t.across_n / t.ring * t.clusters_along_n(device);
    std::int64_t const copies_of_b = t.across_m * t.clusters_along_m(device);
    a = ceil_div(t.m * row_of_a * t.split * copies_of_a, rate);
    b = ceil_div(t.n * round_up(t.k * element, unit) * t.split * copies_of_b, rate);

    std::int64_t const rows = finished_rows(device, t);
    finish = rows * neighbours_of(device, t) * ceil_div(t.columns * result_bytes(t.type), device.flit.bytes.value);
    store = ceil_div(t.m * t.n * result_bytes(t.type), rate);
    if (t.split == 1) return;
    // The engines of DMA read DM and write DM in turns: every byte counts twice.
    std::int64_t const engines = device.dma.engines_per_chip * device.dma.engine_bytes_per_cycle.value;
    exchange = device.dma.startup.value + ceil_div(2 * t.m * t.n * t.split * sum_bytes, engines);
    finish += 2 * rows * t.split * t.reuse;
  }
};

/// The pass that passes A around once, flit by flit.
std::int64_t spreading_cycles(const Device& device, const GemmTiling& t) {
  return t.rows_of_group() * ceil_div(t.parts * t.k * element_bytes(t.type), device.flit.bytes.value);
}

/// Packets of A that one load of all of K copies to several rings: rows x copies x packets of a row. A packet is as
/// long as DMA allows, but no longer than what a slice holds in one piece. By the book copies cost no more than other
/// packets; on the chip each was seen to have a descriptor of its own.
std::int64_t packets_given_out(const Device& device, const GemmTiling& t) {
  std::int64_t const rings = t.across_n / t.ring, element = element_bytes(t.type);
  if (rings == 1) return 0;
  std::int64_t const cut = spreads_a(t.strategy) ? t.range() : t.k;
  std::int64_t const packet_bytes = std::max<std::int64_t>(1, std::min(device.dma.packet_limit.value, cut / t.shares * element));
  return t.m * rings * t.clusters_along_n(device) * ceil_div(t.depth * element, packet_bytes);
}

std::int64_t transfers_of_b(const GemmTiling& t, bool last_tile) {
  std::int64_t n = 0;
  for (std::int64_t left = t.parts; left > 0; left -= parts_at_once(t, left, last_tile)) ++n;
  return n;
}

/// The whole product: tiles from left to right, for each of their widths all tiles along M and of the batch.
class Estimate {
 public:
  Estimate(const Device& device, const GemmTiling& t, std::int64_t m, std::int64_t batch)
      : device_(device), t_(t), tiles_(ceil_div(m, t.m)), batch_(batch) {
    for (std::int64_t left = t.width; left > 0;) {
      std::int64_t const taken = columns_at_once(device, t, left), times = taken == t.n ? left / taken : 1;
      left -= times * taken;
      add(tile_of(device, t, t.m, taken), batch * tiles_ * times, left == 0);
    }
  }
  std::int64_t given_out() const { return given_out_; }
  /// The slower of transfers and passes, and what overlaps with nothing.
  std::int64_t cycles() const {
    std::int64_t const store = startup() + last_.store;
    std::int64_t const transfers_first = dma_ - store + waits_ + last_.sub + last_.main + last_.finish;
    std::int64_t const passes_first = head_ + main_ + last_.exchange;
    return std::max(transfers_first, passes_first) + store;
  }

 private:
  std::int64_t startup() const { return device_.dma.startup.value; }
  /// How often A is loaded for `count` tiles. A that stays is loaded again for other rows, and where a new width of
  /// tiles divides it in another way.
  std::int64_t loads_of_a(const GemmTiling& tile, std::int64_t count) const {
    if (!keeps_a(t_.strategy)) return count * tile.parts;
    if (tiles_ > 1) return count;
    return tile.n != width_ ? batch_ : 0;
  }

  void add(const GemmTiling& tile, std::int64_t count, bool last) {
    StepCycles const c(device_, tile);
    std::int64_t const loads = loads_of_a(tile, count), parts_of_a = keeps_a(t_.strategy) ? tile.parts : 1;
    std::int64_t const spreading = spreads_a(t_.strategy) && tile.n != width_ ? batch_ * spreading_cycles(device_, tile) : 0;
    std::int64_t const descriptors = tile.m % tile.rows_of_group() == 0 ? 1 : 2;  // the last rows have one of their own
    std::int64_t transfers = count * transfers_of_b(tile, false);
    if (last) transfers += transfers_of_b(tile, true) - transfers_of_b(tile, false);
    dma_ += transfers * startup() + count * tile.parts * c.b + loads * (descriptors * startup() + parts_of_a * c.a) +
            count * (c.exchange + descriptors * startup() + c.store);
    main_ += count * (tile.parts * std::max(c.main, c.sub) + c.finish) + spreading;
    if (has_few_rows(tile.strategy)) given_out_ += loads * packets_given_out(device_, tile);
    if (width_ == 0) head_ = 2 * startup() + c.b * parts_at_once(tile, tile.parts, last && count == 1) + std::max(c.sub, c.a * parts_of_a);
    waits_ = width_ > 0 ? spreading : 0;
    width_ = tile.n;
    last_ = c;
  }

  const Device& device_;
  const GemmTiling& t_;
  std::int64_t tiles_, batch_;       // tiles along M
  std::int64_t dma_ = 0, main_ = 0;  // each without waiting for the other
  std::int64_t given_out_ = 0;
  std::int64_t head_ = 0;   // before the first multiplication
  std::int64_t waits_ = 0;  // of the last tile, for A to be passed around once more
  std::int64_t width_ = 0;  // of the tiles so far
  StepCycles last_;
};

}  // namespace

std::int64_t slowest_of_part(const Device& device, const GemmTiling& t) {
  StepCycles const c(device, t);
  return std::max(c.main, c.a + c.b);
}

/// Packets that are given out to many slices are the one thing of which the book says nothing and the chip was seen to
/// be slow at. Candidates are compared by the book's cycles, and the chip was seen to take about twice the book's for
/// most other things: so what such packets take on the chip counts a half.
std::int64_t Cost::weight(const Device& device) const {
  constexpr std::int64_t chip_cycles_of_a_book_cycle = 2;
  return cycles + given_out * device.calibrated.broadcast_packet_hundredths / 100 / chip_cycles_of_a_book_cycle;
}

Cost cost_of(const Device& device, const GemmTiling& t, std::int64_t m, std::int64_t n, std::int64_t batch) {
  Estimate const product(device, t, m, batch);
  // A copy drops padded columns, which reads and writes HBM.
  std::int64_t const copied = 2 * batch * m * n * result_bytes(t.type);
  std::int64_t const copy = t.width == n ? 0 : device.dma.startup.value + ceil_div(copied, hbm_bytes_per_cycle(device));
  return {product.cycles() + copy, product.given_out()};
}

}  // namespace tcp::kernels::tiling
