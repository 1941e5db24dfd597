// The rows of the ledger about number formats.
#include <gtest/gtest.h>

#include "tcp/scalar/scalar.hpp"

using namespace tcp;

TEST(Book, API_26_scalar_types) {
  struct {
    const char* name;
    ScalarType type, of_cpp_type;
  } const named[] = {{"i4", ScalarType::i4, i4::type},
                     {"i5", ScalarType::i5, i5::type},
                     {"i8", ScalarType::i8, i8::type},
                     {"i9", ScalarType::i9, i9::type},
                     {"i16", ScalarType::i16, i16::type},
                     {"i32", ScalarType::i32, i32::type},
                     {"f8e4m3", ScalarType::f8e4m3, f8e4m3::type},
                     {"f8e5m2", ScalarType::f8e5m2, f8e5m2::type},
                     {"f16", ScalarType::f16, f16::type},
                     {"bf16", ScalarType::bf16, bf16::type},
                     {"f32", ScalarType::f32, f32::type}};
  for (auto const& n : named) {
    EXPECT_EQ(n.type, n.of_cpp_type) << n.name;
    EXPECT_EQ(parse_scalar_type(n.name).value(), n.type) << n.name;
  }
}

// Sizes are computed in bits, and what is no whole number of bytes is refused.
TEST(Book, E_28_sizes_are_counted_in_bits) {
  static_assert(*packed_size(ScalarType::i4, Elements{256}) == Bytes{128});
  EXPECT_EQ(packed_size(ScalarType::i4, Elements{8}).value(), Bytes{4});
  EXPECT_EQ(packed_size(ScalarType::bf16, Elements{8}).value(), Bytes{16});
  EXPECT_FALSE(packed_size(ScalarType::i4, Elements{9}).ok());
}

// Of the book's spellings `f16` and `fp16`, and `f8` for two types, one each is a name.
TEST(Book, E_83_canonical_names) {
  for (const char* name : {"f16", "f8e4m3", "f8e5m2"}) EXPECT_TRUE(parse_scalar_type(name).ok()) << name;
  for (const char* name : {"fp16", "f8"}) EXPECT_FALSE(parse_scalar_type(name).ok()) << name;
}
