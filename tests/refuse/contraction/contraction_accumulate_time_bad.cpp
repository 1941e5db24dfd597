// The innermost factors of the result's Time are what a step of the Reducer puts out one after the other. Interleaved, these are the
// columns that the tree left; Sequential, it is Row, and then the columns in eights.
//
// Write what is left of Time, and then these. Columns may be left out only if they are padding.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(M = 4, N = 8, P = 4);

static constexpr Verdict mistake() {
  return verdict(
      check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32, computation(N, M, P), Expr(m<P, M>{}), N));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
