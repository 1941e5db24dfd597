// The Float, IntraSliceReduce and FpDiv stages are four lanes wide. `vector_split` makes two packets of four lanes of each packet of eight;
// `vector_trim_way4` keeps the lower four, which is twice as quick if the upper four are padding.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FpUnaryOp::Sigmoid)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FpUnaryOp::Sigmoid)).refusal(); }
#endif
