// A DMA: its engines side by side, each with its descriptors in order, over media that have rates of their own.
#include <tuple>

#include "sched/book/requests.hpp"

namespace tcp::sched::book {

namespace {

using program::Engine;
using program::Memory;
using program::Stall;

/// What one side of a descriptor takes: one request per cycle, and more where its medium is slower.
struct SideCycles {
  std::int64_t requests = 0;  // transfers: a unit of HBM each, a request elsewhere
  std::int64_t waits = 0;     // for a DMN that is still busy
};

SideCycles hbm_side(const Device& device, const program::DmaDescriptor& d, bool write) {
  std::int64_t const unit = device.hbm.access_bytes.value;
  std::int64_t transfers = 0;
  auto const count = [&](const Request& r) { transfers += (r.address + r.bytes - 1) / unit - r.address / unit + 1; };
  auto visit = [&](std::int64_t packet) { each_request(device, packet, d.packet_bytes, count); };
  // Where every step is one of whole units, all packets are cut alike.
  auto const whole = [&](const program::DmaLoop& l) { return (write ? l.write_stride : l.read_stride) % unit == 0; };
  if (!d.index && std::all_of(d.loops.begin(), d.loops.end(), whole)) {
    visit(first_address(device, write ? d.write : d.read));
    return {times(transfers, packets_of(d)), 0};
  }
  PacketWalk const walk(device, d, write, visit);
  return {walk.for_all(transfers), 0};
}

/// A DMN, and a scratchpad, serves half of an engine's rate: packets that go to two of them in turn overlap, and one
/// that goes where the last one went waits for it.
SideCycles half_rate_side(const Device& device, const program::DmaDescriptor& d, bool write, Bytes apart, Bytes rate) {
  std::int64_t before = -1, alone = 0, packets = 0;  // alone: packets beside which the other one has nothing to do
  auto visit = [&](std::int64_t packet) {
    std::int64_t const one = packet / apart.value;
    if (one == before) ++alone;
    before = one;
    ++packets;
  };
  PacketWalk const walk(device, d, write, visit);
  if (alone == packets - 1) ++alone;  // the first one, if none takes turns with it
  std::int64_t const a_packet = std::max<std::int64_t>(quotient_up(d.packet_bytes, rate.value) - requests_of_packet(device, d), 0);
  return {requests_of(device, d), times(walk.for_all(alone), a_packet)};
}

SideCycles side_cycles(const Device& device, const program::DmaDescriptor& d, bool write) {
  switch ((write ? d.write : d.read).memory) {
    case Memory::Hbm: return hbm_side(device, d, write);
    case Memory::Dm: return half_rate_side(device, d, write, dma_dmn_stride(device), device.dm.dmn_bytes_per_cycle);
    case Memory::Spm: return half_rate_side(device, d, write, dma_pe_stride(device), device.spm.pe_bytes_per_cycle);
    default: return {requests_of(device, d), 0};
  }
}

/// What one engine does, descriptor after descriptor.
struct EngineWork {
  std::int64_t startup = 0, requests = 0, dmn_waits = 0, in_turn = 0;

  std::int64_t data() const { return plus(plus(requests, dmn_waits), in_turn); }
  std::int64_t total() const { return plus(startup, data()); }
};

void add_descriptor(const Device& device, const program::DmaDescriptor& d, const LiteralBook& literal, EngineWork& work) {
  SideCycles read = side_cycles(device, d, false), write = side_cycles(device, d, true);
  if (literal.other_medium_in_turn) read.waits = write.waits = 0;
  bool const in_turn = same_medium(d) ? !literal.same_medium_overlaps : literal.other_medium_in_turn;
  std::int64_t const r = plus(read.requests, read.waits), w = plus(write.requests, write.waits);
  const SideCycles& slower = r >= w ? read : write;
  work.startup = plus(work.startup, device.dma.startup.value);
  work.requests = plus(work.requests, slower.requests);
  work.dmn_waits = plus(work.dmn_waits, slower.waits);
  if (in_turn) work.in_turn = plus(work.in_turn, std::min(r, w));
}

/// Whole cycles of a rate of num / den each, to the nearest.
std::int64_t at_rate(std::int64_t n, std::int64_t num, std::int64_t den) { return (times(n, num) + den / 2) / den; }

void add_stall(program::Cost& cost, Stall cause, std::int64_t cycles) {
  if (cycles > 0) cost.stalls.push_back({cause, Cycles{cycles}});
}

class BookDma {
 public:
  BookDma(const Device& device, const program::Dma& d, const LiteralBook& literal) : device_(device) {
    std::map<std::int32_t, EngineWork> engines;
    std::map<std::int32_t, std::int64_t> pcie;  // by the chip that sends: all engines share its way out
    for (const program::DmaDescriptor& each : d.descriptors) {
      add_descriptor(device, each, literal, engines[each.engine]);
      if (crosses_pcie(each)) pcie[each.read.chip] = plus(pcie[each.read.chip], pcie_cycles(each));
    }
    for (const auto& [engine, work] : engines)
      if (work.total() > slowest_.total()) slowest_ = work;
    for (const auto& [chip, cycles] : pcie) pcie_ = std::max(pcie_, cycles);
    if (literal.same_medium_overlaps) return;
    for (const auto& [chip, loads] : channel_loads(device, d))
      for (const ChannelLoad& load : loads)
        if (ChannelTime const t = channel_time(device, load, literal); t.cycles > channel_.cycles) channel_ = t;
  }

  program::Cost cost() const {
    program::Cost made;
    made.engines.push_back({Engine::Dma, Cycles{slowest_.data()}});
    if (channel_.cycles > 0) made.engines.push_back({Engine::Hbm, Cycles{channel_.cycles}});
    if (pcie_ > 0) made.engines.push_back({Engine::Pcie, Cycles{pcie_}});
    std::int64_t const once = device_.dma.startup.value, beyond = std::max(channel_.cycles, pcie_);
    made.slowest = Engine::Dma;
    made.streaming = Cycles{slowest_.requests};
    if (plus(once, beyond) <= slowest_.total()) {
      made.startup = Cycles{slowest_.startup};
      add_stall(made, Stall::Dmn, slowest_.dmn_waits);
      add_stall(made, Stall::SharedMedium, slowest_.in_turn);
      return made;
    }
    made.startup = Cycles{once};
    made.streaming = Cycles{std::min(slowest_.requests, beyond)};
    wait_for_the_medium(made, beyond - made.streaming.value);
    return made;
  }

 private:
  std::int64_t pcie_cycles(const program::DmaDescriptor& d) const {
    std::int64_t const request = std::min(d.packet_bytes, device_.dma.request_bytes.value);
    return times(requests_of(device_, d), quotient_up(request, device_.dma.pcie_bytes_per_cycle.value));
  }
  /// The part that the engine does not explain: partial writes and row switches first, what is left are too few
  /// channels.
  void wait_for_the_medium(program::Cost& made, std::int64_t left) const {
    if (pcie_ >= channel_.cycles) {
      made.slowest = Engine::Pcie;
      return add_stall(made, Stall::Pcie, left);
    }
    made.slowest = Engine::Hbm;
    std::int64_t const partial = std::min(left, channel_.partial), rows = std::min(left - partial, channel_.rows);
    add_stall(made, Stall::PartialWrite, partial);
    add_stall(made, Stall::HbmRow, rows);
    add_stall(made, Stall::HbmChannel, left - partial - rows);
  }

  const Device& device_;
  EngineWork slowest_;
  ChannelTime channel_;
  std::int64_t pcie_ = 0;
};

/// The sub context copies with its own fetch and commit, all slices at the same time: what counts are the bytes of one
/// slice.
program::Cost parallel_copy_cost(const Device& device, const program::Dma& d) {
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::int64_t> accesses;
  for (const program::DmaDescriptor& each : d.descriptors) {
    std::int64_t n = quotient_up(each.packet_bytes, device.fetch.sub_size.value);
    for (const program::DmaLoop& l : each.loops)
      if (l.write_stride % device.dm.dma_slice_stride.value != 0 || l.write_stride == 0) n = times(n, l.size);
    std::int64_t& sum = accesses[{each.write.chip, each.write.cluster, each.write.unit}];
    sum = plus(sum, n);
  }
  program::Cost made;
  for (const auto& [slice, n] : accesses) made.streaming = std::max(made.streaming, Cycles{n});
  made.engines = {{Engine::Fetch, made.streaming}, {Engine::Commit, made.streaming}};
  return made;
}

}  // namespace

ChannelTime channel_time(const Device& device, const ChannelLoad& load, const LiteralBook& literal) {
  Ratio const exact = hbm_access_cycles(device), rounded{53, 10};
  Ratio const rate = literal.channel_rate_rounded ? rounded : exact;
  ChannelTime t;
  std::int64_t const open = at_rate(load.requests, rate.num, rate.den);
  if (2 * load.row_switches > load.requests) t.rows = std::max<std::int64_t>(times(load.requests, device.hbm.row_switch.value) - open, 0);
  t.partial = times(at_rate(load.partial_writes, rate.num, rate.den), device.hbm.partial_write_factor - 1);
  t.cycles = plus(open, plus(t.rows, t.partial));
  return t;
}

program::Cost dma_cost(const Device& device, const program::Dma& d, const LiteralBook& literal) {
  return d.parallel_copy ? parallel_copy_cost(device, d) : BookDma(device, d, literal).cost();
}

}  // namespace tcp::sched::book
