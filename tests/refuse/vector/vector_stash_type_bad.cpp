// The stash keeps bits. What was stashed as f32 can be read by operations on f32 only, and i32 likewise; between the two lie
// `vector_fxp_to_fp` and `vector_fp_to_fxp`.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32, .stash = VectorState::Stash::kept};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpBinaryOp::AddF), Operands{}.stash()))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpBinaryOp::AddF), Operands{}.stash()).refusal(); }
#endif
