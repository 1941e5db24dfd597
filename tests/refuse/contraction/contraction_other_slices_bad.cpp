// Each slice multiplies what it has: neither the stream nor the weights change their chip, cluster or slice on the way into the
// Contraction Engine. So Chip, Cluster and Slice of both must be the same mapping.
//
// Spread the weights over the slices like the stream when they are moved to DM, or bring the stream there with the switch.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(S = 256, M = 4, N = 8, K = 32);

static constexpr Levels of_slices(const Mapping& slice) {
  Levels l = stream(Expr(m<M, K / 16>{}), K % 16);
  return l.set(Level::slice, slice);
}

static constexpr Verdict mistake() {
  return verdict(check_align(target, ScalarType::bf16, of_slices(S), ScalarType::bf16, weights(N, K), M, K));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
