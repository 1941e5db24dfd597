// A filter keeps the lanes whose execution id is named. After `BranchMode::Unconditional` all lanes have id 0: it would keep all of them or none.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Clip};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(VectorMethod::filter)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(VectorMethod::filter)).refusal(); }
#endif
