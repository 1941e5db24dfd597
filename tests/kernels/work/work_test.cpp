// Bounds against numbers worked out by hand from the chip's published rates.
#include "kernels/work/work.hpp"

#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"

namespace tcp {
namespace {

TEST(Work, of_a_product_of_4096_in_bf16) {
  // 512 slices of 8 Rows multiply 32 pairs each: 131,072 a cycle.
  auto const cycles = kernels::cycles_of({.multiply_adds = std::int64_t{4096} * 4096 * 4096, .hbm_bytes = 3 * 4096 * 4096 * 2}, rngd);
  EXPECT_EQ(cycles.multiplies.value, 524288);
  // 1.5 TB/s at 1 GHz: 1,536 bytes a cycle.
  EXPECT_EQ(cycles.hbm.value, 65536);
  EXPECT_EQ(cycles.bound().value, 524288);
  EXPECT_STREQ(cycles.bound_by(), "multiply-adds");
}
TEST(Work, eight_bits_are_multiplied_twice_as_fast) {
  auto const cycles = kernels::cycles_of({.type = ScalarType::i8, .multiply_adds = 1 << 20}, rngd);
  EXPECT_EQ(cycles.multiplies.value, 4);
}
TEST(Work, adds_up) {
  kernels::Work w{.multiply_adds = 1, .hbm_bytes = 2, .dm_bytes = 3, .pcie_bytes = 4};
  w += w;
  EXPECT_EQ(w.multiply_adds, 2);
  EXPECT_EQ(w.hbm_bytes, 4);
  EXPECT_EQ(w.dm_bytes, 6);
  EXPECT_EQ(w.pcie_bytes, 8);
  EXPECT_STREQ(kernels::cycles_of({.pcie_bytes = 1 << 20}, rngd).bound_by(), "PCIe");
}

}  // namespace
}  // namespace tcp
