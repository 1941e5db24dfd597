// The Vector Engine has an intra-slice block and an inter-slice block. A pass goes through them in one of two orders, intra-slice first or
// inter-slice first, and through each of them once. After `branch ... vector_inter_slice_reduce` only `vector_final` is left.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::InterSliceReduce};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(BranchMode::Unconditional)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(BranchMode::Unconditional)).refusal(); }
#endif
