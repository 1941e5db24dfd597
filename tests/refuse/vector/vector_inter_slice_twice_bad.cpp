// The inter-slice block reduces across the slices of a cluster, before or after the intra-slice block, once per pass.
//
// Several factors of Slice can go in one reduce; what depends on the first reduce's result needs another pass.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Fxp, .order = VeOrder::InterFirst};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::inter_slice_reduce)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::inter_slice_reduce)).refusal(); }
#endif
