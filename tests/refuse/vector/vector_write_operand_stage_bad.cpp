// `vector_write_operand` keeps the value that an operation has just made, for the same operation to read in a later time step (a running
// sum). It follows Branch, Logic, Fxp, Narrow, Float, FpDiv or Clip, like `vector_stash`.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Widen};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::write_operand)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::write_operand)).refusal(); }
#endif
