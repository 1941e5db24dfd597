// The Vector Engine: a packet of eight words a cycle, or of four where the stream was made narrow; one cycle of latency
// an ALU.
#include "sched/book/saturating.hpp"
#include "tcp/program/codes.hpp"

namespace tcp::sched::book {

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

}  // namespace tcp::sched::book
