// Number formats, value by value, and how values are packed.
#include <gtest/gtest.h>

#include <array>
#include <type_traits>

#include "oracle.hpp"
#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/integer_formats.hpp"
#include "tcp/scalar/packing.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

template <auto Value>
struct Carried {};

template <class T>
constexpr bool plain_value() {
  using AsTemplateArgument = Carried<T::from_bits(1)>;  // compiles only for structural types
  return std::is_trivially_copyable_v<T> && std::is_standard_layout_v<T> && Scalar<T> &&
         sizeof(T) * 8 >= static_cast<std::size_t>(scalar_info(T::type).bits) &&
         !std::is_same_v<AsTemplateArgument, Carried<T::from_bits(2)>> && !std::is_convertible_v<int, T> &&
         !std::is_convertible_v<T, float>;
}
static_assert(plain_value<i4>() && plain_value<i5>() && plain_value<i8>() && plain_value<i9>() && plain_value<i16>() && plain_value<i32>());
static_assert(plain_value<f4e2m1>() && plain_value<f8e4m3>() && plain_value<f8e5m2>() && plain_value<f16>() && plain_value<bf16>() &&
              plain_value<f32>());

static_assert(i4::from_int(8).to_int() == -8 && i5::from_int(15).to_int() == 15 && i9::from_int(-256).to_int() == -256);
static_assert(i8::least().to_int() == -128 && i8::greatest().to_int() == 127 && i32::least().to_int() == INT32_MIN);
static_assert(bf16::from_float(1.0f).bits == 0x3f80 && bf16::from_bits(0x4049).to_float() == 3.140625f);
static_assert(f8e4m3::from_float(1e9f).bits == 0x7e && f8e5m2::from_float(1e9f).bits == 0x7c);
static_assert(f16::from_double(65519.99).bits == 0x7bff && f16::from_double(65520).bits == 0x7c00);
static_assert(f4e2m1::from_bits(0xf).to_double() == -6.0);
static_assert(f32::from_double(0x1p-150).bits == 0 && f32::from_double(0x1.8p-149).bits == 2 && f32::from_float(-0.0f).bits == 0x80000000);

TEST(ScalarType, every_name_is_read_back) {
  for (ScalarType t : scalar_types) {
    Expected<ScalarType> const read = parse_scalar_type(scalar_info(t).name);
    ASSERT_TRUE(read.ok()) << scalar_info(t).name;
    EXPECT_EQ(*read, t);
    EXPECT_EQ(text(t), scalar_info(t).name);
  }
  EXPECT_EQ(std::size(scalar_types), 12u);
}

TEST(ScalarType, other_names_are_refused_with_the_name_to_write) {
  for (const char* name : {"", "f", "F32", "f32 ", "i7", "float", "i8i8"}) {
    Expected<ScalarType> const read = parse_scalar_type(name);
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_STREQ(read.refusal().code, "scalar-unknown-type");
    EXPECT_NE(read.refusal().advice.view().find("bf16, f32"), std::string_view::npos) << name;
  }
  EXPECT_EQ(parse_scalar_type("fp16").refusal().advice, "write f16");
  EXPECT_EQ(parse_scalar_type("f8").refusal().advice, "write f8e4m3 or f8e5m2");
  EXPECT_LE(parse_scalar_type("a name that is very much longer than any type's name is, by far and away").refusal().headline.size(), 300u);
}

template <class T>
void check_integer() {
  int const bits = scalar_info(T::type).bits;
  std::int64_t const codes = std::int64_t{1} << bits;
  for (std::int64_t code = 0; code < codes; ++code) {
    T const x = T::from_bits(static_cast<std::uint32_t>(code));
    std::int64_t const value = code < codes / 2 ? code : code - codes;
    ASSERT_EQ(x.bits, code);
    ASSERT_EQ(x.to_int(), value) << scalar_info(T::type).name;
    for (std::int64_t turns : {-3, -1, 0, 1, 2}) ASSERT_EQ(T::from_int(value + turns * codes), x);
  }
  EXPECT_EQ(T::least().to_int(), -codes / 2);
  EXPECT_EQ(T::greatest().to_int(), codes / 2 - 1);
}

TEST(IntegerFormats, every_code_of_up_to_16_bits) {
  check_integer<i4>();
  check_integer<i5>();
  check_integer<i8>();
  check_integer<i9>();
  check_integer<i16>();
}

TEST(IntegerFormats, i32_wraps) {
  for (std::int64_t v : {INT64_MIN, std::int64_t{INT32_MIN} - 1, std::int64_t{INT32_MIN}, std::int64_t{-1}, std::int64_t{0},
                         std::int64_t{INT32_MAX}, std::int64_t{INT32_MAX} + 1, std::int64_t{1} << 32, INT64_MAX})
    EXPECT_EQ(i32::from_int(v).bits, static_cast<std::uint64_t>(v) % (std::uint64_t{1} << 32)) << v;
}

template <class T>
void check_decoding(const oracle::Format& format) {
  ASSERT_STREQ(scalar_info(T::type).name, format.name);
  ASSERT_EQ(scalar_info(T::type).bits, format.bits);
  for (std::uint32_t code = 0; code < 1u << format.bits; ++code) {
    T const x = T::from_bits(code);
    double const value = format.value(code);
    ASSERT_EQ(x.is_nan(), format.is_nan(code)) << format.name << " code " << code;
    if (format.is_nan(code)) {
      ASSERT_EQ(oracle::bits_of(x.to_float()), oracle::f32_nan) << format.name << " code " << code;
      ASSERT_TRUE(std::isnan(x.to_double()));
      continue;
    }
    ASSERT_EQ(x.to_double(), value) << format.name << " code " << code;
    ASSERT_EQ(oracle::bits_of(x.to_float()), oracle::bits_of(static_cast<float>(value))) << format.name << " code " << code;
    ASSERT_EQ(std::signbit(x.to_double()), std::signbit(value));
    if constexpr (T::type != ScalarType::f4e2m1) {
      ASSERT_EQ(T::from_float(x.to_float()), x) << format.name << " code " << code;
      ASSERT_EQ(T::from_double(x.to_double()), x) << format.name << " code " << code;
    }
  }
}

TEST(FloatFormats, every_code_of_up_to_16_bits_is_read_and_read_back) {
  check_decoding<f4e2m1>(oracle::f4e2m1);
  check_decoding<f8e4m3>(oracle::f8e4m3);
  check_decoding<f8e5m2>(oracle::f8e5m2);
  check_decoding<f16>(oracle::f16);
  check_decoding<bf16>(oracle::bf16);
}

TEST(FloatFormats, the_numbers_that_define_them) {
  double const positive[] = {0, .5, 1, 1.5, 2, 3, 4, 6};
  for (std::uint32_t code = 0; code < 8; ++code) {
    EXPECT_EQ(f4e2m1::from_bits(code).to_double(), positive[code]);
    EXPECT_EQ(f4e2m1::from_bits(code | 8).to_double(), -positive[code]);
  }
  EXPECT_EQ(f8e4m3::from_bits(0x7e).to_double(), 448);
  EXPECT_EQ(f8e4m3::from_bits(0x01).to_double(), 0x1p-9);
  EXPECT_TRUE(f8e4m3::from_bits(0x7f).is_nan() && f8e4m3::from_bits(0xff).is_nan());
  EXPECT_EQ(f8e5m2::from_bits(0x7b).to_double(), 57344);
  EXPECT_EQ(f8e5m2::from_bits(0x01).to_double(), 0x1p-16);
  EXPECT_TRUE(std::isinf(f8e5m2::from_bits(0xfc).to_double()));
  EXPECT_EQ(f16::from_bits(0x7bff).to_double(), 65504);
  EXPECT_EQ(f16::from_bits(0x0001).to_double(), 0x1p-24);
  EXPECT_EQ(bf16::from_bits(0x0080).to_double(), 0x1p-126);
  EXPECT_EQ(bf16::from_bits(0x0001).to_double(), 0x1p-133);
}

/// Every number of the format, every point half-way between two, half-way to the number that would come after the largest, and the f32 (and
/// double) neighbours of all of these; both signs.
template <class T>
void check_encoding(const oracle::Format& format) {
  oracle::Encoder const encoded(format);
  float const infinity = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i + 1 < encoded.numbers.size(); ++i) {
    double const half_way = (encoded.numbers[i] + encoded.numbers[i + 1]) / 2;
    ASSERT_EQ(static_cast<double>(static_cast<float>(half_way)), half_way);
    for (double point : {encoded.numbers[i], half_way}) {
      float const exact = static_cast<float>(point);
      for (float x : {std::nextafterf(exact, -infinity), exact, std::nextafterf(exact, infinity)}) {
        ASSERT_EQ(T::from_float(x).bits, encoded(x)) << format.name << " " << x;
        ASSERT_EQ(T::from_float(-x).bits, encoded(-x)) << format.name << " " << -x;
      }
      for (double x : {std::nextafter(point, -1.0), point, std::nextafter(point, 1e300)}) {
        ASSERT_EQ(T::from_double(x).bits, encoded(x)) << format.name << " " << x;
        ASSERT_EQ(T::from_double(-x).bits, encoded(-x)) << format.name << " " << -x;
      }
    }
  }
  for (std::uint32_t bits : oracle::edges()) {
    float const x = oracle::float_of(bits);
    ASSERT_EQ(T::from_float(x).bits, encoded(x)) << format.name << " pattern " << bits;
  }
  for (double x : {1e39, -1e39, 1e300, -1e300, 5e-324, -5e-324, 0x1p-150, -0x1p-1000})
    ASSERT_EQ(T::from_double(x).bits, encoded(x)) << format.name << " " << x;
  Random random(0x5ca1a);
  for (int i = 0; i < 100'000; ++i) {
    float const x = oracle::float_of(static_cast<std::uint32_t>(random.next()));
    ASSERT_EQ(T::from_float(x).bits, encoded(x)) << format.name << " " << x;
  }
}

TEST(FloatFormats, numbers_midpoints_and_their_neighbours_are_rounded_to_f8e4m3) { check_encoding<f8e4m3>(oracle::f8e4m3); }
TEST(FloatFormats, numbers_midpoints_and_their_neighbours_are_rounded_to_f8e5m2) { check_encoding<f8e5m2>(oracle::f8e5m2); }
TEST(FloatFormats, numbers_midpoints_and_their_neighbours_are_rounded_to_f16) { check_encoding<f16>(oracle::f16); }
TEST(FloatFormats, numbers_midpoints_and_their_neighbours_are_rounded_to_bf16) { check_encoding<bf16>(oracle::bf16); }

TEST(FloatFormats, every_nan_payload_of_either_sign_gives_the_one_nan) {
  for (std::uint32_t high = 0; high < 1u << 7; ++high)
    for (std::uint32_t low : {0u, 1u, 0x7fffu, 0xffffu})
      for (std::uint32_t sign : {0u, 0x80000000u}) {
        std::uint32_t const bits = sign | 0x7f800000u | high << 16 | low;
        if (!oracle::is_nan(bits)) continue;
        float const nan = oracle::float_of(bits);
        ASSERT_EQ(f8e4m3::from_float(nan).bits, 0x7f);
        ASSERT_EQ(f8e5m2::from_float(nan).bits, 0x7e);
        ASSERT_EQ(f16::from_float(nan).bits, 0x7e00);
        ASSERT_EQ(bf16::from_float(nan).bits, 0x7fc0);
        ASSERT_EQ(f32::from_bits(bits).bits, bits);  // no conversion: nothing changes
        ASSERT_TRUE(f32::from_bits(bits).is_nan());
      }
  EXPECT_EQ(f32::from_double(-std::numeric_limits<double>::quiet_NaN()).bits, oracle::f32_nan);
}

TEST(FloatFormats, doubles_are_rounded_to_f32_once) {
  oracle::Single single;
  auto check = [&single](double x) { ASSERT_EQ(f32::from_double(x).bits, single.from_double(x)) << x; };
  Random random(7);
  for (int i = 0; i < 100'000; ++i) {
    std::uint32_t const low =
        static_cast<std::uint32_t>(random.below(i % 2 == 0 ? 0x7f7fffff : 0x01000000));  // every second one near the subnormals
    double const a = oracle::float_of(low), b = oracle::float_of(low + 1);
    double const half_way = std::isinf(b) ? 0x1.ffffffp127 : (a + b) / 2;
    for (double x : {a, half_way, std::nextafter(half_way, 0.0), std::nextafter(half_way, 1e300)}) {
      check(x);
      check(-x);
    }
  }
  for (double x : {0.0, -0.0, 0x1p-150, 0x1.0000000000001p-150, 5e-324, 0x1.fffffep127, 0x1.ffffffp127, 0x1.fffffefffffffp127, 1e300}) {
    check(x);
    check(-x);
  }
}

TEST(FloatFormats, f32_and_double_name_the_same_number) {
  Random random(11);
  for (int i = 0; i < 100'000; ++i) {
    f32 const x = f32::from_bits(static_cast<std::uint32_t>(random.next()) & (i % 2 == 0 ? 0xffffffff : 0x80ffffff));
    if (x.is_nan()) continue;
    ASSERT_EQ(x.to_double(), static_cast<double>(x.to_float()));
    ASSERT_EQ(f32::from_double(x.to_double()), x);
  }
}

// How elements lie in bytes.

namespace packing {

constexpr bool nibbles_share_a_byte() {
  std::byte memory[2]{std::byte{0xff}, std::byte{0xff}};
  store_scalar(memory, 0, i4::from_int(1));
  store_scalar(memory, 1, i4::from_int(-2));
  store_scalar(memory, 3, f4e2m1::from_bits(0x5));
  return memory[0] == std::byte{0xe1} && memory[1] == std::byte{0x5f} && load_scalar<i4>(memory, 1).to_int() == -2;
}
static_assert(nibbles_share_a_byte());

TEST(Packing, words_are_little_endian) {
  std::byte memory[8]{};
  store_scalar(memory, 1, i32::from_bits(0x04030201));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(std::to_integer<int>(memory[i]), i < 4 ? 0 : i - 3);
  store_scalar(memory, 0, bf16::from_bits(0x3f80));
  EXPECT_EQ(memory[0], std::byte{0x80});
  EXPECT_EQ(memory[1], std::byte{0x3f});
}

TEST(Packing, what_is_stored_is_loaded_and_nothing_else_changes) {
  Random random(1);
  for (ScalarType t : scalar_types) {
    if (!scalar_info(t).in_memory) continue;
    constexpr int count = 16;
    std::array<std::uint32_t, count> elements{};
    std::array<std::byte, count * 4> memory{};
    for (int round = 0; round < 1000; ++round) {
      std::size_t const at = random.below(count);
      elements[at] = static_cast<std::uint32_t>(random.next()) & scalar_mask(t);
      store_scalar_bits(memory.data(), t, static_cast<std::int64_t>(at), elements[at]);
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(load_scalar_bits(memory.data(), t, static_cast<std::int64_t>(i)), elements[i]) << scalar_info(t).name;
      auto const size = static_cast<std::size_t>(packed_size(t, Elements{count})->value);
      for (std::size_t i = size; i < memory.size(); ++i) ASSERT_EQ(memory[i], std::byte{0});
    }
  }
}

TEST(Packing, sizes_are_counted_in_bits) {
  static_assert(*packed_size(ScalarType::i4, Elements{64}) == Bytes{32});
  struct {
    ScalarType type;
    std::int64_t bytes_of_eight;
  } const sizes[] = {{ScalarType::i4, 4},     {ScalarType::i5, 4},   {ScalarType::i8, 8},     {ScalarType::i9, 8},
                     {ScalarType::i16, 16},   {ScalarType::i32, 32}, {ScalarType::f4e2m1, 4}, {ScalarType::f8e4m3, 8},
                     {ScalarType::f8e5m2, 8}, {ScalarType::f16, 16}, {ScalarType::bf16, 16},  {ScalarType::f32, 32}};
  for (auto const& s : sizes) {
    EXPECT_EQ(packed_size(s.type, Elements{8})->value, s.bytes_of_eight) << scalar_info(s.type).name;
    EXPECT_EQ(packed_size(s.type, Elements{0})->value, 0);
  }
}

TEST(Packing, half_a_byte_is_refused_and_so_is_what_cannot_be_counted) {
  for (ScalarType t : scalar_types)
    for (std::int64_t n = 0; n < 20; ++n) {
      bool const whole = n * scalar_info(t).packet_bits % 8 == 0;
      Expected<Bytes> const size = packed_size(t, Elements{n});
      ASSERT_EQ(size.ok(), whole);
      if (!whole) {
        EXPECT_STREQ(size.refusal().code, "scalar-not-whole-bytes");
      }
    }
  std::int64_t const most = INT64_MAX / 32;
  EXPECT_TRUE(packed_size(ScalarType::f32, Elements{most}).ok());
  EXPECT_STREQ(packed_size(ScalarType::f32, Elements{most + 1}).refusal().code, "scalar-size-overflow");
  EXPECT_STREQ(packed_size(ScalarType::i4, Elements{INT64_MAX}).refusal().code, "scalar-size-overflow");
}

}  // namespace packing

}  // namespace
}  // namespace tcp
