// `vector_final` is the way out of the Vector Engine: what comes after it is the Cast, Transpose or Commit Engine. A pass goes through the
// engine once.
//
// Do the operation before `vector_final`, or commit and start another pass.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Output};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::i32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::i32)).refusal(); }
#endif
