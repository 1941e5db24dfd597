// Counts, for each command, what its records use of the chip: slices, rows, multipliers, channels of HBM, lengths of
// runs.
#include "timeline/facts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <set>

#include "tcp/device/derived.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/sched/book.hpp"
#include "timeline/words.hpp"

namespace tcp::timeline {

namespace {

/// Sizes may come from a file; no fact needs to be larger.
constexpr double largest = 1e15;
std::int64_t bounded(double n) { return static_cast<std::int64_t>(std::min(n, largest)); }

std::int64_t count(const program::SliceSet& s) {
  std::int64_t n = 0;
  for (std::uint64_t w : s.word) n += std::popcount(w);
  return n;
}

double bytes_of(const program::DmaDescriptor& d) {
  double n = static_cast<double>(d.packet_bytes);
  for (const program::DmaLoop& l : d.loops) n *= static_cast<double>(l.size);
  return n;
}

/// The chip with most to move sets the time: all its engines at their full rate, or all channels of HBM.
Cycles ideal_cycles(const Device& device, const program::Dma& d) {
  std::map<std::int32_t, double> moved, hbm;
  for (const program::DmaDescriptor& each : d.descriptors) {
    moved[each.read.chip] += bytes_of(each);
    for (const program::DmaSide* side : {&each.read, &each.write})
      if (side->memory == program::Memory::Hbm) hbm[side->chip] += bytes_of(each);
  }
  double const by_engines = static_cast<double>(device.dma.engines_per_chip * device.dma.engine_bytes_per_cycle.value);
  double const by_hbm = static_cast<double>(hbm_mb_per_s(device)) / static_cast<double>(device.clocks.core_mhz);
  double most = 0;
  for (const auto& [chip, bytes] : moved) most = std::max(most, bytes / by_engines);
  for (const auto& [chip, bytes] : hbm) most = std::max(most, bytes / by_hbm);
  return Cycles{bounded(most)};
}

/// Multipliers of a Row that are never masked.
std::int64_t lanes_used(const program::Contraction& c, std::int64_t lanes) {
  for (const program::LaneMask& m : c.zero_lanes)
    if (m.rounds.empty()) lanes -= std::popcount(m.lanes[0]) + std::popcount(m.lanes[1]);
  return std::max<std::int64_t>(lanes, 0);
}

/// Where the weights of a time step begin.
std::int64_t weights_at(const program::Contraction& c, std::int64_t step) {
  std::int64_t at = 0;
  for (std::size_t i = c.trf_loops.size(); i-- > 0;) {
    at += step % c.trf_loops[i].size * c.trf_loops[i].stride;
    step /= c.trf_loops[i].size;
  }
  return at;
}
/// True if the weights have an axis that is not summed over: one that Rows could share. The vector of a matrix-vector
/// product has none.
bool weights_have_columns(const program::Contraction& c) {
  if (c.rows > 1) return true;
  std::int64_t inside = 1;
  for (std::size_t i = c.loops.size(); i-- > 0;) {
    for (std::int64_t k = 1; !c.loops[i].added && k < c.loops[i].rounds; ++k)
      if (weights_at(c, k * inside) != weights_at(c, 0)) return true;
    inside *= c.loops[i].rounds;
  }
  return false;
}

}  // namespace

trace::PassFacts FactFinder::facts_of(const program::Exec& e) const {
  trace::PassFacts f;
  f.clusters = std::popcount(e.units.clusters);
  f.clusters_of = device_.levels.clusters_per_chip;
  f.slices = std::max(count(e.units.slices), count(e.writing));
  f.slices_of = device_.levels.slices_per_cluster;
  if (e.collect) {
    f.packet_bytes = Bytes{e.collect->packet_bytes};
    f.flit_bytes = Bytes{bounded(static_cast<double>(e.collect->flits_per_packet) * static_cast<double>(device_.flit.bytes.value))};
  }
  if (e.contraction) {
    const program::Contraction& c = *e.contraction;
    f.rows = c.rows;
    f.rows_of = weights_have_columns(c) ? device_.levels.rows_per_slice : c.rows;
    f.lanes_of = device_.contraction.mac_bytes.value * 8 / scalar_info(c.type).bits;
    f.lanes = lanes_used(c, f.lanes_of);
  }
  return f;
}

trace::DmaFacts FactFinder::facts_of(const program::Dma& d) {
  trace::DmaFacts f;
  std::set<std::int32_t> engines, chips;
  double bytes = 0;
  std::int64_t run = std::numeric_limits<std::int64_t>::max();
  for (const program::DmaDescriptor& each : d.descriptors) {
    bytes += bytes_of(each);
    run = std::min(run, each.packet_bytes);
    engines.insert(each.engine);
    chips.insert(each.read.chip);
  }
  f.bytes = Bytes{bounded(bytes)};
  f.run = Bytes{d.descriptors.empty() ? 0 : run};
  f.ideal = ideal_cycles(device_, d);
  f.descriptors = static_cast<std::int64_t>(d.descriptors.size());
  f.engines = static_cast<std::int64_t>(engines.size());
  f.engines_of = device_.dma.engines_per_chip * static_cast<std::int64_t>(chips.size());
  f.engine_set = numbers_of(engines);
  if (d.parallel_copy) {
    f.engines = f.engines_of = 0;
    f.engine_set.clear();
  }
  for (const auto& [chip, loads] : sched::book::channel_loads(device_, d)) {
    auto& sums = channels_[chip];
    sums.resize(loads.size());
    std::set<std::int64_t> stacks;
    for (std::size_t c = 0; c < loads.size(); ++c) {
      sums[c].requests += loads[c].requests;
      sums[c].row_switches += loads[c].row_switches;
      sums[c].busy += static_cast<double>(sched::book::channel_time(device_, loads[c]).cycles);
      f.requests += loads[c].requests;
      f.row_switches += loads[c].row_switches;
      f.partial_writes += loads[c].partial_writes;
      if (loads[c].requests == 0) continue;
      ++f.channels;
      stacks.insert(static_cast<std::int64_t>(c) / device_.hbm.channels_per_stack);
    }
    f.channels_of += static_cast<std::int64_t>(loads.size());
    f.stacks += static_cast<std::int64_t>(stacks.size());
    f.stacks_of += device_.hbm.stacks_per_chip;
    f.unit = device_.hbm.access_bytes;
  }
  return f;
}

void FactFinder::add_to(const program::Command& from, trace::Command& to) {
  if (const auto* dma = std::get_if<program::Dma>(&from.what)) to.dma = facts_of(*dma);
  const auto* exec = std::get_if<program::Exec>(&from.what);
  if (exec == nullptr) return;
  to.pass = facts_of(*exec);
  for (std::int64_t run : bank_runs_.of(from)) to.pass->longest_bank_run = std::max(to.pass->longest_bank_run, run);
}

std::vector<std::int64_t> FactFinder::runs_of(const program::Command& command) {
  std::vector<std::int64_t> runs = bank_runs_.of(command);
  if (!runs.empty()) runs.resize(static_cast<std::size_t>(device_.dm.banks_per_slice));
  return runs;
}

std::vector<trace::Usage> FactFinder::channels() const {
  std::vector<trace::Usage> all;
  for (const auto& [chip, sums] : channels_)
    for (std::size_t c = 0; c < sums.size(); ++c) {
      std::int64_t const stack = static_cast<std::int64_t>(c) / device_.hbm.channels_per_stack;
      std::int64_t const channel = static_cast<std::int64_t>(c) % device_.hbm.channels_per_stack;
      std::string const group = "HBM channels" + (channels_.size() > 1 ? " of chip " + std::to_string(chip) : std::string());
      double const bytes = static_cast<double>(sums[c].requests) * static_cast<double>(device_.hbm.access_bytes.value);
      all.push_back({group, std::to_string(stack) + "." + std::to_string(channel), Cycles{bounded(sums[c].busy)}, Bytes{bounded(bytes)},
                     sums[c].requests, sums[c].row_switches});
    }
  return all;
}

}  // namespace tcp::timeline
