// The Switch Engine: every flit goes round its ring. Rings work side by side, so that their number does not matter,
// only their size.
#include "sched/book/saturating.hpp"

namespace tcp::sched::book {

std::int64_t flits(const Device& device, std::int64_t packet_bytes, bool dual) {
  return quotient_up(packet_bytes, (dual ? device.flit.dual_bytes : device.flit.bytes).value);
}

Cycles switch_cycles(std::int64_t ring_size, std::int64_t input_time, std::int64_t flits_per_packet) {
  return Cycles{times(times(ring_size, input_time), flits_per_packet)};
}

}  // namespace tcp::sched::book
