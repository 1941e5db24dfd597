// How products are cut into tiles, and what work is.
#include <gtest/gtest.h>

#include "kernels/tiling/tiling.hpp"
#include "kernels/work/work.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/random.hpp"

namespace tcp::kernels {
namespace {

struct Size {
  std::int64_t m, n, k;
};

/// Every row of A and every column of C has its slice, and columns fill whole units of HBM.
void expect_covers(const GemmTiling& t, std::int64_t n, std::int64_t unit) {
  ASSERT_GE(n, 1);
  EXPECT_EQ(n % unit, 0);
  EXPECT_LE(2 * t.dm_bytes, 512 << 10);
  EXPECT_EQ(t.across_m * t.across_n * t.split * t.idle, 256);
  EXPECT_EQ(t.across_n * t.columns * t.clusters_along_n(rngd), n);
  EXPECT_GE(t.across_m * t.clusters_along_m(rngd) * t.rows_of_group(), t.m);
  EXPECT_EQ(t.across_n % t.ring, 0);
  EXPECT_EQ(t.ring % t.shares, 0);
  EXPECT_LE((t.parts - 1) * t.k, t.range());
  EXPECT_GE(t.parts * t.k, t.range());
  EXPECT_TRUE(t.split == 1 || t.split * t.parts * t.k == t.depth);
  if (spreads_a(t.strategy)) EXPECT_TRUE(t.parts * t.k % (t.shares * t.flit) == 0);
  else EXPECT_EQ(t.k % (t.shares * t.packet), 0);
  EXPECT_EQ(t.across_n % neighbours_of(rngd, t), 0);
}

void expect_fits(ScalarType type, const Size& s) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " x " << s.k << " of " << scalar_info(type).name);
  auto const t = tile_gemm(rngd, type, s.m, s.n, s.k);
  ASSERT_TRUE(t.ok());
  EXPECT_LE(2 * t->dm_bytes, 512 << 10);
  EXPECT_LE(t->trf_bytes, 32 << 10);
  EXPECT_EQ(t->k % t->packet, 0);
  EXPECT_TRUE(t->m >= 1 && t->m <= s.m && t->k >= 1);
  std::int64_t const unit = type == ScalarType::i8 ? 64 : 128;
  std::int64_t left = t->width;
  EXPECT_TRUE(t->width >= s.n && t->width % unit == 0);
  for (int tiles = 0; left > 0; ++tiles) {
    ASSERT_LT(tiles, 64);
    std::int64_t const taken = columns_at_once(rngd, *t, left);
    expect_covers(tile_of(rngd, *t, t->m, taken), taken, unit);
    left -= taken;
  }
  EXPECT_EQ(left, 0);
}

TEST(Tiling, fits_and_covers) {
  Random random(8);
  for (ScalarType type : {ScalarType::bf16, ScalarType::f8e5m2, ScalarType::i8}) {
    for (std::int64_t size : {1, 8, 9, 16, 31, 32, 33, 4096, 16384}) expect_fits(type, {size, size, size});
    for (int i = 0; i < 300; ++i) {
      auto const any = [&] { return random.between(1, std::int64_t{1} << random.between(0, 14)); };
      expect_fits(type, {any(), any(), any()});
    }
  }
}
TEST(Tiling, says_what_it_decided) {
  auto const t = tile_gemm(rngd, ScalarType::bf16, 4096, 4096, 4096);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(text_of(*t),
            "tiles of C: 1024 x 4096 of 4096 columns; K: 4 of at most 1024\n"
            "slices: 1 along M x 256 along N; clusters along M\n"
            "columns of C in a slice: 16, so a packet of A is used 2 times\n"
            "A in a slice: 2 rows; passed around rings of 256\n"
            "loading: A part by part, B part by part, 2 transfers ahead\n"
            "DM of a slice: 241664 bytes; half of its TRF: 32768 bytes\n"
            "expected: about 595421 cycles\n");
}
TEST(Tiling, one_token_lets_b_lie_over_all_slices) {
  auto const t = tile_gemm(rngd, ScalarType::bf16, 1, 2048, 4096), wide = tile_gemm(rngd, ScalarType::bf16, 1, 28672, 4096);
  ASSERT_TRUE(t.ok() && wide.ok());
  EXPECT_EQ(t->strategy, GemmStrategy::spread_rows);
  EXPECT_EQ(t->clusters, GemmClusters::along_n);
  EXPECT_EQ(t->across_m, 1);
  EXPECT_EQ(t->idle, 1);  // those that N leaves divide K
  EXPECT_EQ(t->across_n * t->split, 256);
  EXPECT_GT(wide->together, 1);
}
TEST(Tiling, slices_stay_idle_where_k_is_no_whole_blocks) {
  auto const t = tile_gemm(rngd, ScalarType::bf16, 1, 2048, 4000);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->split, 1);
  EXPECT_GT(t->idle, 1);
  EXPECT_EQ(rings_of(rngd, *t), 8);  // apart, so that every DMN has slices that work
}
/// Copies by DMA take the chip longer than the book says.
TEST(Tiling, rings_are_long_so_that_a_is_copied_little) {
  for (Size s : {Size{64, 6144, 4096}, {64, 3584, 8192}, {16, 1280, 8192}, {1, 14336, 4096}}) {
    auto const t = tile_gemm(rngd, ScalarType::bf16, s.m, s.n, s.k);
    ASSERT_TRUE(t.ok());
    EXPECT_EQ(t->given_out, 0) << s.m << " x " << s.n << " x " << s.k;
  }
}
TEST(Tiling, columns_may_be_padded_further_where_that_is_faster) {
  auto const t = tile_gemm(rngd, ScalarType::bf16, 1023, 777, 555);
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->width, 1024);  // one tile instead of 512 + 256 + 128
  EXPECT_EQ(t->n, 1024);
}
TEST(Tiling, sizes_beyond_its_limits_are_refused) {
  for (Size s : {Size{0, 1, 1}, {1, -1, 1}, {1, 1, 131073}, {16385, 1, 1}, {1, 131073, 1}})
    EXPECT_FALSE(tile_gemm(rngd, ScalarType::bf16, s.m, s.n, s.k).ok());
  EXPECT_TRUE(tile_gemm(rngd, ScalarType::bf16, 16384, 16384, 16384).ok());
  EXPECT_TRUE(tile_gemm(rngd, ScalarType::bf16, 16, 131072, 16384).ok());
  EXPECT_FALSE(tile_gemm(rngd, ScalarType::i32, 1, 1, 1).ok());
}

}  // namespace
}  // namespace tcp::kernels

// Bounds against numbers worked out by hand from the chip's published rates.

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
