// The Cast Engine, and the same at a commit: elements keep their places and become narrower; the flit is filled up
// with zeros.
#include "tcp/scalar/cast.hpp"
#include "sim/engines.hpp"

namespace tcp::sim {

void cast(const PassContext& context, const program::Cast& cast, const Stream& in, Stream& out) {
  out.shape(cast.to, in.packets, context.flit_lanes(cast.to));
  for (std::int64_t packet = 0; packet < in.packets; ++packet)
    for (std::int64_t lane = 0; lane < in.lanes; ++lane) {
      out.bits[out.at(packet, lane)] = scalar_cast_bits(cast.from, cast.to, in.bits[in.at(packet, lane)], context.numeric);
      out.undefined[out.at(packet, lane)] = in.undefined[in.at(packet, lane)];
    }
}

void relu(Stream& stream) {
  for (std::uint32_t& bits : stream.bits) bits = relu_bits(stream.type, bits);
}

}  // namespace tcp::sim
