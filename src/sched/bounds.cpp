// What a program needs at least, if every part of the chip were busy all the time.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "tcp/device/derived.hpp"
#include "tcp/sched/schedule.hpp"

namespace tcp::sched {

namespace {

/// Sums of sizes that a file may have chosen.
double product(const std::vector<program::DmaLoop>& loops) {
  double n = 1;
  for (const program::DmaLoop& l : loops) n *= static_cast<double>(l.size);
  return n;
}
double bytes_of(const program::Sequencer& s) {
  return static_cast<double>(s.packets) * static_cast<double>(s.accesses_per_packet) * static_cast<double>(s.access_bytes);
}
std::int64_t count(const program::SliceSet& s) {
  std::int64_t n = 0;
  for (std::uint64_t w : s.word) n += __builtin_popcountll(w);
  return n;
}

class Rates {
 public:
  explicit Rates(const Device& device) : device_(device) {}

  void operator()(const program::Exec& e) {
    add_slices(e.units, e.units.slices, bytes_of(e.fetch.read));
    if (const auto* commit = std::get_if<program::Commit>(&e.sink)) add_slices(e.units, e.writing, bytes_of(commit->write));
    std::int64_t const slices = std::max(count(e.units.slices), count(e.writing)) * __builtin_popcount(e.units.clusters);
    if (e.contraction)
      row_steps_ += static_cast<double>(e.contraction->steps) * static_cast<double>(e.contraction->rows) * static_cast<double>(slices);
  }
  void operator()(const program::Dma& d) {
    for (const program::DmaDescriptor& each : d.descriptors) {
      double const bytes = product(each.loops) * static_cast<double>(each.packet_bytes);
      for (const program::DmaSide* side : {&each.read, &each.write}) {
        if (side->memory == program::Memory::Hbm) hbm_[side->chip] += bytes;
        if (side->memory == program::Memory::Dm) dmn_[{side->chip, side->cluster, side->unit / device_.levels.slices_per_dmn}] += bytes;
      }
    }
  }
  void operator()(const program::Itos&) {}

  program::Bounds bounds() const {
    program::Bounds b;
    double hbm = 0, dm = 0;
    for (const auto& [chip, bytes] : hbm_) hbm = std::max(hbm, bytes);
    for (double bytes : slice_) dm = std::max(dm, bytes);
    b.hbm = whole(hbm * static_cast<double>(device_.clocks.core_mhz) / static_cast<double>(hbm_mb_per_s(device_)));
    b.dm = whole(dm / static_cast<double>(dm_slice_bytes_per_cycle(device_).value));
    // A descriptor may go on from DMN to DMN; all of a chip together are sure to carry its bytes.
    double by_dma = 0;
    for (const auto& [dmn, bytes] : dmn_) by_dma += bytes;
    double const chips = static_cast<double>(std::max<std::size_t>(chips_of_dmns(), 1));
    double const dmns = static_cast<double>(device_.levels.clusters_per_chip * device_.levels.dmns_per_cluster);
    b.dm = std::max(b.dm, whole(by_dma / (chips * dmns * static_cast<double>(device_.dm.dmn_bytes_per_cycle.value))));
    double const slices = static_cast<double>(device_.levels.slices_per_cluster * device_.levels.clusters_per_chip);
    b.multiplies = whole(row_steps_ / (slices * static_cast<double>(device_.levels.rows_per_slice)));
    return b;
  }

 private:
  using Dmn = std::tuple<std::int32_t, std::int32_t, std::int64_t>;

  /// Rounded up, and never beyond what a counter holds.
  static Cycles whole(double cycles) {
    double const up = std::min(std::ceil(cycles), 4e18);
    return Cycles{static_cast<std::int64_t>(up)};
  }
  std::size_t chips_of_dmns() const {
    std::size_t n = 0;
    std::int32_t last = -1;
    for (const auto& [dmn, bytes] : dmn_)
      if (std::exchange(last, std::get<0>(dmn)) != std::get<0>(dmn)) ++n;
    return n;
  }
  /// All chips do the same, so that one of each cluster is counted.
  void add_slices(const program::Units& units, const program::SliceSet& slices, double bytes) {
    std::size_t const a_cluster = 64 * slices.word.size();
    for (std::size_t cluster = 0; cluster < 32; ++cluster) {
      if ((units.clusters >> cluster & 1) == 0) continue;
      if (slice_.size() < (cluster + 1) * a_cluster) slice_.resize((cluster + 1) * a_cluster, 0);
      for (std::size_t s = 0; s < a_cluster; ++s)
        if (slices.contains(static_cast<std::int64_t>(s))) slice_[cluster * a_cluster + s] += bytes;
    }
  }

  const Device& device_;
  std::map<std::int32_t, double> hbm_;
  std::map<Dmn, double> dmn_;
  std::vector<double> slice_;
  double row_steps_ = 0;
};

}  // namespace

program::Bounds rate_bounds(const program::Program& program, const Device& device) {
  Rates rates(device);
  for (const program::Command& c : program.commands) std::visit(rates, c.what);
  return rates.bounds();
}

}  // namespace tcp::sched
