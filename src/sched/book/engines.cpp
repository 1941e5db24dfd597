// The engines of a pass whose closed form is a line or two: fetch, switch, vector, transpose, commit. The Contraction
// Engine and the DMA have files of their own.
#include "sched/book/saturating.hpp"
#include "tcp/program/codes.hpp"

namespace tcp::sched::book {

Cycles fetch_cycles(const Device& device, const program::Fetch& fetch, bool dual, const LiteralBook& literal) {
  std::int64_t accesses = fetch.read.accesses_per_packet;
  bool const packet_of_24 = fetch.read.access_bytes == 8 && accesses == 3;
  if (literal.fetch_of_24_bytes && packet_of_24) accesses = 1;
  // Joined channels take two whole flits at once; shorter accesses gain nothing.
  if (dual && fetch.read.access_bytes == device.flit.bytes.value)
    accesses = quotient_up(accesses, device.flit.dual_bytes / device.flit.bytes);
  return Cycles{times(fetch.read.packets, accesses)};
}

Cycles fetch_fill(const Device& device, const program::Fetch& fetch) {
  return (fetch.stored == fetch.type ? Cycles{0} : device.fetch.cast_latency) + lift_table(device, fetch);
}

Cycles lift_table(const Device& device, const program::Fetch& fetch) { return fetch.offsets.empty() ? Cycles{0} : device.fetch.lift_table; }

// The Switch Engine: every flit goes round its ring. Rings work side by side, so that their number does not matter,
// only their size.

std::int64_t flits(const Device& device, std::int64_t packet_bytes, bool dual) {
  return quotient_up(packet_bytes, (dual ? device.flit.dual_bytes : device.flit.bytes).value);
}

Cycles switch_cycles(std::int64_t ring_size, std::int64_t input_time, std::int64_t flits_per_packet) {
  return Cycles{times(times(ring_size, input_time), flits_per_packet)};
}

// The Vector Engine: a packet of eight words a cycle, or of four where the stream was made narrow; one cycle of latency
// an ALU.

Cycles vector_cycles(const program::Vector& v, std::int64_t flits_in) {
  // A stream that is split has two packets for each flit: the busiest step counts.
  std::int64_t most = flits_in;
  for (const program::VectorStep& step : v.steps) most = std::max(most, step.time_out);
  return Cycles{bounded(most)};
}

Cycles vector_fill(const Device& device, const program::Vector& v) {
  std::uint64_t alus = 0;  // a bit each: both groups have the same ones
  std::int64_t ring = 0;
  for (const program::VectorStep& step : v.steps) {
    if (const auto* o = std::get_if<program::OperateStep>(&step.what)) alus |= std::uint64_t{1} << (o->alu % 64);
    if (std::holds_alternative<program::IntraSliceReduceStep>(step.what)) alus |= std::uint64_t{1} << program::codes::reduce_acc_tree;
    if (const auto* r = std::get_if<program::InterSliceReduceStep>(&step.what)) ring = plus(ring, r->group_slices);
  }
  return Cycles{plus(__builtin_popcountll(alus) * device.vector.alu_latency.value, times(ring, device.vector.inter_slice_latency.value))};
}

// The Transpose Engine: a matrix goes in flit by flit and comes out row by row; with two buffers the next one goes in
// meanwhile.

Cycles transpose_cycles(const program::Transpose& t) {
  std::int64_t const in = times(t.in_rows, t.packets_per_column), out = times(t.kept_packets, t.kept_elements);
  if (!t.double_buffered) return Cycles{times(t.matrices, plus(in, out))};
  return Cycles{plus(plus(in, times(t.matrices - 1, std::max(in, out))), out)};
}

// The Commit Engine: one write per cycle. What is cut off costs nothing.

Cycles commit_cycles(const program::Commit& c) { return Cycles{times(c.write.packets, c.write.accesses_per_packet)}; }

}  // namespace tcp::sched::book
