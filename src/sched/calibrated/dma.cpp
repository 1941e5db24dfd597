// A DMA in the model `calibrated`: requests at the rate of an engine, broadcasts at that of one, partial writes one
// after the other, and the rates of the chip.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "sched/book/requests.hpp"
#include "sched/calibrated/calibrated.hpp"
#include "tcp/device/address_map.hpp"

namespace tcp::sched::calibrated {

namespace {

using book::crosses_pcie, book::plus, book::same_medium, book::times;
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
    for (const auto& [unit, writes] : units_)
      if (writes.contested) made.contested = std::max(made.contested, writes.count);
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

struct Totals {
  std::int64_t descriptors = 0, requests = 0;  // of one engine
};

class CalibratedDma {
 public:
  CalibratedDma(const Device& device, const program::Dma& d) : device_(device), d_(d) {
    std::map<std::int32_t, Totals> engines;
    for (const DmaDescriptor& each : d.descriptors) {
      Totals& t = engines[each.engine];
      ++t.descriptors;
      t.requests = plus(t.requests, times(book::requests_of(device, each), same_medium(each) ? 2 : 1));
      pcie_ = pcie_ || crosses_pcie(each);
      reads_hbm_ = reads_hbm_ || each.read.memory == Memory::Hbm;
    }
    for (const auto& [engine, t] : engines)
      if (t.requests >= slowest_.requests) slowest_ = t;
  }

  program::Cost planned() const {
    program::Cost cost;
    cost.slowest = Engine::Dma;
    cost.startup = Cycles{times(slowest_.descriptors, device_.calibrated.dma_startup.value)};
    cost.streaming = Cycles{at_engine_rate(slowest_.requests)};
    cost.engines.push_back({Engine::Dma, cost.streaming});
    std::int64_t data = cost.streaming.value;
    wait_until(cost, data, broadcast(), Stall::HbmChannel, Engine::Hbm);
    Channel const busiest = channel();
    wait_until(cost, data, busiest.cycles, busiest.cause, Engine::Hbm);
    if (pcie_) wait_until(cost, data, over_pcie(), Stall::Pcie, Engine::Pcie);
    add_stall(cost, Stall::PartialWrite, partial());
    return cost;
  }

  /// Reads of HBM and broadcasts have figures of their own; the rest is stretched.
  program::Cost seen_on_chip() const {
    program::Cost cost;
    cost.slowest = Engine::Dma;
    cost.startup = Cycles{times(slowest_.descriptors, device_.calibrated.dma_startup_seen.value)};
    cost.streaming = Cycles{at_engine_rate(slowest_.requests)};
    if (!reads_hbm_) cost.streaming = seen(device_, cost.streaming);
    cost.engines.push_back({Engine::Dma, cost.streaming});
    std::int64_t data = cost.streaming.value;
    wait_until(cost, data, reading(), Stall::HbmChannel, Engine::Hbm);
    wait_until(cost, data, broadcast(), Stall::HbmChannel, Engine::Hbm);
    wait_until(cost, data, making_descriptors(), Stall::DescriptorBuild, Engine::Dma);
    Channel const busiest = channel();
    wait_until(cost, data, seen(device_, Cycles{busiest.cycles}).value, busiest.cause, Engine::Hbm);
    if (pcie_) wait_until(cost, data, over_pcie(), Stall::Pcie, Engine::Pcie);
    if (partial_.all > 0)
      add_stall(cost, Stall::PartialWrite, std::max(seen(device_, Cycles{partial()}), device_.calibrated.partial_write_seen).value);
    return cost;
  }

 private:
  std::int64_t at_engine_rate(std::int64_t requests) const { return in_parts(requests, device_.calibrated.request_hundredths, 100); }

  static void wait_until(program::Cost& cost, std::int64_t& data, std::int64_t cycles, Stall cause, Engine engine) {
    if (cycles <= data) return;
    add_stall(cost, cause, cycles - data);
    cost.slowest = engine;
    data = cycles;
  }

  /// Bytes that are read again and again: a stretch of them is given out by one engine at a time.
  std::int64_t broadcast() const {
    struct Source {
      std::int64_t distinct = 0, requests = 0;
    };
    std::map<std::tuple<std::int32_t, std::int64_t>, Source> sources;
    for (const DmaDescriptor& each : d_.descriptors) {
      if (each.read.memory != Memory::Hbm) continue;
      Source& s = sources[{each.read.chip, each.read.address}];
      s.distinct = std::max(s.distinct, times(each.packet_bytes, distinct_packets(each)));
      s.requests = plus(s.requests, book::requests_of(device_, each));
    }
    std::int64_t most = 0;
    for (const auto& [place, s] : sources) {
      std::int64_t const stretches = std::max<std::int64_t>(book::quotient_up(s.distinct, device_.dma.packet_limit.value), 1);
      if (s.requests > book::quotient_up(s.distinct, device_.dma.request_bytes.value)) most = std::max(most, s.requests / stretches);
    }
    return at_engine_rate(most);
  }

  struct Channel {
    std::int64_t cycles = 0;
    Stall cause = Stall::HbmChannel;
  };
  /// The busiest channel by the book, partial writes apart.
  Channel channel() const {
    Ratio const rate = hbm_access_cycles(device_);
    Channel most;
    for (const auto& [chip, loads] : book::channel_loads(device_, d_))
      for (const book::ChannelLoad& load : loads) {
        bool const switches = 2 * load.row_switches > load.requests;
        std::int64_t const cycles =
            switches ? times(load.requests, device_.hbm.row_switch.value) : in_parts(load.requests, rate.num, rate.den);
        if (cycles > most.cycles) most = {cycles, switches ? Stall::HbmRow : Stall::HbmChannel};
      }
    return most;
  }

  std::int64_t over_pcie() const {
    std::int64_t most = 0;
    for (const program::EngineCycles& e : book::dma_cost(device_, d_).engines)
      if (e.engine == Engine::Pcie) most = std::max(most, e.cycles.value);
    return most;
  }

  /// What the last write of a channel leaves to do is not waited for.
  std::int64_t partial() const {
    Ratio const rate = hbm_access_cycles(device_);
    std::int64_t const each = in_parts(device_.hbm.partial_write_factor, rate.num, rate.den);
    std::int64_t const on_channel = times(std::max<std::int64_t>(partial_.on_one_channel - 1, 0), each);
    return std::max({on_channel, times(partial_.in_turn, each), times(partial_.contested, device_.calibrated.contested_write.value)});
  }

  /// Reads of HBM at the rates of the chip: what a cluster gets alone is less than a half of what both get.
  std::int64_t reading() const {
    struct Reads {
      std::int64_t bytes = 0, together = 0;  // cycles, were both clusters at work
      std::set<std::int64_t> clusters;
    };
    std::int64_t const per_cluster = std::max<std::int64_t>(device_.dma.engines_per_chip / device_.levels.clusters_per_chip, 1);
    std::map<std::int32_t, Reads> chips;
    for (const DmaDescriptor& each : d_.descriptors) {
      if (each.read.memory != Memory::Hbm) continue;
      Reads& r = chips[each.read.chip];
      std::int64_t const bytes = times(each.packet_bytes, book::packets_of(each));
      r.bytes = plus(r.bytes, bytes);
      r.together = plus(r.together, book::quotient_up(bytes, read_rate(device_, each.packet_bytes)));
      r.clusters.insert(each.engine / per_cluster);
    }
    std::int64_t most = 0;
    for (const auto& [chip, r] : chips) {
      most = std::max(most, r.together);
      if (r.clusters.size() == 1) most = std::max(most, book::quotient_up(r.bytes, device_.calibrated.read_by_cluster.value));
    }
    return most;
  }

  /// The cycles in which the descriptors of a broadcast are made, one after the other on each chip.
  std::int64_t making_descriptors() const {
    std::map<std::int64_t, std::int64_t> packets;
    for (const DmaDescriptor& each : d_.descriptors) {
      std::int64_t& of_chip = packets[each.engine / device_.dma.engines_per_chip];
      std::int64_t const all = book::packets_of(each);
      if (distinct_packets(each) < all) of_chip = plus(of_chip, all);
    }
    std::int64_t most = 0;
    for (const auto& [chip, n] : packets) most = std::max(most, n);
    return times(most, device_.calibrated.descriptor_seen.value);
  }

  const Device& device_;
  const program::Dma& d_;
  Totals slowest_;
  bool pcie_ = false, reads_hbm_ = false;
  PartialWrites partial_ = partial_writes(device_, d_);
};

/// The sub context copies: its pass, without an engine of DMA.
program::Cost parallel_copy_cost(const Device& device, const program::Dma& d, Figures figures) {
  program::Cost cost = book::dma_cost(device, d);
  cost.startup = device.calibrated.sub_pass;
  if (figures == Figures::Planned) return cost;
  stretch(cost, {device.calibrated.seen_percent, 100});
  cost.startup = seen(device, cost.startup);
  return cost;
}

}  // namespace

PartialWrites partial_writes(const Device& device, const program::Dma& d) {
  PartialWriteCount count(device);
  for (const DmaDescriptor& each : d.descriptors) count.add(each);
  return count.result();
}

std::int64_t read_rate(const Device& device, std::int64_t run_bytes) {
  const chip::Calibrated& c = device.calibrated;
  if (run_bytes >= 2048) return c.read_2048.value;
  if (run_bytes >= 1024) return c.read_1024.value;
  if (run_bytes >= 512) return c.read_512.value;
  if (run_bytes >= 256) return c.read_256.value;
  if (run_bytes >= 128) return c.read_128.value;
  return std::max<std::int64_t>(in_parts(c.read_128.value, run_bytes, 128), 1);
}

program::Cost dma_cost(const Device& device, const program::Dma& d, Figures figures) {
  if (d.parallel_copy) return parallel_copy_cost(device, d, figures);
  CalibratedDma const dma(device, d);
  return figures == Figures::Seen ? dma.seen_on_chip() : dma.planned();
}

}  // namespace tcp::sched::calibrated
