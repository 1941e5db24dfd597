// What the Cast Engine accepts: it narrows the elements of each flit and pads what is left of the flit. Nothing else
// changes: one flit in, one flit out. A cast at the commit does the same after the Transpose Engine.
#pragma once

#include "tcp/device/casts.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/pipeline.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp {

/// Elements that the engine can narrow at all.
constexpr Verdict check_castable(const Device& device, ScalarType from, Where at = {}) {
  for (ScalarType to : scalar_types)
    if (has_cast_engine_cast(device, from, to)) return accept();
  return refuse("cast-no-such-cast", at)
      .what("the Cast Engine has no cast from ", from)
      .why("the engine narrows 32-bit results, and nothing else")
      .help("cast i32 or f32, which is what the engines before it make; leave the cast out if nothing is to be narrowed");
}

/// Refused: a cast that the engine does not have, a packet that is not one flit. Gives the packet that comes out;
/// padding that it adds is zero.
///
/// Law: the result is the packet, padded to one flit of the narrower type.
constexpr Expected<Mapping> cast_packet(const Device& device, ScalarType from, ScalarType to, const Mapping& packet, Where at = {}) {
  if (!packet.ok()) return refusal_of(packet, at);
  if (auto v = check_castable(device, from, at); !v) return v.refusal();
  if (!has_cast_engine_cast(device, from, to)) {
    Refusal r = refuse("cast-no-such-cast", at);
    r.why("the engine narrows 32-bit results, and nothing else");
    r.what("the Cast Engine has no cast from ", from, " to ", to);
    int n = 0;
    for (ScalarType each : scalar_types)
      if (has_cast_engine_cast(device, from, each)) r.help(n++ == 0 ? text("cast ", from, " to ") : Text{", "}, each);
    return r;
  }
  std::int64_t const flit_bits = device.flit.bytes.value * 8;
  std::int64_t const elements = flit_bits / scalar_info(from).packet_bits;
  if (packet.size != elements)
    return refuse("cast-packet-not-one-flit", at)
        .what("Packet ", packet, " of ", from, " has ", packet.size, " elements; the Cast Engine takes flits of ", device.flit.bytes,
              ", which is ", elements)
        .why("the engine takes one flit at a time")
        .help(packet.size < elements ? text("pad it to ", elements) : Text{"collect first"});
  Mapping const made = pad_to(packet, flit_bits / scalar_info(to).packet_bits, filled_with(packet));
  if (!made.ok()) return refusal_of(made, at);
  return made;
}

/// Refused: what cast_packet refuses, and a result declared wrongly.
constexpr Expected<Mapping> check_cast(const Device& device, ScalarType from, ScalarType to, const Mapping& packet, const Mapping& packet2,
                                       Where at = {}) {
  if (!packet2.ok()) return refusal_of(packet2, at);
  auto const made = cast_packet(device, from, to, packet, at);
  if (!made) return made.refusal();
  if (!equivalent(packet2, *made))
    return refuse("cast-wrong-packet", at)
        .what("Packet ", packet2, " is not what the cast from ", from, " to ", to, " makes of Packet ", packet)
        .why("elements keep their places, and the flit is padded to ", device.flit.bytes, " again")
        .help("write Packet = ", *made);
  return made;
}

}  // namespace tcp
