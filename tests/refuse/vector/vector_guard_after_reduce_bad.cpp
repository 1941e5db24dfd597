// Execution ids belong to the lanes as they entered. An intra-slice reduce makes one lane of many, which may have had different ids; the book does
// not say which one the result has. So after a reduce operands have no guards, and there is no filter.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::IntraSliceReduce,
                            .way = Way::Way4,
                            .type = ScalarType::f32,
                            .branch = BranchMode::Kind::Comparison,
                            .reduced = true};

#if TCP_AT_COMPILE_TIME
void mistake() {
  TCP_REFUSE(verdict(check_step(state, step_of(FpDivBinaryOp::DivF), Operands{}.immediate(ScalarType::f32, OperandGuard::id(1)))));
}
#else
REFUSED_AT_RUN_TIME {
  return check_step(state, step_of(FpDivBinaryOp::DivF), Operands{}.immediate(ScalarType::f32, OperandGuard::id(1))).refusal();
}
#endif
