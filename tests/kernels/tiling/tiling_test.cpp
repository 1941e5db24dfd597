// What the planner promises, on sizes of every kind: its tiles fit into the chip and cover the product.
#include "kernels/tiling/tiling.hpp"

#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/support/random.hpp"

namespace tcp::kernels {
namespace {

struct Size {
  std::int64_t m, n, k;
};

void expect_fits(ScalarType type, const Size& s) {
  SCOPED_TRACE(testing::Message() << s.m << " x " << s.n << " x " << s.k << " of " << scalar_info(type).name);
  auto const t = tile_gemm(rngd, type, s.m, s.n, s.k);
  ASSERT_TRUE(t.ok());
  EXPECT_LE(2 * t->dm_bytes, 512 << 10);
  EXPECT_LE(t->trf_bytes, 32 << 10);
  EXPECT_EQ(t->across_m * t->across_n, 256);
  EXPECT_EQ(t->k % t->packet, 0);
  EXPECT_GE(t->across_m * t->ring * t->rows, t->m) << "rows of A that no slice holds";
  EXPECT_GE(2 * t->across_n * t->columns, t->n) << "columns of C that no slice computes";
  EXPECT_TRUE(t->m >= 1 && t->m <= s.m && t->n >= 1 && t->n <= s.n && t->k >= 1);
  EXPECT_EQ(t->across_n % t->ring, 0);
  std::int64_t left = s.n;
  for (int tiles = 0; left > 0; ++tiles) {
    ASSERT_LT(tiles, 32);
    std::int64_t const taken = columns_at_once(rngd, *t, left);
    ASSERT_GE(taken, 1);
    EXPECT_LE(2 * tile_of(rngd, *t, t->m, taken).dm_bytes, 512 << 10);
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
            "tile 1024 x 4096 x 1024\n"
            "slices of a cluster: 2 along M, 128 along N\n"
            "columns of C in a slice: 16, a packet of A is used 2 times\n"
            "rows of A in a slice: 4, handed round rings of 128\n"
            "DM of a slice: 180224 bytes; half of its TRF: 32768 bytes\n");
}
TEST(Tiling, sizes_beyond_its_limits_are_refused) {
  for (Size s : {Size{0, 1, 1}, {1, -1, 1}, {1, 1, 16385}, {16385, 1, 1}})
    EXPECT_FALSE(tile_gemm(rngd, ScalarType::bf16, s.m, s.n, s.k).ok());
  EXPECT_TRUE(tile_gemm(rngd, ScalarType::bf16, 16384, 16384, 16384).ok());
  EXPECT_FALSE(tile_gemm(rngd, ScalarType::i32, 1, 1, 1).ok());
}

}  // namespace
}  // namespace tcp::kernels
