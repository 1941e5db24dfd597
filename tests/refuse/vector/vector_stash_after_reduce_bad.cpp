// The stash holds the packets of the stream in step with it. An intra-slice reduce takes in many packets for each that it puts out, so that
// after it neither a stash can be taken nor one be read. Softmax therefore needs two passes: one that sums, one that divides.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::FpDiv, .way = Way::Way4, .type = ScalarType::f32, .reduced = true};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::stash)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::stash)).refusal(); }
#endif
