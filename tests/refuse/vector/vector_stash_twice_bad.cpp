// There is one stash: it is written once and read once in a pass.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Fxp, .stash = VectorState::Stash::kept};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::stash)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::stash)).refusal(); }
#endif
