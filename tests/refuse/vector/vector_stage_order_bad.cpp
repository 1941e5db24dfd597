// The intra-slice block is a pipeline: Branch, Logic, Fxp, FxpToFp, Narrow, Float, IntraSliceReduce, FpDiv, Widen, FpToFxp, Clip, Filter,
// Output. A stream passes it once. Stages may be left out, but not gone back to, and only Logic, Fxp, Float and Clip take several operations.
//
// Reorder the operations, look for one of a later stage that does the same (the Clip stage can add), or start another pass.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Clip};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::MulInt), Operands{}.immediate(ScalarType::i32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::MulInt), Operands{}.immediate(ScalarType::i32)).refusal(); }
#endif
