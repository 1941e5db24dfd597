// Packets leave the stream adapter in the order in which the flits came. It can give out a packet several times, for axes that only
// the weights have; those are the innermost factors of Time. It cannot go back to an earlier packet.
//
// Here T, an axis of the weights, stands outside of M. Write `M, T`, or let the fetch read the stream once for each T.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, T = 5, N = 8, K = 16);

static constexpr Verdict mistake() {
  return verdict(
      check_align(target, ScalarType::bf16, stream(M, K), ScalarType::bf16, weights(N, Expr(m<T, K>{})), Expr(m<T, M>{}), K.pad(32)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
