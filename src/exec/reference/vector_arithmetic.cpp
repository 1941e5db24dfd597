// Each operation of the Vector Engine as the function of numbers that it is.
#include "tcp/exec/reference/vector.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/elementary.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace tcp::reference {
namespace {

using namespace arithmetic;

i32 fixed(LogicBinaryOpI32 op, i32 a, i32 b) {
  switch (op) {
    case LogicBinaryOpI32::BitAnd: return bit_and(a, b);
    case LogicBinaryOpI32::BitOr: return bit_or(a, b);
    case LogicBinaryOpI32::BitXor: return bit_xor(a, b);
    case LogicBinaryOpI32::LeftShift: return left_shift(a, b);
    case LogicBinaryOpI32::LogicRightShift: return logic_right_shift(a, b);
    case LogicBinaryOpI32::ArithRightShift: return arith_right_shift(a, b);
  }
  return a;
}
i32 fixed(FxpBinaryOp op, i32 a, i32 b) {
  switch (op) {
    case FxpBinaryOp::AddFxp: return add_fxp(a, b);
    case FxpBinaryOp::AddFxpSat: return add_fxp_sat(a, b);
    case FxpBinaryOp::SubFxp: return sub_fxp(a, b);
    case FxpBinaryOp::SubFxpSat: return sub_fxp_sat(a, b);
    case FxpBinaryOp::LeftShift: return left_shift(a, b);
    case FxpBinaryOp::LeftShiftSat: return left_shift_sat(a, b);
    case FxpBinaryOp::MulFxp: return mul_fxp(a, b);
    case FxpBinaryOp::MulInt: return mul_int(a, b);
    case FxpBinaryOp::LogicRightShift: return logic_right_shift(a, b);
    case FxpBinaryOp::ArithRightShift: return arith_right_shift(a, b);
    case FxpBinaryOp::ArithRightShiftRound: return arith_right_shift_round(a, b);
  }
  return a;
}
i32 fixed(ClipBinaryOpI32 op, i32 a, i32 b) {
  switch (op) {
    case ClipBinaryOpI32::Min: return min(a, b);
    case ClipBinaryOpI32::Max: return max(a, b);
    case ClipBinaryOpI32::AbsMin: return abs_min(a, b);
    case ClipBinaryOpI32::AbsMax: return abs_max(a, b);
    case ClipBinaryOpI32::AddFxp: return add_fxp(a, b);
    case ClipBinaryOpI32::AddFxpSat: return add_fxp_sat(a, b);
  }
  return a;
}

f32 floating(LogicBinaryOpF32 op, f32 a, f32 b, NumericModel) {
  switch (op) {
    case LogicBinaryOpF32::BitAnd: return bit_and(a, b);
    case LogicBinaryOpF32::BitOr: return bit_or(a, b);
    case LogicBinaryOpF32::BitXor: return bit_xor(a, b);
  }
  return a;
}
f32 floating(FpUnaryOp op, f32 a, NumericModel model) {
  switch (op) {
    case FpUnaryOp::Exp: return exp(a, model);
    case FpUnaryOp::NegExp: return neg_exp(a, model);
    case FpUnaryOp::Sqrt: return sqrt(a, model);
    case FpUnaryOp::Tanh: return tanh(a, model);
    case FpUnaryOp::Sigmoid: return sigmoid(a, model);
    case FpUnaryOp::Erf: return erf(a, model);
    case FpUnaryOp::Log: return log(a, model);
    case FpUnaryOp::Sin: return sin(a, model);
    case FpUnaryOp::Cos: return cos(a, model);
  }
  return a;
}
f32 floating(FpBinaryOp op, f32 a, f32 b, NumericModel model) {
  if (op.is_mul() || op.is_mask_mul()) return mul(a, b, model);
  if (op == FpBinaryOp::DivF) return div(a, b, model);
  return op == FpBinaryOp::AddF ? arithmetic::add(a, b, model) : sub(a, b, model);
}
f32 floating(ClipBinaryOpF32 op, f32 a, f32 b, NumericModel model) {
  switch (op) {
    case ClipBinaryOpF32::Min: return min(a, b, model);
    case ClipBinaryOpF32::Max: return max(a, b, model);
    case ClipBinaryOpF32::AbsMin: return abs_min(a, b, model);
    case ClipBinaryOpF32::AbsMax: return abs_max(a, b, model);
    case ClipBinaryOpF32::Add: return arithmetic::add(a, b, model);
  }
  return a;
}

}  // namespace

std::uint32_t computed(const VectorStep& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model) {
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  f32 const x = f32::from_bits(a), y = f32::from_bits(b), z = f32::from_bits(c);
  switch (step.family) {
    case OpFamily::LogicI32: return fixed(op_of<LogicBinaryOpI32>(step), m, n).bits;
    case OpFamily::Fxp: return fixed(op_of<FxpBinaryOp>(step), m, n).bits;
    case OpFamily::ClipI32: return fixed(op_of<ClipBinaryOpI32>(step), m, n).bits;
    case OpFamily::LogicF32: return floating(op_of<LogicBinaryOpF32>(step), x, y, model).bits;
    case OpFamily::FpUnary: return floating(op_of<FpUnaryOp>(step), x, model).bits;
    case OpFamily::FpBinary: return floating(op_of<FpBinaryOp>(step), x, y, model).bits;
    case OpFamily::FpTernary: return fma(x, y, z, model).bits;
    case OpFamily::FpDiv: return div(x, y, model).bits;
    case OpFamily::ClipF32: return floating(op_of<ClipBinaryOpF32>(step), x, y, model).bits;
    case OpFamily::Branch:
    case OpFamily::none: break;
  }
  if (step.method == VectorMethod::fxp_to_fp) return fxp_to_fp(m, static_cast<int>(step.int_width)).bits;
  if (step.method == VectorMethod::fp_to_fxp) return fp_to_fxp(x, static_cast<int>(step.int_width), model).bits;
  return a;  // of vector_reinterpret: the bits stay
}

}  // namespace tcp::reference
