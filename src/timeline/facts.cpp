// Counts, for each command, what its records use of the chip: slices, rows, multipliers, channels of HBM, lengths of
// runs.
#include "timeline/facts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "tcp/device/casts.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/scalar/format.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/sched/calibrated.hpp"

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

/// Cycles of so many bytes, so many at a time.
double cycles_of(double bytes, Bytes a_cycle) { return bytes / static_cast<double>(std::max<std::int64_t>(a_cycle.value, 1)); }

double bytes_of(const program::Sequencer& s) {
  return static_cast<double>(s.packets) * static_cast<double>(s.accesses_per_packet) * static_cast<double>(s.access_bytes);
}

/// What a pass takes at least on the slices that it has: what it reads, multiplies, sums up and writes, each at the
/// full rate of its engine. A stream is read again for weights that could stand in other Rows.
Cycles ideal_cycles(const Device& device, const program::Exec& e, const trace::PassFacts& f) {
  Bytes const flit = e.dual ? device.flit.dual_bytes : device.flit.bytes;
  Bytes const fetched = e.sub ? std::min(device.fetch.sub_size, flit) : flit;
  double const rows = e.contraction ? static_cast<double>(f.rows) / static_cast<double>(std::max<std::int64_t>(f.rows_of, 1)) : 1;
  double most = cycles_of(bytes_of(e.fetch.read), fetched) * rows;
  if (e.collect) {
    double const packets = static_cast<double>(e.switching ? e.switching->time_out : e.fetch.read.packets);
    most = std::max(most, cycles_of(packets * static_cast<double>(e.collect->packet_bytes), flit) * rows);
  }
  if (e.contraction) {
    const program::Contraction& c = *e.contraction;
    double const lanes = static_cast<double>(f.lanes) / static_cast<double>(std::max<std::int64_t>(f.lanes_of, 1));
    most = std::max(most, static_cast<double>(c.steps) * rows * lanes);
    double sums = static_cast<double>(c.rows) * static_cast<double>(c.columns);
    for (const program::TimeLoop& loop : c.loops)
      if (!loop.added) sums *= static_cast<double>(loop.rounds);
    most = std::max(most, sums / static_cast<double>(device.vector.lanes));
  }
  if (e.transpose) most = std::max(most, static_cast<double>(sched::book::transpose_cycles(*e.transpose).value));
  if (const auto* commit = std::get_if<program::Commit>(&e.sink))
    most = std::max(most, cycles_of(bytes_of(commit->write), e.sub ? fetched : device.flit.bytes));
  return Cycles{bounded(std::ceil(most))};
}

/// Whether values come out as they went in.
bool only_moves(const program::Exec& e) {
  const auto* commit = std::get_if<program::Commit>(&e.sink);
  return commit != nullptr && !commit->cast && !commit->pack_valid && !e.contraction && !e.vector && !e.cast && e.fetch.table < 0 &&
         e.fetch.stored == e.fetch.type && e.fetch.zero_points.empty() && !e.fetch.mask;
}

/// What one side of a descriptor goes through, but for rounds that come back to the same bytes.
std::vector<std::int64_t> walk_of(const program::DmaDescriptor& d, const program::DmaSide& side, bool write) {
  std::vector<std::int64_t> key{static_cast<std::int64_t>(side.memory), side.chip, side.cluster, side.unit, side.address, d.packet_bytes};
  for (const program::DmaLoop& l : d.loops) {
    std::int64_t const stride = write ? l.write_stride : l.read_stride;
    if (l.size > 1 && (stride != 0 || l.index_stride != 0)) key.insert(key.end(), {l.size, stride, l.index_stride});
  }
  if (d.index && d.index->scatter == write) key.push_back(d.index->table.address);  // other entries name other rows
  return key;
}
double distinct_bytes(const program::DmaDescriptor& d, bool write) {
  double n = static_cast<double>(d.packet_bytes);
  for (const program::DmaLoop& l : d.loops)
    if ((write ? l.write_stride : l.read_stride) != 0 || l.index_stride != 0) n *= static_cast<double>(l.size);
  return n;
}
/// How often a transfer moves each byte. What goes to two clusters counts once for each: no switch leads from one to
/// the other.
std::int64_t copies_of(const program::Dma& d) {
  double all = 0, reads = 0, writes = 0;
  std::set<std::pair<std::int32_t, std::vector<std::int64_t>>> read, written;
  for (const program::DmaDescriptor& each : d.descriptors) {
    all += bytes_of(each);
    if (read.emplace(each.write.cluster, walk_of(each, each.read, false)).second) reads += distinct_bytes(each, false);
    if (written.emplace(each.read.cluster, walk_of(each, each.write, true)).second) writes += distinct_bytes(each, true);
  }
  double const distinct = std::min(reads, writes);
  return distinct > 0 ? std::max<std::int64_t>(bounded(all / distinct), 1) : 1;
}

/// What the Vector Engine works on.
constexpr ScalarType vector_types[] = {ScalarType::i32, ScalarType::f32};

std::int64_t slices_of(const program::Units& u) {
  return std::max<std::int64_t>(std::count(u.chips.begin(), u.chips.end(), true) * std::popcount(u.clusters) * count(u.slices), 1);
}

/// Whether what a table holds could be computed in the pass: the fetch casts the stored values itself, or to what the
/// Vector Engine works on, and the Cast Engine makes the type of the result.
bool is_computable(const Device& device, const program::Exec& e) {
  if (has_fetch_cast(device, e.fetch.stored, e.fetch.type)) return true;
  if (e.contraction) return false;
  return std::any_of(std::begin(vector_types), std::end(vector_types), [&](ScalarType wide) {
    bool const made = wide == e.fetch.type || has_cast_engine_cast(device, wide, e.fetch.type);
    return made && has_fetch_cast(device, e.fetch.stored, wide);
  });
}

/// Without what the program takes around it, and without waiting for cluster 1.
Cycles own_length(const trace::Command& c) {
  Cycles own = c.length() - c.of_program;
  for (const trace::Part& p : c.stalls)
    if (p.name == "lag") own -= p.cycles;
  return own;
}
/// A transfer by the engines of both clusters, each with as much as one has; none where both take part already, or
/// the chip has not two.
std::optional<program::Dma> by_both_clusters(const Device& device, const program::Dma& d) {
  if (device.levels.clusters_per_chip != 2) return std::nullopt;
  auto const engines = static_cast<std::int32_t>(device.dma.engines_per_chip / 2);
  program::Dma made = d;
  for (const program::DmaDescriptor& each : d.descriptors) {
    if (each.write.cluster != d.descriptors.front().write.cluster) return std::nullopt;
    program::DmaDescriptor& other = made.descriptors.emplace_back(each);
    other.engine += each.write.cluster == 0 ? engines : -engines;
    other.write.cluster = 1 - each.write.cluster;
    if (other.engine < 0) return std::nullopt;
  }
  return made;
}
bool waits_for_hbm(const trace::Command& c) {
  return std::any_of(c.stalls.begin(), c.stalls.end(), [](const trace::Part& p) { return p.name == "hbm-channel" || p.name == "hbm-row"; });
}
bool waits_for_a_dmn(const trace::Command& c) {
  return std::any_of(c.stalls.begin(), c.stalls.end(), [](const trace::Part& p) { return p.name == "dmn"; });
}

}  // namespace

/// What a command would take if its transfer were another one: the difference of both alone, so that what others do to
/// it stays as it is.
Cycles FactFinder::length_if(const program::Dma& d, const std::optional<program::Dma>& other, const trace::Command& now) const {
  if (!other || !alone_) return {};
  auto const before = alone_(d), after = alone_(*other);
  Cycles const own = own_length(now);
  if (!before || !after || *after >= *before || *before - *after >= own) return {};
  return own - (*before - *after);
}

/// One copy, which a switch then carries round a ring to all slices; and rows that are dealt out over slices, which
/// chips read quicker than long runs.
void FactFinder::add_other_ways(const program::Command& from, const program::Dma& d, trace::Command& to) const {
  trace::DmaFacts& f = *to.dma;
  f.copies = copies_of(d);
  if (waits_for_hbm(to)) f.in_order = length_if(d, walked_in_order(device_, d), to);
  if (waits_for_a_dmn(to) && !d.parallel_copy) f.both_dmns = length_if(d, by_both_dmns(device_, d), to);
  bool const load = std::all_of(d.descriptors.begin(), d.descriptors.end(), [](const program::DmaDescriptor& each) {
    return each.read.memory == program::Memory::Hbm && each.write.memory == program::Memory::Dm && !each.index;
  });
  bool const observed = model_ == "calibrated" || model_ == "planned";
  if (load && observed && alone_)
    if (auto const both = by_both_clusters(device_, d)) {
      auto const before = alone_(d), after = alone_(*both);
      if (before && after && *after > *before) f.both_clusters = own_length(to) + (*after - *before);
    }
  sched::Figures const figures = model_ == "planned" ? sched::Figures::Planned : sched::Figures::Seen;
  const chip::Observed& numbers = figures == sched::Figures::Planned ? device_.planned : device_.calibrated;
  if (load && f.copies > 1 && !from.writes.empty()) {
    double const a_slice = static_cast<double>(f.bytes.value) / static_cast<double>(slices_of(from.writes.front().units));
    double const flits = std::ceil(cycles_of(a_slice / static_cast<double>(f.copies), device_.flit.bytes));  // that each slice sends
    Cycles pass{bounded(flits * static_cast<double>(f.copies))};
    if (observed) pass += numbers.switch_pass + Cycles{numbers.long_ring_steps * f.copies};
    Cycles const once{to.streaming.value / f.copies};
    if (Cycles const other = to.startup + once + pass; other < to.length()) f.one_copy = other;
  }
  if (load && observed && !d.descriptors.empty()) {
    std::int64_t rate = numbers.engine_256;
    for (const program::DmaDescriptor& each : d.descriptors) rate = std::min(rate, sched::calibrated::engine_rate(device_, each, figures));
    double const dealt = static_cast<double>(to.streaming.value) * static_cast<double>(rate) / static_cast<double>(numbers.engine_256);
    if (rate < numbers.engine_256) f.dealt = Cycles{bounded(std::ceil(dealt))};
  }
}

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
    f.lanes = c.columns == 1 ? lanes_used(c, f.lanes_of) : f.lanes_of;  // else a packet is no sum, as with windows
  }
  f.ideal = ideal_cycles(device_, e, f);
  if (const auto* commit = std::get_if<program::Commit>(&e.sink)) f.outputs = bounded(static_cast<double>(commit->write.packets));
  if (e.fetch.table >= 0) f.table = static_cast<std::int64_t>(program_.tables[static_cast<std::size_t>(e.fetch.table)].bits.size());
  f.computable = e.fetch.table >= 0 && is_computable(device_, e);
  if (f.computable && (e.fetch.stored == e.fetch.type || !has_fetch_cast(device_, e.fetch.stored, e.fetch.type)))
    f.computed = Cycles{bounded(std::ceil(static_cast<double>(e.fetch.read.packets) * static_cast<double>(e.fetch.packet_elements) /
                                          static_cast<double>(device_.vector.lanes)))};
  f.moves = only_moves(e);
  if (e.contraction) {
    double const slices = static_cast<double>(f.slices * f.clusters * std::count(e.units.chips.begin(), e.units.chips.end(), true));
    f.multiply_adds = bounded(static_cast<double>(e.contraction->steps) * static_cast<double>(f.rows * f.lanes) * slices);
  }
  return f;
}

trace::DmaFacts FactFinder::facts_of(const program::Dma& d, Cycles length) {
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
      sched::book::ChannelTime const time = sched::book::channel_time(device_, loads[c]);
      std::int64_t const posted = model_ == "calibrated" ? time.partial : 0;  // chips do not wait for parts of units
      sums[c].busy += static_cast<double>(std::min(time.cycles - posted, length.value));
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
  if (const auto* dma = std::get_if<program::Dma>(&from.what)) {
    to.dma = facts_of(*dma, to.length());
    add_other_ways(from, *dma, to);
  }
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
