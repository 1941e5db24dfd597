// The register file of the Contraction Engine: its cache, and who gets a bank. The same on whole programs: rows CTR-066 to CTR-070 in tests/book/rows/ctr.rows.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/sim/trf_banks.hpp"

namespace tcp::sim {
namespace {

program::Contraction reading(std::vector<program::Loop> loops, std::int64_t bytes, std::int32_t rows = 8) {
  program::Contraction c;
  c.rows = rows;
  c.trf_loops = std::move(loops);
  c.trf_read_bytes = bytes;
  return c;
}
TrfReads read_all(std::vector<program::Loop> loops, std::int64_t bytes, std::int32_t rows = 8) {
  TrfReads reads(rngd, reading(std::move(loops), bytes, rows));
  while (!reads.done()) reads.step();
  return reads;
}
/// Cycles that a store loses which begins together with the reads and has a flit in each cycle.
std::int64_t lost(std::vector<program::Loop> loops, std::int64_t bytes, std::int64_t flits, std::int32_t rows = 8) {
  TrfReads reads(rngd, reading(std::move(loops), bytes, rows));
  TrfWrites writes(rngd, {8, 4096, 32 * flits / 8, false}, flits);
  std::int64_t waited = 0;
  for (std::int64_t written = 0; written < flits;) {
    reads.step();
    if (!writes.may_go(reads.occupied())) ++waited;
    else writes.go(), ++written;
  }
  return waited;
}

TEST(Trf, CTR_066_cache) {
  EXPECT_EQ(rngd.trf.cache_lines_per_row * rngd.trf.line_bytes.value * rngd.levels.rows_per_slice, 2048);
  EXPECT_EQ(read_all({{10, 0}, {8, 32}}, 32).misses(), 8) << "eight neighbouring lines stay";
  EXPECT_EQ(read_all({{10, 0}, {9, 32}}, 32).misses(), 9 + 9 * 2) << "the ninth and the first take the same place, round after round";
  EXPECT_EQ(read_all({{10, 0}, {2, 256}}, 32).misses(), 20) << "direct-mapped: two lines 256 bytes apart";
  EXPECT_EQ(read_all({{10, 0}, {2, 224}}, 32).misses(), 2);
  EXPECT_EQ(read_all({{10, 0}, {64, 32}}, 32, 1).misses(), 64) << "one Row has the caches of all eight bank rows";
  EXPECT_EQ(read_all({{10, 0}, {65, 32}}, 32, 1).misses(), 65 + 9 * 2);
}
TEST(Trf, CTR_067_hit_or_miss) {
  TrfReads const r = read_all({{10, 0}, {4, 8}}, 8);
  EXPECT_EQ(r.lines(), 40);
  EXPECT_EQ(r.misses(), 1) << "four reads of a line";
  EXPECT_EQ(lost({{10, 0}, {4, 8}}, 8, 40), 1) << "hits leave the bank to the store";
}
TEST(Trf, CTR_068_reads_win) {
  // Lines of column 0 only, a miss each: a store to column 0 waits, and does not find it free while reads go on.
  EXPECT_EQ(lost({{32, 64}}, 32, 8), 32);
  EXPECT_EQ(lost({{1, 0}}, 32, 8), 1);
  EXPECT_EQ(lost({{32, 64}}, 32, 8, 1), 1) << "one Row goes through eight bank rows in turn, and the store follows behind";
}
TEST(Trf, CTR_069_interleaved_columns) {
  EXPECT_EQ(read_all({{32, 32}}, 32).misses(), 32);
  EXPECT_EQ(lost({{32, 32}}, 32, 64), 1) << "one cycle, and then they step past each other";
}
TEST(Trf, CTR_070_whole_lines_of_both_columns) {
  EXPECT_EQ(read_all({{16, 64}}, 64).misses(), 32);
  EXPECT_EQ(lost({{16, 64}}, 64, 8), 16) << "every miss";
  // Two reads of each line: half of the reads miss, and the store has half of the cycles.
  EXPECT_EQ(lost({{8, 64}, {2, 0}}, 64, 8), 8);
}

}  // namespace
}  // namespace tcp::sim
