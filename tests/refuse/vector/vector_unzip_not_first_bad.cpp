// Two-group mode treats the stream as two from its first step on: `vector_intra_slice_unzip` is available directly after `vector_init` only,
// neither inside the intra-slice block nor after an inter-slice reduce.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::InterSliceReduce, .order = VeOrder::InterFirst};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::unzip)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::unzip)).refusal(); }
#endif
