// An axis that neither the stream nor the weights have would make the engine compute the same products again for each of its steps.
// Most often it is a slip: the axis was meant to be in the weights.
//
// Leave the axis out, and repeat the result where it is needed: in a later fetch, or by the DMA.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, D = 3, N = 8, K = 16);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(M, K), ScalarType::bf16, weights(N, K), Expr(m<M, D>{}), K.pad(32)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
