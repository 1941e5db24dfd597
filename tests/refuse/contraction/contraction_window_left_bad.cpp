// In a window `$(W, Fw)` one position stands for several pairs of W and Fw, but a product needs exactly one element in each lane. So
// the window must be taken apart before: a window in Time by the fetch, which reads the same element again, a window in Packet by
// the stream adapter, which shifts the flits.
//
// Write the filter axis as a factor of Time of its own, inside what is left of the stream's Time.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, W = 30, Fw = 3, N = 8);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(M, slide(W, Fw)), ScalarType::bf16, weights(N, Fw), M, slide(W, Fw)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
