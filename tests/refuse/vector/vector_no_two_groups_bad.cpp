// `_zip` operations and the forms with one argument for each group exist in two-group mode only, between `vector_intra_slice_unzip` and the
// first `_zip`, which makes one stream of the two.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Branch};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip)).refusal(); }
#endif
