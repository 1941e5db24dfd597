// A slot of a ternary operation is a pair of operands under one guard.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(check_step(state, step_of(FpTernaryOp::FmaF),
                                Operands{}.immediate(ScalarType::f32, OperandGuard::id(1)).immediate(ScalarType::f32))));
}
#else
REFUSED_AT_RUN_TIME {
  return check_step(state, step_of(FpTernaryOp::FmaF),
                    Operands{}.immediate(ScalarType::f32, OperandGuard::id(1)).immediate(ScalarType::f32))
      .refusal();
}
#endif
