// The Contraction Engine: a time step a cycle into the tree, whatever the number of Rows; flits of sums out of the
// accumulator.
#include "sched/book/saturating.hpp"

namespace tcp::sched::book {

namespace {

std::int64_t rounds(const program::Contraction& c, bool added) {
  std::int64_t n = 1;
  for (const program::TimeLoop& loop : c.loops)
    if (loop.added == added) n = times(n, loop.rounds);
  return n;
}

}  // namespace

Cycles tree_latency(const Device& device, ScalarType type) {
  switch (type) {
    case ScalarType::i4:
    case ScalarType::i5: return device.contraction.tree_latency_i4;
    case ScalarType::i8:
    case ScalarType::i9: return device.contraction.tree_latency_i8;
    case ScalarType::f8e4m3:
    case ScalarType::f8e5m2: return device.contraction.tree_latency_f8;
    default: return device.contraction.tree_latency_bf16;
  }
}

Cycles contraction_cycles(const Device& device, const program::Contraction& c, const LiteralBook& literal) {
  if (!literal.tree_not_pipelined) return Cycles{bounded(c.steps)};
  return Cycles{times(c.steps, tree_latency(device, c.type).value)};
}

std::int64_t reducer_flits(const Device& device, const program::Contraction& c) {
  std::int64_t const a_step = c.sequential ? times(c.rows, quotient_up(c.columns, device.vector.lanes)) : c.columns;
  return times(rounds(c, false), a_step);
}

}  // namespace tcp::sched::book
