#include "oracle.hpp"

#include <algorithm>

#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/elementary.hpp"

namespace tcp::agree {
namespace {

constexpr std::int64_t least_i32 = INT32_MIN, greatest_i32 = INT32_MAX;

std::uint32_t low(std::int64_t v) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(v)); }
std::uint32_t saturated(std::int64_t v) { return low(std::clamp(v, least_i32, greatest_i32)); }
std::int64_t whole(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

std::uint32_t fixed(std::string_view name, std::uint32_t x, std::uint32_t y) {
  std::int64_t const a = whole(x), b = whole(y);
  int const n = static_cast<int>(y % 32);
  if (name == "AddFxp") return low(a + b);
  if (name == "AddFxpSat") return saturated(a + b);
  if (name == "SubFxp") return low(a - b);
  if (name == "SubFxpSat") return saturated(a - b);
  if (name == "MulInt") return x * y;
  if (name == "MulFxp") return saturated(((a * b >> 30) + 1) >> 1);  // beyond MAX for MIN × MIN only
  if (name == "BitAnd") return x & y;
  if (name == "BitOr") return x | y;
  if (name == "BitXor") return x ^ y;
  if (name == "LeftShift") return x << n;
  if (name == "LeftShiftSat") return saturated(a * (std::int64_t{1} << n));
  if (name == "LogicRightShift") return x >> n;
  if (name == "ArithRightShift") return low(a >> n);
  if (name == "ArithRightShiftRound") return n == 0 ? x : low((a + (std::int64_t{1} << (n - 1))) >> n);
  if (name == "Min") return low(std::min(a, b));
  if (name == "Max") return low(std::max(a, b));
  std::int64_t const p = a < 0 ? -a : a, q = b < 0 ? -b : b;
  if (name == "AbsMin") return p <= q ? x : y;
  TCP_BUG_UNLESS(name == "AbsMax", "an operation of i32 that the oracle does not know");
  return p >= q ? x : y;
}

f32 floating(std::string_view name, f32 a, f32 b, f32 c, NumericModel model) {
  namespace op = arithmetic;
  if (name == "BitAnd") return f32::from_bits(a.bits & b.bits);
  if (name == "BitOr") return f32::from_bits(a.bits | b.bits);
  if (name == "BitXor") return f32::from_bits(a.bits ^ b.bits);
  if (name == "Exp") return op::exp(a, model);
  if (name == "NegExp") return op::neg_exp(a, model);
  if (name == "Sqrt") return op::sqrt(a, model);
  if (name == "Tanh") return op::tanh(a, model);
  if (name == "Sigmoid") return op::sigmoid(a, model);
  if (name == "Erf") return op::erf(a, model);
  if (name == "Log") return op::log(a, model);
  if (name == "Sin") return op::sin(a, model);
  if (name == "Cos") return op::cos(a, model);
  if (name == "AddF" || name == "Add") return op::add(a, b, model);
  if (name == "SubF") return op::sub(a, b, model);
  if (name == "DivF") return op::div(a, b, model);
  if (name.starts_with("MulF") || name.starts_with("MaskMulF")) return op::mul(a, b, model);
  if (name == "FmaF" || name == "MaskFmaF") return op::fma(a, b, c, model);
  if (name == "Min") return op::min(a, b, model);
  if (name == "Max") return op::max(a, b, model);
  if (name == "AbsMin") return op::abs_min(a, b, model);
  TCP_BUG_UNLESS(name == "AbsMax", "an operation of f32 that the oracle does not know");
  return op::abs_max(a, b, model);
}

}  // namespace

std::uint32_t computed(const VectorStep& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model) {
  int const width = static_cast<int>(step.int_width);
  if (step.method == VectorMethod::fxp_to_fp) return arithmetic::fxp_to_fp(i32::from_bits(a), width).bits;
  if (step.method == VectorMethod::fp_to_fxp) return arithmetic::fp_to_fxp(f32::from_bits(a), width, model).bits;
  if (step.method == VectorMethod::reinterpret) return a;
  std::size_t const op = step.op;
  switch (step.family) {
    case OpFamily::LogicI32: return fixed(LogicBinaryOpI32::table[op].name, a, b);
    case OpFamily::Fxp: return fixed(FxpBinaryOp::table[op].name, a, b);
    case OpFamily::ClipI32: return fixed(ClipBinaryOpI32::table[op].name, a, b);
    default: break;
  }
  f32 const x = f32::from_bits(a), y = f32::from_bits(b), z = f32::from_bits(c);
  switch (step.family) {
    case OpFamily::LogicF32: return floating(LogicBinaryOpF32::table[op].name, x, y, z, model).bits;
    case OpFamily::FpUnary: return floating(FpUnaryOp::table[op].name, x, y, z, model).bits;
    case OpFamily::FpBinary: return floating(FpBinaryOp::table[op].name, x, y, z, model).bits;
    case OpFamily::FpTernary: return floating(FpTernaryOp::table[op].name, x, y, z, model).bits;
    case OpFamily::FpDiv: return floating(FpDivBinaryOp::table[op].name, x, y, z, model).bits;
    case OpFamily::ClipF32: return floating(ClipBinaryOpF32::table[op].name, x, y, z, model).bits;
    default: return a;
  }
}

std::uint32_t folded(ReduceOp op, ScalarType type, std::uint32_t a, std::uint32_t b, NumericModel model) {
  f32 const x = f32::from_bits(a), y = f32::from_bits(b);
  bool const integer = type == ScalarType::i32;
  switch (op) {
    case ReduceOp::Add: return integer ? fixed("AddFxp", a, b) : floating("AddF", x, y, {}, model).bits;
    case ReduceOp::AddSat: return fixed("AddFxpSat", a, b);
    case ReduceOp::Max: return integer ? fixed("Max", a, b) : floating("Max", x, y, {}, model).bits;
    case ReduceOp::Min: return integer ? fixed("Min", a, b) : floating("Min", x, y, {}, model).bits;
    case ReduceOp::Mul: return floating("MulF(FpMulAlu::Mul0)", x, y, {}, model).bits;
  }
  return a;
}
std::uint32_t folded_alone(ScalarType type, std::uint32_t a, NumericModel model) {
  return type == ScalarType::i32 ? a : canonical_result(canonical_operand(f32::from_bits(a), model), model).bits;
}

std::uint32_t product(ScalarType a_type, std::uint32_t a, ScalarType b_type, std::uint32_t b, NumericModel model) {
  ScalarType const wide = is_integer(a_type) ? ScalarType::i32 : ScalarType::f32;
  std::uint32_t const x = scalar_cast_bits(a_type, wide, a, model), y = scalar_cast_bits(b_type, wide, b, model);
  return wide == ScalarType::i32 ? x * y : arithmetic::mul(f32::from_bits(x), f32::from_bits(y), model).bits;
}
std::uint32_t joined(ContractOp op, ScalarType wide, std::uint32_t a, std::uint32_t b, NumericModel model) {
  return folded(op == ContractOp::Add ? ReduceOp::Add : ReduceOp::Max, wide, a, b, model);
}

}  // namespace tcp::agree
