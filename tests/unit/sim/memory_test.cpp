// Bytes and their shadow, against plain arrays.
#include "sim/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tcp::sim {
namespace {

TEST(SparseMemory, holds_what_was_written_and_knows_what_was_not) {
  constexpr std::int64_t size = 5 * SparseMemory::page_bytes / 2;
  std::vector<std::byte> plain(size);
  std::vector<bool> undefined(2 * size, true);
  SparseMemory memory;
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    auto const begin = static_cast<std::int64_t>(random() % size);
    auto const length = std::min<std::int64_t>(size - begin, 1 + static_cast<std::int64_t>(random() % 5000));
    if (random() % 3 != 0) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(length));
      for (std::byte& b : bytes) b = static_cast<std::byte>(random());
      memory.write(begin, length, bytes.data());
      std::copy(bytes.begin(), bytes.end(), plain.begin() + begin);
      std::fill_n(undefined.begin() + 2 * begin, 2 * length, false);
    } else {
      auto const first = 2 * begin + static_cast<std::int64_t>(random() % 2), halves = std::max<std::int64_t>(1, 2 * length - 3);
      if (first + halves > 2 * size) continue;
      memory.undefine(first, halves);
      std::fill_n(undefined.begin() + first, halves, true);
    }
    auto const from = static_cast<std::int64_t>(random() % size);
    auto const count = std::min<std::int64_t>(size - from, 1 + static_cast<std::int64_t>(random() % 300));
    std::vector<std::byte> got(static_cast<std::size_t>(count));
    bool const defined = memory.read(from, count, got.data());
    bool const any =
        std::find(undefined.begin() + 2 * from, undefined.begin() + 2 * (from + count), true) != undefined.begin() + 2 * (from + count);
    ASSERT_EQ(defined, !any);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(memory.any_undefined(2 * (from + i), 1), undefined[static_cast<std::size_t>(2 * (from + i))]);
      ASSERT_EQ(memory.any_undefined(2 * (from + i) + 1, 1), undefined[static_cast<std::size_t>(2 * (from + i) + 1)]);
      if (undefined[static_cast<std::size_t>(2 * (from + i))]) continue;
      ASSERT_EQ(got[static_cast<std::size_t>(i)], plain[static_cast<std::size_t>(from + i)]);
    }
  }
}

TEST(SparseMemory, costs_what_is_touched) {
  SparseMemory memory;
  std::byte const one{1};
  std::int64_t const far = std::int64_t{47} << 30;
  memory.write(far, 1, &one);
  memory.write(3, 1, &one);
  EXPECT_EQ(memory.pages(), 2);
  std::byte got{};
  EXPECT_TRUE(memory.read(far, 1, &got));
  EXPECT_EQ(got, one);
  EXPECT_FALSE(memory.read(far + 1, 1, &got));
  EXPECT_EQ(memory.pages(), 2);  // looking makes nothing
}

TEST(SparseMemory, in_front_of_it_nothing_is_defined) {
  SparseMemory memory;
  std::vector<std::byte> const ones(8, std::byte{1});
  memory.write(0, 8, ones.data());
  std::vector<std::byte> got(8);
  EXPECT_FALSE(memory.read(-4, 8, got.data()));
  EXPECT_EQ(got[3], std::byte{0});
  EXPECT_EQ(got[4], std::byte{1});
}

}  // namespace
}  // namespace tcp::sim
