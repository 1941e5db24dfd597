// Arithmetic against the oracle: of numbers with and without a point.
#include <gtest/gtest.h>

#include "oracle.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/fixed_point.hpp"
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

// The integer and fixed-point operations against wide integers, the conversions against MPFR.

namespace fixed_point {

using namespace arithmetic;
using Wide = __int128;

constexpr NumericModel rngd = NumericModel::rngd, ieee = NumericModel::ieee;

constexpr i32 of(std::int64_t v) { return i32::from_int(v); }

static_assert(add_fxp(of(INT32_MAX), of(1)) == i32::least() && add_fxp_sat(of(INT32_MAX), of(1)) == i32::greatest());
static_assert(mul_fxp(i32::least(), i32::least()) == i32::greatest() && mul_fxp(of(1 << 30), of(1 << 30)).to_int() == 1 << 29);
static_assert(arith_right_shift_round(of(-3), of(1)).to_int() == -1 && arith_right_shift_round(of(3), of(1)).to_int() == 2);
static_assert(left_shift(of(1), of(33)).to_int() == 2 && left_shift_sat(of(-3), of(31)) == i32::least());
static_assert(fxp_to_fp(of(16777217), 31).to_float() == 16777216.0f && fxp_to_fp(i32::least(), 0).to_float() == -1.0f);
static_assert(fp_to_fxp(f32::from_float(-2.5f), 31, rngd).to_int() == -3 &&
              fp_to_fxp(f32::from_bits(0xffc00000), 31, ieee) == i32::least());

std::vector<std::int32_t> values() {
  std::vector<std::int32_t> all;
  for (int k = 0; k < 32; ++k)
    for (std::int64_t by : {-2, -1, 0, 1, 2})
      for (std::int64_t sign : {1, -1}) all.push_back(of(sign * (std::int64_t{1} << k) + by).to_int());
  Random random(1);
  for (int i = 0; i < 200; ++i) all.push_back(static_cast<std::int32_t>(random.next() >> (32 + random.below(32))) * (i % 2 == 0 ? 1 : -1));
  return all;
}

/// The value of v modulo 2^32, in the range of i32.
std::int32_t wrapped(Wide v) {
  Wide const modulus = Wide{1} << 32;
  Wide const rest = ((v % modulus) + modulus) % modulus;
  return static_cast<std::int32_t>(rest >= modulus / 2 ? rest - modulus : rest);
}
std::int32_t clamped(Wide v) { return static_cast<std::int32_t>(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v); }
Wide floor_div(Wide a, Wide b) { return a / b - (a % b < 0); }

TEST(FixedPoint, sums_products_and_orders) {
  std::vector<std::int32_t> const all = values();
  for (std::int32_t a : all)
    for (std::int32_t b : all) {
      Wide const x = a, y = b, modulus = Wide{1} << 32;
      ASSERT_EQ(add_fxp(of(a), of(b)).to_int(), wrapped(x + y));
      ASSERT_EQ(sub_fxp(of(a), of(b)).to_int(), wrapped(x - y));
      ASSERT_EQ(mul_int(of(a), of(b)).to_int(), wrapped(x * y));
      ASSERT_EQ(add_fxp_sat(of(a), of(b)).to_int(), clamped(x + y));
      ASSERT_EQ(sub_fxp_sat(of(a), of(b)).to_int(), clamped(x - y));
      // Half up: the floor of the product in units of 2^-31, plus one half. The table's two shifts say the same.
      ASSERT_EQ(mul_fxp(of(a), of(b)).to_int(), clamped(floor_div(2 * x * y + (Wide{1} << 31), Wide{1} << 32))) << a << " * " << b;
      Wide const mx = x < 0 ? -x : x, my = y < 0 ? -y : y;
      ASSERT_EQ(min(of(a), of(b)).to_int(), x < y ? a : b);
      ASSERT_EQ(max(of(a), of(b)).to_int(), x < y ? b : a);
      ASSERT_EQ(abs_min(of(a), of(b)).to_int(), my < mx ? b : a);
      ASSERT_EQ(abs_max(of(a), of(b)).to_int(), my > mx ? b : a);
      ASSERT_EQ(equal(of(a), of(b)), x == y);
      ASSERT_EQ(less(of(a), of(b)), x < y);
      ASSERT_EQ(greater(of(a), of(b)), x > y);
      Wide const ux = (x + modulus) % modulus, uy = (y + modulus) % modulus;
      ASSERT_EQ(less_unsigned(of(a), of(b)), ux < uy);
      ASSERT_EQ(greater_unsigned(of(a), of(b)), ux > uy);
    }
  EXPECT_EQ(abs_max(i32::greatest(), i32::least()), i32::least());
}

TEST(FixedPoint, shifts_take_their_amount_modulo_32) {
  for (std::int32_t a : values())
    for (std::int32_t amount = -40; amount < 70; ++amount) {
      Wide const x = a, factor = Wide{1} << ((amount % 32 + 32) % 32), modulus = Wide{1} << 32;
      i32 const n = of(amount);
      ASSERT_EQ(left_shift(of(a), n).to_int(), wrapped(x * factor));
      ASSERT_EQ(left_shift_sat(of(a), n).to_int(), clamped(x * factor));
      ASSERT_EQ(logic_right_shift(of(a), n).to_int(), wrapped((x + modulus) % modulus / factor));
      ASSERT_EQ(arith_right_shift(of(a), n).to_int(), floor_div(x, factor));
      ASSERT_EQ(arith_right_shift_round(of(a), n).to_int(), floor_div(2 * x + factor, 2 * factor)) << a << " by " << amount;
    }
}

TEST(FixedPoint, bit_operations_see_the_pattern_of_i32_and_f32) {
  std::uint32_t const a = 0x7f800001, b = 0x80ff00ff;
  EXPECT_EQ(bit_and(i32::from_bits(a), i32::from_bits(b)).bits, 0x00800001u);
  EXPECT_EQ(bit_or(i32::from_bits(a), i32::from_bits(b)).bits, 0xffff00ffu);
  EXPECT_EQ(bit_xor(i32::from_bits(a), i32::from_bits(b)).bits, 0xff7f00feu);
  EXPECT_EQ(bit_and(f32::from_bits(a), f32::from_bits(b)).bits, 0x00800001u);
  EXPECT_EQ(bit_or(f32::from_bits(a), f32::from_bits(b)).bits, 0xffff00ffu);
  EXPECT_EQ(bit_xor(f32::from_bits(a), f32::from_bits(b)).bits, 0xff7f00feu);
}

TEST(FixedPoint, to_f32_with_one_rounding) {
  oracle::Single single;
  std::vector<std::int32_t> all = values();
  Random random(8);
  for (int i = 0; i < 20'000; ++i) all.push_back(static_cast<std::int32_t>(random.next()));
  // Half-way between two floats, and one beside it, for each number of digits that are lost.
  for (int lost = 1; lost <= 7; ++lost)
    for (int i = 0; i < 500; ++i) {
      std::uint32_t const kept = static_cast<std::uint32_t>(random.below(1u << 23)) | 1u << 23;
      std::uint32_t const half_way = kept << lost | 1u << (lost - 1);
      for (std::uint32_t v : {half_way - 1, half_way, half_way + 1}) {
        all.push_back(static_cast<std::int32_t>(v));
        all.push_back(-static_cast<std::int32_t>(v));
      }
    }
  for (std::int32_t a : all)
    for (int width : {0, 1, 16, 30, 31}) ASSERT_EQ(fxp_to_fp(of(a), width).bits, single.scaled(a, 31 - width)) << a << ", " << width;
  for (int width = 0; width < 32; ++width) {
    EXPECT_EQ(fxp_to_fp(of(0), width).bits, 0u);
    for (std::int32_t a : values()) ASSERT_EQ(fxp_to_fp(of(a), width).bits, single.scaled(a, 31 - width)) << a << ", " << width;
  }
}

TEST(FixedPoint, from_f32_half_away_from_zero_saturated) {
  oracle::Single single;
  std::vector<std::uint32_t> patterns = oracle::edges();
  Random random(9);
  for (int i = 0; i < 20'000; ++i) patterns.push_back(static_cast<std::uint32_t>(random.next()));
  for (int i = 0; i < 20'000; ++i) {  // an integer and a half, its neighbours, and the ends of the range; moved by each width below
    double const middle = static_cast<double>(random.between(-(1 << 22), 1 << 22)) + 0.5;
    std::uint32_t const b = oracle::bits_of(static_cast<float>(middle));
    for (std::uint32_t p : {b - 1, b, b + 1}) patterns.push_back(p);
  }
  for (std::uint32_t b :
       {0x4effffffu, 0x4f000000u, 0x4f000001u, 0xcf000000u, 0xcf000001u, 0x3effffffu, 0x3f000000u, 0xbeffffffu, 0xbf000000u})
    for (std::uint32_t down = 0; down < 32; ++down) patterns.push_back(b - (down << 23));
  for (std::uint32_t p : patterns) {
    f32 const x = f32::from_bits(p);
    for (int width : {0, 7, 30, 31})
      for (NumericModel m : {rngd, ieee}) {
        std::int32_t want;
        if (oracle::is_nan(p)) want = m == rngd || (p >> 31) == 0 ? INT32_MAX : INT32_MIN;
        else want = single.to_fixed(x.to_float(), 31 - width);
        ASSERT_EQ(fp_to_fxp(x, width, m).to_int(), want) << std::hex << p << std::dec << ", " << width << " in " << numeric_model_name(m);
      }
  }
}

TEST(FixedPoint, every_width_reads_what_it_wrote) {
  // 24 digits survive in f32; so do these.
  for (int width = 0; width < 32; ++width)
    for (std::int32_t a : {0, 1, -1, 8388607, -16777215, 1 << 30, INT32_MIN})
      for (NumericModel m : {rngd, ieee}) ASSERT_EQ(fp_to_fxp(fxp_to_fp(of(a), width), width, m).to_int(), a) << width;
}

TEST(FixedPoint, amounts_and_widths_outside_0_to_31_are_refused) {
  for (std::int64_t n = 0; n <= 31; ++n) EXPECT_TRUE(check_shift_amount(n).ok() && check_int_width(n).ok());
  for (std::int64_t n : {std::int64_t{-1}, std::int64_t{32}, INT64_MIN, INT64_MAX}) {
    EXPECT_STREQ(check_shift_amount(n).refusal().code, "scalar-shift-amount-out-of-range");
    EXPECT_STREQ(check_int_width(n).refusal().code, "scalar-int-width-out-of-range");
  }
}

}  // namespace fixed_point

}  // namespace
}  // namespace tcp
