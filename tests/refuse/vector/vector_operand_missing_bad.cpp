// A binary operation takes one operand, a ternary one a pair; each may come as several slots with guards. Only in a mode that reads no operand
// (`Mode00`) may it be left out. In two-group mode at least one group needs one.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::AddFxp)).refusal(); }
#endif
