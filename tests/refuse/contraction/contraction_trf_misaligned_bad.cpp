// A piece of weights begins at a multiple of its own size. A line of a TRF bank has 32 bytes, and a read of 64 bytes takes the two
// lines of both columns: a piece that begins elsewhere would reach over their end.
//
// Here rows of 96 bytes are read by 64. Pad the rows of Element to 128 bytes, `K # 64`.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, T = 3, N = 8, K = 32);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(Expr(m<M, K / 16>{}), K % 16), ScalarType::bf16,
                             weights(N, Expr(m<T, K.pad(48)>{})), Expr(m<M, T>{}), K));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
