// A DMA in the models `planned` and `calibrated`: runs at the rate of an engine and of its DMNs, broadcasts by who
// reads the same stretch, transfers within DM by their source slices, and writes of parts of units.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "sched/book/requests.hpp"
#include "sched/calibrated/calibrated.hpp"
#include "tcp/device/address_map.hpp"

namespace tcp::sched::calibrated {

namespace {

using book::crosses_pcie, book::PacketWalk, book::plus, book::same_medium, book::times;
using program::DmaDescriptor;
using program::Engine;
using program::Memory;
using program::Stall;

bool in_whole_units(const Device& device, const DmaDescriptor& d) {
  std::int64_t const unit = device.hbm.access_bytes.value;
  if (d.index && d.index->scatter && d.index->row_stride % unit != 0) return false;
  auto const whole = [&](const program::DmaLoop& l) { return l.write_stride % unit == 0; };
  return d.packet_bytes % unit == 0 && d.write.address % unit == 0 && std::all_of(d.loops.begin(), d.loops.end(), whole);
}

/// How many packets of a descriptor are looked at: every unit that they write in part is remembered.
constexpr std::int64_t packets_looked_at = 1 << 16;

/// Looks at the writes of a DMA in the order of its engines.
class PartialWriteCount {
 public:
  explicit PartialWriteCount(const Device& device) : device_(device), unit_(device.hbm.access_bytes.value) {}

  void add(const DmaDescriptor& d) {
    if (d.write.memory != Memory::Hbm || in_whole_units(device_, d)) return;
    d_ = &d;
    left_ = packets_looked_at;
    std::int64_t const all = book::packets_of(d);
    weight_ = std::max<std::int64_t>(in_parts(all, 1, std::clamp<std::int64_t>(all, 1, left_)), 1);
    loop(0, book::first_address(device_, d.read), d.write.address, 0);
  }
  PartialWrites result() const {
    PartialWrites made;
    made.all = all_;
    for (const auto& [channel, n] : channels_) made.on_one_channel = std::max(made.on_one_channel, n);
    for (const auto& [dmn, stream] : streams_) made.in_turn = std::max(made.in_turn, stream.in_turn);
    std::map<std::int64_t, std::int64_t> contested;  // by cluster
    for (const auto& [unit, writes] : units_)
      if (writes.contested) {
        std::int64_t& sum = contested[cluster_of(writes.engine)];
        sum = plus(sum, times(writes.count, writes.count));
      }
    for (const auto& [cluster, n] : contested) made.contested = std::max(made.contested, n);
    return made;
  }

 private:
  struct Stream {
    std::int64_t last_unit = -1, in_turn = 0;
    bool last_counted = false;
  };
  struct UnitWrites {
    std::int32_t engine = -1;
    bool contested = false;
    std::int64_t count = 0;
  };

  std::int64_t cluster_of(std::int32_t engine) const {
    return engine / std::max<std::int64_t>(device_.dma.engines_per_chip / device_.levels.clusters_per_chip, 1);
  }
  void loop(std::size_t k, std::int64_t read, std::int64_t write, std::int64_t entry) {
    if (k == d_->loops.size()) {
      --left_;
      return packet(read, write + row(entry));
    }
    const program::DmaLoop& l = d_->loops[k];
    for (std::int64_t i = 0; i < l.size && left_ > 0; ++i)
      loop(k + 1, read + i * l.read_stride, write + i * l.write_stride, entry + i * l.index_stride);
  }
  /// Which rows a scatter names is not known: they are taken to be all rows, in order.
  std::int64_t row(std::int64_t entry) const {
    if (!d_->index || !d_->index->scatter || d_->index->rows < 1) return 0;
    return entry / 4 % d_->index->rows * d_->index->row_stride;
  }
  /// A packet writes whole units but for its first and its last one.
  void packet(std::int64_t read, std::int64_t write) {
    std::int64_t const end = write + d_->packet_bytes, first = write / unit_, last = (end - 1) / unit_;
    bool const head = write % unit_ != 0, tail = end % unit_ != 0;
    Stream& stream = streams_[{d_->engine, d_->read.memory == Memory::Dm ? read / dma_dmn_stride(device_).value : 0}];
    if (head || (tail && first == last)) one(stream, first);
    if (tail && first != last) one(stream, last);
  }
  void one(Stream& stream, std::int64_t unit) {
    all_ = plus(all_, weight_);
    if (stream.last_unit == unit) {
      stream.in_turn = plus(stream.in_turn, times(stream.last_counted ? 1 : 2, weight_));
      stream.last_counted = true;
    } else {
      stream.last_counted = false;
    }
    stream.last_unit = unit;
    UnitWrites& writes = units_[unit * 64 + d_->write.chip];
    if (writes.engine >= 0 && writes.engine != d_->engine) writes.contested = true;
    writes.engine = d_->engine;
    ++writes.count;  // rounds that are not looked at write other units
    auto const place = hbm_decode(device_, Bytes{unit * unit_});
    if (!place) return;  // no such memory: the program's own check says so
    std::int64_t& channel = channels_[{d_->write.chip, place->stack * device_.hbm.channels_per_stack + place->channel}];
    channel = plus(channel, weight_);
  }

  const Device& device_;
  std::int64_t unit_;
  const DmaDescriptor* d_ = nullptr;
  std::int64_t left_ = 0;    // packets to look at
  std::int64_t weight_ = 1;  // for how many packets one stands: of long descriptors the first rounds stand for all
  std::int64_t all_ = 0;
  std::map<std::pair<std::int32_t, std::int64_t>, std::int64_t> channels_;  // by chip and channel
  std::map<std::pair<std::int32_t, std::int64_t>, Stream> streams_;         // by engine and DMN
  std::unordered_map<std::int64_t, UnitWrites> units_;
};

/// Rounds that read other bytes; the others read them again.
std::int64_t distinct_packets(const DmaDescriptor& d) {
  std::int64_t n = 1;
  for (const program::DmaLoop& l : d.loops)
    if (l.read_stride != 0 || l.index_stride != 0) n = times(n, l.size);
  return n;
}

/// How far a descriptor goes through both sides at once, packet after packet.
std::int64_t run_bytes(const DmaDescriptor& d) {
  std::int64_t run = d.packet_bytes;
  for (bool grown = true; grown;) {
    grown = false;
    for (const program::DmaLoop& l : d.loops)
      if (l.size > 1 && l.read_stride == run && l.write_stride == run) {
        run = times(run, l.size);
        grown = true;
      }
  }
  return run;
}
/// A number that all runs of a side begin at a multiple of; 0: there is one run, at address 0.
std::int64_t alignment(const DmaDescriptor& d, bool write) {
  std::int64_t common = (write ? d.write : d.read).address;
  for (const program::DmaLoop& l : d.loops)
    if (l.size > 1) common = std::gcd(common, write ? l.write_stride : l.read_stride);
  return common;
}

/// Hundredths of a byte per cycle. From 64 KiB on it grows with the logarithm of the run, up to that of 128 KiB.
std::int64_t rate_of(const chip::Observed& c, std::int64_t run) {
  constexpr std::int64_t last_long = std::int64_t{64} << 10, first_block = std::int64_t{128} << 10;
  if (run < 512) return c.engine_256;
  if (run < 1024) return c.engine_512;
  if (run < 2048) return c.engine_1024;
  if (run < 4096) return c.engine_2048;
  if (run <= last_long) return c.engine_long;
  if (run >= first_block) return c.engine_block;
  double const part = std::log2(static_cast<double>(run) / static_cast<double>(last_long));
  return c.engine_long + static_cast<std::int64_t>(std::llround(part * static_cast<double>(c.engine_block - c.engine_long)));
}

/// A transfer by the figures of plans or of chips. What an engine takes for its runs, one after the other, is the
/// pace; broadcasts, the link to other chips and writes of parts of units come on top of it.
class ObservedDma {
 public:
  ObservedDma(const Device& device, const program::Dma& d, Figures figures)
      : device_(device), figures_(figures), c_(observed(device, figures)), d_(d), within_dm_(is_within_dm(d)) {}

  Cycles lag() const { return Cycles{by_engine().lag}; }
  program::Cost cost() const {
    program::Cost cost;
    cost.slowest = Engine::Dma;
    cost.startup = startup();
    Ends const engines = by_engine();
    cost.streaming = Cycles{engines.aligned};
    cost.engines.push_back({Engine::Dma, cost.streaming});
    std::int64_t data = cost.streaming.value;
    wait_until(cost, data, engines.all, Stall::HbmChannel, Engine::Hbm);
    wait_until(cost, data, engines.end, Stall::Dmn, Engine::Dma);
    wait_until(cost, data, broadcast(), Stall::Broadcast, Engine::Hbm);
    if (within_dm_) wait_until(cost, data, within_dm(), Stall::Dmn, Engine::Dma);
    if (std::any_of(d_.descriptors.begin(), d_.descriptors.end(), crosses_pcie))
      wait_until(cost, data, over_pcie(), Stall::Pcie, Engine::Pcie);
    PartialWrites const partial = partial_writes(device_, d_);
    if (partial.all > 0) {
      wait_until(cost, data, in_parts_of_units(partial), Stall::PartialWrite, Engine::Hbm);
      if (several_dmns() && begins_within_units()) add_stall(cost, Stall::PartialWrite, c_.unaligned_store.value);
    }
    return cost;
  }

 private:
  static bool is_within_dm(const program::Dma& d) {
    return std::all_of(d.descriptors.begin(), d.descriptors.end(),
                       [](const DmaDescriptor& each) { return each.read.memory == Memory::Dm && each.write.memory == Memory::Dm; });
  }
  /// Cycles of n things that take so many hundredths each.
  static std::int64_t hundredths(std::int64_t n, std::int64_t each) { return in_parts(n, each, 100); }
  /// Cycles of bytes at a rate in hundredths of a byte.
  static std::int64_t at_rate(std::int64_t bytes, std::int64_t rate) { return book::quotient_up(times(bytes, 100), rate); }

  static void wait_until(program::Cost& cost, std::int64_t& data, std::int64_t cycles, Stall cause, Engine engine) {
    if (cycles <= data) return;
    add_stall(cost, cause, cycles - data);
    cost.slowest = engine;
    data = cycles;
  }

  Cycles startup() const {
    std::set<std::int32_t> engines;
    bool indexed = false;
    for (const DmaDescriptor& each : d_.descriptors) {
      engines.insert(each.engine);
      indexed = indexed || each.index.has_value();
    }
    Cycles const first = within_dm_            ? c_.dm_startup
                         : engines.size() > 2  ? c_.dma_startup_several
                         : engines.size() == 2 ? Cycles{(c_.dma_startup + c_.dma_startup_several).value / 2}
                                               : c_.dma_startup;
    return indexed ? first + c_.index : first;
  }

  struct Pace {
    std::int64_t aligned = 0, all = 0;  // cycles, were all runs aligned; and as they are

    void add(const Pace& o) {
      aligned = plus(aligned, o.aligned);
      all = plus(all, o.all);
    }
  };
  /// What an engine moves, and what it takes for the DMN of its pair that gets most of that from HBM.
  struct EnginePace : Pace {
    std::map<std::int64_t, std::int64_t> dmns;  // cycles of the engine, by DMN; empty: it waits for none

    std::int64_t end(const Device& device) const {
      std::int64_t most = 0;
      for (const auto& [dmn, cycles] : dmns) most = std::max(most, cycles);
      return std::max(all, in_parts(most, device.dma.engine_bytes_per_cycle.value, device.dm.dmn_bytes_per_cycle.value));
    }
  };
  Pace of_packets(const DmaDescriptor& d) const {
    std::int64_t const packets = times(book::packets_of(d), same_medium(d) ? 2 : 1), bytes = times(packets, d.packet_bytes);
    std::int64_t const least = d.packet_bytes >= 128  ? c_.run_hundredths
                               : d.packet_bytes >= 64 ? c_.run_64_hundredths
                                                      : c_.run_short_hundredths;
    std::int64_t const aligned = std::max(at_rate(bytes, rate_of(c_, run_bytes(d))), hundredths(packets, least));
    if (d.read.memory != Memory::Hbm || d.packet_bytes < device_.dma.request_bytes.value) return {aligned, aligned};
    std::int64_t const begins = alignment(d, false);
    std::int64_t const percent = begins % 256 == 0 ? 100 : begins % 64 == 0 ? c_.aligned_64_percent : c_.unaligned_percent;
    return {aligned, in_parts(aligned, percent, 100)};
  }
  std::int64_t engines_of_cluster() const {
    return std::max<std::int64_t>(device_.dma.engines_per_chip / device_.levels.clusters_per_chip, 1);
  }

  /// How many of its slices a load has in each DMN.
  std::map<std::int64_t, std::int64_t> slices_by_dmn(const DmaDescriptor& d) const {
    std::int64_t const stride = device_.dm.dma_slice_stride.value;
    std::set<std::int64_t> slices{book::first_address(device_, d.write) / stride};
    for (const program::DmaLoop& l : d.loops) {
      if (l.size < 2 || l.write_stride == 0 || l.write_stride % stride != 0) continue;
      std::set<std::int64_t> const first = std::move(slices);
      slices.clear();
      for (std::int64_t i = 0; i < std::min(l.size, device_.levels.slices_per_cluster); ++i)
        for (std::int64_t slice : first) slices.insert(slice + i * (l.write_stride / stride));
    }
    std::map<std::int64_t, std::int64_t> by_dmn;
    for (std::int64_t slice : slices) ++by_dmn[slice / device_.levels.slices_per_dmn];
    return by_dmn;
  }
  std::map<std::int32_t, EnginePace> engines() const {
    std::map<std::int32_t, EnginePace> all;
    for (const DmaDescriptor& each : d_.descriptors) {
      EnginePace& engine = all[each.engine];
      Pace const pace = of_packets(each);
      engine.add(pace);
      if (figures_ == Figures::Planned || each.read.memory != Memory::Hbm || each.write.memory != Memory::Dm) continue;  // plans do not say
      auto const dmns = slices_by_dmn(each);
      std::int64_t slices = 0;
      for (const auto& [dmn, count] : dmns) slices += count;
      for (const auto& [dmn, count] : dmns) {
        std::int64_t& sum = engine.dmns[dmn];
        sum = plus(sum, times(pace.all, count) / slices);
      }
    }
    return all;
  }

  /// When the slowest engine has ended: were all runs aligned, as they are, and with the DMNs that it waits for; and
  /// how much later cluster 1 ends than cluster 0.
  struct Ends {
    std::int64_t aligned = 0, all = 0, end = 0, lag = 0;

    Ends times_percent(std::int64_t percent) const {
      return {in_parts(aligned, percent, 100), in_parts(all, percent, 100), in_parts(end, percent, 100), in_parts(lag, percent, 100)};
    }
  };
  Ends by_engine() const {
    if (within_dm_) return {};
    auto const all = engines();
    Ends ends;
    std::int64_t dmns = 0, waiting = 0;
    for (const auto& [number, engine] : all) {
      std::int64_t const end = engine.end(device_);
      dmns += static_cast<std::int64_t>(engine.dmns.size());
      waiting += end > engine.all;
      if (end > ends.end) ends = {engine.aligned, engine.all, end, 0};
    }
    if (reads_hbm()) {
      bool const half = 2 * static_cast<std::int64_t>(all.size()) <= device_.dma.engines_per_chip;
      bool const half_of_dmns = waiting > 0 && 2 * dmns <= device_.levels.dmns_per_cluster * device_.levels.clusters_per_chip;
      if (half || half_of_dmns) ends = ends.times_percent(c_.half_engines_percent);
      else if (c_.second_cluster_percent < 100) ends = by_clusters(all, ends);
    }
    if (c_.one_stack_percent != 100 && reads_one_stack()) {
      std::int64_t const aligned = ends.aligned;
      ends = ends.times_percent(c_.one_stack_percent);
      ends.aligned = aligned;
    }
    return ends;
  }

  /// No command takes as long as the most that this gives.
  static std::int64_t to_the_nearest(double cycles) { return std::llround(std::min(cycles, 0x1p60)); }

  /// Two clusters of a chip that read HBM: cluster 0 goes first; cluster 1 has what HBM leaves, lags, and is as fast as
  /// alone when cluster 0 has ended. `slowest` is the pace of the slowest engine of all.
  Ends by_clusters(const std::map<std::int32_t, EnginePace>& engines, const Ends& slowest) const {
    struct Cluster {
      std::int64_t aligned = 0, all = 0;  // of the slowest engine
      double longest = 0, sum = 0;
    };
    std::map<std::int64_t, std::map<std::int64_t, Cluster>> chips;
    for (const auto& [engine, pace] : engines) {
      Cluster& cluster = chips[engine / device_.dma.engines_per_chip][engine % device_.dma.engines_per_chip / engines_of_cluster()];
      auto const end = static_cast<double>(pace.end(device_));
      if (end > cluster.longest) {
        cluster.aligned = pace.aligned;
        cluster.all = pace.all;
      }
      cluster.longest = std::max(cluster.longest, end);
      cluster.sum += end;
    }
    double const by_itself = static_cast<double>(c_.half_engines_percent) / 100;
    Ends ends;
    for (const auto& [chip, clusters] : chips) {
      if (clusters.size() != 2) return slowest;
      const Cluster &first = clusters.begin()->second, &second = clusters.rbegin()->second;
      if (first.longest <= 0 || second.longest <= 0) return slowest.times_percent(c_.half_engines_percent);
      // Engines of cluster 1 that are done leave to the others what HBM gives.
      double const mean = second.sum / static_cast<double>(engines_of_cluster());
      double const behind = mean * 100 / static_cast<double>(c_.second_cluster_percent);  // were both loading all the time
      double end = first.longest, second_end = behind;
      if (behind <= end) end = behind + (end - behind) * by_itself;
      else second_end = end + mean * (1 - end / behind) * by_itself;
      double const lag = std::max(std::max(second_end, second.longest * by_itself) - end, 0.0);
      std::int64_t const ended = to_the_nearest(end), later = to_the_nearest(lag);
      if (plus(ended, later) <= plus(ends.end, ends.lag)) continue;
      double const by = end / first.longest;
      ends = {to_the_nearest(static_cast<double>(first.aligned) * by), to_the_nearest(static_cast<double>(first.all) * by), ended, later};
    }
    return ends;
  }

  bool reads_hbm() const {
    return std::any_of(d_.descriptors.begin(), d_.descriptors.end(), [](const DmaDescriptor& d) { return d.read.memory == Memory::Hbm; });
  }
  /// Whether a descriptor of many packets finds all of them in one stack of HBM, as far as the first ones tell.
  bool reads_one_stack() const {
    constexpr std::int64_t looked_at = 64;
    for (const DmaDescriptor& d : d_.descriptors) {
      if (d.read.memory != Memory::Hbm || book::packets_of(d) < looked_at || d.packet_bytes > device_.dma.request_bytes.value) return false;
      std::vector<OdometerLoop<1>> loops;
      for (const program::DmaLoop& l : d.loops) loops.push_back({l.size, {l.read_stride}});
      std::set<std::int64_t> stacks;
      std::int64_t seen = 0;
      for (Odometer<1> walk(loops); !walk.done() && seen < looked_at; walk.next(), ++seen)
        if (auto const place = hbm_decode(device_, Bytes{d.read.address + walk.at(0)})) stacks.insert(place->stack);
      if (stacks.size() != 1) return false;
    }
    return !d_.descriptors.empty();
  }

  /// Bytes that are read again and again. Engines of a cluster that read the same region of HBM wait for each other.
  std::int64_t broadcast() const {
    struct Regions {
      std::int64_t count = 0;
      std::set<std::int32_t> engines;
    };
    struct Cluster {
      std::int64_t bytes = 0, packets = 0;
      std::map<std::pair<std::int32_t, std::int64_t>, Regions> regions;  // by chip and address
    };
    std::map<std::int64_t, Cluster> clusters;
    for (const DmaDescriptor& each : d_.descriptors) {
      if (each.read.memory != Memory::Hbm || distinct_packets(each) == book::packets_of(each)) continue;
      Cluster& cluster = clusters[each.engine / engines_of_cluster()];
      cluster.bytes = plus(cluster.bytes, times(book::packets_of(each), each.packet_bytes));
      cluster.packets = plus(cluster.packets, book::packets_of(each));
      Regions& regions = cluster.regions[{each.read.chip, each.read.address}];
      regions.count = std::max(regions.count, times(each.packet_bytes, distinct_packets(each)) / of_a_slice(each));
      regions.engines.insert(each.engine);
    }
    std::int64_t most = 0;
    for (const auto& [number, cluster] : clusters) {
      std::int64_t at_once = 0;  // engines that do not wait for another one
      for (const auto& [place, r] : cluster.regions)
        at_once = plus(at_once, std::clamp<std::int64_t>(r.count, 1, static_cast<std::int64_t>(r.engines.size())));
      std::int64_t const rate = std::min(c_.broadcast_own, times(c_.broadcast_shared, at_once));
      std::int64_t const packets =
          hundredths(cluster.packets, c_.broadcast_packet_hundredths) / std::clamp<std::int64_t>(at_once, 1, engines_of_cluster());
      most = std::max({most, at_rate(cluster.bytes, rate), packets});
    }
    return most;
  }

  /// Bytes that a slice gets, one of those that read the same.
  std::int64_t of_a_slice(const DmaDescriptor& d) const {
    std::int64_t bytes = d.packet_bytes;
    for (const program::DmaLoop& l : d.loops)
      if (l.read_stride != 0 && std::abs(l.write_stride) < device_.dm.dma_slice_stride.value) bytes = times(bytes, l.size);
    return std::max<std::int64_t>(bytes, 1);
  }

  std::int64_t within_dm() const {
    std::set<std::pair<std::int64_t, std::int64_t>> slices;
    std::int64_t bytes = 0, packets = 0;
    for (const DmaDescriptor& each : d_.descriptors) {
      bytes = plus(bytes, times(book::packets_of(each), each.packet_bytes));
      packets = plus(packets, book::packets_of(each));
      auto visit = [&](std::int64_t address) {
        slices.insert({each.read.chip * device_.levels.clusters_per_chip + each.read.cluster, address / device_.dm.dma_slice_stride.value});
      };
      PacketWalk const walk(device_, each, false, visit);
    }
    auto const sources = std::max<std::int64_t>(static_cast<std::int64_t>(slices.size()), 1);
    return std::max({at_rate(bytes / sources, c_.dm_slice), at_rate(bytes, c_.dm_all), hundredths(packets, c_.dm_run_hundredths)});
  }

  std::int64_t over_pcie() const {
    std::int64_t most = 0;
    for (const program::EngineCycles& e : book::dma_cost(device_, d_).engines)
      if (e.engine == Engine::Pcie) most = std::max(most, e.cycles.value);
    return most;
  }

  /// Where plans wait for writes in part. Those of one DMN of a cluster are free; those of several have a price by the
  /// piece, and where they meet in a unit or a channel they are read, changed and written one after the other.
  std::int64_t in_parts_of_units(const PartialWrites& partial) const {
    if (c_.pieces.value == 0) return 0;
    Ratio const rate = hbm_access_cycles(device_);
    std::int64_t const each = in_parts(device_.hbm.partial_write_factor, rate.num, rate.den);
    std::int64_t const on_channel = times(std::max<std::int64_t>(partial.on_one_channel - 1, 0), each);
    // Each of n writes into one unit by several engines waits for those before it; what it takes was seen of units that
    // are written in pieces of two bytes.
    std::int64_t const contested = in_parts(partial.contested, c_.contested_write.value, device_.hbm.access_bytes.value);
    std::int64_t const meeting = std::max({partial.in_turn > 0 ? on_channel : 0, times(partial.in_turn, each), contested});
    if (!several_dmns()) return 0;
    std::int64_t packets = 0;
    for (const DmaDescriptor& d : d_.descriptors) packets = plus(packets, book::packets_of(d));
    return std::max(meeting, plus(c_.pieces.value, hundredths(packets, c_.piece_hundredths)));
  }
  bool begins_within_units() const {
    std::int64_t const unit = device_.hbm.access_bytes.value;
    return std::any_of(d_.descriptors.begin(), d_.descriptors.end(),
                       [unit](const DmaDescriptor& d) { return alignment(d, true) % unit != 0; });
  }
  /// Whether a cluster sends from more than one DMN.
  bool several_dmns() const {
    std::map<std::int64_t, std::set<std::int64_t>> dmns;
    for (const DmaDescriptor& each : d_.descriptors) {
      if (each.read.memory != Memory::Dm) continue;
      std::set<std::int64_t>& of_cluster = dmns[each.read.chip * device_.levels.clusters_per_chip + each.read.cluster];
      auto visit = [&](std::int64_t address) { of_cluster.insert(address / dma_dmn_stride(device_).value); };
      PacketWalk const walk(device_, each, false, visit);
    }
    return std::any_of(dmns.begin(), dmns.end(), [](const auto& of_cluster) { return of_cluster.second.size() > 1; });
  }

  const Device& device_;
  Figures figures_;
  const chip::Observed& c_;
  const program::Dma& d_;
  bool within_dm_;
};

/// The sub context copies: its pass, without an engine of DMA.
program::Cost parallel_copy_cost(const Device& device, const program::Dma& d, Figures figures) {
  program::Cost cost = book::dma_cost(device, d);
  cost.startup = observed(device, figures).sub_pass;
  return cost;
}

}  // namespace

PartialWrites partial_writes(const Device& device, const program::Dma& d) {
  PartialWriteCount count(device);
  for (const DmaDescriptor& each : d.descriptors) count.add(each);
  return count.result();
}

std::int64_t engine_rate(const Device& device, const program::DmaDescriptor& d, Figures figures) {
  return rate_of(observed(device, figures), run_bytes(d));
}

Cycles dma_lag(const Device& device, const program::Dma& d, Figures figures) {
  return d.parallel_copy ? Cycles{0} : ObservedDma(device, d, figures).lag();
}

program::Cost dma_cost(const Device& device, const program::Dma& d, Figures figures) {
  return d.parallel_copy ? parallel_copy_cost(device, d, figures) : ObservedDma(device, d, figures).cost();
}

}  // namespace tcp::sched::calibrated
