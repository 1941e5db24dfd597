// `accumulate` adds over the axes of Time that its result does not have. The others keep their order and their padding: results
// leave in the order in which they are complete.
//
// Rearrange in the fetch, or when the result is committed.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(A = 4, B = 3, N = 8, K = 4);

static constexpr Verdict mistake() {
  return verdict(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32,
                                  computation(N, Expr(m<A, K, B>{}), one), Expr(m<B, A>{}), N));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
