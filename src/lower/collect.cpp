// The Collect Engine: packets into flits.
#include "lower/pass.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/round.hpp"

namespace tcp::lower {

program::Collect lower_collect(const TensorUnitPass& p, std::size_t i) {
  std::int64_t const bits = scalar_info(p.type_in(i)).packet_bits, flit = p.device.flit.bytes.value;
  program::Collect out;
  out.packet_bytes = p.in(i, Level::packet).size * bits / 8;
  out.flits_per_packet = ceil_div(out.packet_bytes, flit);
  return out;
}

}  // namespace tcp::lower
