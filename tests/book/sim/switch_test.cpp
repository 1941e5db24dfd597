// The Switch Engine's routers.
#include <gtest/gtest.h>

#include "tcp/sim/router.hpp"

namespace tcp::sim {
namespace {

constexpr bool to_output = true, to_right = true, to_left = true;

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
