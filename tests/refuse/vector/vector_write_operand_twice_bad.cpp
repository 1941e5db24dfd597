// One operand is written back per pass.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Fxp, .wrote = true};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::write_operand)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::write_operand)).refusal(); }
#endif
