// Row is a part of the weights' axes. If Time or Packet count other steps of such an axis, then the weights of these steps must lie
// in the TRF's Element; otherwise the engine would multiply with those of step 0 again and again.
//
// Here Row has N % 8 and Time has N / 8. Store the weights with N / 8 in Element, or contract 8 of N at a time.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, N = 32, K = 32);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(Expr(m<N / 8, M, K / 16>{}), K % 16), ScalarType::bf16, weights(N % 8, K),
                             Expr(m<N / 8, M>{}), K));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
