// Tiles by example.
#include <gtest/gtest.h>

#include "tcp/mapping/view.hpp"
#include "texts.hpp"

namespace {

using namespace tcp;

std::string code(const Expected<View>& v) { return v ? "" : v.refusal().code; }

TEST(Tile, OfAnAxis) {
  View const v = *tile(read("A, B"), read("B"), 100, 12);
  EXPECT_EQ(canonical(v.mapping), "A, B = 100 # 512");
  EXPECT_EQ(v.offset, 12);
  EXPECT_TRUE(v.axis == Name("B"));
  EXPECT_EQ(v.rebase, 12);
}

TEST(Tile, OfTheOutermostAxis) {
  View const v = *tile(read("A, B"), read("A"), 3, 2);
  EXPECT_EQ(canonical(v.mapping), "A = 3 # 8, B");
  EXPECT_EQ(v.offset, 2 * 512);
}

TEST(Tile, OfBlocks) {
  View const v = *tile(read("A, B"), read("B / 32"), 2, 5);
  EXPECT_TRUE(v.mapping == read("A, B / 32 = 2 # 16, B % 32"));
  EXPECT_EQ(v.offset, 5 * 32);
  EXPECT_EQ(v.rebase, 5 * 32);
}

TEST(Tile, InsideOfBlocks) {
  View const v = *tile(read("A, B"), read("B % 32"), 4, 8);
  EXPECT_TRUE(v.mapping == read("A, B / 32, B % 32 = 4 # 32"));
  EXPECT_EQ(v.offset, 8);
  EXPECT_TRUE(holds(v.mapping, 32 + 3, at("B", 35)));
}

TEST(Tile, BetweenBlocks) {
  View const v = *tile(read("B"), read("B / 8 % 4"), 2, 1);
  EXPECT_TRUE(v.mapping == read("B / 32, B / 8 % 4 = 2 # 4, B % 8"));
  EXPECT_EQ(v.offset, 8);
}

TEST(Tile, OfAPaddedAxisKeepsThePadding) {
  View const v = *tile(read("A #! 10, B"), read("A"), 2, 6);
  EXPECT_TRUE(v.mapping == read("A = 2 #! 10, B"));
  EXPECT_EQ(v.offset, 6 * 512);
}

TEST(Tile, OfATileIsATile) {
  View const outer = *tile(read("A, B"), read("B / 32"), 4, 2);
  View const inner = *tile(outer.mapping, read("A"), 2, 1);
  EXPECT_EQ(inner.offset, 512);
  EXPECT_TRUE(holds(inner.mapping, 0, Index{}));
}

TEST(Tile, OfAnAxisOfOneStepIsTheTensor) {
  View const v = *tile(read("A, B"), read("A = 1"), 1, 0);
  EXPECT_TRUE(v.mapping == read("A, B"));
  EXPECT_EQ(v.offset, 0);
  EXPECT_EQ(code(tile(read("A, B"), read("A = 1"), 1, 1)), "tile-out-of-range");
  EXPECT_EQ(code(tile(read("A, B"), read("A = 1"), 2, 0)), "tile-out-of-range");
}

TEST(Tile, OfBlocksOfAPaddedAxis) {
  EXPECT_EQ(canonical(tile(read("D # 64"), read("D # 64 / 16"), 1, 2)->mapping), "D = 16 # 64");
  View const last = *tile(read("A, D # 64"), read("D # 64 / 16"), 2, 2);
  EXPECT_EQ(canonical(last.mapping), "A, D = 29 # 64");
  EXPECT_EQ(last.offset, 32);
  EXPECT_EQ(last.rebase, 32);
  EXPECT_EQ(canonical(tile(read("D"), read("D # 64 / 16"), 1, 3)->mapping), "D = 13 # 61")
      << "a tensor without padding has a short last block";
  EXPECT_EQ(code(tile(read("D # 64"), read("D # 64 / 16"), 1, 4)), "tile-out-of-range");
  EXPECT_EQ(code(tile(read("D # 64"), read("D # 64 / 16 % 2"), 1, 0)), "tile-not-in-source");
}

TEST(Tile, WouldLookWholeWhereItsAxisEnds) {
  Mapping const apart = read("D # 64 / 16, A, D # 64 % 16");
  EXPECT_TRUE(tile(apart, read("D # 64 / 16"), 3, 0).ok());
  EXPECT_TRUE(tile(apart, read("D # 64 / 16"), 1, 2).ok());
  EXPECT_EQ(code(tile(apart, read("D # 64 / 16"), 1, 3)), "tile-beyond-axis");
  EXPECT_EQ(code(tile(apart, read("D # 64 % 16"), 1, 15)), "tile-beyond-axis");
  // Blocks in slices, their steps in Element: step 15 of the last block is padding.
  Levels l;
  l.set(Level::slice, read("D # 64 / 16")).set(Level::element, read("D # 64 % 16"));
  EXPECT_EQ(code(tile_of(l, read("D # 64 % 16"), 1, 15, read("1 # 16"))), "tile-beyond-axis");
  EXPECT_EQ(code(tile_of(l, read("D # 64 % 16"), 1, 12, read("1 # 16"))), "");
}

TEST(Tile, OfAllIsTheTensor) {
  View const v = *tile(read("A, B"), read("B"), 512, 0);
  EXPECT_TRUE(v.mapping == read("A, B"));
  EXPECT_EQ(v.offset, 0);
}

TEST(Tile, InsideOfAGroupWithATail) {
  View const v = *tile(read("[A, E] # 25"), read("A"), 2, 3);
  EXPECT_TRUE(v.mapping == read("[A = 2, E] # 25"));
  EXPECT_EQ(v.offset, 9);
}

TEST(Tile, Refusals) {
  EXPECT_EQ(code(tile(read("A, B"), read("C"), 1, 0)), "tile-not-in-source");
  EXPECT_EQ(code(tile(read("A, B / 2"), read("B"), 2, 0)), "tile-not-in-source");
  EXPECT_EQ(code(tile(read("A, B"), read("[A, B]"), 2, 0)), "tile-not-in-source");
  EXPECT_EQ(code(tile(read("A, B"), read("3"), 2, 0)), "tile-not-in-source");
  EXPECT_EQ(code(tile(read("A, $(N, F:2)"), read("N"), 2, 0)), "tile-not-in-source") << "a window is not cut";
  EXPECT_EQ(code(tile(read("A, B"), read("B"), 0, 0)), "tile-out-of-range");
  EXPECT_EQ(code(tile(read("A, B"), read("B"), 513, 0)), "tile-out-of-range");
  EXPECT_EQ(code(tile(read("A, B"), read("B"), 2, 511)), "tile-out-of-range");
  EXPECT_EQ(code(tile(read("A, B"), read("B"), 2, -1)), "tile-out-of-range");
  EXPECT_EQ(code(tile(read("A, B"), read("B"), 1, 9'223'372'036'854'775'807)), "tile-out-of-range");
  EXPECT_EQ(code(tile(divide_by(read("A"), 3), read("A"), 1, 0)), "mapping-stride-not-divisor") << "the fault of the source";
  EXPECT_EQ(code(tile(read("A"), divide_by(read("A"), 3), 1, 0)), "mapping-stride-not-divisor");
}

TEST(TileAs, ComparesWithTheDeclaredMappingButForKinds) {
  EXPECT_EQ(code(tile_as(read("A, B"), read("B"), 2, 0, read("A, B = 2 # 512"))), "");
  EXPECT_EQ(code(tile_as(read("A, B"), read("B"), 2, 0, read("A, B = 2 #z 512"))), "");
  EXPECT_EQ(code(tile_as(read("A, B"), read("B"), 2, 0, read("A, B = 2"))), "tile-wrong-result");
  EXPECT_EQ(code(tile_as(read("A, B"), read("B"), 2, 0, read("A, B = 3 # 512"))), "tile-wrong-result");
  EXPECT_EQ(code(tile_as(read("A, B"), read("B"), 2, 0, divide_by(read("A"), 3))), "mapping-stride-not-divisor");
}

}  // namespace
