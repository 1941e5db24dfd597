// The strides of the TRF sequencer are signed numbers of 32 bits, in bytes. No tensor that fits the TRF of a chip comes near; a
// logical device, which has no capacities, can be asked for more.
//
// Use a smaller tensor.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(T = 2, B = 2147483648, N = 8, K = 16);

static constexpr Verdict mistake() {
  return verdict(
      check_align(logical, ScalarType::bf16, stream(one, K), ScalarType::bf16, weights(N, Expr(m<T, B, K>{})), Expr(m<B, T>{}), K.pad(32)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
