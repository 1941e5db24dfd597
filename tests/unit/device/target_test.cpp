// This file is compiled as tcp_target_chip(... data/chips/rngd_s.json) would: what to_header wrote is the target.
#define TCP_TARGET_CHIP "unit/device/rngd_s_target.hpp"
#include "tcp/device/target.hpp"

#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"

namespace tcp {

static_assert(target == rngd_s, "the header sets every field, and is a constant expression");

TEST(Target, is_the_chip_that_the_build_names) {
  EXPECT_EQ(target.name.view(), "rngd_s");
  EXPECT_NE(target, rngd);
}

}  // namespace tcp
