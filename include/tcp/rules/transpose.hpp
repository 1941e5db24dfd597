// What the Transpose Engine accepts: it swaps rows and columns of matrices that come in as a few flits.
//
// A matrix has in_rows rows; a row comes as packets_per_column packets, of which only the first few elements are used:
//
//     Time = [outer, rows, packets], Packet = elements # flit      ->      Time = [outer, packets, elements], Packet = rows # flit
//
// Rows of the result that hold nothing but padding may be left out. The engine's buffers limit rows and columns by the
// width of the elements. Elements of 8 and 16 bits may be packed: then a packet has twice as many.
#pragma once

#include "tcp/device/engine_limits.hpp"
#include "tcp/mapping/fault.hpp"
#include "tcp/rules/pipeline.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp {

struct TransposeResult {
  Mapping time{}, packet{};
  std::int64_t in_rows = 1, in_columns = 1;
  std::int64_t packets_per_column = 1;
  std::int64_t elements_per_packet = 1;
  std::int64_t kept_packets = 1, kept_elements = 1;  // of a row, and of each of its packets: the rest is padding and trimmed
  std::int64_t output_alignment = 1;                 // elements of a flit
  std::int64_t matrices = 1;                         // one after the other
  bool double_buffered = false;                      // the next matrix goes in while this one comes out

  /// Rows of one matrix that come out.
  constexpr std::int64_t out_rows() const { return kept_packets * kept_elements; }
  constexpr std::int64_t input_flits() const { return in_rows * packets_per_column; }
  constexpr std::int64_t output_flits() const { return out_rows(); }
};

namespace detail::transposing {

/// A stream cut into matrices of `rows` rows of `packets` packets.
struct TimeCut {
  Mapping outer{}, rows{}, packets{};

  constexpr bool ok() const { return outer.ok() && rows.ok() && packets.ok(); }
};
constexpr TimeCut cut(const Mapping& time, std::int64_t rows, std::int64_t packets) {
  Halves const inner = split_at(time, packets);
  Halves const outer = split_at(inner.outer, rows);
  return {outer.outer, outer.inner, inner.inner};
}

/// A mapping without the padding after its last live position.
constexpr Mapping trimmed(const Mapping& m) {
  if (m.digits == 0 || (m.tails > 0 && m.tail[0].first == 0)) return m;
  return resize_to(m, footprints(m).inside[0] * live_slots(m, 0));
}

/// True if time2 is what comes out of these matrices: rows of padding are left out inside each packet, or whole packets
/// of it.
constexpr bool comes_out(const TimeCut& c, const Mapping& elements, const Mapping& time2, TransposeResult& r) {
  Mapping const all[] = {c.packets, trimmed(c.packets)};
  for (Mapping const& packets : all) {
    Checked const each = Checked(c.outer.size) * packets.size;
    std::int64_t const kept = each.fits ? time2.size / each.value : 0;
    if (kept < 1 || kept * each.value != time2.size || kept > elements.size) continue;
    Mapping const some = resize_to(elements, kept);
    if (!equivalent(pad_to(some, elements.size, Pad::top), elements)) continue;
    r.time = pair(pair(c.outer, packets), some);
    r.kept_packets = packets.size;
    r.kept_elements = kept;
    if (equivalent(time2, r.time)) return true;
  }
  return false;
}

/// Whether all elements of a packet are among the first few: the others are padding.
constexpr bool fits(const Mapping& packet, std::int64_t elements) {
  Mapping const some = resize_to(packet, elements);
  return some.ok() && equivalent(pad_to(some, packet.size, Pad::top), packet);
}

/// Where the rows that OutPacket names lie in Time: the number of positions inside of them and how many there are; 0 if
/// Time does not have them.
struct Rows {
  std::int64_t inside = 0, count = 0;
};
constexpr Rows find_rows(const Mapping& time, const Mapping& packet2) {
  Footprints const foot = footprints(time);
  Rows r;
  std::int64_t end = 0;
  for (int k = 0; k < packet2.digits; ++k) {
    Digit const& wanted = packet2.digit[k];
    if (wanted.axis == no_axis) continue;
    int const a = find_axis(time, packet2.axis[wanted.axis].name);
    bool found = false;
    for (int j = 0; j < time.digits && a >= 0; ++j) {
      Digit const& d = time.digit[j];
      if (d.axis != a || wanted.stride < d.stride || wanted.stride % d.stride != 0 || wanted.stride / d.stride >= d.size) continue;
      std::int64_t const inside = foot.inside[j] * (wanted.stride / d.stride);
      if (r.inside == 0 || inside < r.inside) r.inside = inside;
      Checked const up_to = wanted.size == d.size ? Checked(foot.inside[j]) * d.slot : Checked(inside) * wanted.size;
      if (up_to.fits && up_to.value > end) end = up_to.value;
      found = true;
    }
    if (!found) return {};
  }
  if (r.inside > 0) r.count = end / r.inside;
  return r;
}

}  // namespace detail::transposing

/// Refused: packets that are not flits, elements beyond those that the engine takes of one, more rows than it holds,
/// columns that its buffers do not have, and results declared otherwise than the engine makes them. Gives what comes
/// out; the padding that it adds is of kind top.
///
/// Law: the result holds the same elements, at the places of the formula above.
constexpr Expected<TransposeResult> check_transpose(const Device& device, StreamStage after, ScalarType type, const Mapping& time,
                                                    const Mapping& packet, const Mapping& time2, const Mapping& packet2, Where at = {}) {
  for (Mapping const* m : {&time, &packet, &time2, &packet2})
    if (!m->ok()) return refusal_of(*m, at);
  TransposeLimits const limits = transpose_limits(device, type);
  if (after == StreamStage::Contraction && scalar_info(type).packet_bits != 32)
    return refuse("transpose-contraction-width", at)
        .what("the Contraction Engine feeds the Transpose Engine with 32-bit elements; the stream is ", type)
        .why("the accumulator holds 32-bit results only")
        .help("transpose before the cast, or go through the Vector Engine");
  if (packet.size != limits.output_alignment)
    return refuse("transpose-packet-not-one-flit", at)
        .what("Packet ", packet, " of ", type, " has ", packet.size, " elements; the Transpose Engine takes flits of ", device.flit.bytes,
              ", which is ", limits.output_alignment)
        .why("the engine takes one flit at a time")
        .help("collect first, or pad the packet to ", limits.output_alignment);
  if (packet2.size != limits.output_alignment)
    return refuse("transpose-result-not-one-flit", at)
        .what("the declared Packet ", packet2, " of ", type, " has ", packet2.size, " elements; the Transpose Engine makes flits of ",
              device.flit.bytes, ", which is ", limits.output_alignment)
        .why("the engine emits one flit at a time")
        .help("pad it to ", limits.output_alignment);
  // As many elements as the engine takes of a packet; packed, more, where there are more.
  std::int64_t const plain = limits.elements_per_packet;
  std::int64_t const width = detail::transposing::fits(packet, plain) ? plain : limits.packed_elements;
  if (!detail::transposing::fits(packet, width))
    return refuse("transpose-packet-too-full", at)
        .what("Packet ", packet, " of ", type, " has elements beyond the first ", width,
              ", which is all that the Transpose Engine takes of a packet")
        .why("its buffers take ", width, " elements of ", scalar_info(type).packet_bits, " bits per cycle")
        .help("keep the others in Time: fetch packets of ", width, " elements");
  Mapping const elements = resize_to(packet, width);

  // All ways to see matrices in Time that the buffers allow; sizes alone rule out nearly all of them.
  for (std::int64_t columns : limits.columns) {
    std::int64_t const packets = columns / width;
    for (std::int64_t rows = limits.rows; rows >= 1; --rows) {
      Checked const matrix = Checked(rows) * packets;
      if (packets < 1 || time.size % matrix.value != 0 || time2.size % (time.size / matrix.value) != 0) continue;
      detail::transposing::TimeCut const c = detail::transposing::cut(time, rows, packets);
      if (!c.ok()) continue;
      TransposeResult r;
      r.packet = pad_to(c.rows, limits.output_alignment, Pad::top);
      if (!equivalent(packet2, r.packet) || !detail::transposing::comes_out(c, elements, time2, r)) continue;
      r.in_rows = rows;
      r.in_columns = columns;
      r.packets_per_column = packets;
      r.elements_per_packet = width;
      r.matrices = c.outer.size;
      r.output_alignment = limits.output_alignment;
      r.double_buffered = columns <= device.transpose.buffer_columns;
      return r;
    }
  }

  // There is no such way: which limit, or which mapping, is in the way?
  detail::transposing::Rows const rows = detail::transposing::find_rows(time, packet2);
  if (rows.count == 0)
    return refuse("transpose-rows-not-in-time", at)
        .what("the declared Packet ", packet2, " is not made of factors of Time ", time)
        .why("the rows of the matrix become the packet")
        .help("put factors of Time into Packet, and those of Packet ", packet, " into Time");
  if (rows.count > limits.rows)
    return refuse("transpose-too-many-rows", at)
        .what("Packet ", packet2, " makes ", rows.count, " rows of Time ", time, "; of ", type, " the Transpose Engine holds ", limits.rows)
        .why("a row of the result takes eight bytes of a flit at most")
        .help("transpose ", limits.rows, " rows at a time and leave the others in Time");
  Checked const all_columns = Checked(rows.inside) * width;
  std::int64_t const columns = all_columns.fits ? all_columns.value : INT64_MAX;
  if (!limits.columns.contains(columns)) {
    Refusal r = refuse("transpose-columns", at);
    r.why("the engine has buffers for these widths");
    r.what("the matrix has ", rows.inside, " packets of ", width, " elements in each row, ", columns, " columns; of ", type,
           " the Transpose Engine has ");
    int n = 0;
    for (std::int64_t each : limits.columns) r.what(n++ > 0 ? ", " : "", each);
    return r.help("move factors of Time to the outside of the rows");
  }
  detail::transposing::TimeCut const c = detail::transposing::cut(time, rows.count, rows.inside);
  if (!c.ok() || !equivalent(packet2, pad_to(c.rows, limits.output_alignment, Pad::top)))
    return refuse("transpose-wrong-packet", at)
        .what("the declared Packet ", packet2, " does not hold the ", rows.count, " rows of Time ", time, " as they come")
        .why("a packet of the result is one column of the matrix that came in")
        .help(c.ok() ? text("write Packet = ", pad_to(c.rows, limits.output_alignment, Pad::top))
                     : Text{"make the packet of neighbouring factors of Time"});
  Mapping const all = pair(pair(c.outer, c.packets), elements);
  if (time2.size > all.size)
    return refuse("transpose-too-many-out-rows", at)
        .what("Time ", time2, " has ", time2.size, " steps; the matrices of Time ", time, " have ", all.size, " columns in all")
        .why("each column that came in is one row of the result")
        .help("write Time = ", all);
  Mapping const fewest = pair(pair(c.outer, detail::transposing::trimmed(c.packets)), detail::transposing::trimmed(elements));
  if (time2.size < fewest.size)
    return refuse("transpose-trims-elements", at)
        .what("Time ", time2, " has ", time2.size, " steps, but ", fewest.size, " rows of the result hold elements")
        .why("only rows of padding can be left out")
        .help("write Time = ", fewest);
  return refuse("transpose-wrong-time", at)
      .what("Time ", time2, " is not what the Transpose Engine makes of Time ", time, " and Packet ", packet)
      .why("the outer steps stay, then come the packets of a row, then the elements of a packet")
      .help("write Time = ", fewest);
}

}  // namespace tcp
