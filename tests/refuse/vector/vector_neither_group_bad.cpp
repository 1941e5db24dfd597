// In two-group mode an operation takes one argument for each group, `()` or `false` to skip it. Skipped by both it would do nothing, and still
// take its ALU.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Narrow, .way = Way::Way4, .type = ScalarType::f32, .mode = VectorState::Mode::paired};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpUnaryOp::Exp, {}, Groups::neither)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpUnaryOp::Exp, {}, Groups::neither)).refusal(); }
#endif
