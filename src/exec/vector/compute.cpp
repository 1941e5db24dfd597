// Tables from the operations of the Vector Engine to those of the kernels.
#include "exec/vector/compute.hpp"

#include "tcp/support/bug.hpp"

namespace tcp::vector {
namespace {

using kernels::Op;

Op op_of_code(LogicBinaryOpI32 op) {
  switch (op) {
    case LogicBinaryOpI32::BitAnd: return Op::bit_and;
    case LogicBinaryOpI32::BitOr: return Op::bit_or;
    case LogicBinaryOpI32::BitXor: return Op::bit_xor;
    case LogicBinaryOpI32::LeftShift: return Op::left_shift;
    case LogicBinaryOpI32::LogicRightShift: return Op::logic_right_shift;
    case LogicBinaryOpI32::ArithRightShift: break;
  }
  return Op::arith_right_shift;
}
Op op_of_code(LogicBinaryOpF32 op) {
  switch (op) {
    case LogicBinaryOpF32::BitAnd: return Op::bit_and;
    case LogicBinaryOpF32::BitOr: return Op::bit_or;
    case LogicBinaryOpF32::BitXor: break;
  }
  return Op::bit_xor;
}
Op op_of_code(FxpBinaryOp op) {
  switch (op) {
    case FxpBinaryOp::AddFxp: return Op::add_fxp;
    case FxpBinaryOp::AddFxpSat: return Op::add_fxp_sat;
    case FxpBinaryOp::SubFxp: return Op::sub_fxp;
    case FxpBinaryOp::SubFxpSat: return Op::sub_fxp_sat;
    case FxpBinaryOp::LeftShift: return Op::left_shift;
    case FxpBinaryOp::LeftShiftSat: return Op::left_shift_sat;
    case FxpBinaryOp::MulFxp: return Op::mul_fxp;
    case FxpBinaryOp::MulInt: return Op::mul_int;
    case FxpBinaryOp::LogicRightShift: return Op::logic_right_shift;
    case FxpBinaryOp::ArithRightShift: return Op::arith_right_shift;
    case FxpBinaryOp::ArithRightShiftRound: break;
  }
  return Op::arith_right_shift_round;
}
Op op_of_code(FpUnaryOp op) {
  switch (op) {
    case FpUnaryOp::Exp: return Op::exp;
    case FpUnaryOp::NegExp: return Op::neg_exp;
    case FpUnaryOp::Sqrt: return Op::sqrt;
    case FpUnaryOp::Tanh: return Op::tanh;
    case FpUnaryOp::Sigmoid: return Op::sigmoid;
    case FpUnaryOp::Erf: return Op::erf;
    case FpUnaryOp::Log: return Op::log;
    case FpUnaryOp::Sin: return Op::sin;
    case FpUnaryOp::Cos: break;
  }
  return Op::cos;
}
Op op_of_code(FpBinaryOp op) {
  if (op.is_mul() || op.is_mask_mul()) return Op::mul;
  if (op == FpBinaryOp::DivF) return Op::div;
  return op == FpBinaryOp::AddF ? Op::add : Op::sub;
}
Op op_of_code(ClipBinaryOpI32 op) {
  switch (op) {
    case ClipBinaryOpI32::Min: return Op::min_i32;
    case ClipBinaryOpI32::Max: return Op::max_i32;
    case ClipBinaryOpI32::AbsMin: return Op::abs_min_i32;
    case ClipBinaryOpI32::AbsMax: return Op::abs_max_i32;
    case ClipBinaryOpI32::AddFxp: return Op::add_fxp;
    case ClipBinaryOpI32::AddFxpSat: break;
  }
  return Op::add_fxp_sat;
}
Op op_of_code(ClipBinaryOpF32 op) {
  switch (op) {
    case ClipBinaryOpF32::Min: return Op::min;
    case ClipBinaryOpF32::Max: return Op::max;
    case ClipBinaryOpF32::AbsMin: return Op::abs_min;
    case ClipBinaryOpF32::AbsMax: return Op::abs_max;
    case ClipBinaryOpF32::Add: break;
  }
  return Op::add;
}

}  // namespace

kernels::Op op_of(const VectorStep& step) {
  switch (step.family) {
    case OpFamily::LogicI32: return op_of_code(tcp::op_of<LogicBinaryOpI32>(step));
    case OpFamily::LogicF32: return op_of_code(tcp::op_of<LogicBinaryOpF32>(step));
    case OpFamily::Fxp: return op_of_code(tcp::op_of<FxpBinaryOp>(step));
    case OpFamily::ClipI32: return op_of_code(tcp::op_of<ClipBinaryOpI32>(step));
    case OpFamily::FpUnary: return op_of_code(tcp::op_of<FpUnaryOp>(step));
    case OpFamily::FpBinary: return op_of_code(tcp::op_of<FpBinaryOp>(step));
    case OpFamily::FpTernary: return Op::fma;
    case OpFamily::FpDiv: return Op::div;
    case OpFamily::ClipF32: return op_of_code(tcp::op_of<ClipBinaryOpF32>(step));
    case OpFamily::Branch:
    case OpFamily::none: break;
  }
  TCP_BUG_UNLESS(step.method == VectorMethod::fxp_to_fp || step.method == VectorMethod::fp_to_fxp,
                 "a step that computes nothing was computed");
  return step.method == VectorMethod::fxp_to_fp ? Op::fxp_to_fp : Op::fp_to_fxp;
}

kernels::Op op_of(ReduceOp op, ScalarType type) {
  bool const floating = type == ScalarType::f32;
  switch (op) {
    case ReduceOp::Max: return floating ? Op::max : Op::max_i32;
    case ReduceOp::Min: return floating ? Op::min : Op::min_i32;
    case ReduceOp::Mul: return floating ? Op::mul : Op::add_fxp;  // i32 has no product of a reduce; the rules refuse it
    case ReduceOp::AddSat: return floating ? Op::add : Op::add_fxp_sat;
    case ReduceOp::Add: break;
  }
  return floating ? Op::add : Op::add_fxp;
}

}  // namespace tcp::vector
