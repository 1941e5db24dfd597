// The Valid Count Generator: counters and gates make the number of lanes that count from the number of a flit and the
// slice.
#include <algorithm>

#include "sim/vector/vector.hpp"

namespace tcp::sim {

std::int64_t valid_lanes(const program::ValidCount& c, std::int64_t slice, std::int64_t flit) {
  std::int64_t packet_index = 0, room = 0;
  std::array<std::int64_t, 32> gate_index{};
  for (const program::ValidCount::Counter& counter : c.counters) {
    std::int64_t const along = flit % counter.limit * counter.stride;
    flit /= counter.limit;
    if (counter.serves == 0) {
      packet_index += along;
      if (room == 0) room = counter.stride;
    } else if (counter.serves > 0) {
      gate_index[static_cast<std::size_t>(counter.serves - 1)] += along;
    }
  }
  for (std::size_t g = 0; g < c.gates.size(); ++g) {
    const program::ValidCount::Gate& gate = c.gates[g];
    std::uint64_t const seen = static_cast<std::uint64_t>(slice) & gate.mask;
    if (seen < gate.match) continue;
    if (seen > gate.match && !gate.transposed) return 0;
    if (gate_index[g] >= gate.valid) return 0;
  }
  return std::clamp(c.packet_valid - packet_index, std::int64_t{0}, room == 0 ? c.lanes : room);
}

}  // namespace tcp::sim
