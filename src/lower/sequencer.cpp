// Loops over elements become walks over bytes.
//
// Needs: loops that fit a sequencer, and an access that divides both the packet and the contiguous run
// (rules/sequence.hpp). Leaves: entries outermost first, strides in bytes; the elements of one access are no loop any
// more. Refuses nothing.
#include "lower/pass.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::lower {

program::Sequencer sequencer_of(const Loops& loops, ScalarType type, Bytes access, std::int64_t accesses_per_packet, std::int64_t packets,
                                std::int64_t address) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  program::Sequencer s;
  s.access_bytes = access.value;
  s.accesses_per_packet = accesses_per_packet;
  s.packets = packets;
  s.base = address + loops.base * bits / 8;
  bool const repeats = loops.entries > 0 && loops.entry[loops.entries - 1].stride == 0 && loops.entry[loops.entries - 1].size > 1;
  std::int64_t folded = access.value * 8 / bits;  // elements of one access that are still loops
  int last = loops.entries;
  std::int64_t left = 1;  // rounds of entry `last` that stay
  while (folded > 1) {
    TCP_BUG_UNLESS(last > 0, "an access is longer than its walk");
    std::int64_t const size = loops.entry[--last].size;
    TCP_BUG_UNLESS(size % folded == 0 || folded % size == 0, "an access ends inside a loop");
    left = size > folded ? size / folded : 1;
    folded = size > folded ? 1 : folded / size;
    if (left > 1) break;
  }
  for (int k = 0; k < last; ++k) s.loops.push_back({loops.entry[k].size, loops.entry[k].stride * bits / 8});
  if (left > 1) {
    Entry const& e = loops.entry[last];
    s.loops.push_back({left, e.stride * (e.size / left) * bits / 8});
  }
  if (repeats && access.value * 8 > bits) s.repeat_bits = bits;
  return s;
}

}  // namespace tcp::lower
