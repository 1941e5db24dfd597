// The operands of an operation are slots with guards: constants first, at most three, then at most one register. The first slot whose guard
// holds is taken; a lane that none of them claims passes unchanged.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch};

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp),
                                Operands{}.vrf(ScalarType::i32, OperandGuard::group(GroupId::Zero)).immediate(ScalarType::i32))));
}
#else
REFUSED_AT_RUN_TIME {
  return check_step(state, step_of(FxpBinaryOp::AddFxp),
                    Operands{}.vrf(ScalarType::i32, OperandGuard::group(GroupId::Zero)).immediate(ScalarType::i32))
      .refusal();
}
#endif
