// Each ALU of the Vector Engine runs once per pass. Operations that share one cannot be in the same pass: AddFxp and SubFxp share FxpAdd, Tanh and
// Sqrt share FpFpu.
//
// Use an operation on another ALU where there is one (the Clip stage adds on ClipAdd; multiplications choose Mul0, Mul1 or Fma), or commit and
// start another pass.
#include "refuse_test.hpp"
#include "tcp/rules/vector.hpp"

using namespace tcp;

constexpr VectorState state{.stage = VectorStage::Fxp, .used = 1u << static_cast<int>(VectorAlu::FxpAdd)};

#if TCP_AT_COMPILE_TIME
void mistake() { TCP_REFUSE(verdict(check_step(state, step_of(FxpBinaryOp::SubFxp), Operands{}.immediate(ScalarType::i32)))); }
#else
REFUSED_AT_RUN_TIME { return check_step(state, step_of(FxpBinaryOp::SubFxp), Operands{}.immediate(ScalarType::i32)).refusal(); }
#endif
