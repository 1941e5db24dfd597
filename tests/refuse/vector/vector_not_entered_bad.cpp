// After `vector_init` the stream stands before the Vector Engine's blocks. Operations belong to the intra-slice block, and
// `vector_intra_slice_branch` is its door: it gives every lane an execution id. `BranchMode::Unconditional` gives all of them 0.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::i32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::AddFxp), Operands{}.immediate(ScalarType::i32)).refusal(); }
#endif
