// Unary operations, `_zip` operations and steps that compute nothing take no operand.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpUnaryOp::Exp), Operands{}.immediate(ScalarType::f32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpUnaryOp::Exp), Operands{}.immediate(ScalarType::f32)).refusal(); }
#endif
