// The elementary functions, correctly rounded like tcp/scalar/elementary.hpp, in double precision on all lanes at once.
//
// Each function is computed with a relative error below 2^-43. If everything within 2^-38 of the value rounds to one
// f32, that is the result; the lanes where it does not, some in ten thousand, and those that the fast way does not
// cover, go through the scalar function. So a mistake in an error bound would be seen only near rounding boundaries:
// the exhaustive test tries every f32.
//
// Series are Taylor's, cut where the next term is below the bound on the whole of the reduced range; coefficients are
// quotients of factorials that the compiler works out.

#include <array>
#include <cstdint>
#include <limits>

#include "tcp/scalar/elementary.hpp"

#ifndef TCP_ELEMENTARY_ONCE
#define TCP_ELEMENTARY_ONCE

namespace tcp::vector::kernels {

constexpr double factorial(int n) { return n < 2 ? 1.0 : n * factorial(n - 1); }

/// erf around the middles of intervals of 1/8 between 0 and 4: coefficient i of interval j stands at [i][j].
struct ErfTable {
  static constexpr int intervals = 32, terms = 12;
  double at[terms][intervals];
};
const ErfTable& erf_table();

}  // namespace tcp::vector::kernels

#endif

#if defined(TCP_VECTOR_ELEMENTARY) == defined(HWY_TARGET_TOGGLE)
#ifdef TCP_VECTOR_ELEMENTARY
#undef TCP_VECTOR_ELEMENTARY
#else
#define TCP_VECTOR_ELEMENTARY
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tcp::vector::kernels::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
using L = hn::RebindToSigned<D>;
using Narrow = hn::Rebind<float, D>;
using VD = hn::Vec<D>;
using VL = hn::Vec<L>;
using MD = hn::Mask<D>;

HWY_INLINE VD set(double x) { return hn::Set(D(), x); }

/// c[0] + c[1] x + … by Horner's rule.
template <std::size_t n>
HWY_INLINE VD polynomial(VD x, const std::array<double, n>& c) {
  VD sum = set(c[n - 1]);
  for (std::size_t i = n - 1; i-- > 0;) sum = hn::MulAdd(sum, x, set(c[i]));
  return sum;
}

struct Value {
  VD value;
  MD covered;
};

/// The multiple of 1 nearest to x, as a number and in the low bits of an integer. Needs: |x| < 2^31.
struct Whole {
  VD number;
  VL integer;
};
HWY_INLINE Whole nearest(VD x) {
  VD const shift = set(0x1.8p52), sum = hn::Add(x, shift);
  return {hn::Sub(sum, shift), hn::BitCast(L(), sum)};
}

/// Needs: |x| <= 1000.
HWY_INLINE VD exp_of(VD x) {
  constexpr std::array<double, 12> series = {1,
                                             1,
                                             1 / factorial(2),
                                             1 / factorial(3),
                                             1 / factorial(4),
                                             1 / factorial(5),
                                             1 / factorial(6),
                                             1 / factorial(7),
                                             1 / factorial(8),
                                             1 / factorial(9),
                                             1 / factorial(10),
                                             1 / factorial(11)};
  Whole const k = nearest(hn::Mul(x, set(1.4426950408889634074)));
  // ln 2 in two parts; the first has 20 zeros at its end, so that its product with k is exact.
  VD const rest = hn::Sub(hn::Sub(x, hn::Mul(k.number, set(0x1.62e42fef00000p-1))), hn::Mul(k.number, set(0x1.473de6af278edp-34)));
  VD const power = hn::BitCast(D(), hn::ShiftLeft<52>(hn::Add(k.integer, hn::Set(L(), 1023))));
  return hn::Mul(polynomial(rest, series), power);
}

HWY_INLINE VD clamped(VD x, double least, double greatest) { return hn::Min(hn::Max(x, set(least)), set(greatest)); }

/// Beyond these every result is 0 or infinite in f32.
HWY_INLINE Value exp_value(VD x) { return {exp_of(clamped(x, -110, 110)), hn::Eq(x, x)}; }
HWY_INLINE Value neg_exp_value(VD x) { return exp_value(hn::Neg(x)); }
HWY_INLINE Value sigmoid_value(VD x) {
  VD const one = set(1);
  return {hn::Div(one, hn::Add(one, exp_of(hn::Neg(clamped(x, -110, 110))))), hn::Eq(x, x)};
}

HWY_INLINE Value tanh_value(VD x) {
  constexpr std::array<double, 6> series = {1, -1.0 / 3, 2.0 / 15, -17.0 / 315, 62.0 / 2835, -1382.0 / 155925};  // in x², for |x| < 1/8
  VD const size = hn::Min(hn::Abs(x), set(20)), one = set(1), square = hn::Mul(size, size);
  VD const power = exp_of(hn::Add(size, size));
  VD const large = hn::Div(hn::Sub(power, one), hn::Add(power, one)), small = hn::Mul(size, polynomial(square, series));
  return {hn::CopySign(hn::IfThenElse(hn::Lt(size, set(0.125)), small, large), x), hn::Eq(x, x)};
}

HWY_INLINE Value erf_value(VD x) {
  constexpr double slope = 1.1283791670955125739;  // 2 / sqrt(pi)
  constexpr std::array<double, 7> series = {slope,       -slope / 3,    slope / 10,  -slope / 42,
                                            slope / 216, -slope / 1320, slope / 9360};  // in x², for |x| < 1/8
  // Beyond 3.93 every result is 1 in f32; what is clamped is far enough from the boundary.
  VD const size = hn::Min(hn::Abs(x), set(3.99999)), square = hn::Mul(size, size);
  VD const small = hn::Mul(size, polynomial(square, series));
  Whole const interval = nearest(hn::Sub(hn::Mul(size, set(8)), set(0.5)));
  VD const from_middle = hn::Sub(size, hn::Mul(hn::Add(interval.number, set(0.5)), set(0.125)));
  VL const column = hn::And(interval.integer, hn::Set(L(), ErfTable::intervals - 1));
  const ErfTable& table = erf_table();
  VD large = hn::GatherIndex(D(), table.at[ErfTable::terms - 1], column);
  for (int i = ErfTable::terms - 1; i-- > 0;) large = hn::MulAdd(large, from_middle, hn::GatherIndex(D(), table.at[i], column));
  return {hn::CopySign(hn::IfThenElse(hn::Lt(size, set(0.125)), small, large), x), hn::Eq(x, x)};
}

HWY_INLINE Value log_value(VD x) {
  constexpr std::array<double, 9> series = {2,        2.0 / 3,  2.0 / 5,  2.0 / 7, 2.0 / 9,
                                            2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17};  // in s², |s| < 0.172
  L const d;
  // x = 2^k m with sqrt(1/2) <= m < sqrt(2), and log m = 2 artanh s, s = (m - 1) / (m + 1).
  VL const bits = hn::BitCast(d, x), root_half = hn::Set(d, 0x3fe6a09e667f3bcd);
  VL const above = hn::Sub(bits, root_half), k = hn::ShiftRight<52>(above);
  VD const m = hn::BitCast(D(), hn::Sub(bits, hn::ShiftLeft<52>(k)));
  VD const k_number = hn::Sub(hn::BitCast(D(), hn::Add(k, hn::Set(d, 0x4338000000000000))), set(0x1.8p52));
  VD const s = hn::Div(hn::Sub(m, set(1)), hn::Add(m, set(1)));
  VD const log_m = hn::Mul(s, polynomial(hn::Mul(s, s), series));
  VD const inside = hn::MulAdd(k_number, set(0.69314718055994530942), log_m), zero = hn::Zero(D());
  VD const not_above =
      hn::IfThenElse(hn::Lt(x, zero), set(std::numeric_limits<double>::quiet_NaN()), set(-std::numeric_limits<double>::infinity()));
  VD const finite = hn::IfThenElse(hn::Gt(x, zero), inside, not_above);
  return {hn::IfThenElse(hn::Gt(x, set(0x1p200)), x, finite), hn::Eq(x, x)};
}

HWY_INLINE Value sine(VD x, std::int64_t quarter_turns) {
  constexpr std::array<double, 8> odd = {1,
                                         -1 / factorial(3),
                                         1 / factorial(5),
                                         -1 / factorial(7),
                                         1 / factorial(9),
                                         -1 / factorial(11),
                                         1 / factorial(13),
                                         -1 / factorial(15)};
  constexpr std::array<double, 9> even = {1,
                                          -1 / factorial(2),
                                          1 / factorial(4),
                                          -1 / factorial(6),
                                          1 / factorial(8),
                                          -1 / factorial(10),
                                          1 / factorial(12),
                                          -1 / factorial(14),
                                          1 / factorial(16)};
  L const d;
  auto const covered = hn::Lt(hn::Abs(x), set(0x1p20));
  VD const inside = hn::IfThenElseZero(covered, x);
  Whole const n = nearest(hn::Mul(inside, set(0.63661977236758134308)));
  // pi / 2 in three parts of 33 digits, so that products with n are exact.
  VD const rest =
      hn::Sub(hn::Sub(hn::Sub(inside, hn::Mul(n.number, set(0x1.921fb54400000p0))), hn::Mul(n.number, set(0x1.0b4611a600000p-34))),
              hn::Mul(n.number, set(0x1.3198a2e037073p-69)));
  VL const quadrant = hn::Add(n.integer, hn::Set(d, quarter_turns));
  VD const square = hn::Mul(rest, rest), sin_rest = hn::Mul(rest, polynomial(square, odd)), cos_rest = polynomial(square, even);
  auto const turned = hn::RebindMask(D(), hn::Ne(hn::And(quadrant, hn::Set(d, 1)), hn::Zero(d)));
  VD const flip = hn::BitCast(D(), hn::ShiftLeft<62>(hn::And(quadrant, hn::Set(d, 2))));
  return {hn::Xor(hn::IfThenElse(turned, cos_rest, sin_rest), flip), covered};
}
HWY_INLINE Value sin_value(VD x) {
  Value v = sine(x, 0);
  // The reduction makes +0 of -0.
  v.value = hn::IfThenElse(hn::Eq(x, hn::Zero(D())), x, v.value);
  return v;
}
HWY_INLINE Value cos_value(VD x) { return sine(x, 1); }

using FunctionOfLanes = Value (*)(VD);
using VN = hn::Vec<Narrow>;
constexpr std::size_t most_lanes = 8;

HWY_INLINE VN flushed(VN x) {
  Narrow const d;
  VN const least_normal = hn::Set(d, 0x1p-126f);
  return hn::IfThenElse(hn::Lt(hn::Abs(x), least_normal), hn::CopySign(hn::Zero(d), x), x);
}

/// The lanes, one bit each, where not everything near the value rounds alike or the function does not cover the
/// operand.
HWY_INLINE unsigned open_lanes(VN below, VN above, MD covered) {
  hn::RebindToSigned<Narrow> const pattern;
  std::uint8_t settled_bits[8] = {}, covered_bits[8] = {};
  hn::StoreMaskBits(pattern, hn::Eq(hn::BitCast(pattern, below), hn::BitCast(pattern, above)), settled_bits);
  hn::StoreMaskBits(D(), covered, covered_bits);
  return ~static_cast<unsigned>(settled_bits[0] & covered_bits[0]) & ((1u << hn::Lanes(D())) - 1);
}

HWY_NOINLINE VN with_scalar_lanes(Elementary scalar, VN x, VN results, unsigned open, NumericModel model) {
  Narrow const d;
  HWY_ALIGN float in[most_lanes], out[most_lanes];
  hn::Store(x, d, in);
  hn::Store(results, d, out);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k)
    if ((open >> k & 1) != 0) out[k] = arithmetic::elementary(scalar, f32::from_float(in[k]), model).to_float();
  return hn::Load(d, out);
}

/// To nearest even, and beyond the range to infinity, where Highway's portable DemoteTo stops at the greatest number.
HWY_INLINE VN demoted(VD x) {
  Narrow const d;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
  HWY_ALIGN double wide[most_lanes];
  HWY_ALIGN float narrow[most_lanes];
  hn::Store(x, D(), wide);
  for (std::size_t k = 0; k < hn::Lanes(d); ++k) narrow[k] = static_cast<float>(wide[k]);
  return hn::Load(d, narrow);
#else
  return hn::DemoteTo(d, x);
#endif
}

template <FunctionOfLanes function>
HWY_INLINE VN results(Elementary scalar, VN x, NumericModel model) {
  bool const flush = model == NumericModel::rngd;
  Value const v = function(hn::PromoteTo(D(), flush ? flushed(x) : x));
  VN const below = demoted(hn::Mul(v.value, set(1 - 0x1p-38))), above = demoted(hn::Mul(v.value, set(1 + 0x1p-38)));
  unsigned const open = open_lanes(below, above, v.covered);
  VN const rounded = flush ? flushed(below) : below;
  return HWY_UNLIKELY(open != 0) ? with_scalar_lanes(scalar, x, rounded, open, model) : rounded;
}

}  // namespace
}  // namespace tcp::vector::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
