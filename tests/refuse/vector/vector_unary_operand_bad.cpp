// `UnaryArgMode::Mode1` would apply a function to an operand instead of the stream, but `vector_fp_unary` takes no operand. Only `Mode0` exists.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpUnaryOp::Exp, UnaryArgMode::Mode1)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpUnaryOp::Exp, UnaryArgMode::Mode1)).refusal(); }
#endif
