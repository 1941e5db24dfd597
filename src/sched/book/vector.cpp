// The Vector Engine: a packet of eight words a cycle, or of four where the stream was made narrow; one cycle of latency an ALU.
#include "saturating.hpp"

namespace tcp::sched::book {

Cycles vector_cycles(const program::Vector& v, std::int64_t flits_in) {
  // A stream that is split has two packets for each flit: the busiest step counts.
  std::int64_t most = flits_in;
  for (const program::VectorStep& step : v.steps) most = std::max(most, step.time_out);
  return Cycles{bounded(most)};
}

Cycles vector_fill(const Device& device, const program::Vector& v) {
  using Kind = program::VectorStep::Kind;
  std::uint64_t alus = 0;  // a bit each: both groups have the same ones
  std::int64_t ring = 0;
  for (const program::VectorStep& step : v.steps) {
    if (step.kind == Kind::Operate || step.kind == Kind::IntraSliceReduce) alus |= std::uint64_t{1} << (step.alu % 64);
    if (step.kind == Kind::InterSliceReduce) ring = plus(ring, step.group_slices);
  }
  return Cycles{plus(__builtin_popcountll(alus) * device.vector.alu_latency.value, times(ring, device.vector.inter_slice_latency.value))};
}

Cycles reduce_first_output(const program::VectorStep& step) {
  std::int64_t last = 0, inside = 1;
  for (std::size_t k = step.reduce_loops.size(); k-- > 0;) {
    if (step.reduce_loops[k].added) last = plus(last, times(step.reduce_loops[k].rounds - 1, inside));
    inside = times(inside, step.reduce_loops[k].rounds);
  }
  return Cycles{plus(last, 1)};
}

}  // namespace tcp::sched::book
