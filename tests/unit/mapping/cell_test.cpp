// Indices, cells and places.
#include <gtest/gtest.h>

#include <sstream>

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

}  // namespace
