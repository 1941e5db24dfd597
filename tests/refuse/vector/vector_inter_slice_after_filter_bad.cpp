// A filter drops other lanes in each slice, so that after it the lanes of two slices no longer belong together, and a reduce across slices would
// combine what has nothing to do with each other.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Filter, .branch = BranchMode::Kind::Comparison};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::inter_slice_reduce)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::inter_slice_reduce)).refusal(); }
#endif
