// Indices, cells and places: of tensors that are spread over levels, position by position and at once, and through tiles.
#include <gtest/gtest.h>

#include <sstream>

#include "tcp/mapping/levels.hpp"
#include "tcp/mapping/view.hpp"
#include "tcp/mapping/walk.hpp"
#include "texts.hpp"

namespace {

using namespace tcp;

TEST(Index, AnAbsentCoordinateIsZero) {
  static_assert(at("A", 0) == Index{});
  static_assert(at("A", 0, "B", 3) == at("B", 3));
  static_assert(at("A", 1, "B", 2) == at("B", 2, "A", 1));
  static_assert(!(at("A", 1) == at("B", 1)));
  static_assert(!(at("A", 1) == Index{}) && !(Index{} == at("A", 1)));
  EXPECT_EQ(at("A", 4).get("A"), 4);
  EXPECT_EQ(at("A", 4).get(Name("B")), 0);
}

TEST(Index, CoordinatesAddUp) {
  Index x = at("A", 4);
  x.add(Name("A"), 3).add(Name("B"), 1).add(Name("B"), -1);
  EXPECT_TRUE(x == at("A", 7));
}

TEST(Index, IsPrintedWithoutZeros) {
  EXPECT_EQ(text(at("A", 2, "B", 3)).view(), "{A: 2, B: 3}");
  EXPECT_EQ(text(at("A", 0, "B", 3)).view(), "{B: 3}");
  EXPECT_EQ(text(Index{}).view(), "{}");
  std::ostringstream out;
  print(out, at("A", 2));
  EXPECT_EQ(out.str(), "{A: 2}");
}

TEST(Cell, IsLivePaddingOrOutside) {
  constexpr Mapping m = read("A, D # 64");
  static_assert(cell(m, 64 + 60).live() && cell(m, 64 + 60).index == at("A", 1, "D", 60));
  static_assert(cell(m, 61).kind == CellKind::padding && cell(m, 61).pad == Pad::top);
  static_assert(cell(m, 512).kind == CellKind::outside && cell(m, -1).kind == CellKind::outside);
  EXPECT_TRUE(cell(m, 61).index == Index{}) << "padding has no index";
}

TEST(Cell, OvershootHasTheKindOfTheCoarsestFactorOfItsAxis) {
  EXPECT_EQ(pad_at(read("D #z 64 / 16, A, D % 1 # 1, D # 64 % 16"), 3 * 8 * 16 + 15), Pad::zero);
  EXPECT_EQ(pad_at(read("D #! 64 / 16, A, D # 64 % 16"), 3 * 8 * 16 + 15), Pad::bottom);
  EXPECT_EQ(pad_at(read("D # 64 % 16, D #z 64 / 16"), 15 * 4 + 3), Pad::zero) << "wherever it stands";
}

TEST(Cell, PaddingBehindOneFactorIsNotMadeWeakerByAnother) {
  Mapping const m = read("B #< 2 #z 600, A");
  EXPECT_EQ(pad_at(m, 514 * 8), Pad::zero) << "B is beyond its end and not before its begin";
  EXPECT_EQ(pad_at(m, 0), Pad::zero);
}

TEST(Preimages, AreCountedInWindows) {
  Mapping const m = read("A #z 9, $(N, F:2) # 10");
  EXPECT_EQ(preimages(m, 4), 3);
  EXPECT_EQ(preimages(m, 9), 0);
  EXPECT_EQ(preimages(m, 80 + 4), 0) << "A is padding here";
  EXPECT_EQ(cell(m, 80 + 4).kind, CellKind::padding);
  EXPECT_EQ(cell(m, 4).kind, CellKind::several);
  EXPECT_EQ(preimages(m, 90), 0);
  EXPECT_EQ(preimages(m, -1), 0);
  EXPECT_EQ(preimages(read("A"), 3), 1);
  EXPECT_TRUE(preimage(read("A"), 3, 0) == at("A", 3));
}

TEST(Preimages, OfSeveralWindowsAreAllPairs) {
  Mapping const m = read("$(N, F:2), $(W, E)");
  std::int64_t const i = 4 * 8 + 2;  // n + 2f = 4 and w + e = 2
  ASSERT_EQ(preimages(m, i), 3 * 3);
  for (std::int64_t f = 0; f < 3; ++f)
    for (std::int64_t e = 0; e < 3; ++e) {
      Index x = at("N", 4 - 2 * f, "F", f);
      x.add(Name("W"), 2 - e).add(Name("E"), e);
      int found = 0;
      for (std::int64_t which = 0; which < 9; ++which) found += preimage(m, i, which) == x;
      EXPECT_EQ(found, 1) << f << ' ' << e;
    }
}

TEST(Place, InvertsCell) {
  constexpr Mapping m = read("B % 32, A # 10, B / 32");
  static_assert(place(m, at("A", 3, "B", 70)) == (70 % 32) * 160 + 3 * 16 + 70 / 32);
  for (std::int64_t i = 0; i < m.size; i += 7) {
    Cell const c = cell(m, i);
    EXPECT_TRUE(!c.live() || place(m, c.index) == i) << i;
  }
}

TEST(Place, IsMinusOneForWhatIsNotHeld) {
  EXPECT_EQ(place(read("B = 100"), at("B", 100)), -1);
  EXPECT_EQ(place(read("B / 4"), at("B", 5)), -1) << "between two steps";
  EXPECT_EQ(place(read("B @ 5"), at("B", 4)), -1);
  EXPECT_EQ(place(read("B @ 5 = 1"), at("B", 5)), 0);
  EXPECT_EQ(place(read("B @ 5 = 1"), at("B", 4)), -1);
  EXPECT_EQ(place(read("B @ 5 = 1"), at("B", 7)), -1);
  EXPECT_EQ(place(read("B #< 2"), at("B", 0)), 2);
  EXPECT_EQ(place(read("A"), at("A", 8)), -1);
  EXPECT_EQ(place(read("A"), at("A", -1)), -1);
}

TEST(Place, IgnoresAxesThatTheMappingDoesNotCount) { EXPECT_EQ(place(read("A"), at("A", 3, "B", 77)), 3); }

TEST(Place, IsTheFirstOfSeveralCopies) { EXPECT_EQ(place(read("3, A, 2"), at("A", 5)), 10); }

TEST(Place, OfAWindowIsTheSumOfItsSteps) { EXPECT_EQ(place(read("$(N, F:2)"), at("N", 3, "F", 2)), 7); }

// Tensors spread over levels.

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

// A walk over all positions, step by step and at once.

using namespace tcp;

class Walks : public testing::TestWithParam<const char*> {};

TEST_P(Walks, MeetTheCellsInOrder) {
  Mapping const m = read(GetParam());
  std::int64_t i = 0;
  for (Walk w(m); !w.done(); w.next(), ++i) {
    Cell const c = cell(m, i);
    ASSERT_EQ(w.position(), i);
    ASSERT_EQ(w.live(), c.live()) << i;
    for (int a = 0; a < m.axes && c.live(); ++a) ASSERT_EQ(w.coordinate(a), c.index.get(m.axis[a].name)) << i;
  }
  EXPECT_EQ(i, m.size);
}

TEST_P(Walks, MeetTheSameCellsAtOnce) {
  Mapping const m = read(GetParam());
  std::int64_t i = 0, wrong = 0;
  Walk(m).each([&](const Walk& w) {
    Cell const c = cell(m, i);
    bool good = w.position() == i && w.live() == c.live();
    for (int a = 0; a < m.axes && c.live(); ++a) good = good && w.coordinate(a) == c.index.get(m.axis[a].name);
    wrong += !good;
    ++i;
  });
  EXPECT_EQ(i, m.size);
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Forms, Walks,
                         testing::Values("1", "A", "7", "1 # 5", "A # 11", "B / 64, B % 32, B / 32 % 2", "A, D # 64, E # 4",
                                         "D # 64 / 16, E, D # 64 % 16", "B @ 5 / 8, E, B % 8", "B #< 2 #z 520 / 8, E, B % 8", "[A, E] # 25",
                                         "[A, E] # 25, 2 # 3", "[A, [N, E] # 16] # 130, W", "N, [A, E] # 25, [W, F] # 19", "B @ 5 = 1, A",
                                         "3 # 5, A, 2", "[[A, E] # 25, N] # 126"));

TEST(Walk, CanBeFinishedAtOnceFromTheMiddle) {
  Mapping const m = read("A # 10, E # 4");
  Walk w(m);
  for (int i = 0; i < 13; ++i) w.next();
  std::int64_t at = 13, wrong = 0;
  w.each([&](const Walk& here) {
    wrong += here.position() != at || here.live() != cell(m, at).live();
    ++at;
  });
  EXPECT_EQ(at, m.size);
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(w.done());
}

TEST(Walk, OfMillionsOfPositionsIsCheap) {
  Mapping const m = read("A, B, D # 64, 64");
  std::int64_t live = 0;
  Walk(m).each([&](const Walk& w) { live += w.live(); });
  EXPECT_EQ(m.size, 8 * 512 * 64 * 64);
  EXPECT_EQ(live, 8 * 512 * 61 * 64);
}

TEST(Walk, WorksInConstantExpressions) {
  static_assert([] {
    std::int64_t sum = 0;
    Mapping const m = read("A # 10, E");
    for (Walk w(m); !w.done(); w.next())
      if (w.live()) sum += w.coordinate(0) * 10 + w.coordinate(1);
    return sum;
  }() == 3 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7) * 10 + 8 * (0 + 1 + 2));
}

// Tiles by example.

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
