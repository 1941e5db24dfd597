// All stages but Float, IntraSliceReduce and FpDiv are eight lanes wide, the exit too. A narrowed stream is widened again by `vector_concat`
// (the inverse of `vector_split`) or `vector_pad_way8` (the inverse of `vector_trim_way4`).
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Float, .way = Way::Way4, .type = ScalarType::f32};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(ClipBinaryOpF32::Max), Operands{}.immediate(ScalarType::f32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(ClipBinaryOpF32::Max), Operands{}.immediate(ScalarType::f32)).refusal(); }
#endif
