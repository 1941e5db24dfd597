// The integer and fixed-point operations of the Vector Engine on i32, and its conversions between fixed point and f32.
//
// The names are those of the book's operations: AddFxpSat is add_fxp_sat. Shift amounts are taken modulo 32; an amount
// that is written down in a kernel must lie in 0 … 31 (check_shift_amount).
#pragma once

#include <cstdint>

#include "tcp/scalar/detail/rounding.hpp"
#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/integer_formats.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp {

constexpr Verdict check_shift_amount(std::int64_t amount, Where at = {}) {
  if (amount >= 0 && amount <= 31) return accept();
  return refuse("scalar-shift-amount-out-of-range", at)
      .what("a shift by ", amount, " places: an i32 is shifted by 0 to 31")
      .why("amounts from registers are taken modulo 32; a constant that would need it is a mistake")
      .help("write an amount from 0 to 31");
}

constexpr bool is_int_width(std::int64_t int_width) { return int_width >= 0 && int_width <= 31; }

constexpr Verdict check_int_width(std::int64_t int_width, Where at = {}) {
  if (is_int_width(int_width)) return accept();
  return refuse("scalar-int-width-out-of-range", at)
      .what("int_width ", int_width, ": fixed point has 0 to 31 integer bits beside the sign")
      .why("an i32 stands for its value divided by 2^(31 - int_width)")
      .help("write 31 for plain integers, 0 for Q31 fractions, or a number between");
}

namespace detail {

constexpr i32 saturated(std::int64_t v) {
  if (v > INT32_MAX) return i32::greatest();
  if (v < INT32_MIN) return i32::least();
  return i32::from_int(v);
}
constexpr int shift_amount(i32 n) { return static_cast<int>(n.bits & 31); }
constexpr std::int64_t wide(i32 a) { return a.to_int(); }
constexpr std::int64_t magnitude(i32 a) { return wide(a) < 0 ? -wide(a) : wide(a); }  // of the least value: 2^31

}  // namespace detail
}  // namespace tcp

namespace tcp::arithmetic {

constexpr i32 add_fxp(i32 a, i32 b) { return i32::from_bits(a.bits + b.bits); }
constexpr i32 sub_fxp(i32 a, i32 b) { return i32::from_bits(a.bits - b.bits); }
constexpr i32 mul_int(i32 a, i32 b) { return i32::from_bits(a.bits * b.bits); }
constexpr i32 add_fxp_sat(i32 a, i32 b) { return detail::saturated(detail::wide(a) + detail::wide(b)); }
constexpr i32 sub_fxp_sat(i32 a, i32 b) { return detail::saturated(detail::wide(a) - detail::wide(b)); }

/// The product of two Q31 fractions, half up. Law: only least * least leaves the range, and gives the greatest value.
constexpr i32 mul_fxp(i32 a, i32 b) { return detail::saturated(((detail::wide(a) * detail::wide(b) >> 30) + 1) >> 1); }

constexpr i32 left_shift(i32 a, i32 n) { return i32::from_bits(a.bits << detail::shift_amount(n)); }
constexpr i32 left_shift_sat(i32 a, i32 n) { return detail::saturated(detail::wide(a) * (std::int64_t{1} << detail::shift_amount(n))); }
constexpr i32 logic_right_shift(i32 a, i32 n) { return i32::from_bits(a.bits >> detail::shift_amount(n)); }
constexpr i32 arith_right_shift(i32 a, i32 n) { return i32::from_int(detail::wide(a) >> detail::shift_amount(n)); }
/// Half goes towards +infinity; a shift by 0 leaves a.
constexpr i32 arith_right_shift_round(i32 a, i32 n) {
  int const by = detail::shift_amount(n);
  return by == 0 ? a : i32::from_int((detail::wide(a) + (std::int64_t{1} << (by - 1))) >> by);
}

// On the pattern, for i32 and f32 alike: nothing is made canonical.
constexpr i32 bit_and(i32 a, i32 b) { return i32::from_bits(a.bits & b.bits); }
constexpr i32 bit_or(i32 a, i32 b) { return i32::from_bits(a.bits | b.bits); }
constexpr i32 bit_xor(i32 a, i32 b) { return i32::from_bits(a.bits ^ b.bits); }
constexpr f32 bit_and(f32 a, f32 b) { return f32::from_bits(a.bits & b.bits); }
constexpr f32 bit_or(f32 a, f32 b) { return f32::from_bits(a.bits | b.bits); }
constexpr f32 bit_xor(f32 a, f32 b) { return f32::from_bits(a.bits ^ b.bits); }

constexpr i32 min(i32 a, i32 b) { return a.to_int() <= b.to_int() ? a : b; }
constexpr i32 max(i32 a, i32 b) { return a.to_int() >= b.to_int() ? a : b; }
/// The operand of smaller or larger magnitude, with its sign; the first on a tie.
constexpr i32 abs_min(i32 a, i32 b) { return detail::magnitude(a) <= detail::magnitude(b) ? a : b; }
constexpr i32 abs_max(i32 a, i32 b) { return detail::magnitude(a) >= detail::magnitude(b) ? a : b; }

constexpr bool equal(i32 a, i32 b) { return a.bits == b.bits; }
constexpr bool less(i32 a, i32 b) { return a.to_int() < b.to_int(); }
constexpr bool greater(i32 a, i32 b) { return a.to_int() > b.to_int(); }
constexpr bool less_unsigned(i32 a, i32 b) { return a.bits < b.bits; }
constexpr bool greater_unsigned(i32 a, i32 b) { return a.bits > b.bits; }

/// a / 2^(31 - int_width), rounded once to nearest even. The result is never subnormal, so that both models agree.
/// Needs: is_int_width.
constexpr f32 fxp_to_fp(i32 a, int int_width) {
  TCP_BUG_UNLESS(is_int_width(int_width), "an int_width outside 0 to 31 was not refused");
  detail::Number const n{
      .negative = a.to_int() < 0, .magnitude = static_cast<std::uint64_t>(detail::magnitude(a)), .exponent = int_width - 31};
  return f32::from_bits(static_cast<std::uint32_t>(detail::pack(detail::single_format, n)));
}

/// x * 2^(31 - int_width), half away from zero, saturated. A NaN gives the greatest value; in `ieee` the least if its
/// sign is set.
/// Needs: is_int_width.
constexpr i32 fp_to_fxp(f32 x, int int_width, NumericModel model) {
  TCP_BUG_UNLESS(is_int_width(int_width), "an int_width outside 0 to 31 was not refused");
  x = canonical_operand(x, model);
  detail::Number const n = detail::unpack(detail::single_format, x.bits);
  int const up = n.exponent + 31 - int_width;
  if (n.kind != detail::Number::Class::finite || (up > 31 && n.magnitude != 0)) return n.negative ? i32::least() : i32::greatest();
  std::int64_t magnitude = 0;
  if (up >= 0) magnitude = static_cast<std::int64_t>(n.magnitude << up);
  else if (up >= -24) magnitude = static_cast<std::int64_t>(((n.magnitude >> (-up - 1)) + 1) >> 1);
  return detail::saturated(n.negative ? -magnitude : magnitude);
}

}  // namespace tcp::arithmetic
