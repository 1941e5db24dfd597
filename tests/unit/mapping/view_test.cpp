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
