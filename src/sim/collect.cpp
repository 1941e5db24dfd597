// The Collect Engine: packets become whole flits, zeros after their end.
#include <algorithm>

#include "sim/engines.hpp"

namespace tcp::sim {

void collect(const PassContext& context, const program::Collect& collect, const Stream& in, Stream& out) {
  std::int64_t const lanes = context.flit_lanes(in.type);
  out.shape(in.type, in.packets * collect.flits_per_packet, lanes);
  std::int64_t const room = collect.flits_per_packet * lanes;
  for (std::int64_t packet = 0; packet < in.packets; ++packet) {
    auto const from = static_cast<std::ptrdiff_t>(in.at(packet, 0)), to = static_cast<std::ptrdiff_t>(packet * room);
    std::copy_n(in.bits.begin() + from, in.lanes, out.bits.begin() + to);
    std::copy_n(in.undefined.begin() + from, in.lanes, out.undefined.begin() + to);
  }
}

}  // namespace tcp::sim
