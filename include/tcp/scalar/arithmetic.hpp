// The floating-point arithmetic of the chip, to the last bit, in either numeric model.
//
// Each operation makes its operands canonical, rounds once to nearest even, and makes the result canonical
// (numeric_model.hpp). Tininess is judged after rounding, which is why the processor's own flush-to-zero mode is no
// substitute: it differs for products, quotients and fma.
//
// In constant expressions the operations run on integers (detail/rounding.hpp); at run time they use the machine's
// arithmetic, which must be plain IEEE: no -ffast-math, and round-to-nearest without flush-to-zero or
// denormals-are-zero in the thread that calls. Results pass through integer bit patterns, so that a product and a sum
// are never contracted into one fma.
#pragma once

#include <bit>
#include <type_traits>

#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/integer_formats.hpp"
#include "tcp/scalar/numeric_model.hpp"

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0)
#error "tcp computes to the last bit: compile without -ffast-math and -ffinite-math-only"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "tcp computes to the last bit: the machine must round each float operation to float (on x86: use SSE, -mfpmath=sse)"
#endif

namespace tcp::detail {

constexpr Number number(f32 x) { return unpack(single_format, x.bits); }
constexpr f32 rounded(const Number& n) { return f32::from_bits(static_cast<std::uint32_t>(pack(single_format, n))); }

constexpr f32 negated(f32 x) { return f32::from_bits(x.bits ^ 0x80000000u); }
constexpr std::uint32_t magnitude(f32 x) { return x.bits & 0x7fffffffu; }

// The operations on integers, IEEE with one NaN. Constant expressions use them; tests compare them with the machine's.
constexpr f32 integer_add(f32 a, f32 b) { return rounded(sum(number(a), number(b))); }
constexpr f32 integer_mul(f32 a, f32 b) { return rounded(product(number(a), number(b))); }
constexpr f32 integer_div(f32 a, f32 b) { return rounded(quotient(number(a), number(b))); }
constexpr f32 integer_fma(f32 a, f32 b, f32 c) { return rounded(sum(product(number(a), number(b)), number(c))); }

/// A number's place in the order of all numbers; -0 just below +0.
constexpr std::int64_t rank(f32 x) { return (x.bits >> 31) != 0 ? -std::int64_t{magnitude(x)} - 1 : std::int64_t{magnitude(x)}; }

/// The first operand if `first` holds; a NaN operand is ignored, two give the canonical NaN.
constexpr f32 chosen(f32 a, f32 b, bool first) {
  if (a.is_nan()) return with_canonical_nan(b);
  return b.is_nan() || first ? a : b;
}

}  // namespace tcp::detail

namespace tcp::arithmetic {

constexpr f32 add(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  if (std::is_constant_evaluated()) return canonical_result(detail::integer_add(a, b), model);
  return canonical_result(f32::from_float(a.to_float() + b.to_float()), model);
}

/// Law: sub(a, b) == add(a, -b).
constexpr f32 sub(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  if (std::is_constant_evaluated()) return canonical_result(detail::integer_add(a, detail::negated(b)), model);
  return canonical_result(f32::from_float(a.to_float() - b.to_float()), model);
}

constexpr f32 mul(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  if (std::is_constant_evaluated()) return canonical_result(detail::integer_mul(a, b), model);
  return canonical_result(f32::from_float(a.to_float() * b.to_float()), model);
}

constexpr f32 div(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  if (std::is_constant_evaluated()) return canonical_result(detail::integer_div(a, b), model);
  return canonical_result(f32::from_float(a.to_float() / b.to_float()), model);
}

/// a * b + c, rounded once; the product is neither rounded nor flushed.
constexpr f32 fma(f32 a, f32 b, f32 c, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  c = canonical_operand(c, model);
  if (std::is_constant_evaluated()) return canonical_result(detail::integer_fma(a, b, c), model);
  return canonical_result(f32::from_float(__builtin_fmaf(a.to_float(), b.to_float(), c.to_float())), model);
}

/// A NaN operand is ignored; -0 < +0.
constexpr f32 min(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  return detail::chosen(a, b, detail::rank(a) <= detail::rank(b));
}
constexpr f32 max(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  return detail::chosen(a, b, detail::rank(a) >= detail::rank(b));
}

/// The operand of smaller magnitude, with its sign; the first on a tie. A NaN operand is ignored.
constexpr f32 abs_min(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  return detail::chosen(a, b, detail::magnitude(a) <= detail::magnitude(b));
}
/// The operand of larger magnitude, with its sign; the first on a tie. A NaN operand is ignored.
constexpr f32 abs_max(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  return detail::chosen(a, b, detail::magnitude(a) >= detail::magnitude(b));
}

/// The comparisons of a branch. A NaN makes each of them false; -0 equals +0.
constexpr bool less(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  bool const both_zero = (detail::magnitude(a) | detail::magnitude(b)) == 0;
  return !a.is_nan() && !b.is_nan() && !both_zero && detail::rank(a) < detail::rank(b);
}
constexpr bool greater(f32 a, f32 b, NumericModel model) { return less(b, a, model); }
constexpr bool equal(f32 a, f32 b, NumericModel model) {
  a = canonical_operand(a, model);
  b = canonical_operand(b, model);
  bool const both_zero = (detail::magnitude(a) | detail::magnitude(b)) == 0;
  return !a.is_nan() && (both_zero || a.bits == b.bits);
}

/// The unsigned comparisons look at raw bits: nothing is made canonical, and a NaN is a pattern like any other.
constexpr bool less_unsigned(f32 a, f32 b) { return a.bits < b.bits; }
constexpr bool greater_unsigned(f32 a, f32 b) { return a.bits > b.bits; }

}  // namespace tcp::arithmetic
