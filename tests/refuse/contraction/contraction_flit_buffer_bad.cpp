// To shift through a window, the stream adapter holds all its flits in a buffer of 96 bytes: three flits.
//
// Take a shorter piece of the window at a time, or let the fetch do it: as a factor of the fetch's Time, the filter axis reads the
// same elements again.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, W = 60, Fw = 3, N = 8);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(M, slide(W, Fw).pad(64)), ScalarType::bf16, weights(N, Fw), Expr(m<M, Fw>{}),
                             W.resize(32)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
