// The one place where numbers are taken apart, rounded and put together again.
//
// A Number is sign × magnitude × 2^exponent with an integer magnitude: every value of every format is one exactly, and
// so is every product. Where a result has more digits than 64 bits hold (quotients, far-apart sums), the digits lost
// are remembered by setting the lowest bit, far below the place where any format rounds. So each operation is an exact
// step followed by pack(), which rounds once. Integers only: the same in constant expressions, on every machine, and
// whatever the floating-point environment is.
#pragma once

#include <bit>
#include <cstdint>

namespace tcp::detail {

enum class Specials : std::uint8_t {
  infinity_and_nan,  // the highest exponent is reserved, as IEEE has it; overflow gives infinity
  one_nan,           // only the all-ones pattern is reserved, for NaN; overflow gives the largest number
  none,
};

struct FloatFormat {
  int exponent_bits;
  int fraction_bits;
  Specials specials;
  std::uint64_t canonical_nan;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int least_exponent() const { return 1 - bias(); }  // of a normal number
  constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << (exponent_bits + fraction_bits); }
  constexpr std::uint64_t hidden_bit() const { return std::uint64_t{1} << fraction_bits; }
  /// The pattern above the largest finite number: infinity, the one NaN, or the first that does not exist.
  constexpr std::uint64_t beyond() const {
    if (specials == Specials::infinity_and_nan) return sign_bit() - hidden_bit();
    return specials == Specials::one_nan ? sign_bit() - 1 : sign_bit();
  }
};

inline constexpr FloatFormat e2m1_format{2, 1, Specials::none, 0};
inline constexpr FloatFormat e4m3_format{4, 3, Specials::one_nan, 0x7f};
inline constexpr FloatFormat e5m2_format{5, 2, Specials::infinity_and_nan, 0x7e};
inline constexpr FloatFormat half_format{5, 10, Specials::infinity_and_nan, 0x7e00};
inline constexpr FloatFormat bfloat_format{8, 7, Specials::infinity_and_nan, 0x7fc0};
inline constexpr FloatFormat single_format{8, 23, Specials::infinity_and_nan, 0x7fc00000};
inline constexpr FloatFormat double_format{11, 52, Specials::infinity_and_nan, 0x7ff8000000000000};

struct Number {
  enum class Class : std::uint8_t { finite, infinity, nan };
  Class kind = Class::finite;
  bool negative = false;
  std::uint64_t magnitude = 0;
  int exponent = 0;

  constexpr bool is_nan() const { return kind == Class::nan; }
  constexpr bool is_infinity() const { return kind == Class::infinity; }
  constexpr bool is_zero() const { return kind == Class::finite && magnitude == 0; }
};

/// Law: pack(f, unpack(f, bits)) == bits, unless bits is a NaN.
constexpr Number unpack(const FloatFormat& f, std::uint64_t bits) {
  Number n;
  n.negative = (bits & f.sign_bit()) != 0;
  std::uint64_t const code = bits & (f.sign_bit() - 1);
  if (f.specials != Specials::none && code >= f.beyond()) {
    n.kind = code == f.beyond() && f.specials == Specials::infinity_and_nan ? Number::Class::infinity : Number::Class::nan;
    return n;
  }
  int const field = static_cast<int>(code >> f.fraction_bits);
  std::uint64_t const fraction = code & (f.hidden_bit() - 1);
  n.magnitude = field == 0 ? fraction : fraction | f.hidden_bit();
  n.exponent = (field == 0 ? 1 : field) - f.bias() - f.fraction_bits;
  return n;
}

/// The number of the format that is nearest, the one with an even code if two are; subnormals included. Needs: a
/// magnitude below 2^63.
constexpr std::uint64_t pack(const FloatFormat& f, const Number& n) {
  if (n.is_nan()) return f.canonical_nan;
  std::uint64_t const sign = n.negative ? f.sign_bit() : 0;
  if (n.is_zero()) return sign;
  std::uint64_t const overflow = f.specials == Specials::infinity_and_nan ? f.beyond() : f.beyond() - 1;
  if (n.is_infinity()) return sign | overflow;

  int const leading = n.exponent + static_cast<int>(std::bit_width(n.magnitude)) - 1;  // the exponent of the highest one
  if (leading > f.bias() + 1) return sign | overflow;
  int const binade = leading > f.least_exponent() ? leading : f.least_exponent();
  int const drop = binade - f.fraction_bits - n.exponent;  // digits below the last place
  if (drop > 63) return sign;                              // less than half of the smallest number
  std::uint64_t kept = n.magnitude;
  if (drop <= 0) {
    kept <<= -drop;
  } else {
    std::uint64_t const half = std::uint64_t{1} << (drop - 1);
    std::uint64_t const dropped = n.magnitude & (half | (half - 1));
    kept >>= drop;
    if (dropped > half || (dropped == half && (kept & 1) != 0)) ++kept;
  }
  // The hidden bit adds one to the exponent field; so does a carry out of the fraction. Subnormals have neither.
  std::uint64_t const code = (static_cast<std::uint64_t>(binade - f.least_exponent()) << f.fraction_bits) + kept;
  return sign | (code < f.beyond() ? code : overflow);
}

/// Shifts right; what is lost stays visible in the lowest bit.
constexpr std::uint64_t shift_right_sticky(std::uint64_t m, int by) {
  if (by > 63) return m != 0;
  return (m >> by) | ((m & ((std::uint64_t{1} << by) - 1)) != 0);
}

/// Needs: magnitudes of at most 48 bits. A zero sum is +0, unless both are -0.
constexpr Number sum(Number a, Number b) {
  if (a.is_nan() || b.is_nan()) return {.kind = Number::Class::nan};
  if (a.is_infinity()) return b.is_infinity() && a.negative != b.negative ? Number{.kind = Number::Class::nan} : a;
  if (b.is_infinity()) return b;
  if (a.is_zero() && b.is_zero()) return {.negative = a.negative && b.negative};
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  // Both highest ones go to bit 61. If digits are lost then in an operand that is smaller by 2^14 or more, and the sum
  // keeps at least 60 bits.
  Number* const both[] = {&a, &b};
  for (Number* n : both) {
    int const up = 62 - static_cast<int>(std::bit_width(n->magnitude));
    n->magnitude <<= up;
    n->exponent -= up;
  }
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.magnitude < b.magnitude)) {
    Number const t = a;
    a = b;
    b = t;
  }
  std::uint64_t const small = shift_right_sticky(b.magnitude, a.exponent - b.exponent);
  a.magnitude = a.negative == b.negative ? a.magnitude + small : a.magnitude - small;
  if (a.magnitude == 0) a.negative = false;
  return a;
}

/// Needs: magnitudes of at most 32 bits. Exact.
constexpr Number product(const Number& a, const Number& b) {
  if (a.is_nan() || b.is_nan()) return {.kind = Number::Class::nan};
  bool const negative = a.negative != b.negative;
  if (a.is_infinity() || b.is_infinity())
    return {.kind = a.is_zero() || b.is_zero() ? Number::Class::nan : Number::Class::infinity, .negative = negative};
  return {.negative = negative, .magnitude = a.magnitude * b.magnitude, .exponent = a.exponent + b.exponent};
}

/// Needs: magnitudes of at most 24 bits. 38 digits or more, the rest in the lowest bit.
constexpr Number quotient(const Number& a, const Number& b) {
  if (a.is_nan() || b.is_nan()) return {.kind = Number::Class::nan};
  bool const negative = a.negative != b.negative;
  if (a.is_infinity() || b.is_zero()) {
    bool const undefined = a.is_infinity() ? b.is_infinity() : a.is_zero();
    return {.kind = undefined ? Number::Class::nan : Number::Class::infinity, .negative = negative};
  }
  if (b.is_infinity()) return {.negative = negative};
  int const up = 62 - static_cast<int>(std::bit_width(a.magnitude));
  std::uint64_t const dividend = a.magnitude << up;
  std::uint64_t const digits = dividend / b.magnitude;
  return {.negative = negative, .magnitude = digits << 1 | (dividend % b.magnitude != 0), .exponent = a.exponent - up - b.exponent - 1};
}

}  // namespace tcp::detail
