// The Switch Engine's routers.
#include <gtest/gtest.h>

#include "tcp/sim/router.hpp"

namespace tcp::sim {
namespace {

constexpr bool to_output = true, to_right = true, to_left = true;

TEST(Switch, SWI_06_three_choices_each_of_three_ways) {
  // Each arrival of a packet has a choice of its own, and each choice names any of the three ways.
  for (int own = 0; own < 8; ++own)
    for (int right = 0; right < 8; ++right)
      for (int left = 0; left < 8; ++left) {
        auto const ways = [](int n) { return Ways{.output = (n & 1) != 0, .right = (n & 2) != 0, .left = (n & 4) != 0}; };
        Router const r{ways(own), ways(right), ways(left)};
        EXPECT_EQ(r.own.output + 2 * r.own.right + 4 * r.own.left, own);
        EXPECT_EQ(r.from_right.output + 2 * r.from_right.right + 4 * r.from_right.left, right);
        EXPECT_EQ(r.from_left.output + 2 * r.from_left.right + 4 * r.from_left.left, left);
      }
}

TEST(Switch, SWI_07_roles_in_a_ring) {
  for (std::int64_t ring : {2, 4, 256}) {
    Router const root = router_of(0, ring), leaf = router_of(ring - 1, ring);
    EXPECT_EQ(root.own, (Ways{to_output, to_right, false}));
    EXPECT_EQ(root.from_right, (Ways{to_output, to_right, false}));
    EXPECT_EQ(leaf.own, (Ways{false, false, to_left}));
    EXPECT_EQ(leaf.from_left, (Ways{to_output, false, false}));
    for (std::int64_t place = 1; place < ring - 1; ++place) {
      Router const middle = router_of(place, ring);
      EXPECT_EQ(middle.from_left, (Ways{to_output, to_right, false})) << place;
      EXPECT_FALSE(middle.own.output || middle.from_right.output) << place;
    }
  }
}

TEST(Switch, packets_of_any_sender_come_by_all_slices_of_the_ring_and_no_others) {
  std::vector<program::SliceSet> all(256);
  for (program::SliceSet& s : all)
    for (std::int64_t from = 0; from < 256; ++from) s.insert(from);
  for (std::int64_t ring : {1, 2, 8, 256})
    for (std::int64_t from = 0; from < 256; ++from) {
      std::vector<std::int64_t> seen;
      for (std::int64_t slice = from / ring * ring; slice < (from / ring + 1) * ring; ++slice) seen.push_back(slice);
      EXPECT_EQ(takers_of(from, ring, all), seen) << ring << " " << from;
    }
  all[5] = {};
  EXPECT_EQ(takers_of(6, 8, all), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7})) << "slice 5 snoops nobody";
}

}  // namespace
}  // namespace tcp::sim
