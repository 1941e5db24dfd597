// Every weight in the TRF takes part in a contraction. If Time and Packet leave out an axis of Element, or some steps of one, the
// sequencer would read the first of its steps only, and the result would silently lack the others.
//
// Add the axis to Time, as an innermost factor if the stream does not have it; or store only the weights that are wanted.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, T = 5, N = 8, K = 16);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(M, K), ScalarType::bf16, weights(N, Expr(m<T, K>{})), M, K.pad(32)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
