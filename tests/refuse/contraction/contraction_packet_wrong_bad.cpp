// `align` does not move elements about. It takes one flit and fills up with zeros, or two flits, which follow each other in the
// innermost part of Time; it can transpose a flit in a few ways (4 by 16 elements of 4 bits, 2 by 16 and 4 by 8 of 8 bits, 2 by 8 of
// 16 bits); and it shifts a filter axis out of a window. The declared Packet must be the outcome of one of these.
//
// Here L is not innermost in Time, so that its two flits do not come one after the other. Fetch in the order M, L.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, L = 2, N = 8, K = 16);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, stream(Expr(m<L, M>{}), K), ScalarType::bf16, weights(N, K), M, Expr(m<L, K>{})));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
