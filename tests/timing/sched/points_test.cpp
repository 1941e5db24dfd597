// How far the models are from what others saw.
#include "points.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tcp/device/chips.hpp"

namespace tcp::accuracy {
namespace {

/// With TCP_SHOW set: every point and change that a model has wrong.
void show(Seen seen) {
  if (std::getenv("TCP_SHOW") == nullptr) return;
  for (const Point& p : points())
    if (auto const theirs = p.figure(seen)) {
      double const mine = ours(p, seen, rngd), off = std::log(mine / *theirs);
      if (std::abs(off) > 0.06) std::printf("%-20s %-18s %9.0f %9.0f %+.3f\n", p.mechanism.c_str(), p.program.c_str(), *theirs, mine, off);
    }
  for (const Change& c : changes())
    if (c.seen == seen && !agrees(c, rngd)) {
      auto const [before, after] = ours(c, rngd);
      std::printf("   %-20s %-14s %9.0f %9.0f of %.0f\n", c.mechanism.c_str(), c.after.c_str(), c.cycles, after - before, before);
    }
}

TEST(Points, plans_are_predicted) {
  show(Seen::Plan);
  EXPECT_LE(mean_error(Seen::Plan, rngd), 0.08);
  EXPECT_GE(changes_right(Seen::Plan, rngd), 0.85);
}

TEST(Points, mechanisms_are_predicted_by_the_others) {
  double const plans = mean_error_without_mechanism(Seen::Plan, rngd), chips = mean_error_without_mechanism(Seen::Chip, rngd);
  std::printf("without a mechanism: plans %.3f, chips %.3f\n", plans, chips);
  EXPECT_LE(plans, 0.12);
  EXPECT_LE(chips, 0.20);
}

TEST(Points, chips_are_predicted) {
  show(Seen::Chip);
  EXPECT_LE(mean_error(Seen::Chip, rngd), 0.15);
  EXPECT_GE(changes_right(Seen::Chip, rngd), 0.70);
}

}  // namespace
}  // namespace tcp::accuracy
