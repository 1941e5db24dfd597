// `Stash` as an operand reads what an earlier `vector_stash` of the same pass has kept.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Fxp};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(ClipBinaryOpI32::Max), Operands{}.stash()))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(ClipBinaryOpI32::Max), Operands{}.stash()).refusal(); }
#endif
