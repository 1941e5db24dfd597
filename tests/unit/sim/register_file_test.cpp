// The banks of the TRF.
#include "sim/register_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tcp/device/chips.hpp"

namespace tcp::sim {
namespace {

using Place = TensorRegisterFile::Place;

TEST(TensorRegisterFile, a_row_walks_both_columns_of_a_line_and_then_the_next_line) {
  TensorRegisterFile const trf(rngd);
  EXPECT_EQ(trf.place(3, 8, 0), (Place{3, 0, 0, 0}));
  EXPECT_EQ(trf.place(3, 8, 63), (Place{3, 0, 0, 63}));
  EXPECT_EQ(trf.place(3, 8, 64), (Place{3, 1, 0, 0}));
  EXPECT_EQ(trf.place(3, 8, 128), (Place{3, 0, 1, 0}));
}

TEST(TensorRegisterFile, every_slot_belongs_to_one_place_however_many_rows) {
  TensorRegisterFile const trf(rngd);
  for (std::int64_t rows : {1, 2, 4, 8}) {
    std::vector<bool> seen(8 * 2 * 128 * 64, false);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t half = 0; half < trf.row_halves(rows); ++half) {
        Place const p = trf.place(row, rows, half);
        auto const slot = static_cast<std::size_t>(((p.bank_row * 2 + p.bank_column) * 128 + p.line) * 64 + p.slot);
        ASSERT_FALSE(seen.at(slot)) << rows << " rows, row " << row << ", half byte " << half;
        seen[slot] = true;
      }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST(TensorRegisterFile, the_first_half_is_the_lower_half_of_every_bank) {
  TensorRegisterFile const trf(rngd);
  for (std::int64_t rows : {1, 2, 4, 8})
    for (std::int64_t half = 0; half < trf.row_halves(rows); ++half)
      ASSERT_EQ(trf.place(0, rows, half).line < 64, half < trf.row_halves(rows) / 2) << rows << " rows, half byte " << half;
}

TEST(TensorRegisterFile, keeps_nine_bits_of_i9_in_two_slots) {
  TensorRegisterFile trf(rngd);
  EXPECT_TRUE(trf.load(0, 8, 6, 2).undefined);
  trf.store(0, 8, 6, 2, {0x1a5, false});
  EXPECT_EQ(trf.load(0, 8, 6, 2).bits, 0x1a5u);
  EXPECT_FALSE(trf.load(0, 8, 6, 2).undefined);
  EXPECT_TRUE(trf.load(0, 8, 4, 2).undefined);
  trf.store(7, 8, 100, 4, {0xbeef, true});
  EXPECT_EQ(trf.load(7, 8, 100, 4).bits, 0xbeefu);
  EXPECT_TRUE(trf.load(7, 8, 100, 4).undefined);
}

}  // namespace
}  // namespace tcp::sim
