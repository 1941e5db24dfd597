// The Reducer multiplies 64 bytes in a cycle: 128 elements of 4 bits, 64 of 8, 32 of `bf16`. `align` makes such packets, from two
// flits of 32 bytes, or from one and zeros; a Packet of 32 bytes means the latter.
//
// Divide what is too large between Time and Packet. Note that the axes to be added up in the packet must be its inner ones.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, N = 8, K = 64);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(Expr(m<M, K / 16>{}), K % 16), ScalarType::bf16, weights(N, K), M, K));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
