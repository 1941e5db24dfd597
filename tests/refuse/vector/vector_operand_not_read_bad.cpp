// The argument mode says which operands an operation reads; `TernaryArgMode::Mode002` is op(stream, stream, operand1). An operand from VRF or
// the stash would occupy the register port, and the stash its one read, for nothing.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(
      check_step(state, step_of(FpTernaryOp::FmaF, TernaryArgMode::Mode002), Operands{}.vrf(ScalarType::f32).immediate(ScalarType::f32))));
}
#else
REFUSED_AT_RUN_TIME {
  return check_step(state, step_of(FpTernaryOp::FmaF, TernaryArgMode::Mode002), Operands{}.vrf(ScalarType::f32).immediate(ScalarType::f32))
      .refusal();
}
#endif
