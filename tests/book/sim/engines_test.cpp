// The rows of the ledger on the engines of the simulator: what each gives, and how fast.
#include <gtest/gtest.h>

#include <vector>

#include "sim/engines.hpp"
#include "sim/vector/vector.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/sim/router.hpp"
#include "tcp/sim/trf_banks.hpp"

namespace tcp::sim {
namespace {

using Counter = program::ValidCount::Counter;
using Gate = program::ValidCount::Gate;
using Numbers = std::vector<std::int64_t>;

/// Gate 0 over all slices, which lets pass while its index is below `valid`.
program::ValidCount below(std::vector<Counter> counters, std::int64_t valid) {
  return {std::move(counters), {Gate{0, 0, valid, false}}, 1000, 8};
}
/// Where a flit is along the dimension of gate 0: the least limit that lets it pass, less one.
std::int64_t index_of(const std::vector<Counter>& counters, std::int64_t flit) {
  std::int64_t valid = 1;
  while (valid < 1000 && valid_lanes(below(counters, valid), 0, flit) == 0) ++valid;
  return valid - 1;
}
/// Counter i at a flit.
std::int64_t count_of(const Numbers& limits, std::size_t i, std::int64_t flit) {
  std::vector<Counter> counters;
  for (std::int64_t limit : limits) counters.push_back({limit, 1, -1});
  counters[i].serves = 1;
  return index_of(counters, flit);
}
/// The counts of one slice.
Numbers counts(const program::ValidCount& c, std::int64_t slice) {
  std::int64_t flits = 1;
  for (const Counter& counter : c.counters) flits *= counter.limit;
  Numbers all;
  for (std::int64_t t = 0; t < flits; ++t) all.push_back(valid_lanes(c, slice, t));
  return all;
}
program::ValidCount packet_only(std::int64_t valid, std::int64_t stride, std::int64_t limit) {
  return {{{limit, stride, 0}}, {}, valid, 8};
}

/// [H, C, W] = [5, 5, 19], the book's example in three steps. t = (Hi * 2 + Ci) * 3 + Wi, slice = Ho * 4 + Co.
program::ValidCount three_axes(bool with_c, bool with_h) {
  program::ValidCount c{{{3, 8, 0}}, {Gate{}, Gate{}, Gate{}}, 19, 8};
  if (with_c) c.counters.push_back({2, 1, 1}), c.gates[0] = {0b0011, 2, 1, false};
  if (with_h) c.counters.push_back({2, 1, 2}), c.gates[1] = {0b1100, 0b1000, 1, false};
  return c;
}

TEST(Book, VCG_34_product_of_count_and_gates) {
  // One gate after the other is closed: any of them makes the count 0.
  for (std::size_t closed = 0; closed < 4; ++closed) {
    program::ValidCount c = packet_only(19, 8, 3);
    c.gates = {Gate{}, Gate{}, Gate{}};
    if (closed < 3) c.gates[closed] = {0, 0, 0, false};
    EXPECT_EQ(counts(c, 5), closed < 3 ? (Numbers{0, 0, 0}) : (Numbers{8, 8, 3})) << closed;
  }
}

TEST(Book, VCG_36_a_gate_that_sees_nothing_is_open) {
  for (std::int64_t slice : {0, 1, 255}) EXPECT_EQ(valid_lanes({{{5, 7, -1}}, {Gate{}, Gate{}, Gate{}}, 8, 8}, slice, 3), 8);
  EXPECT_EQ(Gate{}, (Gate{0, 1, 0, false}));
}

TEST(Book, VCG_37_mixed_radix) {
  for (std::int64_t t = 0; t < 30; ++t)
    EXPECT_EQ(count_of({2, 5, 3}, 0, t) + 2 * count_of({2, 5, 3}, 1, t) + 10 * count_of({2, 5, 3}, 2, t), t);
}

TEST(Book, VCG_38_limits_3_2_2) {
  auto const at = [](std::int64_t t) { return Numbers{count_of({3, 2, 2}, 0, t), count_of({3, 2, 2}, 1, t), count_of({3, 2, 2}, 2, t)}; };
  EXPECT_EQ(at(4), (Numbers{1, 1, 0}));
  EXPECT_EQ(at(6), (Numbers{0, 0, 1}));
  EXPECT_EQ(at(11), (Numbers{2, 1, 1}));
  for (std::int64_t t = 1; t < 12; ++t) {
    EXPECT_NE(at(t)[0], at(t - 1)[0]) << "every flit";
    EXPECT_EQ(at(t)[1] != at(t - 1)[1], t % 3 == 0) << "every 3";
    EXPECT_EQ(at(t)[2] != at(t - 1)[2], t % 6 == 0) << "every 6";
  }
}

TEST(Book, VCG_39_index_of_a_dimension) {
  for (std::int64_t t = 0; t < 30; ++t) EXPECT_EQ(index_of({{3, 4, 1}, {2, 100, -1}, {5, 12, 1}}, t), 4 * (t % 3) + 12 * (t / 6));
}

TEST(Book, VCG_40_three_dimensions_at_flit_4) {
  EXPECT_EQ(valid_lanes(packet_only(9, 8, 3), 0, 4 % 3), 1) << "index 8 of the packet: the ninth element is its first";
  EXPECT_EQ(index_of({{3, 8, 0}, {2, 1, 1}, {2, 1, 2}}, 4), 1) << "gate 0";
  EXPECT_EQ(index_of({{3, 8, 0}, {2, 1, 2}, {2, 1, 1}}, 4), 0) << "gate 1";
}

TEST(Book, VCG_41_packet_formula) {
  for (std::int64_t stride : {1, 4, 8})
    for (std::int64_t valid : {0, 3, 19, 50})
      for (std::int64_t t = 0; t < 9; ++t)
        EXPECT_EQ(valid_lanes(packet_only(valid, stride, 9), 0, t), std::min(stride, std::max<std::int64_t>(0, valid - stride * t)));
}

TEST(Book, VCG_42_without_an_axis_8_or_0) {
  EXPECT_EQ(valid_lanes({{}, {}, 8, 8}, 0, 0), 8);
  EXPECT_EQ(counts({{{2, 8, 0}}, {}, 8, 8}, 0), (Numbers{8, 0}));
}

TEST(Book, VCG_43_nineteen_by_eight) { EXPECT_EQ(counts(packet_only(19, 8, 3), 0), (Numbers{8, 8, 3})); }
TEST(Book, VCG_44_eleven_by_four) { EXPECT_EQ(counts(packet_only(11, 4, 3), 0), (Numbers{4, 4, 3})); }
TEST(Book, VCG_45_counts_do_not_see_slices) {
  program::ValidCount c = packet_only(19, 8, 3);
  c.gates = {Gate{1, 1, 0, false}};
  for (std::int64_t s = 0; s < 16; ++s) EXPECT_EQ(valid_lanes(c, s, 2), s % 2 == 0 ? 3 : 0);
}

TEST(Book, VCG_46_masked_in_place) {
  program::ValidCount const c{{}, {Gate{0b1100, 0b1000, 0, false}}, 8, 8};
  for (std::int64_t s = 0; s < 16; ++s) EXPECT_EQ(valid_lanes(c, s, 0), (s & 0b1100) < 0b1000 ? 8 : 0) << s;
}

TEST(Book, VCG_47_VCG_48_gates) {
  for (bool transposed : {false, true}) {
    program::ValidCount const c{{{4, 1, 1}}, {Gate{0b111, 4, 2, transposed}}, 8, 8};
    EXPECT_EQ(counts(c, 3), (Numbers{8, 8, 8, 8})) << "below match";
    EXPECT_EQ(counts(c, 4), (Numbers{8, 8, 0, 0})) << "at match";
    EXPECT_EQ(counts(c, 5), transposed ? (Numbers{8, 8, 0, 0}) : (Numbers{0, 0, 0, 0})) << "above match";
  }
}

TEST(Book, VCG_49_VCG_50_five_in_four_slices_and_two_steps) {
  Numbers const standard[] = {{8, 8}, {8, 8}, {8, 0}, {0, 0}}, transposed[] = {{8, 8}, {8, 0}, {8, 0}, {8, 0}};
  for (std::int64_t ho = 0; ho < 4; ++ho) {
    EXPECT_EQ(counts({{{2, 1, 1}}, {Gate{0b1100, 0b1000, 1, false}}, 8, 8}, ho << 2), standard[ho]) << ho;
    EXPECT_EQ(counts({{{2, 1, 1}}, {Gate{0b11, 1, 1, true}}, 8, 8}, ho), transposed[ho]) << ho;
  }
}

TEST(Book, VCG_51_VCG_52_w_and_c) {
  Numbers const c_added[] = {{8, 8, 3, 8, 8, 3}, {8, 8, 3, 8, 8, 3}, {8, 8, 3, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
  for (std::int64_t s = 0; s < 16; ++s) {
    EXPECT_EQ(counts(three_axes(false, false), s), (Numbers{8, 8, 3}));
    EXPECT_EQ(counts(three_axes(true, false), s), c_added[s % 4]);
  }
}

TEST(Book, VCG_53_VCG_54_h_added) {
  std::int64_t sum = 0;
  for (std::int64_t s = 0; s < 16; ++s)
    for (std::int64_t t = 0; t < 12; ++t) {
      std::int64_t const ho = s / 4, co = s % 4, hi = t / 6, ci = t / 3 % 2, wi = t % 3;
      bool const open = (ho < 2 || (ho == 2 && hi == 0)) && (co < 2 || (co == 2 && ci == 0));
      std::int64_t const n = valid_lanes(three_axes(true, true), s, t);
      EXPECT_EQ(n, !open ? 0 : wi < 2 ? 8 : 3) << s << ", " << t;
      sum += n;
    }
  EXPECT_EQ(sum, 5 * 5 * 19);
}

TEST(Book, VCG_64_fifty_in_two_counters) {
  EXPECT_EQ(counts({{{3, 8, 0}, {3, 24, 0}}, {}, 50, 8}, 0), (Numbers{8, 8, 8, 8, 8, 8, 2, 0, 0}));
}

TEST(Book, VCG_65_one_count_for_both_slices) {
  for (std::int64_t slice : {0, 1}) {
    EXPECT_EQ(valid_lanes(packet_only(10, 8, 1), slice, 0), 8);
    EXPECT_EQ(valid_lanes(packet_only(2, 8, 1), slice, 0), 2);
  }
}

// The first element of each packet, where element e of the flits is e + 1 and what comes in from outside is 0.
// SUP-05 and SUP-08: windows of 64 bytes that begin before the flits, with the zeros that come in from the front.
TEST(Book, SUP_05_SUP_08_initial_shift) {
  program::Program const program;
  PassContext const context{rngd, program};
  program::Contraction c;
  c.type = ScalarType::i8;
  c.adapter.collect_flits = 3;
  c.adapter.initial_shift = -1;
  c.adapter.shift_stride = 3;
  c.adapter.tiles = 2;
  c.adapter.shifts = 3;
  c.adapter.pops = 3;
  Stream flits;
  flits.shape(ScalarType::i8, 9, 32);
  for (std::size_t i = 0; i < flits.bits.size(); ++i) flits.bits[i] = static_cast<std::uint32_t>(i % 96 + 1), flits.undefined[i] = 0;
  StreamAdapter const adapter(context, c, flits);
  ASSERT_EQ(adapter.lanes(), 64) << "sliced to 64 bytes";
  Numbers const starts{-1, -1, 2, 2, 5, 5, -1, -1, 2, 2, 5, 5, -1, -1, 2, 2, 5, 5};
  for (std::int64_t step = 0; step < 18; ++step) {
    std::uint32_t bits[64];
    std::uint8_t undefined[64];
    adapter.packet(step, bits, undefined);
    for (std::int64_t lane = 0; lane < 64; ++lane) {
      EXPECT_EQ(bits[lane], starts[static_cast<std::size_t>(step)] + lane + 1) << step << ", " << lane;
      EXPECT_EQ(undefined[lane], 0);
    }
  }
  // Behind the flits there are zeros as well.
  c.adapter.collect_flits = 2;
  c.adapter.initial_shift = 8;
  std::uint32_t bits[64];
  std::uint8_t undefined[64];
  StreamAdapter(context, c, flits).packet(0, bits, undefined);
  EXPECT_EQ(bits[0], 9u);
  EXPECT_EQ(bits[55], 64u);
  for (std::int64_t lane = 56; lane < 64; ++lane) EXPECT_EQ(bits[lane], 0u) << lane;
}

// The Switch Engine's routers.

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
  EXPECT_EQ(takers_of(6, 8, all), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 6, 7})) << "slice 5 snoops no slice";
}

// The register file of the Contraction Engine: its cache, and who gets a bank. The same on whole programs: rows CTR-066 to CTR-070 in tests/book/rows/ctr.rows.

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
