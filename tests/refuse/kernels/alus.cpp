// Each ALU runs once per pass.
#include "vector_engine.hpp"

namespace {

// VEC-035: AddFxp and SubFxp share the adder.
[[maybe_unused]] auto vec_035(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::AddFxp, 10)
      .vector_fxp(FxpBinaryOp::MulInt, 2)
      // error[vector-alu-in-use]: FxpBinaryOp::SubFxp needs FxpAdd, and FxpAdd is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::SubFxp, 5);
}
// VEC-034: tanh(sqrt(x)) needs two passes.
[[maybe_unused]] auto vec_034(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Sqrt)
      // error[vector-alu-in-use]: FpUnaryOp::Tanh needs FpFpu, and FpFpu is already in use; help: commit and start another pass
      .vector_fp_unary(FpUnaryOp::Tanh);
}
[[maybe_unused]] auto and_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::BitAnd, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::BitAnd needs LogicAnd, and LogicAnd is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::BitAnd, 3);
}
[[maybe_unused]] auto or_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::BitOr, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::BitOr needs LogicOr, and LogicOr is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::BitOr, 3);
}
[[maybe_unused]] auto xor_twice(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_logic(LogicBinaryOpF32::BitXor, 1.0f)
      // error[vector-alu-in-use]: LogicBinaryOpF32::BitXor needs LogicXor, and LogicXor is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpF32::BitXor, 3.0f);
}
[[maybe_unused]] auto left_shift_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::LeftShift, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::LeftShift needs LogicLshift, and LogicLshift is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::LeftShift, 3);
}
[[maybe_unused]] auto both_right_shifts(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_logic(LogicBinaryOpI32::LogicRightShift, 1)
      // error[vector-alu-in-use]: LogicBinaryOpI32::ArithRightShift needs LogicRshift, and LogicRshift is already in use; help: commit and start another pass
      .vector_logic(LogicBinaryOpI32::ArithRightShift, 3);
}
[[maybe_unused]] auto fxp_shift_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::LeftShift, 1)
      // error[vector-alu-in-use]: FxpBinaryOp::LeftShiftSat needs FxpLshift, and FxpLshift is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::LeftShiftSat, 3);
}
[[maybe_unused]] auto fxp_multiply_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::MulInt, 5)
      // error[vector-alu-in-use]: FxpBinaryOp::MulFxp needs FxpMul, and FxpMul is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::MulFxp, 3);
}
[[maybe_unused]] auto fxp_right_shift_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_fxp(FxpBinaryOp::ArithRightShift, 1)
      // error[vector-alu-in-use]: FxpBinaryOp::ArithRightShiftRound needs FxpRshift, and FxpRshift is already in use; help: commit and start another pass
      .vector_fxp(FxpBinaryOp::ArithRightShiftRound, 3);
}
[[maybe_unused]] auto fma_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::AddF, 1.0f)
      // error[vector-alu-in-use]: FpTernaryOp::FmaF needs FpFma, and FpFma is already in use; help: commit and start another pass
      .vector_fp_ternary(FpTernaryOp::FmaF, 2.0f, 3.0f);
}
[[maybe_unused]] auto multiplier_0_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 1.0f)
      // error[vector-alu-in-use]: FpBinaryOp::MaskMulF(FpMulAlu::Mul0) needs FpMul0, and FpMul0 is already in use; help: choose another multiplier, or commit and start another pass
      .vector_fp_binary(FpBinaryOp::MaskMulF(FpMulAlu::Mul0), 2.0f);
}
[[maybe_unused]] auto multiplier_1_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 1.0f)
      // error[vector-alu-in-use]: FpBinaryOp::MulF(FpMulAlu::Mul1) needs FpMul1, and FpMul1 is already in use; help: choose another multiplier, or commit and start another pass
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 2.0f);
}
[[maybe_unused]] auto add_then_multiply_on_fma(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_binary(FpBinaryOp::SubF, 1.0f)
      // error[vector-alu-in-use]: FpBinaryOp::MulF(FpMulAlu::Fma) needs FpFma, and FpFma is already in use; help: commit and start another pass
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Fma), 2.0f);
}
[[maybe_unused]] auto exponential_twice(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Exp)
      // error[vector-alu-in-use]: FpUnaryOp::NegExp needs FpExp, and FpExp is already in use; help: commit and start another pass
      .vector_fp_unary(FpUnaryOp::NegExp);
}
[[maybe_unused]] auto division_on_a_busy_fpu(Context& ctx, const Floats& in) {
  return narrow(ctx, in)
      .vector_fp_unary(FpUnaryOp::Sigmoid)
      // error[vector-alu-in-use]: FpBinaryOp::DivF needs FpFpu, and FpFpu is already in use; help: commit and start another pass
      .vector_fp_binary(FpBinaryOp::DivF, 2.0f);
}
[[maybe_unused]] auto clip_minimum_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::Min, 1)
      // error[vector-alu-in-use]: ClipBinaryOpI32::AbsMin needs ClipMin, and ClipMin is already in use; help: commit and start another pass
      .vector_clip(ClipBinaryOpI32::AbsMin, 3);
}
[[maybe_unused]] auto clip_maximum_twice(Context& ctx, const Floats& in) {
  return floats(ctx, in)
      .vector_clip(ClipBinaryOpF32::Max, 1.0f)
      // error[vector-alu-in-use]: ClipBinaryOpF32::AbsMax needs ClipMax, and ClipMax is already in use; help: commit and start another pass
      .vector_clip(ClipBinaryOpF32::AbsMax, 3.0f);
}
[[maybe_unused]] auto clip_add_twice(Context& ctx, const Ints& in) {
  return ints(ctx, in)
      .vector_clip(ClipBinaryOpI32::AddFxp, 1)
      // error[vector-alu-in-use]: ClipBinaryOpI32::AddFxpSat needs ClipAdd, and ClipAdd is already in use; help: commit and start another pass
      .vector_clip(ClipBinaryOpI32::AddFxpSat, 3);
}

}  // namespace
