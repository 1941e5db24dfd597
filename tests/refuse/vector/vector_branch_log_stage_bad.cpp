// The branch log writes the execution ids as `vector_intra_slice_branch` gives them, for a later pass that reads them by `BranchMode::Vrf`. It
// is called there and nowhere else.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Fxp, .branch = BranchMode::Kind::Comparison};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::branch_log)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::branch_log)).refusal(); }
#endif
