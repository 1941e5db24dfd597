// Casts, zero points, tables, comparisons and choices against the scalar functions: every pattern of 4 to 16 bits, and telling and random ones of 32.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "exec/vector/contraction/products.hpp"
#include "exec/vector/kernels/elementwise.hpp"
#include "exec/vector/kernels/target.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/scalar/zero_point.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

using Words = std::vector<std::uint32_t>;

constexpr NumericModel models[] = {NumericModel::rngd, NumericModel::ieee};

/// All patterns of a narrow format; of a 32-bit one, those around every boundary between two numbers of a narrower format, and random ones.
Words patterns(ScalarType type) {
  Words words;
  int const bits = scalar_info(type).bits;
  if (bits <= 16) {
    for (std::uint32_t i = 0; i <= scalar_mask(type); ++i) words.push_back(i);
    return words;
  }
  for (std::uint32_t high = 0; high < 0x10000; ++high)
    for (std::uint32_t const low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) words.push_back(high << 16 | low);
  std::mt19937 random(9);
  for (int i = 0; i < 100000; ++i) words.push_back(static_cast<std::uint32_t>(random()));
  return words;
}

std::vector<std::byte> cells(const Words& words, ScalarType type) {
  std::vector<std::byte> out;
  for (std::uint32_t const w : words)
    for (int byte = 0; byte < cell_bytes(type); ++byte) out.push_back(static_cast<std::byte>(w >> (8 * byte) & 0xff));
  return out;
}

std::uint32_t cell(const std::vector<std::byte>& memory, ScalarType type, std::size_t i) {
  std::uint32_t w = 0;
  std::memcpy(&w, memory.data() + i * static_cast<std::size_t>(cell_bytes(type)), static_cast<std::size_t>(cell_bytes(type)));
  return w;
}

TEST(Cast, every_pair_of_formats) {
  for (ScalarType const from : scalar_types) {
    Words const words = patterns(from);
    std::vector<std::byte> const in = cells(words, from);
    for (ScalarType const to : scalar_types) {
      if (!has_scalar_cast(from, to)) continue;
      for (NumericModel const model : models) {
        Words want;
        for (std::uint32_t const w : words) want.push_back(scalar_cast_bits(from, to, w, model));
        for (Target const target : targets()) {
          use(target);
          std::vector<std::byte> out(words.size() * static_cast<std::size_t>(cell_bytes(to)));
          cast(from, to, in.data(), out.data(), words.size(), model);
          int shown = 0;
          for (std::size_t i = 0; i < words.size() && shown < 3; ++i)
            if (cell(out, to, i) != want[i]) {
              ++shown;
              ADD_FAILURE() << target.name << " " << scalar_info(from).name << " to " << scalar_info(to).name << std::hex << ": "
                            << words[i] << " gives " << cell(out, to, i) << ", not " << want[i];
            }
        }
      }
    }
  }
  use({});
}

TEST(Cast, zero_points_of_every_value) {
  for (ScalarType const from : {ScalarType::i4, ScalarType::i8, ScalarType::i16}) {
    Words const words = patterns(from);
    std::vector<std::byte> const in = cells(words, from);
    for (ScalarType const to : {ScalarType::i5, ScalarType::i9, ScalarType::i32})
      for (std::int32_t const z : {-8, -1, 0, 3, 7}) {
        ZeroPoint const point = *zero_point(from, z);
        for (Target const target : targets()) {
          use(target);
          std::vector<std::byte> out(words.size() * static_cast<std::size_t>(cell_bytes(to)));
          subtract_zero_point(from, to, z, in.data(), out.data(), words.size());
          for (std::size_t i = 0; i < words.size(); ++i)
            ASSERT_EQ(cell(out, to, i), subtract_zero_point_bits(words[i], point, to)) << target.name;
        }
      }
  }
  use({});
}

TEST(Cast, tables_of_every_width) {
  Words table;
  for (std::uint32_t i = 0; i < 256; ++i) table.push_back(i * 0x01030507u);
  Words const words = patterns(ScalarType::i8);
  std::vector<std::byte> const in = cells(words, ScalarType::i8);
  for (ScalarType const to : {ScalarType::i8, ScalarType::bf16, ScalarType::f32}) {
    std::vector<std::byte> out(words.size() * static_cast<std::size_t>(cell_bytes(to)));
    look_up(table.data(), in.data(), out.data(), cell_bytes(to), words.size());
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(cell(out, to, i), table[i] & scalar_mask(to));
  }
}

bool holds(Compare how, ScalarType type, std::uint32_t a, std::uint32_t b, NumericModel model) {
  namespace ar = arithmetic;
  f32 const x = f32::from_bits(a), y = f32::from_bits(b);
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  bool const floating = type == ScalarType::f32;
  switch (how) {
    case Compare::Equal: return floating ? ar::equal(x, y, model) : ar::equal(m, n);
    case Compare::Less: return floating ? ar::less(x, y, model) : ar::less(m, n);
    case Compare::Greater: return floating ? ar::greater(x, y, model) : ar::greater(m, n);
    case Compare::LessUnsigned: return ar::less_unsigned(m, n);
    default: return ar::greater_unsigned(m, n);
  }
}

TEST(Compare, sets_one_bit_where_it_holds) {
  Words const words = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                       0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                       0x7f800001, 0xffffffff, 0x7fffffff, 5,          0xfffffffb, 0x40000000, 0xc0000000};
  for (Target const target : targets()) {
    use(target);
    for (ScalarType const type : {ScalarType::i32, ScalarType::f32})
      for (NumericModel const model : models)
        for (int how = 0; how <= static_cast<int>(Compare::GreaterUnsigned); ++how)
          for (std::uint32_t const boundary : words) {
            std::vector<std::uint8_t> ids(words.size(), 9);
            compare(static_cast<Compare>(how), type, words.data(), boundary, model, 4, ids.data(), words.size());
            for (std::size_t i = 0; i < words.size(); ++i)
              EXPECT_EQ(ids[i], holds(static_cast<Compare>(how), type, words[i], boundary, model) ? 13 : 9)
                  << target.name << " " << how << std::hex << " " << words[i] << " " << boundary;
          }
  }
  use({});
}

TEST(Choose, takes_the_lanes_that_the_guard_holds_for) {
  for (Target const target : targets()) {
    use(target);
    for (std::size_t const count : {1u, 63u, 64u, 200u}) {
      Words a, b;
      std::vector<std::uint8_t> ids;
      for (std::size_t i = 0; i < count; ++i) {
        a.push_back(static_cast<std::uint32_t>(i));
        b.push_back(static_cast<std::uint32_t>(1000 + i));
        ids.push_back(static_cast<std::uint8_t>(i * 7 % 16));
      }
      Words out = b;  // in place
      choose(0x8421, ids.data(), a.data(), out.data(), out.data(), count);
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(out[i], (0x8421 >> ids[i] & 1) != 0 ? a[i] : b[i]) << target.name;
    }
  }
  use({});
}

}  // namespace
