// Every operation is for i32 or for f32: the Fxp stage for i32, Float and FpDiv for f32; Logic and Clip have one enumeration for each.
// `vector_fxp_to_fp` and `vector_fp_to_fxp` convert, each at its place in the pipeline.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::f32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::f32)).refusal(); }
#endif
