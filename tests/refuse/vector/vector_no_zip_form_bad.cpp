// Two groups are merged by a binary operation of the Logic, Fxp, Float or Clip stage: `vector_logic_zip`, `vector_fxp_zip`, `vector_fp_zip`,
// `vector_clip_zip`. Unary and ternary operations and the divider after the reduce have no such form.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32, .mode = VectorState::Mode::paired};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpDivBinaryOp::DivF, {}, Groups::zip)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpDivBinaryOp::DivF, {}, Groups::zip)).refusal(); }
#endif
