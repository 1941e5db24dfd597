// In each cycle the TRF sequencer reads one contiguous piece of weights, and repeats it until 64 bytes are full. So the inner part
// of Packet must lie in the TRF in one piece, and the factors outside of it must not be in the TRF at all.
//
// Here the packet is L, K, while in the TRF M lies between the two. Store the weights as M, L, K, or contract L over time.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, L = 2, N = 8, K = 16);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(Expr(m<M, L>{}), K), ScalarType::bf16, weights(N, Expr(m<L, M, K>{})), M,
                             Expr(m<L, K>{})));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
