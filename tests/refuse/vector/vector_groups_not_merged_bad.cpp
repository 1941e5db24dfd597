// Two groups cannot leave the Vector Engine, nor be reduced: they are two streams that share one pipeline. A `_zip` operation makes one of
// them: `op(group 0, group 1)`.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Clip, .mode = VectorState::Mode::paired};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::output)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::output)).refusal(); }
#endif
