// A walk over all positions, step by step and at once.
#include <gtest/gtest.h>

#include "tcp/mapping/walk.hpp"
#include "texts.hpp"

namespace {

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

}  // namespace
