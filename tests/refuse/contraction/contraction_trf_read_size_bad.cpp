// The piece of weights that is read at once, and repeated, has 1, 2, 4, 8, 16, 32 or 64 bytes.
//
// Here it is one weight of 4 bits for all lanes, half a byte. Pad the inner axis, in the stream and in the TRF alike, or store each
// weight twice.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, T = 3, N = 8, L = 64);

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::i4, stream(M, L), ScalarType::i4, weights(N, T), Expr(m<M, T>{}), L.pad(128)));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
