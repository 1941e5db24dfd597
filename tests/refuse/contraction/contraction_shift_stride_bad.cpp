// One step of a filter axis shifts the flits by its distance in elements: the dilation, times everything that lies inside of the
// window in the packet. The shifter spans less than 16 bytes: 31 elements of 4 bits, 15 of 8 bits, 7 of 16 bits.
//
// Let the fetch read the filter axis in Time, or move inner factors out of the packet.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, W = 2, Fw = 3, C = 8, N = 8);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(M, Expr(m<slide(W, Fw), C>{})), ScalarType::bf16,
                             weights(N, Expr(m<Fw, C>{})), Expr(m<M, Fw>{}), group(W.pad(4), C)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
