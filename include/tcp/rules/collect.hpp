// What the Collect Engine accepts: it makes every packet one flit, by padding the packet to whole flits and giving the
// outer flits to Time.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// The two mappings of a stream.
struct Stream {
  Mapping time{}, packet{};
};

namespace detail {
constexpr bool has_window(const Mapping& m) {
  for (int k = 0; k < m.digits; ++k)
    if (m.digit[k].in_window()) return true;
  return false;
}
}  // namespace detail

/// The kind of padding after a packet that collect fills up: zero, unless undefined padding before the same axis
/// has to share it.
constexpr Pad filled_with(const Mapping& packet) {
  for (int a = 0; a < packet.axes; ++a) {
    int const k = packet.axis[a].start < 0 ? coarsest_digit(packet, a) : -1;
    if (k >= 0 && packet.digit[k].pad != Pad::zero) return Pad::top;
  }
  return Pad::zero;
}

/// What collect makes of a stream. Law: Time2 is Time and then the flits of the packet, Packet2 the elements of one
/// flit; padding that it adds is zero.
constexpr Expected<Stream> collected(const Device& device, ScalarType type, const Mapping& time, const Mapping& packet, Where at = {}) {
  if (!time.ok()) return refusal_of(time, at);
  if (!packet.ok()) return refusal_of(packet, at);
  std::int64_t const flit = device.flit.bytes.value * 8 / scalar_info(type).packet_bits;
  Mapping const padded = pad_to(packet, round_up(packet.size, flit), filled_with(packet));
  // A window cannot be cut into flits; it goes to the stream adapter whole, if its buffer can take it.
  bool const window = padded.ok() && padded.size > flit && detail::has_window(padded);
  if (window && padded.size / flit <= device.contraction.flit_buffer / device.flit.bytes) return Stream{time, padded};
  Halves const halves = split_at(padded, flit);
  Stream s{pair(time, halves.outer), halves.inner};
  if (!s.packet.ok() && window)
    return refuse("contraction-flit-buffer", at)
        .what("the window ", padded, " of ", type, " is ", device.flit.bytes * (padded.size / flit), "; the stream adapter buffers ",
              device.contraction.flit_buffer)
        .why("to shift through a window it must hold all of its flits")
        .help("read a shorter window, or let the fetch read the filter axis in Time");
  if (!s.packet.ok())
    return refuse("collect-packet-not-cut", at)
        .what("Packet ", packet, " of ", type, " is ", packet.size, " elements, and cannot be cut into flits of ", flit)
        .why("a flit must end where a factor of the packet, or its padding, ends")
        .help("pad the inner factors so that ", flit, " elements fall on a border");
  if (!s.time.ok()) return refusal_of(s.time, at);
  return s;
}

/// Compares what was declared with what collect makes, but for the kinds of padding, which are computed. Gives what it
/// makes.
constexpr Expected<Stream> check_collect(const Device& device, ScalarType type, const Mapping& time, const Mapping& packet,
                                         const Mapping& time2, const Mapping& packet2, Where at = {}) {
  if (!time2.ok()) return refusal_of(time2, at);
  if (!packet2.ok()) return refusal_of(packet2, at);
  auto const made = collected(device, type, time, packet, at);
  if (!made) return made;
  auto const bytes = packed_size(type, Elements{packet2.size}, at);
  if (!bytes) return bytes.refusal();
  if (packet2.size != made->packet.size)
    return refuse("collect-packet-not-one-flit", at)
        .what("Packet ", packet2, " of ", type, " is ", *bytes, "; collect makes flits of ", device.flit.bytes)
        .why("every engine after collect takes one flit at a time")
        .help("write Packet = ", made->packet, ", Time = ", made->time);
  if (!equivalent(packet2, made->packet))
    return refuse("collect-wrong-packet", at)
        .what("Packet ", packet2, " is not the flit that collect makes of ", packet, " of ", type)
        .why("collect pads the packet to whole flits and keeps the order of its elements")
        .help("write Packet = ", made->packet);
  if (!equivalent(time2, made->time))
    return refuse("collect-wrong-time", at)
        .what("Time ", time2, " is not what collect makes of Time ", time, " and Packet ", packet, " of ", type)
        .why("the flits of a packet follow each other, inside all other time steps")
        .help("write Time = ", made->time);
  return made;
}

}  // namespace tcp
