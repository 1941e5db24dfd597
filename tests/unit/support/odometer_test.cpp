// Nested loops that turn without a division.
#include "tcp/support/odometer.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace {

using tcp::Odometer;
using Loops = std::vector<tcp::OdometerLoop<2>>;

TEST(Odometer, turns_as_nested_loops_do) {
  std::vector<std::pair<std::int64_t, std::int64_t>> wanted, seen;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 1; ++j)
      for (std::int64_t k = 0; k < 4; ++k) wanted.push_back({i * 100 + j * 7 - k * 5, i * 2 + k * 30});
  Odometer<2> o(Loops{{3, {100, 2}}, {1, {7, 9}}, {4, {-5, 30}}});
  for (; !o.done(); o.next()) {
    ASSERT_EQ(o.round(0) * 100 - o.round(2) * 5, o.at(0));
    seen.push_back({o.at(0), o.at(1)});
  }
  EXPECT_EQ(seen, wanted);
}

TEST(Odometer, begins_again_after_the_last_round) {
  Odometer<2> o(Loops{{2, {10, 1}}, {2, {3, 0}}});
  for (int i = 0; i < 4; ++i) o.next();
  EXPECT_TRUE(o.done());
  EXPECT_EQ(o.at(0), 0);
  o.next();
  EXPECT_EQ(o.at(0), 3);
}

TEST(Odometer, has_one_round_without_loops_and_none_with_an_empty_one) {
  Odometer<2> none(Loops{});
  EXPECT_FALSE(none.done());
  none.next();
  EXPECT_TRUE(none.done());
  EXPECT_TRUE(Odometer<2>(Loops{{3, {1, 1}}, {0, {1, 1}}}).done());
}

}  // namespace
