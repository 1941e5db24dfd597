// Exp, Log, Sin, … rounded correctly: double precision where it settles the rounding, fixed point with 192 places where
// it does not.
//
// The wide computations have one bound of error for all of them, 2^-150 (`doubt`), which is generous: their own errors,
// counted in units of 2^-192, are
//   exp      at most 160 for the multiple of ln 2 that is taken off (less than a unit times k, k <= 151), two for each of 50 terms: below 2^9
//   tanh, sigmoid     those of exp, and a division of numbers between 1/2 and 2: below 2^11
//   log      those of the quotient s, then three for each of 45 terms, and k for k ln 2: below 2^9
//   sin, cos          the fraction of x · 2/π is cut after 192 places, the terms as above: below 2^8
//   erf      each of at most 150 terms t^n / n! carries the errors of those before it, enlarged by at most e^16 < 2^24: below 2^33
// so all lie below 2^42 units. A result whose doubt reaches over the middle between two f32 would be our bug. All
// inputs that needs_digits names were tried, of functions that are even or odd those of one sign: the nearest lies
// 2^-77 from the middle, relatively (the sigmoid of -2^-24), no other function's below 2^-59.
#include "tcp/scalar/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "tcp/scalar/detail/rounding.hpp"
#include "tcp/support/bug.hpp"

// Unsigned fixed point with 192 binary places: what the elementary functions are computed in where double does not
// settle how they round.
//
// Every operation is exact or cuts off less than one unit of the last place (2^-192), and says which. The functions
// built of it count these units: see elementary.cpp. Room for values below 2^64.

namespace tcp::detail {

__extension__ using Double64 = unsigned __int128;

struct Wide {
  static constexpr int limbs = 4;
  static constexpr int places = 192;

  std::uint64_t limb[limbs]{};  // lowest first; the last one stands before the point

  static constexpr Wide integer(std::uint64_t n) { return {{0, 0, 0, n}}; }

  constexpr bool is_zero() const { return (limb[0] | limb[1] | limb[2] | limb[3]) == 0; }
  /// Law: n is the number of digits; value() < 2^n units. 0 for zero.
  constexpr int width() const {
    for (int i = limbs - 1; i >= 0; --i)
      if (limb[i] != 0) return 64 * i + static_cast<int>(std::bit_width(limb[i]));
    return 0;
  }
};

constexpr bool operator<(const Wide& a, const Wide& b) {
  for (int i = Wide::limbs - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  return false;
}

/// Exact.
constexpr Wide operator+(const Wide& a, const Wide& b) {
  Wide sum;
  Double64 carry = 0;
  for (int i = 0; i < Wide::limbs; ++i) {
    carry += Double64{a.limb[i]} + b.limb[i];
    sum.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  TCP_BUG_UNLESS(carry == 0, "a sum left the range of fixed point");
  return sum;
}

/// Exact. Needs: b not above a.
constexpr Wide operator-(const Wide& a, const Wide& b) {
  TCP_BUG_UNLESS(!(a < b), "a difference of fixed-point numbers is negative");
  Wide difference;
  std::uint64_t borrow = 0;
  for (int i = 0; i < Wide::limbs; ++i) {
    difference.limb[i] = a.limb[i] - b.limb[i] - borrow;
    borrow = a.limb[i] < b.limb[i] || (a.limb[i] == b.limb[i] && borrow != 0);
  }
  return difference;
}

/// Exact to the left, less than a unit too small to the right (by < 0).
constexpr Wide shifted(const Wide& a, int by) {
  Wide out;
  for (int i = 0; i < Wide::limbs; ++i) {
    // Bit 0 of this limb comes from bit `from` of a.
    int const from = 64 * i - by;
    int const word = from >> 6, bit = from & 63;
    std::uint64_t const low = word >= 0 && word < Wide::limbs ? a.limb[word] >> bit : 0;
    std::uint64_t const high = bit != 0 && word + 1 >= 0 && word + 1 < Wide::limbs ? a.limb[word + 1] << (64 - bit) : 0;
    out.limb[i] = low | high;
  }
  TCP_BUG_UNLESS(by <= 0 || a.width() + by <= 64 * Wide::limbs, "a shift left the range of fixed point");
  return out;
}

/// Less than a unit too small.
constexpr Wide operator*(const Wide& a, const Wide& b) {
  std::uint64_t product[2 * Wide::limbs]{};
  for (int i = 0; i < Wide::limbs; ++i) {
    Double64 carry = 0;
    for (int j = 0; j < Wide::limbs; ++j) {
      carry += Double64{a.limb[i]} * b.limb[j] + product[i + j];
      product[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    product[i + Wide::limbs] = static_cast<std::uint64_t>(carry);
  }
  TCP_BUG_UNLESS(product[7] == 0, "a product left the range of fixed point");
  return {{product[3], product[4], product[5], product[6]}};
}

/// Exact.
constexpr Wide operator*(const Wide& a, std::uint32_t n) {
  Wide product;
  Double64 carry = 0;
  for (int i = 0; i < Wide::limbs; ++i) {
    carry += Double64{a.limb[i]} * n;
    product.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  TCP_BUG_UNLESS(carry == 0, "a product left the range of fixed point");
  return product;
}

/// Less than a unit too small.
constexpr Wide operator/(const Wide& a, std::uint32_t n) {
  Wide quotient;
  Double64 rest = 0;
  for (int i = Wide::limbs - 1; i >= 0; --i) {
    rest = rest << 64 | a.limb[i];
    quotient.limb[i] = static_cast<std::uint64_t>(rest / n);
    rest %= n;
  }
  return quotient;
}

/// Less than a unit too small. Needs: a < 2 b, b < 2^62.
constexpr Wide operator/(const Wide& a, const Wide& b) {
  Wide quotient, rest = a;
  for (int place = Wide::places; place >= 0; --place) {
    if (!(rest < b)) {
      rest = rest - b;
      quotient.limb[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    rest = shifted(rest, 1);
  }
  return quotient;
}

namespace {

// Cut after their last place. The last one is 2/π with 448 places.
constexpr Wide ln_2{{0x40f343267298b62d, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab, 0}};
constexpr Wide half_pi{{0x52049c1114cf98e8, 0x898cc51701b839a2, 0x921fb54442d18469, 1}};
constexpr Wide two_over_sqrt_pi{{0x281341d7587cea2e, 0xe3a914fed7fd8688, 0x20dd750429b6d11a, 1}};
constexpr int two_over_pi_limbs = 7;
constexpr std::uint64_t two_over_pi[two_over_pi_limbs] = {0xfe1deb1cb129a73e, 0x06492eea09d1921c, 0xb7246e3a424dd2e0, 0xfe5163abdebbc561,
                                                          0xdb6295993c439041, 0xfc2757d1f534ddc0, 0xa2f9836e4e441529};

constexpr Wide one = Wide::integer(1);
constexpr Wide doubt = shifted(Wide::integer(1), -150);

/// ± magnitude · 2^exponent, the magnitude within `doubt`.
struct WideValue {
  bool negative = false;
  Wide magnitude{};
  int exponent = 0;
};

f32 rounded(bool negative, const Wide& magnitude, int exponent) {
  // The highest 62 digits, and whether any follow.
  int const drop = magnitude.width() - 62;
  Wide const high = shifted(magnitude, -drop);
  bool const exact = drop <= 0 || !(shifted(high, drop) < magnitude);
  Number const n{.negative = negative, .magnitude = high.limb[0] << 1 | (exact ? 0u : 1u), .exponent = exponent - Wide::places + drop - 1};
  return f32::from_bits(static_cast<std::uint32_t>(pack(single_format, n)));
}

f32 rounded(const WideValue& v) {
  f32 const below = rounded(v.negative, v.magnitude - doubt, v.exponent);
  f32 const above = rounded(v.negative, v.magnitude + doubt, v.exponent);
  TCP_BUG_UNLESS(below == above, "an elementary function lies nearer to a rounding boundary than any is known to");
  return below;
}

/// |x| as it is. Needs: 2^-149 <= |x| < 2^64.
Wide magnitude_of(const Number& x) { return shifted(Wide{{x.magnitude, 0, 0, 0}}, x.exponent + Wide::places); }

/// e^x = 2^k · fraction, 1 <= fraction < 2 (but for the error).
struct Power {
  int k = 0;
  Wide fraction{};
};

Power exp_of(bool negative, const Wide& x) {
  // |x| is n ln 2 + rest; of a negative x the rest is taken from the next multiple, so that it is never negative.
  auto n = static_cast<std::uint32_t>(x.limb[3] * 3 / 2 + 2);  // not below
  while (x < ln_2 * n) --n;
  Wide rest = x - ln_2 * n;
  if (negative && !rest.is_zero()) {
    ++n;
    rest = ln_2 * n - x;
  }
  Wide sum = one, term = one;
  for (std::uint32_t i = 1; !term.is_zero(); ++i) {
    term = term * rest / i;
    sum = sum + term;
  }
  return {negative ? -static_cast<int>(n) : static_cast<int>(n), sum};
}

WideValue wide_exp(const Number& x) {
  Power const p = exp_of(x.negative, magnitude_of(x));
  return {false, p.fraction, p.k};
}

WideValue wide_tanh(const Number& x) {
  Power const p = exp_of(true, magnitude_of(x) * 2);
  Wide const e = shifted(p.fraction, p.k);
  return {x.negative, (one - e) / (one + e), 0};
}

WideValue wide_sigmoid(const Number& x) {
  Power const p = exp_of(true, magnitude_of(x));
  Wide const e = shifted(p.fraction, p.k);
  if (x.negative) return {false, p.fraction / (one + e), p.k};
  return {false, one / (one + e), 0};
}

WideValue wide_log(const Number& x) {
  // x = 2^k m with 3/4 <= m < 3/2, and log m = 2 artanh s, s = (m - 1) / (m + 1).
  int const width = static_cast<int>(std::bit_width(x.magnitude));
  Wide m = shifted(Wide{{x.magnitude, 0, 0, 0}}, Wide::places + 1 - width);
  int k = x.exponent + width - 1;
  if (!(m < Wide{{0, 0, std::uint64_t{1} << 63, 1}})) {
    m = shifted(m, -1);
    ++k;
  }
  bool const below_one = m < one;
  Wide const s = (below_one ? one - m : m - one) / (m + one);
  Wide const square = s * s;
  Wide sum, power = s;
  for (std::uint32_t i = 1; !power.is_zero(); i += 2) {
    sum = sum + power / i;
    power = power * square;
  }
  sum = sum * 2;
  Wide const whole = ln_2 * static_cast<std::uint32_t>(k < 0 ? -k : k);
  if (k == 0) return {below_one, sum, 0};
  bool const negative = k < 0;
  return {negative, negative == below_one ? whole + sum : whole - sum, 0};
}

/// Σ (-1)^i t^(2i + first) / (2i + first)!, the powers given by t^first / first! and t².
Wide alternating(Wide term, const Wide& square, std::uint32_t first) {
  Wide added = term, taken;
  for (std::uint32_t i = first + 2; !term.is_zero(); i += 2) {
    term = term * square / (i * (i - 1));
    Wide& side = (i - first) % 4 == 0 ? added : taken;
    side = side + term;
  }
  return added - taken;
}

WideValue wide_sin(const Number& x, int quarter_turns) {
  // x · 2/π: its integer part modulo 4 is the quadrant, its fraction the place in it. Digit i of the product stands for
  // 2^(i + exponent - 448).
  std::uint64_t product[two_over_pi_limbs + 1]{};
  Double64 carry = 0;
  for (int i = 0; i < two_over_pi_limbs; ++i) {
    carry += Double64{two_over_pi[i]} * x.magnitude;
    product[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  product[two_over_pi_limbs] = static_cast<std::uint64_t>(carry);
  int const point = 64 * two_over_pi_limbs - x.exponent;  // the digit of value 1
  Wide turned;
  for (int i = 0; i < Wide::places + 2; ++i) {
    int const digit = point - Wide::places + i;
    if (digit < 0 || digit >= 64 * (two_over_pi_limbs + 1)) continue;
    turned.limb[i / 64] |= (product[digit / 64] >> (digit % 64) & 1) << (i % 64);
  }
  int quadrant = static_cast<int>(turned.limb[3]);
  turned.limb[3] = 0;
  // sin(q π/2 + θ) for 0 <= θ <= π/4; a θ in the upper half is taken from the next quadrant, where it is negative.
  bool negative = false;
  if (turned.limb[2] >> 63 != 0) {
    turned = one - turned;
    ++quadrant;
    negative = true;
  }
  Wide const angle = turned * half_pi, square = angle * angle;
  if (x.negative) {  // sin and cos of -x: mirror the angle
    quadrant = -quadrant;
    negative = !negative;
  }
  switch ((quadrant + quarter_turns) & 3) {
    case 0: return {negative, alternating(angle, square, 1), 0};
    case 1: return {false, alternating(one, square, 0), 0};
    case 2: return {!negative, alternating(angle, square, 1), 0};
    default: return {true, alternating(one, square, 0), 0};
  }
}

WideValue wide_erf(const Number& x) {
  // erf x = x · 2/√π · Σ (-1)^n t^n / (n! (2n + 1)), t = x².
  Wide const magnitude = magnitude_of(x), square = magnitude * magnitude;
  Wide added = one, taken, power = one;
  for (std::uint32_t n = 1; !power.is_zero(); ++n) {
    power = power * square / n;
    Wide& side = n % 2 == 0 ? added : taken;
    side = side + power / (2 * n + 1);
  }
  Wide const slope = two_over_sqrt_pi * (added - taken);
  int const width = static_cast<int>(std::bit_width(x.magnitude));
  Wide const scaled = shifted(Wide{{x.magnitude, 0, 0, 0}}, Wide::places - width);  // between 1/2 and 1
  return {x.negative, slope * scaled, x.exponent + width};
}

/// In double precision, within 2^-44 of the true value.
double double_function(Elementary function, double x) {
  switch (function) {
    case Elementary::exp: return std::exp(x);
    case Elementary::neg_exp: return std::exp(-x);
    case Elementary::sqrt: return std::sqrt(x);
    case Elementary::tanh: return std::tanh(x);
    case Elementary::sigmoid: return 1 / (1 + std::exp(-x));
    case Elementary::erf: return std::erf(x);
    case Elementary::log: return std::log(x);
    case Elementary::sin: return std::sin(x);
    case Elementary::cos: return std::cos(x);
  }
  return 0;
}

/// What Annex F says at zeros, infinities, NaN and outside the domain; false for every other x.
bool special(Elementary function, f32 x, f32& result) {
  constexpr std::uint32_t plus_one = 0x3f800000, half = 0x3f000000, infinity = 0x7f800000, nan = 0x7fc00000, sign = 0x80000000;
  bool const negative = (x.bits & sign) != 0;
  bool const zero = (x.bits & ~sign) == 0, infinite = (x.bits & ~sign) == infinity;
  std::uint32_t bits = nan;
  bool known = true;
  if (!x.is_nan()) {
    switch (function) {
      case Elementary::exp:
        known = infinite || zero;
        bits = zero ? plus_one : negative ? 0 : infinity;
        break;
      case Elementary::neg_exp:
        known = infinite || zero;
        bits = zero ? plus_one : negative ? infinity : 0;
        break;
      case Elementary::sigmoid:
        known = infinite || zero;
        bits = zero ? half : negative ? 0 : plus_one;
        break;
      case Elementary::sqrt:
        known = infinite || zero || negative;
        bits = zero || !negative ? x.bits : nan;
        break;
      case Elementary::tanh:
      case Elementary::erf:
        known = infinite || zero;
        bits = zero ? x.bits : plus_one | (x.bits & sign);
        break;
      case Elementary::log:
        known = infinite || zero || negative;
        bits = zero ? infinity | sign : negative ? nan : infinity;
        break;
      case Elementary::sin:
        known = infinite || zero;
        bits = zero ? x.bits : nan;
        break;
      case Elementary::cos:
        known = infinite || zero;
        bits = zero ? plus_one : nan;
        break;
    }
  }
  result = f32::from_bits(bits);
  return known;
}

/// The f32 that everything within 2^-44 of v rounds to; false if there are two.
bool settled(double v, f32& result) {
  result = f32::from_float(static_cast<float>(v * (1 - 0x1p-44)));
  return result == f32::from_float(static_cast<float>(v * (1 + 0x1p-44)));
}

f32 ieee_function(Elementary function, f32 x) {
  f32 result;
  if (special(function, x, result)) return result;
  double const v = double_function(function, static_cast<double>(x.to_float()));
  // The double square root is correctly rounded, and a second rounding to less than half of its digits is harmless.
  if (function == Elementary::sqrt) return f32::from_float(static_cast<float>(v));
  return settled(v, result) ? result : wide_function(function, x);
}

}  // namespace

bool needs_digits(Elementary function, f32 x) {
  f32 result;
  if (function == Elementary::sqrt || special(function, x, result)) return false;
  float const size = std::fabs(x.to_float());
  switch (function) {
    case Elementary::exp:
    case Elementary::neg_exp: return size > 0x1p-26f && size < 104;
    case Elementary::sigmoid: return size > 0x1p-26f && size < (x.to_float() < 0 ? 104.0f : 18.0f);
    case Elementary::tanh: return size > 0x1p-13f && size < 10;
    case Elementary::erf: return size < 4;
    case Elementary::sin: return size > 0x1p-13f;
    case Elementary::cos: return size > 0x1p-14f;
    default: return x.bits != 0x3f800000;  // log
  }
}

f32 wide_function(Elementary function, f32 x) {
  TCP_BUG_UNLESS(needs_digits(function, x), "an elementary function was computed with many digits where none are needed");
  Number n = unpack(single_format, x.bits);
  switch (function) {
    case Elementary::exp: return rounded(wide_exp(n));
    case Elementary::neg_exp: n.negative = !n.negative; return rounded(wide_exp(n));
    case Elementary::tanh: return rounded(wide_tanh(n));
    case Elementary::sigmoid: return rounded(wide_sigmoid(n));
    case Elementary::erf: return rounded(wide_erf(n));
    case Elementary::sin: return rounded(wide_sin(n, 0));
    case Elementary::cos: return rounded(wide_sin(n, 1));
    default: return rounded(wide_log(n));
  }
}

}  // namespace tcp::detail

namespace tcp::arithmetic {

f32 elementary(Elementary function, f32 x, NumericModel model) {
  return canonical_result(detail::ieee_function(function, canonical_operand(x, model)), model);
}

}  // namespace tcp::arithmetic
