// f32 arithmetic in both numeric models against MPFR: as the machine does it at run time, and on integers as constant expressions do it.
#include <gtest/gtest.h>

#include "oracle.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

using namespace arithmetic;

constexpr NumericModel rngd = NumericModel::rngd, ieee = NumericModel::ieee;

constexpr f32 bits(std::uint32_t b) { return f32::from_bits(b); }

// (1 - 2^-24) * 2^-126 is tiny before rounding and rounds to the smallest normal number: it is kept.
static_assert(mul(bits(0x3f7fffff), bits(0x00800000), rngd).bits == 0x00800000);
static_assert(mul(bits(0x3f7ffffe), bits(0x00800000), rngd).bits == 0 && mul(bits(0x3f7ffffe), bits(0x00800000), ieee).bits == 0x007fffff);
static_assert(mul(bits(0xbf7ffffe), bits(0x00800000), rngd).bits == 0x80000000);
static_assert(add(bits(0x00000001), bits(0x3f800000), rngd).bits == 0x3f800000 &&
              add(bits(0x80000001), bits(0x80000000), rngd).bits == 0x80000000);
static_assert(add(bits(0x7f7fffff), bits(0x7f7fffff), rngd).bits == 0x7f800000 &&
              sub(bits(0x7f800000), bits(0x7f800000), ieee).bits == 0x7fc00000);
static_assert(div(bits(0x3f800000), bits(0x40400000), ieee).bits == 0x3eaaaaab &&
              div(bits(0x3f800000), bits(0x00000001), rngd).bits == 0x7f800000);
static_assert(fma(bits(0x3f800001), bits(0x3f800001), bits(0xbf800002), ieee).bits == 0x28800000);  // 2^-46: the product is not rounded
static_assert(max(bits(0x80000000), bits(0x00000000), rngd).bits == 0 && min(bits(0xffc00001), bits(0x40000000), rngd).bits == 0x40000000);
static_assert(less(bits(0xbf800000), bits(0x3f800000), rngd) && !less(bits(0x80000000), bits(0), rngd) &&
              less_unsigned(bits(0), bits(0x80000000)));

struct Both {
  oracle::Single single;

  static std::uint32_t operand(std::uint32_t x, NumericModel m) { return m == rngd ? oracle::flushed(x) : x; }
  static std::uint32_t result(std::uint32_t x, NumericModel m) { return m == rngd ? oracle::flushed(x) : x; }

  void check(std::uint32_t x, std::uint32_t y) {
    for (NumericModel m : {rngd, ieee}) {
      std::uint32_t const a = operand(x, m), b = operand(y, m);
      std::uint32_t const sum = result(single.add(a, b), m), difference = result(single.sub(a, b), m),
                          product = result(single.mul(a, b), m), quotient = result(single.div(a, b), m);
      ASSERT_EQ(add(bits(x), bits(y), m).bits, sum) << std::hex << x << " + " << y << " in " << numeric_model_name(m);
      ASSERT_EQ(sub(bits(x), bits(y), m).bits, difference) << std::hex << x << " - " << y << " in " << numeric_model_name(m);
      ASSERT_EQ(mul(bits(x), bits(y), m).bits, product) << std::hex << x << " * " << y << " in " << numeric_model_name(m);
      ASSERT_EQ(div(bits(x), bits(y), m).bits, quotient) << std::hex << x << " / " << y << " in " << numeric_model_name(m);
      if (m == rngd) continue;
      ASSERT_EQ(detail::integer_add(bits(x), bits(y)).bits, sum) << std::hex << x << " + " << y;
      ASSERT_EQ(detail::integer_add(bits(x), detail::negated(bits(y))).bits, difference) << std::hex << x << " - " << y;
      ASSERT_EQ(detail::integer_mul(bits(x), bits(y)).bits, product) << std::hex << x << " * " << y;
      ASSERT_EQ(detail::integer_div(bits(x), bits(y)).bits, quotient) << std::hex << x << " / " << y;
    }
  }
  void check(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    for (NumericModel m : {rngd, ieee}) {
      std::uint32_t const want = result(single.fma(operand(x, m), operand(y, m), operand(z, m)), m);
      ASSERT_EQ(fma(bits(x), bits(y), bits(z), m).bits, want)
          << std::hex << x << " * " << y << " + " << z << " in " << numeric_model_name(m);
      if (m == rngd) continue;
      ASSERT_EQ(detail::integer_fma(bits(x), bits(y), bits(z)).bits, want) << std::hex << x << " * " << y << " + " << z;
    }
  }
};

TEST(Arithmetic, every_pair_of_edges) {
  Both both;
  for (std::uint32_t a : oracle::edges())
    for (std::uint32_t b : oracle::edges()) both.check(a, b);
}

TEST(Arithmetic, every_triple_of_edges) {
  Both both;
  std::vector<std::uint32_t> const edges = oracle::edges();
  for (std::uint32_t a : edges)
    for (std::uint32_t b : edges)
      for (std::uint32_t c : edges)
        if ((a >> 31) == 0 || (b >> 31) == 0) both.check(a, b, c);  // of a product only the sign of the whole matters
}

TEST(Arithmetic, random_patterns) {
  Both both;
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    std::uint64_t const r = random.next();
    auto const a = static_cast<std::uint32_t>(r), b = static_cast<std::uint32_t>(r >> 32);
    both.check(a, b);
    both.check(a, a ^ static_cast<std::uint32_t>(random.below(1u << 25)));  // near in magnitude: sums cancel
    both.check(a, b, static_cast<std::uint32_t>(random.next()));
  }
}

/// A float near x, up to a few units in the last place away.
std::uint32_t near(double x, Random& random) {
  std::uint32_t const b = oracle::bits_of(static_cast<float>(x));
  std::uint64_t const by = random.below(9);
  return (b & 0x7fffffff) < 8 || (b & 0x7f800000) == 0x7f800000 ? b : b + static_cast<std::uint32_t>(by) - 4;
}

TEST(Arithmetic, results_around_the_smallest_normal_number_and_around_the_largest) {
  Both both;
  Random random(4);
  for (int i = 0; i < 100'000; ++i) {
    bool const small = i % 4 != 0;
    double const edge = small ? 0x1p-126 : 0x1.fffffep127;
    // A factor for which the other one is a normal number, too.
    double const a = std::ldexp(1 + std::ldexp(static_cast<double>(random.below(1u << 23)), -23),
                                static_cast<int>(random.between(small ? -120 : 2, small ? -4 : 120)));
    std::uint32_t const x = oracle::bits_of(static_cast<float>(a));
    both.check(x, near(edge / a, random));  // the product is at the edge
    both.check(near(edge * std::ldexp(a, small ? 60 : -60), random),
               oracle::bits_of(static_cast<float>(std::ldexp(a, small ? 60 : -60))));  // the quotient is
    // The sum of a product and an addend is at the edge, the two of either sign and of any ratio.
    double const addend = std::ldexp(edge, static_cast<int>(random.between(-23, small ? 24 : 0)));
    both.check(x, near((edge - addend) / a, random), near(addend, random));
    both.check(x, near((edge + addend) / a, random), near(-addend, random));
  }
}

TEST(Arithmetic, a_product_and_a_sum_are_two_roundings) {
  for (NumericModel m : {rngd, ieee}) {
    volatile std::uint32_t a = 0x3f800001, c = 0xbf800002;  // unknown to the optimiser
    EXPECT_EQ(add(mul(bits(a), bits(a), m), bits(c), m).bits, 0u);
    EXPECT_EQ(fma(bits(a), bits(a), bits(c), m).bits, 0x28800000u);
  }
}

// The order of numbers as the machine's comparisons have it; zeros and NaNs by hand.
bool nan(std::uint32_t x) { return oracle::is_nan(x); }

TEST(Arithmetic, min_max_and_comparisons) {
  std::vector<std::uint32_t> values = oracle::edges();
  Random random(6);
  for (int i = 0; i < 200; ++i) values.push_back(static_cast<std::uint32_t>(random.next()));
  for (std::uint32_t x : values)
    for (std::uint32_t y : values)
      for (NumericModel m : {rngd, ieee}) {
        std::uint32_t const a = Both::operand(x, m), b = Both::operand(y, m);
        float const fa = oracle::float_of(a), fb = oracle::float_of(b);
        std::uint32_t low, high, small, large;
        if (nan(a) || nan(b)) {
          low = high = small = large = !nan(a) ? a : !nan(b) ? b : oracle::f32_nan;
        } else {
          bool const a_first = fa < fb || (fa == fb && std::signbit(fa) >= std::signbit(fb));
          low = a_first ? a : b;
          high = a_first ? b : a;
          small = std::fabs(fb) < std::fabs(fa) ? b : a;
          large = std::fabs(fb) > std::fabs(fa) ? b : a;
        }
        ASSERT_EQ(min(bits(x), bits(y), m).bits, low) << std::hex << x << ", " << y;
        ASSERT_EQ(max(bits(x), bits(y), m).bits, high) << std::hex << x << ", " << y;
        ASSERT_EQ(abs_min(bits(x), bits(y), m).bits, small) << std::hex << x << ", " << y;
        ASSERT_EQ(abs_max(bits(x), bits(y), m).bits, large) << std::hex << x << ", " << y;
        ASSERT_EQ(less(bits(x), bits(y), m), fa < fb) << std::hex << x << ", " << y;
        ASSERT_EQ(greater(bits(x), bits(y), m), fa > fb) << std::hex << x << ", " << y;
        ASSERT_EQ(equal(bits(x), bits(y), m), fa == fb) << std::hex << x << ", " << y;
        ASSERT_EQ(less_unsigned(bits(x), bits(y)), x < y);
        ASSERT_EQ(greater_unsigned(bits(x), bits(y)), x > y);
      }
}

}  // namespace
}  // namespace tcp
