// Tensors spread over levels.
#include <gtest/gtest.h>

#include "tcp/mapping/levels.hpp"
#include "texts.hpp"

namespace {

using namespace tcp;

/// The book's DM example: m![1], m![1 # 2], m![B / 8 # 256], m![B % 8].
constexpr Levels dm() {
  return Levels{}.set(Level::cluster, read("1 # 2")).set(Level::slice, read("B / 8 # 256")).set(Level::element, read("B % 8"));
}

TEST(Levels, HaveNamesInTheOrderOfTheMachine) {
  EXPECT_STREQ(name_of(Level::chip), "Chip");
  EXPECT_STREQ(name_of(Level::cluster), "Cluster");
  EXPECT_STREQ(name_of(Level::slice), "Slice");
  EXPECT_STREQ(name_of(Level::row), "Row");
  EXPECT_STREQ(name_of(Level::element), "Element");
  EXPECT_STREQ(name_of(Level::time), "Time");
  EXPECT_STREQ(name_of(Level::packet), "Packet");
}

TEST(Levels, APlaceHasAPositionOnEach) {
  constexpr Place p{1, 2, 3, 4, 5, 6, 7};
  for (int l = 0; l < level_count; ++l) EXPECT_EQ(p.on(l), l + 1);
}

TEST(Levels, AbsentOnesAreOne) {
  EXPECT_TRUE(Levels{}[Level::row] == copies(1));
  EXPECT_TRUE(cell(Levels{}, {}).live());
}

TEST(Levels, CellsAreSums) {
  static_assert(check_levels(dm()).ok());
  EXPECT_TRUE(cell(dm(), {.slice = 3, .element = 5}).index == at("B", 29));
  EXPECT_EQ(cell(dm(), {.cluster = 1, .slice = 3}).kind, CellKind::padding);
  EXPECT_EQ(cell(dm(), {.slice = 64}).kind, CellKind::padding);
  EXPECT_EQ(cell(dm(), {.slice = 256}).kind, CellKind::outside);
  EXPECT_EQ(cell(dm(), {.chip = 1}).kind, CellKind::outside);
}

TEST(Levels, OvershootIsSeenOverLevels) {
  Levels const levels = Levels{}.set(Level::slice, read("D #z 64 / 16")).set(Level::element, read("D # 64 % 16"));
  EXPECT_TRUE(cell(levels, {.slice = 3, .element = 12}).index == at("D", 60));
  Cell const beyond = cell(levels, {.slice = 3, .element = 13});
  EXPECT_EQ(beyond.kind, CellKind::padding);
  EXPECT_EQ(beyond.pad, Pad::zero) << "the kind of the coarsest factor, which is on another level";
}

TEST(Levels, WindowsHaveSeveral) {
  Levels const levels = Levels{}.set(Level::time, read("A")).set(Level::packet, read("$(N, F:2)"));
  EXPECT_EQ(cell(levels, {.time = 2, .packet = 4}).kind, CellKind::several);
  EXPECT_TRUE(cell(levels, {.time = 2, .packet = 8}).live());
}

TEST(Levels, FindPlace) {
  Place found;
  ASSERT_TRUE(find_place(dm(), at("B", 29), found));
  EXPECT_EQ(found.slice, 3);
  EXPECT_EQ(found.element, 5);
  EXPECT_EQ(found.cluster, 0);
  EXPECT_FALSE(find_place(dm(), at("B", 512), found));
  EXPECT_FALSE(find_place(Levels{}.set(Level::element, read("B @ 8")), at("B", 7), found));
  EXPECT_TRUE(find_place(Levels{}.set(Level::element, read("B @ 8")), at("B", 8), found));
  EXPECT_EQ(found.element, 0);
}

TEST(Levels, Refusals) {
  auto const code = [](const Levels& levels) { return std::string(check_levels(levels).refusal().code); };
  EXPECT_EQ(code(Levels{}.set(Level::slice, read("B / 8")).set(Level::element, read("B % 16"))), "levels-axis-twice");
  EXPECT_EQ(code(Levels{}.set(Level::chip, axis_mapping(Name("K"), 8)).set(Level::packet, axis_mapping(Name("K"), 9))),
            "levels-axis-two-sizes");
  EXPECT_EQ(code(Levels{}.set(Level::chip, divide_by(read("A"), 3))), "mapping-stride-not-divisor");
  EXPECT_TRUE(check_levels(Levels{}.set(Level::slice, read("B / 8")).set(Level::element, read("B % 4"))).ok());
}

TEST(Levels, SixtyFourFactorsTogether) {
  Mapping sixteen;
  for (int i = 0; i < 16; ++i) sixteen = pair(sixteen, copies(2).pad(3));
  Levels levels;
  for (Level l : {Level::chip, Level::cluster, Level::slice, Level::row}) levels.set(l, sixteen);
  EXPECT_TRUE(check_levels(levels).ok());
  levels.set(Level::element, read("A"));
  EXPECT_STREQ(check_levels(levels).refusal().code, "levels-too-deep");
}

}  // namespace
