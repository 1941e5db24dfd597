// What the formats mean, written a second time and in another way: as tables of doubles that are searched, and by MPFR.
// It shares no code with the library, so that agreement is evidence.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace oracle {

inline std::uint32_t bits_of(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
inline float float_of(std::uint32_t b) {
  float x;
  std::memcpy(&x, &b, sizeof x);
  return x;
}

inline constexpr std::uint32_t f32_nan = 0x7fc00000;

/// One floating-point format of at most 16 bits, by the numbers of its definition.
struct Format {
  const char* name;
  int bits, fraction, bias;
  std::uint32_t infinity;   // its code, 0 if there is none
  std::uint32_t first_nan;  // the lowest positive code that is NaN, 0 if there is none
  std::uint32_t largest;    // the code of the largest finite number
  std::uint32_t nan;        // what is written for NaN

  std::uint32_t sign() const { return 1u << (bits - 1); }
  bool is_nan(std::uint32_t code) const { return first_nan != 0 && (code & (sign() - 1)) >= first_nan; }
  double value(std::uint32_t code) const {
    std::uint32_t const positive = code & (sign() - 1);
    double magnitude;
    if (is_nan(code)) return std::numeric_limits<double>::quiet_NaN();
    if (infinity != 0 && positive == infinity) magnitude = std::numeric_limits<double>::infinity();
    else if (positive >> fraction == 0) magnitude = std::ldexp(positive, 1 - bias - fraction);
    else magnitude = std::ldexp(1 + std::ldexp(positive % (1u << fraction), -fraction), static_cast<int>(positive >> fraction) - bias);
    return (code & sign()) != 0 ? -magnitude : magnitude;
  }
};

inline constexpr Format f4e2m1{"f4e2m1", 4, 1, 1, 0, 0, 0x7, 0};
inline constexpr Format f8e4m3{"f8e4m3", 8, 3, 7, 0, 0x7f, 0x7e, 0x7f};
inline constexpr Format f8e5m2{"f8e5m2", 8, 2, 15, 0x7c, 0x7d, 0x7b, 0x7e};
inline constexpr Format f16{"f16", 16, 10, 15, 0x7c00, 0x7c01, 0x7bff, 0x7e00};
inline constexpr Format bf16{"bf16", 16, 7, 127, 0x7f80, 0x7f81, 0x7f7f, 0x7fc0};

/// Encodes by looking for the two neighbours in the list of all positive numbers of the format, and comparing with the point half-way
/// between them.
class Encoder {
 public:
  explicit Encoder(const Format& f) : format(f) {
    for (std::uint32_t code = 0; code <= f.largest; ++code) numbers.push_back(f.value(code));
    // The number that would come next decides where overflow begins.
    double const last = numbers[f.largest], step = last - numbers[f.largest - 1];
    numbers.push_back(last + step);
  }
  std::uint32_t operator()(double x) const {
    if (std::isnan(x)) return format.nan;
    std::uint32_t const sign = std::signbit(x) ? format.sign() : 0;
    double const magnitude = std::fabs(x);
    std::uint32_t const overflow = format.infinity != 0 ? format.infinity : format.largest;
    if (magnitude >= numbers.back()) return sign | overflow;
    std::uint32_t low = 0, high = static_cast<std::uint32_t>(numbers.size()) - 1;  // numbers[low] <= magnitude < numbers[high]
    while (high - low > 1) {
      std::uint32_t const middle = (low + high) / 2;
      (numbers[middle] <= magnitude ? low : high) = middle;
    }
    double const half_way = (numbers[low] + numbers[high]) / 2;  // exact: both have few digits
    std::uint32_t const code = magnitude < half_way ? low : magnitude > half_way ? high : low % 2 == 0 ? low : high;
    return sign | (code > format.largest ? overflow : code);
  }

  Format format;
  std::vector<double> numbers;
};

/// MPFR set up to compute as f32 does: 24 digits, its exponents, its subnormals.
class Single {
 public:
  Single() {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    for (mpfr_t* x : {&a_, &b_, &c_, &r_}) mpfr_init2(*x, 24);
    mpfr_init2(wide_, 64);
  }
  ~Single() {
    for (mpfr_t* x : {&a_, &b_, &c_, &r_, &wide_}) mpfr_clear(*x);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
  }
  Single(const Single&) = delete;
  Single& operator=(const Single&) = delete;

  std::uint32_t add(std::uint32_t a, std::uint32_t b) {
    load(a, b);
    return rounded(mpfr_add(r_, a_, b_, MPFR_RNDN));
  }
  std::uint32_t sub(std::uint32_t a, std::uint32_t b) {
    load(a, b);
    return rounded(mpfr_sub(r_, a_, b_, MPFR_RNDN));
  }
  std::uint32_t mul(std::uint32_t a, std::uint32_t b) {
    load(a, b);
    return rounded(mpfr_mul(r_, a_, b_, MPFR_RNDN));
  }
  std::uint32_t div(std::uint32_t a, std::uint32_t b) {
    load(a, b);
    return rounded(mpfr_div(r_, a_, b_, MPFR_RNDN));
  }
  std::uint32_t fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    load(a, b);
    mpfr_set_flt(c_, float_of(c), MPFR_RNDN);
    return rounded(mpfr_fma(r_, a_, b_, c_, MPFR_RNDN));
  }
  std::uint32_t from_double(double x) { return rounded(mpfr_set_d(r_, x, MPFR_RNDN)); }
  /// a / 2^down
  std::uint32_t scaled(std::int32_t a, int down) { return rounded(mpfr_set_si_2exp(r_, a, -down, MPFR_RNDN)); }
  /// x * 2^up, half away from zero; saturated. Not for NaN.
  std::int32_t to_fixed(float x, int up) {
    mpfr_set_flt(a_, x, MPFR_RNDN);
    if (mpfr_inf_p(a_)) return x > 0 ? INT32_MAX : INT32_MIN;
    mpfr_set_emax(512);
    mpfr_mul_2si(wide_, a_, up, MPFR_RNDN);
    mpfr_round(wide_, wide_);
    std::int32_t const fixed = mpfr_cmp_si(wide_, INT32_MAX) > 0   ? INT32_MAX
                               : mpfr_cmp_si(wide_, INT32_MIN) < 0 ? INT32_MIN
                                                                   : static_cast<std::int32_t>(mpfr_get_si(wide_, MPFR_RNDN));
    mpfr_set_emax(128);
    return fixed;
  }

 private:
  void load(std::uint32_t a, std::uint32_t b) {
    mpfr_set_flt(a_, float_of(a), MPFR_RNDN);
    mpfr_set_flt(b_, float_of(b), MPFR_RNDN);
  }
  std::uint32_t rounded(int inexact) {
    mpfr_subnormalize(r_, inexact, MPFR_RNDN);
    if (mpfr_nan_p(r_)) return f32_nan;
    return bits_of(mpfr_get_flt(r_, MPFR_RNDN));
  }
  mpfr_t a_, b_, c_, r_, wide_;
};

inline bool is_nan(std::uint32_t f32) { return (f32 & 0x7fffffff) > 0x7f800000; }
/// Subnormal f32 become zero of their sign.
inline std::uint32_t flushed(std::uint32_t f32) { return std::fabs(float_of(f32)) < 0x1p-126f ? f32 & 0x80000000 : f32; }

/// f32 patterns at which something changes: zeros, subnormals, the smallest and largest normals, one, powers that multiply to the edges,
/// infinities, NaNs.
inline std::vector<std::uint32_t> edges() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t positive :
       {0x00000000u, 0x00000001u, 0x00000002u, 0x00400000u, 0x007ffffeu, 0x007fffffu, 0x00800000u, 0x00800001u, 0x00ffffffu, 0x01000000u,
        0x0c000000u, 0x1f7fffffu, 0x1f800000u, 0x20000000u, 0x33800000u, 0x34000000u, 0x3effffffu, 0x3f000000u, 0x3f000001u, 0x3f7ffffeu,
        0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x3fffffffu, 0x40000000u, 0x40490fdbu, 0x4b000001u, 0x4b7fffffu, 0x5f7fffffu, 0x5f800000u,
        0x7effffffu, 0x7f000000u, 0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fa00000u, 0x7fc00000u, 0x7fffffffu}) {
    all.push_back(positive);
    all.push_back(positive | 0x80000000u);
  }
  return all;
}

}  // namespace oracle
