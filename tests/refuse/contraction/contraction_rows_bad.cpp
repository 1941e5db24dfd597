// A slice has 8 MAC Rows, and the sequencer that feeds them from the TRF works with 1, 2, 4 or 8 of them.
//
// Pad Row to the next of these numbers (`N # 4`), or keep a part of the axis in Element and contract several times.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, N = 3, K = 32);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(Expr(m<M, K / 16>{}), K % 16), ScalarType::bf16, weights(N, K), M, K));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
