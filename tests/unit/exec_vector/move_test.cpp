// Moves against an odometer that copies one element at a time, on every target.
#include "exec/vector/kernels/move.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "exec/vector/kernels/target.hpp"

namespace {

using namespace tcp::vector::kernels;

using Loops = std::vector<MoveLoop>;

void copy_one_by_one(const Loops& loops, std::size_t at, std::int64_t from, std::int64_t to, int bytes,
                     const std::vector<std::byte>& source, std::vector<std::byte>& destination) {
  if (at == loops.size()) {
    for (int b = 0; b < bytes; ++b)
      destination[static_cast<std::size_t>(to * bytes + b)] = source[static_cast<std::size_t>(from * bytes + b)];
    return;
  }
  for (std::int64_t i = 0; i < loops[at].size; ++i)
    copy_one_by_one(loops, at + 1, from + i * loops[at].from, to + i * loops[at].to, bytes, source, destination);
}

std::vector<std::byte> numbers(std::size_t bytes) {
  std::mt19937 random(3);
  std::vector<std::byte> out(bytes);
  for (std::byte& b : out) b = static_cast<std::byte>(random() & 0xff);
  return out;
}

std::int64_t extent(const Loops& loops, std::int64_t MoveLoop::* stride) {
  std::int64_t n = 1;
  for (const MoveLoop& l : loops) n += (l.size - 1) * l.*stride;
  return n;
}

void check(const Loops& loops, int bytes) {
  std::vector<std::byte> const source = numbers(static_cast<std::size_t>(extent(loops, &MoveLoop::from) * bytes));
  std::vector<std::byte> want(static_cast<std::size_t>(extent(loops, &MoveLoop::to) * bytes), std::byte{0xee});
  std::vector<std::byte> const untouched = want;
  copy_one_by_one(loops, 0, 0, 0, bytes, source, want);
  for (Target const target : targets()) {
    use(target);
    for (int const threads : {1, 2}) {
      std::vector<std::byte> out = untouched;
      move(loops, bytes, source.data(), out.data(), threads);
      EXPECT_EQ(out, want) << target.name << " " << threads << " threads, elements of " << bytes;
    }
  }
  use({});
}

/// A permutation of axes: sizes in the order of the source, and the place in the source's order of each of the destination's.
Loops permutation(const std::vector<std::int64_t>& sizes, const std::vector<int>& order) {
  Loops loops(sizes.size());
  std::int64_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) loops[i] = {sizes[i], stride, 0};
  stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    MoveLoop& l = loops[static_cast<std::size_t>(order[i])];
    l.to = stride;
    stride *= l.size;
  }
  return loops;
}

TEST(Move, every_permutation_of_four_axes) {
  for (std::vector<std::int64_t> const& sizes :
       {std::vector<std::int64_t>{3, 5, 2, 7}, {2, 64, 3, 64}, {1, 70, 2, 33}, {4, 4, 16, 8}, {130, 1, 67, 1}, {2, 2, 2, 2}})
    for (int const bytes : {1, 2, 4}) {
      std::vector<int> order{0, 1, 2, 3};
      do check(permutation(sizes, order), bytes);
      while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST(Move, broadcasts_and_gaps) {
  for (int const bytes : {1, 2, 4}) {
    check({{5, 7, 21}, {3, 0, 7}, {7, 1, 1}}, bytes);  // rows repeated
    check({{5, 1, 9}, {9, 0, 1}}, bytes);              // elements repeated
    check({{5, 1, 100}, {9, 0, 10}}, bytes);           // with gaps
    check({{6, 40, 50}, {20, 2, 1}}, bytes);           // every second element
    check({{6, 40, 50}, {20, 1, 2}}, bytes);           // into every second place
    check({{1, 5, 5}, {1, 0, 0}}, bytes);              // one element
    check({}, bytes);                                  // one element, no loop
    check({{64, 3, 64}, {64, 0, 1}, {3, 1, 4096}}, bytes);
  }
}

TEST(Move, large_moves_stream) {
  for (int const bytes : {1, 2, 4}) {
    std::int64_t const n = (std::int64_t{33} << 20) / bytes;
    std::int64_t const wide = 2048, high = n / wide;
    check(permutation({high, wide}, {1, 0}), bytes);
    check(permutation({high / 8, 8, wide / 8, 8}, {0, 2, 1, 3}), bytes);
  }
}

TEST(Move, nothing_is_written_for_empty_loops) {
  std::byte element{1}, out{2};
  move({{0, 1, 1}, {5, 1, 1}}, 1, &element, &out);
  EXPECT_EQ(out, std::byte{2});
}

TEST(Move, fill_sets_each_element) {
  for (int const bytes : {1, 2, 4}) {
    std::vector<std::byte> out(static_cast<std::size_t>(bytes) * 40, std::byte{0});
    fill({{3, 0, 13}, {5, 0, 2}}, bytes, 0x04030201, out.data());
    for (std::int64_t e = 0; e < 40; ++e) {
      bool const set = e / 13 < 3 && e % 13 <= 8 && e % 13 % 2 == 0;
      for (int b = 0; b < bytes; ++b)
        EXPECT_EQ(std::to_integer<int>(out[static_cast<std::size_t>(e * bytes + b)]), set ? b + 1 : 0)
            << "element " << e << " of " << bytes;
    }
  }
}

TEST(Move, nibbles_go_out_and_back) {
  std::vector<std::byte> const packed = numbers(40);
  for (std::int64_t first = 0; first < 5; ++first)
    for (std::int64_t count = 0; count < 70; ++count) {
      std::vector<std::byte> cells(static_cast<std::size_t>(count) + 1, std::byte{0xee});
      unpack_nibbles(packed.data(), first, count, cells.data());
      EXPECT_EQ(cells.back(), std::byte{0xee});
      for (std::int64_t i = 0; i < count; ++i) {
        std::byte const both = packed[static_cast<std::size_t>((first + i) / 2)];
        EXPECT_EQ(cells[static_cast<std::size_t>(i)], (first + i) % 2 == 0 ? both & std::byte{0xf} : both >> 4);
      }
      std::vector<std::byte> again(packed.size(), std::byte{0x5a});
      pack_nibbles(cells.data(), first, count, again.data());
      for (std::int64_t n = 0; n < 80; ++n) {
        auto const at = static_cast<std::size_t>(n / 2);
        bool const inside = n >= first && n < first + count;
        std::byte const want = inside ? packed[at] : std::byte{0x5a};
        int const shift = n % 2 == 0 ? 0 : 4;
        EXPECT_EQ((again[at] >> shift) & std::byte{0xf}, (want >> shift) & std::byte{0xf}) << n;
      }
    }
}

}  // namespace
