// The operands of an operation are slots with guards: constants first, at most three, then at most one register. The first slot whose guard
// holds is taken; a lane that none of them claims passes unchanged.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr ScalarType type = ScalarType::i32;
constexpr VectorState state{.stage = VectorStage::Branch};
constexpr Operands operands = Operands{}
                                  .immediate(type, OperandGuard::id(0))
                                  .immediate(type, OperandGuard::id(1))
                                  .immediate(type, OperandGuard::id(2))
                                  .immediate(type);

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp), operands))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::AddFxp), operands).refusal(); }
#endif
