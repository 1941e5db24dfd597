// How elements lie in bytes.
#include <gtest/gtest.h>

#include <array>

#include "tcp/scalar/packing.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

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

}  // namespace
}  // namespace tcp
