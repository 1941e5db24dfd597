// The requests that a DMA engine makes of a descriptor: packets in the order of its loops, each cut into requests from
// its first byte on.
#pragma once

#include "sched/book/saturating.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/support/odometer.hpp"

namespace tcp::sched::book {

/// One request to one side, as that side addresses it.
struct Request {
  std::int64_t address = 0, bytes = 0;
};

/// Cuts a packet into its requests.
template <class Visit>
void each_request(const Device& device, std::int64_t packet, std::int64_t packet_bytes, Visit&& visit) {
  std::int64_t const most = device.dma.request_bytes.value;
  for (std::int64_t from = 0; from < packet_bytes; from += most) visit(Request{packet + from, std::min(most, packet_bytes - from)});
}

inline std::int64_t packets_of(const program::DmaDescriptor& d) {
  std::int64_t n = 1;
  for (const program::DmaLoop& loop : d.loops) n = times(n, loop.size);
  return n;
}
inline std::int64_t requests_of_packet(const Device& device, const program::DmaDescriptor& d) {
  return std::max<std::int64_t>(quotient_up(d.packet_bytes, device.dma.request_bytes.value), 1);
}
inline std::int64_t requests_of(const Device& device, const program::DmaDescriptor& d) {
  return times(packets_of(d), requests_of_packet(device, d));
}

inline bool crosses_pcie(const program::DmaDescriptor& d) {
  return d.read.chip != d.write.chip || d.read.memory == program::Memory::Host || d.write.memory == program::Memory::Host;
}
inline bool same_medium(const program::DmaDescriptor& d) {
  if (d.read.memory != d.write.memory || d.read.chip != d.write.chip) return false;
  return d.read.memory == program::Memory::Hbm || d.read.cluster == d.write.cluster;
}

/// Where a side's addresses begin: for DMA the slices of DM lie one after the other, and so do the PEs of SPM.
inline std::int64_t first_address(const Device& device, const program::DmaSide& side) {
  if (side.memory == program::Memory::Dm) return side.address + side.unit * device.dm.dma_slice_stride.value;
  if (side.memory == program::Memory::Spm) return side.address + side.unit * dma_pe_stride(device).value;
  return side.address;
}

/// Shows the address of every packet of a side to `visit`, or of a very long descriptor's those of the first rounds.
/// Which rows an index table names is not known before it runs: they are taken to be all rows, in order.
template <class Visit>
class PacketWalk {
 public:
  PacketWalk(const Device& device, const program::DmaDescriptor& d, bool write, Visit& visit) : d_(d) {
    std::int64_t const most = std::max<std::int64_t>(requests_walked / requests_of_packet(device, d), 1);
    std::int64_t const first = first_address(device, write ? d.write : d.read);
    const program::DmaIndex* const index = d.index && d.index->scatter == write && d.index->rows > 0 ? &*d.index : nullptr;
    std::vector<OdometerLoop<2>> loops;
    for (const program::DmaLoop& l : d.loops) loops.push_back({l.size, {write ? l.write_stride : l.read_stride, l.index_stride}});
    for (Odometer<2> walk(loops); !walk.done() && shown_ < most; walk.next(), ++shown_)
      visit(first + walk.at(0) + (index == nullptr ? 0 : walk.at(1) / 4 % index->rows * index->row_stride));
  }
  /// What was counted over the packets shown, for all of them.
  std::int64_t for_all(std::int64_t n) const {
    std::int64_t const all = packets_of(d_);
    if (all <= shown_ || shown_ == 0) return n;
    return bounded(
        static_cast<std::int64_t>(static_cast<long double>(n) * static_cast<long double>(all) / static_cast<long double>(shown_)));
  }

 private:
  const program::DmaDescriptor& d_;
  std::int64_t shown_ = 0;
};

}  // namespace tcp::sched::book
