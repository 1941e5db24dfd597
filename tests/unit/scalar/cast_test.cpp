// Casts in both numeric models, zero points, and what the models do to operands and results.
#include <gtest/gtest.h>

#include "oracle.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/zero_point.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

constexpr NumericModel rngd = NumericModel::rngd, ieee = NumericModel::ieee;

static_assert(scalar_cast<bf16>(f32::from_bits(0x00000001), ieee).bits == 0 &&
              scalar_cast<bf16>(f32::from_bits(0x007f8000), ieee).bits == 0x0080);
static_assert(scalar_cast<bf16>(f32::from_bits(0x807f8000), rngd).bits ==
              0x8000);  // the operand is flushed: it never rounds up to a normal number
static_assert(scalar_cast<bf16>(f32::from_bits(0xffffffff), rngd).bits == 0x7fc0);
static_assert(scalar_cast<f32>(bf16::from_bits(0x0001), rngd).bits == 0 &&
              scalar_cast<f32>(bf16::from_bits(0x0001), ieee).bits == 0x00010000);
static_assert(scalar_cast<f32>(f32::from_bits(0xff800001), rngd).bits == 0xff800001 &&
              scalar_cast<bf16>(bf16::from_bits(0x8001), rngd).bits == 0x8001);
static_assert(scalar_cast<f32>(f16::from_bits(0x0001), rngd).to_float() == 0x1p-24f);
static_assert(scalar_cast<f8e4m3>(f32::from_float(1000.0f), rngd).to_float() == 448.0f);
static_assert(scalar_cast<i4>(i32::from_int(24), rngd).to_int() == -8);

static_assert(relu_bits(ScalarType::i32, 0x80000000) == 0 && relu_bits(ScalarType::i32, 0xffffffff) == 0);
static_assert(relu_bits(ScalarType::i32, 0) == 0 && relu_bits(ScalarType::i32, 0x7fffffff) == 0x7fffffff);
static_assert(relu_bits(ScalarType::f32, 0x80000000) == 0 && relu_bits(ScalarType::f32, 0x80000001) == 0);
static_assert(relu_bits(ScalarType::f32, 0xff800000) == 0 && relu_bits(ScalarType::f32, 0x7f800000) == 0x7f800000);
static_assert(relu_bits(ScalarType::f32, 0xff800001) == 0xff800001);  // NaN stays

TEST(NumericModel, names_are_read_back) {
  for (NumericModel m : {rngd, ieee}) EXPECT_EQ(parse_numeric_model(text(m)).value(), m);
  for (const char* name : {"", "RNGD", "iee", "ieee754"})
    EXPECT_STREQ(parse_numeric_model(name).refusal().code, "scalar-unknown-numeric-model");
}

template <class F>
void check_canonical(std::uint32_t bits, std::uint32_t nan, double value) {
  F const x = F::from_bits(bits);
  F const flushed = std::fabs(value) < 0x1p-126 ? F::from_bits(bits & (scalar_mask(F::type) ^ (scalar_mask(F::type) >> 1))) : x;
  ASSERT_EQ(canonical_operand(x, rngd).bits, std::isnan(value) ? nan : flushed.bits);
  ASSERT_EQ(canonical_result(x, rngd).bits, std::isnan(value) ? nan : flushed.bits);
  ASSERT_EQ(canonical_operand(x, ieee).bits, bits);
  ASSERT_EQ(canonical_result(x, ieee).bits, std::isnan(value) ? nan : bits);
}

TEST(NumericModel, subnormals_and_nans_of_every_bf16_and_many_f32) {
  for (std::uint32_t code = 0; code < 1u << 16; ++code) check_canonical<bf16>(code, 0x7fc0, oracle::bf16.value(code));
  for (std::uint32_t bits : oracle::edges()) check_canonical<f32>(bits, oracle::f32_nan, oracle::float_of(bits));
  Random random(3);
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t const bits = static_cast<std::uint32_t>(random.next());
    check_canonical<f32>(bits, oracle::f32_nan, oracle::float_of(bits));
  }
}

/// What a floating-point cast gives, from the oracle's tables. f32 has no table: it holds every number of the others.
struct CastOracle {
  oracle::Encoder const encoders[4] = {oracle::Encoder(oracle::f8e4m3), oracle::Encoder(oracle::f8e5m2), oracle::Encoder(oracle::f16),
                                       oracle::Encoder(oracle::bf16)};

  static bool flushes(ScalarType t) { return t == ScalarType::f32 || t == ScalarType::bf16; }
  std::uint32_t encode(ScalarType to, double x) const {
    if (to == ScalarType::f32) return std::isnan(x) ? oracle::f32_nan : oracle::bits_of(static_cast<float>(x));
    for (const oracle::Encoder& e : encoders)
      if (std::string_view(e.format.name) == scalar_info(to).name) return e(x);
    ADD_FAILURE() << "no encoder";
    return 0;
  }
  std::uint32_t operator()(ScalarType from, double value, ScalarType to, NumericModel model) const {
    if (model == rngd && flushes(from) && std::fabs(value) < 0x1p-126) value = std::copysign(0.0, value);
    std::uint32_t const bits = encode(to, value);
    bool const small = std::fabs(value) < 0x1p-120;  // a result may be subnormal only if the value is small
    if (model != rngd || !flushes(to) || !small) return bits;
    std::uint32_t const smallest = encode(to, 0x1p-126), sign = 1u << (scalar_info(to).bits - 1);
    return (bits & (sign - 1)) < smallest ? bits & sign : bits;
  }
};

constexpr ScalarType floats[] = {ScalarType::f8e4m3, ScalarType::f8e5m2, ScalarType::f16, ScalarType::bf16, ScalarType::f32};

TEST(Cast, every_code_of_every_floating_point_format_to_every_other) {
  CastOracle const expected;
  for (const oracle::Format* format : {&oracle::f4e2m1, &oracle::f8e4m3, &oracle::f8e5m2, &oracle::f16, &oracle::bf16}) {
    ScalarType const from = *parse_scalar_type(format->name);
    for (ScalarType to : floats)
      for (NumericModel model : {rngd, ieee})
        for (std::uint32_t code = 0; code < 1u << format->bits; ++code) {
          std::uint32_t const want = from == to ? code : expected(from, format->value(code), to, model);
          ASSERT_EQ(scalar_cast_bits(from, to, code, model), want)
              << format->name << " code " << code << " to " << text(to).s << " in " << text(model).s;
        }
  }
}

TEST(Cast, f32_at_every_number_midpoint_and_neighbour_of_the_target) {
  CastOracle const expected;
  float const infinity = std::numeric_limits<float>::infinity();
  for (const oracle::Encoder& e : expected.encoders) {
    ScalarType const to = *parse_scalar_type(e.format.name);
    for (std::size_t i = 0; i + 1 < e.numbers.size(); ++i)
      for (double point : {e.numbers[i], (e.numbers[i] + e.numbers[i + 1]) / 2}) {
        float const exact = static_cast<float>(point);
        for (float magnitude : {std::nextafterf(exact, -infinity), exact, std::nextafterf(exact, infinity)})
          for (float x : {magnitude, -magnitude})
            for (NumericModel model : {rngd, ieee})
              ASSERT_EQ(scalar_cast_bits(ScalarType::f32, to, oracle::bits_of(x), model), expected(ScalarType::f32, x, to, model))
                  << x << " to " << e.format.name << " in " << text(model).s;
      }
    for (std::uint32_t bits : oracle::edges())
      for (NumericModel model : {rngd, ieee})
        ASSERT_EQ(scalar_cast_bits(ScalarType::f32, to, bits, model), expected(ScalarType::f32, oracle::float_of(bits), to, model)) << bits;
  }
}

TEST(Cast, every_integer_of_up_to_16_bits_to_every_integer_format) {
  for (ScalarType from : scalar_types)
    for (ScalarType to : scalar_types) {
      if (!is_integer(from) || !is_integer(to) || from == ScalarType::i32) continue;
      std::int64_t const codes = std::int64_t{1} << scalar_info(from).bits, modulus = std::int64_t{1} << scalar_info(to).bits;
      for (std::int64_t code = 0; code < codes; ++code) {
        std::int64_t const value = code < codes / 2 ? code : code - codes;
        ASSERT_EQ(scalar_cast_bits(from, to, static_cast<std::uint32_t>(code), rngd), (value + (modulus << 16)) % modulus);
      }
    }
}

TEST(Cast, i32_keeps_its_low_bits) {
  Random random(5);
  for (int i = 0; i < 10'000; ++i) {
    std::uint32_t const bits = static_cast<std::uint32_t>(random.next());
    i32 const x = i32::from_bits(bits);
    ASSERT_EQ(scalar_cast<i4>(x, rngd).bits, bits % 16);
    ASSERT_EQ(scalar_cast<i8>(x, ieee).bits, bits % 256);
    ASSERT_EQ(scalar_cast<i16>(x, rngd).bits, bits % 65536);
    ASSERT_EQ(scalar_cast<i32>(x, rngd), x);
  }
}

TEST(Cast, identities_change_no_bit) {
  for (ScalarType t : scalar_types)
    for (NumericModel model : {rngd, ieee})
      for (std::uint32_t bits : {0u, 1u, 0x80000001u, 0x7f800001u, 0xffffffffu, 0x00008001u, 0x0000ff81u})
        EXPECT_EQ(scalar_cast_bits(t, t, bits, model), bits & scalar_mask(t));
}

TEST(Cast, exactly_the_pairs_of_one_kind_have_a_meaning_and_f4e2m1_is_only_read) {
  for (ScalarType from : scalar_types)
    for (ScalarType to : scalar_types) {
      bool const meaning = from == to || (is_integer(from) == is_integer(to) && to != ScalarType::f4e2m1);
      EXPECT_EQ(check_scalar_cast(from, to).ok(), meaning) << text(from, " to ", to).s;
      if (!meaning) {
        EXPECT_STREQ(check_scalar_cast(from, to).refusal().code, "scalar-no-such-cast");
      }
    }
}

template <class From, class To>
void check_zero_points(std::int64_t step) {
  std::int64_t const codes = std::int64_t{1} << scalar_info(From::type).bits, modulus = std::int64_t{1} << scalar_info(To::type).bits;
  for (std::int64_t z = -codes / 2; z < codes / 2; z += step) {
    Expected<ZeroPoint> const zero = zero_point(From::type, z);
    ASSERT_TRUE(zero.ok());
    for (std::int64_t value = -codes / 2; value < codes / 2; value += step) {
      To const difference = subtract_zero_point<To>(From::from_int(value), *zero);
      std::int64_t wrapped = (value - z) % modulus;
      if (wrapped < -modulus / 2) wrapped += modulus;
      if (wrapped >= modulus / 2) wrapped -= modulus;
      ASSERT_EQ(difference.to_int(), wrapped) << value << " - " << z;
    }
  }
}

TEST(ZeroPoint, differences_fit_i5_and_i9_and_wrap_from_i16) {
  check_zero_points<i4, i5>(1);
  check_zero_points<i8, i9>(1);
  check_zero_points<i8, i32>(1);
  check_zero_points<i16, i9>(97);
  check_zero_points<i16, i32>(97);
  static_assert(subtract_zero_point<i5>(i4::from_int(-8), *zero_point(ScalarType::i4, 7)).to_int() == -15);
  static_assert(subtract_zero_point<i9>(i8::from_int(127), *zero_point(ScalarType::i8, -128)).to_int() == 255);
  static_assert(subtract_zero_point<i9>(i16::from_int(256), *zero_point(ScalarType::i16, 0)).to_int() == -256);
}

TEST(ZeroPoint, outside_the_range_of_the_source_is_refused) {
  struct {
    ScalarType type;
    std::int64_t least, greatest;
  } const ranges[] = {{ScalarType::i4, -8, 7}, {ScalarType::i8, -128, 127}, {ScalarType::i16, -32768, 32767}};
  for (auto const& r : ranges) {
    EXPECT_EQ(zero_point(r.type, r.least)->value(), r.least);
    EXPECT_EQ(zero_point(r.type, r.greatest)->value(), r.greatest);
    for (std::int64_t z : {r.least - 1, r.greatest + 1, INT64_MIN, INT64_MAX})
      EXPECT_STREQ(zero_point(r.type, z).refusal().code, "scalar-zero-point-out-of-range");
  }
  for (ScalarType t : {ScalarType::i5, ScalarType::i9, ScalarType::i32, ScalarType::bf16})
    EXPECT_STREQ(zero_point(t, 0).refusal().code, "scalar-zero-point-type");
}

}  // namespace
}  // namespace tcp
