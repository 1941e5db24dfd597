// The Fetch Engine: one access per cycle; a packet is as many accesses as it takes to fill it.
#include "sched/book/saturating.hpp"

namespace tcp::sched::book {

Cycles fetch_cycles(const Device& device, const program::Fetch& fetch, bool dual, const LiteralBook& literal) {
  std::int64_t accesses = fetch.read.accesses_per_packet;
  bool const packet_of_24 = fetch.read.access_bytes == 8 && accesses == 3;
  if (literal.fetch_of_24_bytes && packet_of_24) accesses = 1;
  // Joined channels take two whole flits at once; shorter accesses gain nothing.
  if (dual && fetch.read.access_bytes == device.flit.bytes.value)
    accesses = quotient_up(accesses, device.flit.dual_bytes / device.flit.bytes);
  return Cycles{times(fetch.read.packets, accesses)};
}

Cycles fetch_fill(const Device& device, const program::Fetch& fetch) {
  return (fetch.stored == fetch.type ? Cycles{0} : device.fetch.cast_latency) + lift_table(device, fetch);
}

Cycles lift_table(const Device& device, const program::Fetch& fetch) { return fetch.offsets.empty() ? Cycles{0} : device.fetch.lift_table; }

}  // namespace tcp::sched::book
