// Operands have the type of the stream: i32 or f32. In C++ `100` is i32 and `100.0f` is f32. Bit operations on f32 take f32 patterns.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::f32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::f32)).refusal(); }
#endif
