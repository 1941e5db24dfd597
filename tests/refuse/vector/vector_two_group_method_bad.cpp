// In two-group mode the execution ids tell the two groups apart, and the stash would have to hold both. So `vector_stash`, `vector_filter`,
// `vector_branch_log` and `vector_write_operand` do not exist there, neither while there are two groups nor after their `_zip`.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Clip, .mode = VectorState::Mode::merged};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::stash)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::stash)).refusal(); }
#endif
