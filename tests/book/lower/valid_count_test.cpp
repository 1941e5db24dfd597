// The rows of the ledger on the Valid Count Generator, as the compiler sets its registers.
#include <gtest/gtest.h>

#include "unit/lower/vector_pass.hpp"

namespace tcp::lower {
namespace {

using Counts = std::vector<std::int64_t>;
using Gate = program::ValidCount::Gate;
using Counter = program::ValidCount::Counter;

/// A reduce of R down to `time2`, on RNGD; trimmed if Packet has at most four lanes of data, else split.
VectorPass reducing(std::string axes, std::string slice, std::string time, std::string packet, std::string narrow, std::string time2,
                    std::string packet2, ReduceOp op = ReduceOp::AddSat) {
  VectorPass p{std::move(axes), std::move(slice), std::move(time), std::move(packet)};
  p.device = rngd;
  p.cluster = "1 # 2";
  p.stages = {branch(), then(VectorMethod::trim_way4, "", narrow), reduce("R", op, time2, packet2),
              then(VectorMethod::pad_way8, "", "[" + packet2 + "] # 8")};
  return p;
}
VectorPass halving(std::string axes, std::string slice, std::string time, std::string packet, std::string split_time,
                   std::string split_packet, std::string time2) {
  VectorPass p = reducing(std::move(axes), std::move(slice), std::move(time), std::move(packet), "", std::move(time2), "1 # 4");
  p.stages[1] = then(VectorMethod::split, split_time, split_packet);
  return p;
}
const program::ValidCount& registers(const Expected<program::Program>& p) {
  if (!p) throw std::runtime_error(render(p.refusal()));
  return vector_of(*p).valid_count.value();
}
Counts counts(const program::ValidCount& c, std::int64_t slice) {
  std::int64_t flits = 1;
  for (const Counter& counter : c.counters) flits *= counter.limit;
  Counts all;
  for (std::int64_t t = 0; t < flits; ++t) all.push_back(machine::valid_count(c, slice, t));
  return all;
}
std::int64_t open_steps(const program::ValidCount& c, std::int64_t slice) {
  std::int64_t n = 0;
  for (std::int64_t each : counts(c, slice)) n += each > 0;
  return n;
}

TEST(Book, VCG_17_config) {
  auto const p =
      reducing("R = 13, X = 32", "R # 16 / 8, X, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8", "1 # 4", "1", "1 # 4", ReduceOp::Min).lowered();
  const program::ValidCount& c = registers(p);
  EXPECT_EQ(c.gates[0], (Gate{0b10000011, 0b10000010, 1, false}));
  Counts const expected{2, 2, 2, 2, 2, 2, 1, 0};
  for (std::int64_t s = 0; s < 8; ++s)
    for (std::int64_t x : {0, 13, 31}) EXPECT_EQ(open_steps(c, (s / 4) << 7 | x << 2 | s % 4), expected[static_cast<std::size_t>(s)]) << s;
}

TEST(Book, VCG_18_config) {
  auto const p = reducing("A = 4, R = 17, X = 32", "X, R # 24 / 3", "R # 24 % 3", "A # 8", "A", "1", "A").lowered();
  const program::ValidCount& c = registers(p);
  EXPECT_EQ(c.gates[0], (Gate{0b111, 5, 2, false}));
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(open_steps(c, s), s % 8 < 5 ? 3 : s % 8 == 5 ? 2 : 0) << s;
}

TEST(Book, VCG_20_config) {
  auto const p = reducing("R = 5, X = 64", "X, R # 8 % 4", "R # 8 / 4", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  const program::ValidCount& c = registers(p);
  EXPECT_EQ(c.gates[0], (Gate{0b11, 1, 1, true}));
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(open_steps(c, s), s % 4 == 0 ? 2 : 1) << s;
}

TEST(Book, VCG_21_config) {
  // Over-padded: not counted. The fix is R # 16. A sum of i32 may not take zeros for it either: which steps are empty depends on the slice.
  auto const p = reducing("R = 14, X = 64", "X, R # 20 % 4", "R # 20 / 4", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  EXPECT_EQ(code_of(p), "valid-count-over-padded");
  auto const fixed = reducing("R = 14, X = 64", "X, R # 16 % 4", "R # 16 / 4", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  Counts const expected{4, 4, 3, 3};
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(open_steps(registers(fixed), s), expected[static_cast<std::size_t>(s % 4)]) << s;
}

TEST(Book, VCG_22_config) {
  auto const p = reducing("A = 8, R = 12, X = 64", "X, A / 2", "R # 16", "A % 2 # 8", "A % 2 # 4", "1", "A % 2 # 4").lowered();
  for (std::int64_t s : {0, 100, 255})
    for (std::int64_t t = 0; t < 16; ++t) EXPECT_EQ(machine::valid_count(registers(p), s, t) > 0, t < 12) << t;
}

TEST(Book, VCG_23_config) {
  auto const p = reducing("R = 13, X = 32", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  EXPECT_EQ(code_of(p), "valid-count-slice-order");
  auto const fixed = reducing("R = 13, X = 32", "X, R # 16 / 8, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  Counts const expected{2, 2, 2, 2, 2, 2, 1, 0};
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(open_steps(registers(fixed), s), expected[static_cast<std::size_t>(s % 8)]) << s;
}

TEST(Book, VCG_24_config) {
  auto const p = reducing("R = 13, X = 64", "X, R # 16 / 2 % 4", "R # 16 / 8, R # 16 % 2", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  EXPECT_EQ(code_of(p), "valid-count-several-boundaries");
  auto const fixed = reducing("R = 13, X = 64", "X, R # 16 / 4", "R # 16 % 4", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  Counts const expected{4, 4, 4, 1};
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(open_steps(registers(fixed), s), expected[static_cast<std::size_t>(s % 4)]) << s;
}

TEST(Book, VCG_25_config) {
  // The newest example, F-60: index strides 4, 0 and 1.
  auto const p = reducing("R = 10, A = 3, B = 4, Y = 256", "Y", "R # 12 / 4, A, R # 12 % 4", "B # 8", "B", "A", "B").lowered();
  const program::ValidCount& c = registers(p);
  for (std::int64_t t = 0; t < 36; ++t) EXPECT_EQ(machine::valid_count(c, 77, t) > 0, t / 12 * 4 + t % 4 < 10) << t;
  EXPECT_GT(machine::valid_count(c, 0, 13), 0) << "index 5";
  EXPECT_EQ(machine::valid_count(c, 0, 27), 0) << "index 11";
}

TEST(Book, VCG_26_config) {
  auto const p = reducing("A = 8, R = 3, X = 64", "X, A / 2", "1", "R # 8", "R # 4", "1", "1 # 4").lowered();
  for (std::int64_t s : {0, 17, 255}) EXPECT_EQ(machine::valid_count(registers(p), s, 0), 3);
}

TEST(Book, VCG_27_config) {
  // Split instead of the book's trim, which drops live lanes (F-58).
  auto const p = halving("A = 8, R = 19, X = 64", "X, A / 2", "R # 24 / 8", "R # 24 % 8", "R # 24 / 4", "R # 24 % 4", "1").lowered();
  for (std::int64_t s : {0, 17, 255}) EXPECT_EQ(counts(registers(p), s), (Counts{8, 8, 3}));
  EXPECT_EQ(registers(p).packet_valid, 19);
  EXPECT_EQ(registers(p).counters, (std::vector<Counter>{{3, 8, 0}}));
}

TEST(Book, VCG_28_config) {
  // No count tells it; a mask of the fetch does, with a valid count for each step, and the sum of i32 is not disturbed by zeros.
  auto const p = reducing("A = 8, R = 19, X = 64", "X, A / 2", "R # 32 % 8", "R # 32 / 8 # 8", "R # 32 / 8", "1", "1 # 4").lowered();
  ASSERT_TRUE(p) << render(p.refusal());
  EXPECT_FALSE(vector_of(*p).valid_count.has_value());
  EXPECT_EQ(std::get<program::IntraSliceReduceStep>(vector_of(*p).steps[2].what).identity, 0u);
  // Behind an operation it is refused for what it is.
  VectorPass computed = reducing("A = 8, R = 19, X = 64", "X, A / 2", "R # 32 % 8", "R # 32 / 8 # 8", "R # 32 / 8", "1", "1 # 4");
  computed.stages.insert(computed.stages.begin() + 1, add_constant(1));
  EXPECT_EQ(code_of(computed.lowered()), "valid-count-packet-not-innermost");
}

TEST(Book, VCG_29_config) {
  auto const p = reducing("A = 8, R = 7, X = 64", "X, A / 2", "R # 8 / 4", "R # 8 % 4 # 8", "R # 8 % 4", "1", "1 # 4").lowered();
  EXPECT_EQ(counts(registers(p), 0), (Counts{4, 3}));
  EXPECT_EQ(registers(p).counters, (std::vector<Counter>{{2, 4, 0}})) << "capped at 4, the stride";
}

TEST(Book, VCG_31_config) {
  auto const p = halving("A = 8, R = 24, X = 64", "X, A / 2", "R / 8", "R % 8", "R / 4", "R % 4", "1").lowered();
  ASSERT_TRUE(p) << render(p.refusal());
  EXPECT_FALSE(vector_of(*p).valid_count.has_value());
}

TEST(Book, VCG_32_config) {
  auto const p = halving("R = 2045", "R # 2048 / 8", "1", "R # 2048 % 8", "R # 2048 / 4 % 2", "R # 2048 % 4", "1").lowered();
  EXPECT_EQ(code_of(p), "valid-count-varies-by-slice");
  auto const in_time = reducing("R = 2045, A = 4", "R # 2048 / 8", "R # 2048 % 8", "A # 8", "A", "1", "A").lowered();
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(open_steps(registers(in_time), s), s < 255 ? 8 : 5) << s;
  auto const whole = halving("R = 2048", "R / 8", "1", "R % 8", "R / 4 % 2", "R % 4", "1").lowered();
  ASSERT_TRUE(whole) << render(whole.refusal());
  EXPECT_FALSE(vector_of(*whole).valid_count.has_value());
}

TEST(Book, VCG_35_config) {
  auto const p = reducing("R = 13, X = 32", "R # 16 / 8, X, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8", "1 # 4", "1", "1 # 4").lowered();
  EXPECT_LE(registers(p).counters.size(), 8u);
  EXPECT_EQ(registers(p).gates.size(), 3u);
  EXPECT_EQ(registers(p).lanes, 8);
}

TEST(Book, VCG_36_config) {
  auto const p = reducing("A = 4, R = 17, X = 32", "X, R # 24 / 3", "R # 24 % 3", "A # 8", "A", "1", "A").lowered();
  EXPECT_EQ(registers(p).gates[1], (Gate{0, 1, 0, false})) << "an unused gate is open";
  EXPECT_EQ(registers(p).gates[2], (Gate{0, 1, 0, false}));
}

TEST(Book, VCG_53_config) {
  // [H, C, W] = [5, 5, 19]: everything padded at once is what BranchMode::ValidCount counts.
  VectorPass p{"H = 5, C = 5, W = 19", "H # 8 / 2, C # 8 / 2", "H # 8 % 2, C # 8 % 2, W # 24 / 8", "W # 24 % 8"};
  p.stages = {then(ir::Branch{BranchMode::ValidCount, ir::none})};
  auto const program = p.lowered();
  const program::ValidCount& c = registers(program);
  std::int64_t sum = 0;
  for (std::int64_t s = 0; s < 16; ++s)
    for (std::int64_t t = 0; t < 12; ++t) {
      std::int64_t const ho = s / 4, co = s % 4, hi = t / 6, ci = t / 3 % 2, w = t % 3;
      std::int64_t const expected = 2 * ho + hi < 5 && 2 * co + ci < 5 ? (w < 2 ? 8 : 3) : 0;
      EXPECT_EQ(machine::valid_count(c, s, t), expected) << s << " " << t;
      sum += machine::valid_count(c, s, t);
    }
  EXPECT_EQ(sum, 475);
  bool has_c = false, has_h = false;
  for (const Gate& g : c.gates) {
    has_c |= g == Gate{0b0011, 2, 1, false};
    has_h |= g == Gate{0b1100, 0b1000, 1, false};
  }
  EXPECT_TRUE(has_c && has_h);
}

TEST(Book, VCG_56_config) {
  auto const p = reducing("A = 4, R = 12, Y = 256", "Y", "R # 16", "A # 8", "A", "1", "A").lowered();
  EXPECT_EQ(registers(p).gates[0], (Gate{0, 0, 12, false}));
}

TEST(Book, VCG_59_config) {
  auto const p = reducing("A = 4, R = 14, X = 32", "X, R # 24 / 3", "R # 24 % 3", "A # 8", "A", "1", "A").lowered();
  EXPECT_EQ(registers(p).gates[0], (Gate{0b111, 4, 2, false}));
}

TEST(Book, VCG_61_config) {
  auto const p = reducing("A = 4, R = 19, X = 32", "X, R # 24 % 8", "R # 24 / 8", "A # 8", "A", "1", "A").lowered();
  const program::ValidCount& c = registers(p);
  EXPECT_EQ(c.gates[0], (Gate{0b111, 3, 2, true}));
  EXPECT_GT(machine::valid_count(c, 0, 2), 0);
  EXPECT_EQ(machine::valid_count(c, 3, 2), 0);
  EXPECT_GT(machine::valid_count(c, 7, 1), 0);
}

TEST(Book, VCG_64_config) {
  auto const p = halving("R = 50, X = 256", "X", "R # 72 / 24, R # 72 / 8 % 3", "R # 72 % 8", "R # 72 / 24, R # 72 / 8 % 3, R # 72 / 4 % 2",
                         "R # 72 % 4", "1")
                     .lowered();
  EXPECT_EQ(counts(registers(p), 0), (Counts{8, 8, 8, 8, 8, 8, 2, 0, 0}));
}

TEST(Book, VCG_66_config) {
  // A whole number of packets: Slice only. At most one packet: Packet only.
  VectorPass const whole = halving("R = 16, X = 64", "X, R # 32 / 8", "1", "R # 32 % 8", "R # 32 / 4 % 2", "R # 32 % 4", "1");
  EXPECT_EQ(code_of(whole.lowered()), "accepted");
  VectorPass const one = reducing("R = 3, X = 64", "X, R # 32 / 8", "1", "R # 32 % 8", "R # 32 % 8 = 4", "1", "1 # 4");
  auto const p = one.lowered();
  EXPECT_EQ(machine::valid_count(registers(p), 0, 0), 3);
}

TEST(Book, VCG_71_config) {
  // Split, trim, concat and pad follow the counts; the machine applies the rows' formulas, the sums come out right.
  auto const value = [](const Index& x) { return static_cast<std::uint32_t>(1 + x.get("R")); };
  auto const sum = [](const Index&) { return 19u * 20u / 2u; };
  EXPECT_GT(agrees(halving("A = 8, R = 19, X = 64", "X, A / 2", "R # 24 / 8", "R # 24 % 8", "R # 24 / 4", "R # 24 % 4", "1"), value, sum),
            0);
}

TEST(Book, VCG_72_config) {
  // Counts of flits that are trimmed are at most 4, also where a flit counts wholly or not at all.
  for (auto const& p : {reducing("A = 4, R = 17, X = 32", "X, R # 24 / 3", "R # 24 % 3", "A # 8", "A", "1", "A").lowered(),
                        reducing("A = 8, R = 7, X = 64", "X, A / 2", "R # 8 / 4", "R # 8 % 4 # 8", "R # 8 % 4", "1", "1 # 4").lowered()})
    for (std::int64_t s = 0; s < 256; ++s)
      for (std::int64_t n : counts(registers(p), s)) EXPECT_LE(n, 4);
}

}  // namespace
}  // namespace tcp::lower
