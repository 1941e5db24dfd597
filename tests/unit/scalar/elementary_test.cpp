// The elementary functions against MPFR: special values, the inputs that come nearest to a rounding boundary, every exponent, samples of everything.
//
// With TCP_EXHAUSTIVE set in the environment the sweep takes every input instead of a sample (scripts/run-sweeps).
// There, where the 64 digits of long double settle the rounding, they are the oracle, for speed; where they do not, MPFR is.
#include "tcp/scalar/elementary.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "hardest_operands.hpp"
#include "oracle.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

using oracle::bits_of, oracle::float_of;

constexpr std::uint32_t nan = 0x7fc00000, infinity = 0x7f800000, plus_one = 0x3f800000, half = 0x3f000000, sign = 0x80000000;

/// The function to 120 digits, then to f32. No input lies within 2^-80 of a boundary, so the second rounding is harmless.
class Mpfr {
 public:
  Mpfr() {
    mpfr_init2(x_, 24);
    mpfr_init2(y_, 120);
  }
  ~Mpfr() {
    mpfr_clear(x_);
    mpfr_clear(y_);
  }
  Mpfr(const Mpfr&) = delete;
  Mpfr& operator=(const Mpfr&) = delete;

  std::uint32_t operator()(Elementary f, std::uint32_t x) {
    mpfr_set_flt(x_, float_of(x), MPFR_RNDN);
    switch (f) {
      case Elementary::exp: mpfr_exp(y_, x_, MPFR_RNDN); break;
      case Elementary::neg_exp:
        mpfr_neg(x_, x_, MPFR_RNDN);
        mpfr_exp(y_, x_, MPFR_RNDN);
        break;
      case Elementary::sqrt: mpfr_sqrt(y_, x_, MPFR_RNDN); break;
      case Elementary::tanh: mpfr_tanh(y_, x_, MPFR_RNDN); break;
      case Elementary::sigmoid:
        mpfr_neg(x_, x_, MPFR_RNDN);
        mpfr_exp(y_, x_, MPFR_RNDN);
        mpfr_add_ui(y_, y_, 1, MPFR_RNDN);
        mpfr_ui_div(y_, 1, y_, MPFR_RNDN);
        break;
      case Elementary::erf: mpfr_erf(y_, x_, MPFR_RNDN); break;
      case Elementary::log: mpfr_log(y_, x_, MPFR_RNDN); break;
      case Elementary::sin: mpfr_sin(y_, x_, MPFR_RNDN); break;
      case Elementary::cos: mpfr_cos(y_, x_, MPFR_RNDN); break;
    }
    float const y = mpfr_get_flt(y_, MPFR_RNDN);
    return std::isnan(y) ? nan : bits_of(y);
  }

 private:
  mpfr_t x_, y_;
};

long double long_double(Elementary f, long double x) {
  switch (f) {
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

/// By long double where its first 60 digits settle the rounding, else by MPFR.
std::uint32_t expected(Mpfr& mpfr, Elementary f, std::uint32_t x) {
  long double const y = long_double(f, static_cast<long double>(float_of(x)));
  auto const low = static_cast<float>(y * (1 - 0x1p-60L)), high = static_cast<float>(y * (1 + 0x1p-60L));
  if (std::isnan(y)) return nan;
  return bits_of(low) == bits_of(high) ? bits_of(low) : mpfr(f, x);
}

std::uint32_t ieee(Elementary f, std::uint32_t x) { return arithmetic::elementary(f, f32::from_bits(x), NumericModel::ieee).bits; }
std::uint32_t rngd(Elementary f, std::uint32_t x) { return arithmetic::elementary(f, f32::from_bits(x), NumericModel::rngd).bits; }

/// Both models against one value. In `rngd` a subnormal operand is zero, and a subnormal result becomes zero.
void check(Mpfr& mpfr, Elementary f, std::uint32_t x) {
  std::uint32_t const kept = oracle::is_nan(x) ? nan : x;
  ASSERT_EQ(ieee(f, x), mpfr(f, kept)) << elementary_name(f) << " of " << std::hex << x;
  ASSERT_EQ(rngd(f, x), oracle::flushed(mpfr(f, oracle::flushed(kept)))) << elementary_name(f) << " of " << std::hex << x << " in rngd";
}

TEST(Elementary, special_values) {
  struct {
    Elementary f;
    std::uint32_t x, y;
  } const known[] = {
      {Elementary::exp, 0, plus_one},
      {Elementary::exp, sign, plus_one},
      {Elementary::exp, infinity, infinity},
      {Elementary::exp, infinity | sign, 0},
      {Elementary::neg_exp, 0, plus_one},
      {Elementary::neg_exp, sign, plus_one},
      {Elementary::neg_exp, infinity, 0},
      {Elementary::neg_exp, infinity | sign, infinity},
      {Elementary::sqrt, 0, 0},
      {Elementary::sqrt, sign, sign},
      {Elementary::sqrt, infinity, infinity},
      {Elementary::sqrt, infinity | sign, nan},
      {Elementary::sqrt, 0xbf800000, nan},
      {Elementary::sqrt, 0x40800000, 0x40000000},
      {Elementary::tanh, 0, 0},
      {Elementary::tanh, sign, sign},
      {Elementary::tanh, infinity, plus_one},
      {Elementary::tanh, infinity | sign, plus_one | sign},
      {Elementary::sigmoid, 0, half},
      {Elementary::sigmoid, sign, half},
      {Elementary::sigmoid, infinity, plus_one},
      {Elementary::sigmoid, infinity | sign, 0},
      {Elementary::erf, 0, 0},
      {Elementary::erf, sign, sign},
      {Elementary::erf, infinity, plus_one},
      {Elementary::erf, infinity | sign, plus_one | sign},
      {Elementary::log, 0, infinity | sign},
      {Elementary::log, sign, infinity | sign},
      {Elementary::log, infinity, infinity},
      {Elementary::log, infinity | sign, nan},
      {Elementary::log, 0xbf800000, nan},
      {Elementary::log, plus_one, 0},
      {Elementary::sin, 0, 0},
      {Elementary::sin, sign, sign},
      {Elementary::sin, infinity, nan},
      {Elementary::sin, infinity | sign, nan},
      {Elementary::cos, 0, plus_one},
      {Elementary::cos, sign, plus_one},
      {Elementary::cos, infinity, nan},
      {Elementary::cos, infinity | sign, nan},
  };
  for (auto const& k : known) {
    EXPECT_EQ(ieee(k.f, k.x), k.y) << elementary_name(k.f) << " of " << std::hex << k.x;
    EXPECT_EQ(rngd(k.f, k.x), k.y) << elementary_name(k.f) << " of " << std::hex << k.x;
  }
  for (Elementary f : elementary_functions)
    for (std::uint32_t x : {nan, 0xffc00000u, 0x7f800001u, 0xffffffffu}) {
      EXPECT_EQ(ieee(f, x), nan) << elementary_name(f);
      EXPECT_EQ(rngd(f, x), nan) << elementary_name(f);
    }
}

TEST(Elementary, subnormals_are_flushed_in_rngd_alone) {
  EXPECT_EQ(ieee(Elementary::sin, 0x00000123), 0x00000123u);
  EXPECT_EQ(rngd(Elementary::sin, 0x80000123), 0x80000000u);
  EXPECT_EQ(rngd(Elementary::log, 0x00000001), infinity | sign) << "of zero";
  EXPECT_EQ(rngd(Elementary::log, 0x80000001), infinity | sign) << "of zero, not of a negative number";
  EXPECT_EQ(rngd(Elementary::sqrt, 0x80000001), sign);
  std::uint32_t const minus_100 = 0xc2c80000;  // e^-100 is subnormal
  EXPECT_NE(ieee(Elementary::exp, minus_100), 0u);
  EXPECT_EQ(rngd(Elementary::exp, minus_100), 0u);
  EXPECT_EQ(rngd(Elementary::sigmoid, minus_100), 0u);
}

TEST(Elementary, nearest_to_a_boundary) {
  Mpfr mpfr;
  for (HardOperands const& h : hardest_operands) {
    for (std::uint32_t x : h.x) {
      check(mpfr, h.f, x);
      EXPECT_EQ(detail::wide_function(h.f, f32::from_bits(x)).bits, ieee(h.f, x)) << elementary_name(h.f) << " of " << std::hex << x;
      bool const mirrored = h.f != Elementary::log;
      if (mirrored) check(mpfr, h.f, x ^ sign);
    }
  }
}

TEST(Elementary, every_exponent) {
  Mpfr mpfr;
  Random random(20240607);
  for (Elementary f : elementary_functions)
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
      for (std::uint32_t fraction : {0u, 1u, 0x7fffffu, 0x400000u, static_cast<std::uint32_t>(random.below(1u << 23))})
        for (std::uint32_t s : {0u, sign}) ASSERT_NO_FATAL_FAILURE(check(mpfr, f, s | exponent << 23 | fraction));
}

TEST(Elementary, where_results_leave_the_range) {
  Mpfr mpfr;
  auto const around = [&](Elementary f, float x) {
    for (std::int32_t d = -40; d <= 40; ++d) check(mpfr, f, bits_of(x) + static_cast<std::uint32_t>(d));
  };
  for (float x : {88.722839f, -87.336544f, -103.972076f, -103.278929f}) around(Elementary::exp, x);
  for (float x : {-88.722839f, 87.336544f, 103.972076f}) around(Elementary::neg_exp, x);
  for (float x : {17.328679f, -103.972076f, -87.336544f, 18.0f, 0x1p-26f, -0x1p-24f}) around(Elementary::sigmoid, x);
  for (float x : {9.010913f, -9.010913f, 10.0f, 0x1p-12f, 0x1p-13f}) around(Elementary::tanh, x);
  for (float x : {3.832507f, 3.9192059f, 4.0f, -4.0f, 0x1p-126f}) around(Elementary::erf, x);
  for (float x : {1.0f, 0.75f, 1.5f}) around(Elementary::log, x);
  for (float x : {3.1415927f, 1.5707964f, 0.78539816f, 0x1p-12f, 0x1p-13f, 3.0e38f}) around(Elementary::sin, x);
  for (float x : {3.1415927f, 1.5707964f, 0.78539816f, 0x1p-12f, 0x1p-14f, 3.0e38f}) around(Elementary::cos, x);
  for (float x : {0x1p-25f, -0x1p-25f, 0x1p-26f, -0x1p-26f}) around(Elementary::exp, x);
}

TEST(Elementary, many_digits_alone) {
  Mpfr mpfr;
  Random random(7);
  for (Elementary f : elementary_functions) {
    if (f == Elementary::sqrt) continue;
    for (int tried = 0; tried < 1500;) {
      auto const x = static_cast<std::uint32_t>(random.next());
      if (!detail::needs_digits(f, f32::from_bits(x))) continue;
      ASSERT_EQ(detail::wide_function(f, f32::from_bits(x)).bits, mpfr(f, x)) << elementary_name(f) << " of " << std::hex << x;
      ++tried;
    }
  }
}

class ElementarySweep : public testing::TestWithParam<Elementary> {};

TEST_P(ElementarySweep, all_operands) {
  bool const all = std::getenv("TCP_EXHAUSTIVE") != nullptr;
  Elementary const f = GetParam();
  Mpfr mpfr;
  Random random(11 + static_cast<std::uint64_t>(f));
  std::uint64_t const step = all ? 1 : 14741;
  for (std::uint64_t at = all ? 0 : random.below(step); at < std::uint64_t{1} << 32; at += step) {
    auto const x = static_cast<std::uint32_t>(at);
    std::uint32_t const want = oracle::is_nan(x) ? nan : all ? expected(mpfr, f, x) : mpfr(f, x);
    ASSERT_EQ(ieee(f, x), want) << elementary_name(f) << " of " << std::hex << x;
  }
}
INSTANTIATE_TEST_SUITE_P(Function, ElementarySweep, testing::ValuesIn(elementary_functions),
                         [](const auto& each) { return std::string(elementary_name(each.param)); });

TEST(Elementary, mirrored) {
  Random random(5);
  for (int i = 0; i < 20000; ++i) {
    auto const x = static_cast<std::uint32_t>(random.next());
    if (oracle::is_nan(x)) continue;
    for (Elementary f : {Elementary::tanh, Elementary::erf, Elementary::sin})
      if (ieee(f, x) != nan) {
        ASSERT_EQ(ieee(f, x ^ sign), ieee(f, x) ^ sign) << elementary_name(f) << std::hex << x;
      }
    ASSERT_EQ(ieee(Elementary::cos, x ^ sign), ieee(Elementary::cos, x));
    ASSERT_EQ(ieee(Elementary::neg_exp, x ^ sign), ieee(Elementary::exp, x));
  }
}

}  // namespace
}  // namespace tcp
