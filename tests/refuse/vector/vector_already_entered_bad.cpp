// Execution ids are given to the lanes once, at the start of the intra-slice block. Later operations choose by them; they cannot be given anew
// inside the block. A condition on a computed value needs another pass, or min, max and bit operations.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Clip};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(BranchMode::ValidCount)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(BranchMode::ValidCount)).refusal(); }
#endif
