// The operations of the Vector Engine by their codes, the order of the book's tables.
#include "sim/vector/vector.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/elementary.hpp"
#include "tcp/scalar/fixed_point.hpp"

namespace tcp::sim {

namespace {

using namespace arithmetic;
using Step = program::OperateStep;

i32 logic(std::uint8_t op, i32 a, i32 b) {
  switch (op) {
    case 0: return bit_and(a, b);
    case 1: return bit_or(a, b);
    case 2: return bit_xor(a, b);
    case 3: return left_shift(a, b);
    case 4: return logic_right_shift(a, b);
    default: return arith_right_shift(a, b);
  }
}
i32 fixed_point(std::uint8_t op, i32 a, i32 b) {
  switch (op) {
    case 0: return add_fxp(a, b);
    case 1: return add_fxp_sat(a, b);
    case 2: return sub_fxp(a, b);
    case 3: return sub_fxp_sat(a, b);
    case 4: return left_shift(a, b);
    case 5: return left_shift_sat(a, b);
    case 6: return mul_fxp(a, b);
    case 7: return mul_int(a, b);
    case 8: return logic_right_shift(a, b);
    case 9: return arith_right_shift(a, b);
    default: return arith_right_shift_round(a, b);
  }
}
i32 clip(std::uint8_t op, i32 a, i32 b) {
  switch (op) {
    case 0: return min(a, b);
    case 1: return max(a, b);
    case 2: return abs_min(a, b);
    case 3: return abs_max(a, b);
    case 4: return add_fxp(a, b);
    default: return add_fxp_sat(a, b);
  }
}
f32 logic(std::uint8_t op, f32 a, f32 b) {
  switch (op) {
    case 0: return bit_and(a, b);
    case 1: return bit_or(a, b);
    default: return bit_xor(a, b);
  }
}
f32 unary(std::uint8_t op, f32 a, NumericModel numeric) { return elementary(elementary_functions[op], a, numeric); }
f32 binary(std::uint8_t op, f32 a, f32 b, NumericModel numeric) {
  switch (op) {
    case 0: return add(a, b, numeric);
    case 1: return sub(a, b, numeric);
    case 2: return div(a, b, numeric);
    default: return mul(a, b, numeric);  // on one of three multipliers, with a guard or without
  }
}
f32 clip(std::uint8_t op, f32 a, f32 b, NumericModel numeric) {
  switch (op) {
    case 0: return min(a, b, numeric);
    case 1: return max(a, b, numeric);
    case 2: return abs_min(a, b, numeric);
    case 3: return abs_max(a, b, numeric);
    default: return add(a, b, numeric);
  }
}

}  // namespace

std::uint32_t computed(const Step& step, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel numeric) {
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  f32 const x = f32::from_bits(a), y = f32::from_bits(b), z = f32::from_bits(c);
  switch (step.family) {
    case Step::Family::LogicI32: return logic(step.op, m, n).bits;
    case Step::Family::LogicF32: return logic(step.op, x, y).bits;
    case Step::Family::Fxp: return fixed_point(step.op, m, n).bits;
    case Step::Family::FpUnary: return unary(step.op, x, numeric).bits;
    case Step::Family::FpBinary: return binary(step.op, x, y, numeric).bits;
    case Step::Family::FpTernary: return fma(x, y, z, numeric).bits;
    case Step::Family::FpDiv: return div(x, y, numeric).bits;
    case Step::Family::ClipI32: return clip(step.op, m, n).bits;
    case Step::Family::ClipF32: return clip(step.op, x, y, numeric).bits;
  }
  return a;
}

const char* arguments_of(const Step& step) {
  constexpr const char* binary_modes[] = {"00", "01", "10", "11"};
  constexpr const char* ternary_modes[] = {"012", "002", "102", "112", "020", "021", "120"};
  if (step.family == Step::Family::FpUnary) return step.mode == 0 ? "0" : "1";
  if (step.family == Step::Family::FpTernary) return ternary_modes[step.mode];
  return binary_modes[step.mode];
}

bool holds(const program::Comparison& c, std::uint32_t bits, bool floating, NumericModel numeric) {
  f32 const x = f32::from_bits(bits), y = f32::from_bits(c.boundary);
  i32 const m = i32::from_bits(bits), n = i32::from_bits(c.boundary);
  switch (c.kind) {
    case program::Compare::Equal: return floating ? equal(x, y, numeric) : equal(m, n);
    case program::Compare::Less: return floating ? less(x, y, numeric) : less(m, n);
    case program::Compare::Greater: return floating ? greater(x, y, numeric) : greater(m, n);
    case program::Compare::LessUnsigned: return bits < c.boundary;
    case program::Compare::GreaterUnsigned: return bits > c.boundary;
    case program::Compare::True: return true;
    case program::Compare::False: break;
  }
  return false;
}

}  // namespace tcp::sim
