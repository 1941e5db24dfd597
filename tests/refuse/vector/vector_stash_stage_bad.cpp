// A snapshot of the stream can be taken in the stages Branch, Logic, Fxp, Narrow, Float, FpDiv and Clip. The conversions, the reduce, Widen,
// Filter and Output have no tap.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::FxpToFp, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::stash)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::stash)).refusal(); }
#endif
