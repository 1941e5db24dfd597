// The Transpose Engine: a matrix goes in flit by flit and comes out row by row; with two buffers the next one goes in
// meanwhile.
#include "sched/book/saturating.hpp"

namespace tcp::sched::book {

Cycles transpose_cycles(const program::Transpose& t) {
  std::int64_t const in = times(t.in_rows, t.packets_per_column), out = times(t.kept_packets, t.kept_elements);
  if (!t.double_buffered) return Cycles{times(t.matrices, plus(in, out))};
  return Cycles{plus(plus(in, times(t.matrices - 1, std::max(in, out))), out)};
}

}  // namespace tcp::sched::book
