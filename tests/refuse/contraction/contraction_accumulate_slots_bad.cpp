// A sum over time stays open until the outermost of the axes that are added has come to its end, and all that is counted inside of
// it is open at once. The accumulator has 1,024 slots. Interleaved, each open value takes a slot of all 8 Rows, so 128 can be open;
// Sequential, it takes the 32 columns of its Row, so 32 Rows can.
//
// Bring the added axis further inside in the fetch's Time; the innermost place needs one slot only.
#include "contraction/operands.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp_refuse;

TCP_AXES(K = 4, M = 129, N = 8);

static constexpr Verdict mistake() {
  return verdict(check_accumulate(target, ContractOp::Add, AccumulationKind::Interleaved, ScalarType::f32,
                                  computation(N, Expr(m<K, M>{}), one), M, N));
}

#if TCP_AT_COMPILE_TIME
void f() { TCP_REFUSE(mistake()); }
#else
REFUSED_AT_RUN_TIME { return mistake().refusal(); }
#endif
