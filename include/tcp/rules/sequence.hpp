// What a sequencer accepts: how many loops, how many rounds each, and how many bytes it moves at once.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/mapping/loops.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// A loop nest that a chip's sequencer can run. Strides and sizes count elements; only `access` is in bytes.
struct Sequence {
  Loops loops{};
  Bytes access{};  // moved at once: the book's fetch_size or commit_size
  std::int64_t accesses_a_packet = 1;
  std::int64_t packets = 1;  // time steps

  constexpr std::int64_t accesses() const { return accesses_a_packet * packets; }
};

namespace detail {

constexpr std::int64_t greatest_common_divisor(std::int64_t a, std::int64_t b) {
  while (b != 0) {
    std::int64_t const r = a % b;
    a = b;
    b = r;
  }
  return a;
}

/// The largest divisor of n that is at most `most`.
constexpr std::int64_t largest_divisor(std::int64_t n, std::int64_t most) {
  std::int64_t best = 1;
  for (std::int64_t d = 1; d <= most && d <= n / d; ++d) {
    if (n % d != 0) continue;
    if (n / d <= most) return n / d;  // the first one met from this side is the largest
    best = d;
  }
  return best;
}

/// Loops of too many rounds as several, as far as their rounds have divisors for it.
constexpr Loops split_above(Loops loops, std::int64_t most) {
  for (int k = 0; k < loops.entries;) {
    Entry const e = loops.entry[k];
    std::int64_t inner = 1;
    if (e.size > most && !e.indirect && loops.entries < Loops::max_entries) inner = largest_divisor(e.size, most);
    if (inner == 1) {
      ++k;
      continue;
    }
    for (int j = loops.entries; j > k + 1; --j) loops.entry[j] = loops.entry[j - 1];
    loops.entry[k] = {e.size / inner, e.stride * inner};
    loops.entry[k + 1] = {inner, e.stride};
    ++loops.entries;
  }
  return loops;
}

}  // namespace detail

/// Loops as this device's sequencer runs them: merged only if there are more than it has entries for.
/// Law: the result walks the same positions in the same order.
constexpr Expected<Loops> fit_sequencer(const Device& device, const Loops& derived, Where at = {}) {
  Loops loops = detail::split_above(derived, device.sequencer.iterations);
  if (loops.entries > device.sequencer.entries) loops = detail::split_above(merged(derived), device.sequencer.iterations);
  if (loops.entries > device.sequencer.entries)
    return refuse("sequence-too-many-entries", at)
        .what("the walk ", loops, " needs ", loops.entries, " loops; a sequencer has ", device.sequencer.entries)
        .why("neighbouring loops were merged where one continues the other")
        .help("rearrange in two steps, or keep more factors in the order they have in memory");
  for (int k = 0; k < loops.entries; ++k)
    if (loops.entry[k].size > device.sequencer.iterations)
      return refuse("sequence-loop-too-long", at)
          .what("a loop of ", loops.entry[k].size, " rounds; a sequencer counts to ", device.sequencer.iterations)
          .why("and the rounds have no divisor by which they fall into two loops")
          .help("pad the axis to a size that divides");
  return loops;
}

/// The most bytes that one access can move: the largest of `sizes` that divides both the packet and the contiguous run.
constexpr Expected<Bytes> access_size(const OneOf<Bytes>& sizes, ScalarType type, const Loops& loops, Where at = {}) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  Checked const packet = Checked(loops.packet) * bits, run = Checked(loops.contiguous()) * bits;
  if (!packet.fits || !run.fits)
    return refuse("sequence-packet-overflow", at)
        .what("a packet of ", loops.packet, " elements of ", type, " exceeds 64 bits")
        .why("sizes are 64-bit numbers, counted in bits")
        .help("use a smaller packet");
  std::int64_t const common = detail::greatest_common_divisor(packet.value, run.value);
  Bytes best{0};
  for (Bytes each : sizes)
    if (common % (each.value * 8) == 0) best = each;
  if (best.value > 0) return best;
  Refusal r = refuse("sequence-access-size", at);
  r.what("packets of ", loops.packet, " elements of ", type, " are in runs of ", loops.contiguous(), ", so one access would move ", common,
         " bits; possible are ");
  int n = 0;
  for (Bytes each : sizes) r.what(n++ > 0 ? ", " : "", each.value);
  return r.what(" bytes")
      .why("an access moves neighbouring elements of one packet")
      .help("put neighbouring elements of the packet next to each other in memory");
}

/// Every byte that is touched is in the memory: a read may run over the tensor's end, never over the memory's.
/// `moved_on`: elements by which some unit begins further on (rules/lift.hpp).
constexpr Verdict check_reach(ScalarType type, const Loops& loops, Bytes address, Bytes capacity, Where at = {},
                              std::int64_t moved_on = 0) {
  std::int64_t const bits = scalar_info(type).packet_bits;
  Checked const first = Checked(address.value) * 8 + Checked(loops.base) * bits;
  Checked const last = Checked(address.value) * 8 + (Checked(loops.furthest()) + moved_on + 1) * bits;
  if (first.fits && first.value < 0)
    return refuse("sequence-below-memory", at)
        .what("with padding in front the walk begins ", -loops.base, " elements before address ", address.value,
              ", which is before the memory")
        .why("the padding in front is read from the bytes before the tensor, and masked; there must be bytes to read")
        .help("place the tensor at ", ceil_div(-loops.base * bits, 8), " or above");
  if (!first.fits || !last.fits || last.value > capacity.value * 8) {
    std::int64_t const end = last.fits ? ceil_div(last.value, 8) : INT64_MAX;
    Refusal r = refuse("sequence-beyond-memory", at);
    r.what("the walk reaches byte ", end - 1, " of a memory of ", capacity)
        .why("padding at the end of a packet is read from the bytes after the tensor, and there must be some");
    if (end - capacity.value <= address.value) return r.help("place the tensor at ", address.value - (end - capacity.value), " or below");
    return r.help("spread the tensor over more slices, or walk a tile of it");
  }
  return accept();
}

/// The sequencer configuration that turns buffers into a stream, or a stream into buffers. The stream is a list of
/// terms, the packet's from `packet_from` on.
constexpr Expected<Sequence> sequence(const Device& device, ScalarType type, const Buffer* buffers, int count, const Mapping* terms, int n,
                                      int packet_from, const Walks& how = {}, Where at = {}) {
  auto const derived = derive_loops(buffers, count, terms, n, packet_from, how, at);
  if (!derived) return derived.refusal();
  auto const loops = fit_sequencer(device, *derived, at);
  if (!loops) return loops.refusal();
  auto const access = access_size(device.sequencer.base_packets, type, *derived, at);
  if (!access) return access.refusal();
  Sequence s;
  s.loops = *loops;
  s.access = *access;
  s.accesses_a_packet = loops->packet * scalar_info(type).packet_bits / (access->value * 8);
  for (int i = 0; i < packet_from; ++i) s.packets *= terms[i].size;
  return s;
}
constexpr Expected<Sequence> sequence(const Device& device, ScalarType type, const Mapping& buffer, const Mapping& time,
                                      const Mapping& packet, const Walks& how = {}, Where at = {}) {
  Buffer const one_buffer{buffer};
  Mapping const terms[] = {time, packet};
  return sequence(device, type, &one_buffer, 1, terms, 2, 1, how, at);
}

}  // namespace tcp
