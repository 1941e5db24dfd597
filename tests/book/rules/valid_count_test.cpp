// The rows of the ledger on the Valid Count Generator: its data model, by numbers, and which placements of a padded axis it can count.
#include <gtest/gtest.h>

#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/rules/valid_count.hpp"
#include "tcp/rules/vector.hpp"
#include "valid_counts.hpp"
#include "written.hpp"

namespace tcp {
namespace {

using Counts = std::vector<std::int64_t>;

constexpr Name R{"R"};

Expected<ValidCountPlan> plan(const char* axes, const char* slice, const char* time, const char* packet, Name axis = R) {
  return plan_valid_count(rngd, Written{axes}.stream(slice, time, packet), ValidCountAsk{axis});
}

/// The counts of one slice, flit by flit.
Counts counts(const ValidCountConfig& c, std::uint64_t slice) {
  Counts all;
  for (std::int64_t t = 0; t < flits(c); ++t) all.push_back(valid_count(c, slice, t));
  return all;
}
/// How many flits of a slice are valid.
std::int64_t steps(const ValidCountConfig& c, std::uint64_t slice) {
  std::int64_t n = 0;
  for (std::int64_t each : counts(c, slice)) n += each > 0;
  return n;
}

TEST(Book, VCG_01_counts_from_0_to_8) {
  for (std::int64_t n = 1; n <= 8; ++n) {
    std::string const axes = "R = " + std::to_string(n);
    auto const p = plan(axes.c_str(), "1", "1", "R # 8");
    ASSERT_TRUE(p);
    EXPECT_EQ(p->mode == ValidCountMode::none ? 8 : valid_count(p->config, 0, 0), n == 1 ? 8 : n);
  }
  // An axis of one position leaves no trace in a mapping; its lane is the first of mere padding.
  auto const one = plan_valid_count(rngd, Written{"R = 1"}.stream("1", "1", "R # 8"), ValidCountAsk{R, true});
  EXPECT_EQ(valid_count(one->config, 0, 0), 1);
}

TEST(Book, VCG_02_two_modes) {
  EXPECT_EQ(plan("R = 19", "1", "R # 24 / 8", "R # 24 % 8")->mode, ValidCountMode::packet_reduce);
  auto const in_time = plan("R = 19", "1", "R # 24", "1 # 8");
  EXPECT_EQ(in_time->mode, ValidCountMode::time_reduce);
  for (std::int64_t n : counts(in_time->config, 0)) EXPECT_TRUE(n == 0 || n == 8) << n;
}

TEST(Book, VCG_03_parts_on_every_level) {
  // R # 96 as outer and inner, and the inner again.
  EXPECT_TRUE(plan("R = 90", "R # 96 / 24 # 4", "R # 96 / 3 % 8, R # 96 % 3", "1 # 8"));
  EXPECT_TRUE(plan("R = 90", "1", "R # 96 / 24, R # 96 / 4 % 6", "R # 96 % 4 # 8"));
}

TEST(Book, VCG_04_factors_in_slice) {
  EXPECT_TRUE(plan("R = 13, X = 32", "R # 16 / 8, X, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8")) << "others may sit between";
  EXPECT_FALSE(plan("R = 13, X = 32", "R # 16 / 2 % 4, X, R # 16 / 8", "R # 16 % 2", "1 # 8"));
  // The correction: ascending strides are not enough, the factors must also be neighbours in R, or the counts happen to fit.
  EXPECT_FALSE(plan("R = 13, X = 64", "X, R # 16 / 8, R # 16 % 2", "R # 16 / 2 % 4", "1 # 8"));
  EXPECT_TRUE(plan("R = 14, X = 64", "X, R # 16 / 8, R # 16 % 2", "R # 16 / 2 % 4", "1 # 8")) << "14 ends between two pairs";
}

TEST(Book, VCG_05_factors_in_time_in_any_order) {
  EXPECT_TRUE(plan("R = 10, A = 3", "1", "R # 12 / 4, A, R # 12 % 4", "1 # 8"));
  EXPECT_TRUE(plan("R = 10, A = 3", "1", "R # 12 % 4, A, R # 12 / 4", "1 # 8"));
}

TEST(Book, VCG_06_factor_in_packet) {
  EXPECT_TRUE(plan("R = 7", "1", "R # 8 / 4", "R # 8 % 4 # 8"));
  EXPECT_EQ(code_of(plan("R = 7", "1", "R # 8 / 4", "R # 8 % 4")), "valid-count-packet-not-flit") << "padded to # 8";
  EXPECT_FALSE(plan("R = 15", "1", "R # 16 / 4 % 2", "R # 16 / 8, R # 16 % 4")) << "at most once";
  EXPECT_FALSE(plan("R = 19", "1", "R # 24 % 8", "R # 24 / 8 # 8")) << "the innermost part";
  EXPECT_FALSE(plan("R = 7, A = 2", "1", "R # 8 / 4", "A, R # 8 % 4")) << "the prefix";
  EXPECT_FALSE(plan("R = 7, A = 2", "1", "R # 8 / 4", "R # 8 % 4, A")) << "alone";
}

TEST(Book, VCG_07_quick_slice_and_time) { EXPECT_TRUE(plan("R = 17, X = 32", "X, R # 24 / 3", "R # 24 % 3", "1 # 8")); }
TEST(Book, VCG_08_quick_time) { EXPECT_TRUE(plan("R = 12", "1", "R # 16", "1 # 8")); }
TEST(Book, VCG_09_quick_transposed) { EXPECT_TRUE(plan("R = 5, X = 64", "X, R # 8 % 4", "R # 8 / 4", "1 # 8")); }
TEST(Book, VCG_10_quick_transposed_over_padded) { EXPECT_FALSE(plan("R = 14, X = 64", "X, R # 20 % 4", "R # 20 / 4", "1 # 8")); }
TEST(Book, VCG_11_quick_order_in_slice) { EXPECT_FALSE(plan("R = 13, X = 32", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2", "1 # 8")); }
TEST(Book, VCG_12_quick_packet) { EXPECT_TRUE(plan("R = 3", "1", "1", "R # 8")); }
TEST(Book, VCG_13_quick_time_and_packet) { EXPECT_TRUE(plan("R = 19", "1", "R # 24 / 8", "R # 24 % 8")); }
TEST(Book, VCG_14_quick_outer_part_in_packet) { EXPECT_FALSE(plan("R = 19", "1", "R # 24 % 8", "R # 24 / 8 # 8")); }
TEST(Book, VCG_15_quick_mixed_packet) { EXPECT_FALSE(plan("R = 19, A = 2", "1", "R # 24 / 4", "R # 24 % 4, A")); }
TEST(Book, VCG_16_quick_slice_and_packet) { EXPECT_FALSE(plan("R = 2045", "R # 2048 / 8", "1", "R # 2048 % 8")); }

TEST(Book, VCG_17_several_factors_in_slice) {
  Written const m{"R = 13, X = 32"};
  EXPECT_EQ(m("R # 16 / 8, X, R # 16 / 2 % 4").size, 256);
  auto const p = plan(m.axes, "R # 16 / 8, X, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b10000011, .match = 0b10000010, .valid = 1, .transposed = false}));
  for (std::uint64_t x : {0u, 13u, 31u}) {
    std::int64_t const expected[] = {2, 2, 2, 2, 2, 2, 1, 0};
    for (std::uint64_t s = 0; s < 8; ++s) EXPECT_EQ(steps(p->config, (s / 4) << 7 | x << 2 | s % 4), expected[s]) << s;
  }
  auto const r = check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::Min, R,
                                          m.stream("R # 16 / 8, X, R # 16 / 2 % 4", "R # 16 % 2", "1 # 4"), m("1"), m("1 # 4"));
  EXPECT_TRUE(r);
}

TEST(Book, VCG_18_slice_and_time) {
  Written const m{"A = 4, R = 17, X = 32"};
  auto const p = plan(m.axes, "X, R # 24 / 3", "R # 24 % 3", "A # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b111, .match = 5, .valid = 2, .transposed = false}));
  std::int64_t const expected[] = {3, 3, 3, 3, 3, 2, 0, 0};
  for (std::uint64_t s = 0; s < 256; ++s) {
    EXPECT_EQ(steps(p->config, s), expected[s % 8]) << s;
    for (std::int64_t t = 0; t < 3; ++t) EXPECT_EQ(valid_count(p->config, s, t) > 0, 3 * static_cast<std::int64_t>(s % 8) + t < 17);
  }
  EXPECT_TRUE(check_trim_way4(rngd, m("A # 8"), m("A")));
  EXPECT_TRUE(
      check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, m.stream("X, R # 24 / 3", "R # 24 % 3", "A"), m("1"), m("A")));
}

TEST(Book, VCG_19_transposed_condition) {
  // The book's condition, time_size = ceil(n / slice_size), is enough ...
  for (int n = 13; n <= 16; ++n) EXPECT_TRUE(plan(("R = " + std::to_string(n)).c_str(), "R # 16 % 4", "R # 16 / 4", "1 # 8")) << n;
  // ... and not necessary (F-63): with n a multiple of the slices any padding is told by the time step alone.
  auto const p = plan("R = 12", "R # 20 % 4", "R # 20 / 4", "1 # 8");
  ASSERT_TRUE(p);
  for (std::uint64_t s = 0; s < 4; ++s) EXPECT_EQ(steps(p->config, s), 3);
}

TEST(Book, VCG_20_transposed) {
  Written const m{"R = 5, X = 64"};
  auto const p = plan(m.axes, "X, R # 8 % 4", "R # 8 / 4", "1 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b11, .match = 1, .valid = 1, .transposed = true}));
  for (std::uint64_t s = 0; s < 256; ++s) EXPECT_EQ(steps(p->config, s), s % 4 == 0 ? 2 : 1);
}

TEST(Book, VCG_21_transposed_over_padded) {
  auto const p = plan("R = 14, X = 64", "X, R # 20 % 4", "R # 20 / 4", "1 # 8");
  ASSERT_FALSE(p);
  EXPECT_EQ(p.refusal().code, std::string("valid-count-over-padded"));
  EXPECT_EQ(p.refusal().advice.view(), "pad R to 16");
  auto const fixed = plan("R = 14, X = 64", "X, R # 16 % 4", "R # 16 / 4", "1 # 8");
  ASSERT_TRUE(fixed);
  std::int64_t const expected[] = {4, 4, 3, 3};
  for (std::uint64_t s = 0; s < 4; ++s) EXPECT_EQ(steps(fixed->config, s), expected[s]);
}

TEST(Book, VCG_22_time_only) {
  Written const m{"A = 8, R = 12, X = 64"};
  auto const p = plan(m.axes, "X, A / 2", "R # 16", "A % 2 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  for (std::uint64_t s : {0u, 1u, 255u}) EXPECT_EQ(counts(p->config, s), (Counts{8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0, 0, 0, 0}));
  auto const r = check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, m.stream("X, A / 2", "R # 16", "A % 2 # 4"), m("1"),
                                          m("A % 2 # 4"));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->steps, 16);
}

TEST(Book, VCG_23_order_in_slice) {
  auto const p = plan("R = 13, X = 32", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2", "1 # 8");
  EXPECT_EQ(code_of(p), "valid-count-slice-order");
  // What each slice holds.
  Written const m{"R = 13, X = 32"};
  std::int64_t const first[] = {0, 8, 2, 10, 4, 12, 6};
  for (int s = 0; s < 7; ++s) EXPECT_EQ(cell(m("R # 16 / 2 % 4, R # 16 / 8"), s).index.get("R"), first[s]);
  EXPECT_TRUE(plan("R = 13, X = 32", "X, R # 16 / 8, R # 16 / 2 % 4", "R # 16 % 2", "1 # 8")) << "the way out";
}

TEST(Book, VCG_24_several_boundaries) {
  auto const p = plan("R = 13, X = 64", "X, R # 16 / 2 % 4", "R # 16 / 8, R # 16 % 2", "1 # 8");
  ASSERT_FALSE(p);
  EXPECT_EQ(p.refusal().code, std::string("valid-count-several-boundaries"));
  EXPECT_NE(p.refusal().headline.view().find("after 3 steps in one and 2 in another"), std::string_view::npos);
  auto const fixed = plan("R = 13, X = 64", "X, R # 16 / 4", "R # 16 % 4", "1 # 8");
  ASSERT_TRUE(fixed);
  std::int64_t const expected[] = {4, 4, 4, 1};
  for (std::uint64_t s = 0; s < 4; ++s) EXPECT_EQ(steps(fixed->config, s), expected[s]);
}

TEST(Book, VCG_25_flexible_order_in_time) {
  // The book's own mapping is inconsistent; this is the newer example (F-60).
  Written const m{"R = 10, A = 3"};
  auto const p = plan(m.axes, "1", "R # 12 / 4, A, R # 12 % 4", "1 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  ASSERT_EQ(p->config.counters, 3);
  EXPECT_EQ(p->config.counter[0], (ValidCounter{4, 1, counts_gate(0)}));
  EXPECT_EQ(p->config.counter[1], (ValidCounter{3, 0, counts_nothing}));
  EXPECT_EQ(p->config.counter[2], (ValidCounter{3, 4, counts_gate(0)}));
  EXPECT_EQ(valid_count(p->config, 0, 13), 8);
  EXPECT_EQ(valid_count(p->config, 0, 27), 0);
  auto const r = check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, m.stream("1", "R # 12 / 4, A, R # 12 % 4", "1 # 4"),
                                          m("A"), m("1 # 4"));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->slots, 3);
}

TEST(Book, VCG_26_packet_only) {
  Written const m{"A = 8, R = 3, X = 64"};
  auto const p = plan(m.axes, "X, A / 2", "1", "R # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  for (std::uint64_t s = 0; s < 256; ++s) EXPECT_EQ(valid_count(p->config, s, 0), 3);
  EXPECT_FALSE(check_trim_way4(rngd, m("R # 8"), m("R"))) << "F-59";
  EXPECT_TRUE(check_trim_way4(rngd, m("R # 8"), m("R # 4")));
  EXPECT_TRUE(check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, m.stream("X, A / 2", "1", "R # 4"), m("1"), m("1 # 4")));
}

TEST(Book, VCG_27_time_and_packet) {
  Written const m{"A = 8, R = 19, X = 64"};
  auto const p = plan(m.axes, "X, A / 2", "R # 24 / 8", "R # 24 % 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  for (std::uint64_t s : {0u, 100u, 255u}) EXPECT_EQ(counts(p->config, s), (Counts{8, 8, 3}));
  // The example's trim drops live lanes (F-58); splitting does not.
  EXPECT_EQ(code_of(check_trim_way4(rngd, m("R # 24 % 8"), m("R # 24 % 4"))), "vector-trim-live-lanes");
  EXPECT_EQ(code_of(check_trimmed_count(rngd, p->config)), "valid-count-trimmed");
  auto const split = check_split(rngd, m("R # 24 / 8"), m("R # 24 % 8"), m("R # 24 / 4"), m("R # 24 % 4"));
  ASSERT_TRUE(split);
  EXPECT_TRUE(check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, m.stream("X, A / 2", "R # 24 / 4", "R # 24 % 4"), m("1"),
                                       m("1 # 4")));
}

TEST(Book, VCG_28_outer_part_in_packet) {
  EXPECT_EQ(code_of(plan("A = 8, R = 19, X = 64", "X, A / 2", "R # 24 % 8", "R # 24 / 8 # 8")), "valid-count-packet-not-innermost");
  EXPECT_TRUE(plan("A = 8, R = 19, X = 64", "X, A / 2", "R # 24 / 8", "R # 24 % 8")) << "the way out";
}

TEST(Book, VCG_29_fewer_lanes_than_eight) {
  Written const m{"A = 8, R = 7, X = 64"};
  auto const p = plan(m.axes, "X, A / 2", "R # 8 / 4", "R # 8 % 4 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  EXPECT_EQ(counts(p->config, 77), (Counts{4, 3}));
  EXPECT_EQ(p->config.packet_lanes(), 4);
  EXPECT_TRUE(check_trimmed_count(rngd, p->config));
  EXPECT_TRUE(check_trim_way4(rngd, m("R # 8 % 4 # 8"), m("R # 8 % 4")));
}

TEST(Book, VCG_30_mixed_packet) {
  // The row's packet has 32 elements (F-61), so it is no flit at all.
  EXPECT_EQ(code_of(plan("A = 2, R = 19, X = 256", "X", "R # 24 / 4", "R # 24 % 4, A # 8")), "valid-count-packet-not-flit");
  EXPECT_EQ(code_of(plan("A = 4, R = 19, X = 256", "X", "R # 24 / 2", "R # 24 % 2, A")), "valid-count-packet-shared");
  EXPECT_TRUE(plan("A = 2, R = 19, X = 256", "X", "A, R # 24 / 8", "R # 24 % 8")) << "the way out";
}

TEST(Book, VCG_31_nothing_to_count) {
  auto const p = plan("A = 8, R = 24, X = 64", "X, A / 2", "R / 8", "R % 8");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->mode, ValidCountMode::none);
  EXPECT_EQ(valid_count(p->config, 0, 0), 8);
}

TEST(Book, VCG_32_slice_and_packet) {
  auto const p = plan("R = 2045", "R # 2048 / 8", "1", "R # 2048 % 8");
  ASSERT_FALSE(p);
  EXPECT_EQ(p.refusal().code, std::string("valid-count-varies-by-slice"));
  EXPECT_NE(p.refusal().headline.view().find("needs a count of 5, others of 8"), std::string_view::npos) << p.refusal().headline.s;
  EXPECT_TRUE(plan("R = 2045, A = 8", "R # 2048 / 8", "R # 2048 % 8", "A"));
  EXPECT_EQ(plan("R = 2048", "R / 8", "1", "R % 8")->mode, ValidCountMode::none);
}

// ---- The data model ----

/// [H, C, W] = [5, 5, 19], the book's example. t = (Hi * 2 + Ci) * 3 + Wi, slice = Ho * 4 + Co.
ValidCountConfig three_axes() {
  ValidCountConfig c;
  c.counter[c.counters++] = {3, 8, counts_packet};
  c.packet_valid = 19;
  c.counter[c.counters++] = {2, 1, counts_gate(0)};
  c.gate[0] = {.mask = 0b0011, .match = 2, .valid = 1};
  c.counter[c.counters++] = {2, 1, counts_gate(1)};
  c.gate[1] = {.mask = 0b1100, .match = 0b1000, .valid = 1};
  return c;
}

TEST(Book, VCG_33_a_prefix_of_the_lanes) {
  // Lane p of flit t in slice s holds data iff p < vc(s, t): compared with the elements themselves.
  Written const m{"R = 19, X = 4"};
  Levels const flit = m.stream("X", "R # 24 / 8", "R # 24 % 8");
  auto const p = plan_valid_count(rngd, flit, ValidCountAsk{R});
  ASSERT_TRUE(p);
  for (std::int64_t s = 0; s < 4; ++s)
    for (std::int64_t t = 0; t < 3; ++t)
      for (std::int64_t lane = 0; lane < 8; ++lane)
        EXPECT_EQ(cell(flit, {.slice = s, .time = t, .packet = lane}).live(),
                  lane < valid_count(p->config, static_cast<std::uint64_t>(s), t));
}

ValidCountConfig packet_only(std::int64_t valid, std::int64_t stride, std::int64_t limit) {
  ValidCountConfig c;
  c.counter[c.counters++] = {limit, stride, counts_packet};
  c.packet_valid = valid;
  return c;
}

TEST(Book, VCG_42_packet_dimension) {
  // The fastest counter of the dimension gives its lanes; counters of Time may join it.
  auto const p = plan("R = 45, X = 2", "1", "R # 48 / 8 % 2, X, R # 48 / 16", "R # 48 % 8");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->config.counter[0], (ValidCounter{1, 8, counts_packet}));
  EXPECT_EQ(p->config.counter[1], (ValidCounter{3, 16, counts_packet}));
}

TEST(Book, VCG_46_masked_in_place) {
  // No shift (F-62): the upper two bits of four, compared where they are. Factors must be whole bits (F-65).
  EXPECT_EQ(plan("H = 5, C = 4", "H # 8 / 2, C", "H # 8 % 2", "1 # 8", Name("H"))->config.gate[0].match, 0b1000u);
  EXPECT_EQ(code_of(plan("R = 5, X = 85", "X, R # 6 / 2", "R # 6 % 2", "1 # 8")), "valid-count-slice-not-bits");
  EXPECT_EQ(code_of(plan("R = 5, X = 3", "R # 8 / 2, X", "R # 8 % 2", "1 # 8")), "valid-count-slice-not-bits");
}

TEST(Book, VCG_49_standard_example) {
  auto const p = plan("H = 5, C = 4", "H # 8 / 2, C", "H # 8 % 2", "1 # 8", Name("H"));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b1100, .match = 0b1000, .valid = 1, .transposed = false}));
  Counts const expected[] = {{8, 8}, {8, 8}, {8, 0}, {0, 0}};
  for (std::uint64_t s = 0; s < 16; ++s) EXPECT_EQ(counts(p->config, s), expected[s / 4]);
}

TEST(Book, VCG_50_transposed_example) {
  auto const p = plan("H = 5", "H # 8 % 4", "H # 8 / 4", "1 # 8", Name("H"));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b11, .match = 1, .valid = 1, .transposed = true}));
  std::int64_t const expected[] = {2, 1, 1, 1};
  for (std::uint64_t s = 0; s < 4; ++s) EXPECT_EQ(steps(p->config, s), expected[s]);
}

TEST(Book, VCG_53_h_added) {
  // The same registers come out of the mappings.
  Written const m{"H = 5, C = 5, W = 19"};
  ValidCountAsk ask;
  for (const char* axis : {"W", "C", "H"}) ask.axis[ask.axes++] = Name(axis);
  auto const p = plan_valid_count(rngd, m.stream("H # 8 / 2, C # 8 / 2", "H # 8 % 2, C # 8 % 2, W # 24 / 8", "W # 24 % 8"), ask);
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  EXPECT_EQ(p->config, three_axes());
  std::int64_t sum = 0;
  for (std::uint64_t s = 0; s < 16; ++s) {
    std::uint64_t const ho = s / 4, co = s % 4;
    for (std::int64_t t = 0; t < 12; ++t) {
      std::int64_t const hi = t / 6, ci = t / 3 % 2;
      bool const open = (ho < 2 || (ho == 2 && hi == 0)) && (co < 2 || (co == 2 && ci == 0));
      std::int64_t const pattern[] = {8, 8, 3};
      EXPECT_EQ(valid_count(p->config, s, t), open ? pattern[t % 3] : 0);
      sum += valid_count(p->config, s, t);
    }
  }
  EXPECT_EQ(sum, 475);
  EXPECT_EQ(sum, 5 * 5 * 19);
}

// ---- Placements ----

TEST(Book, VCG_55_packet) {
  auto const p = plan("R = 5", "1", "1", "R # 8");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->mode, ValidCountMode::packet_reduce);
  for (const ValidGate& g : p->config.gate) EXPECT_EQ(g, ValidGate{}) << "no gate";
}

TEST(Book, VCG_56_time) {
  auto const p = plan("R = 12", "1", "R # 16", "1 # 8");
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0, .match = 0, .valid = 12, .transposed = false}));
}

TEST(Book, VCG_57_slice) {
  auto const q = plan("R = 13, X = 4, T = 3", "R # 16, X", "T", "1 # 8");
  ASSERT_TRUE(q);
  EXPECT_EQ(q->config.gate[0], (ValidGate{.mask = 0b111100, .match = 13 << 2, .valid = 0, .transposed = false}));
  for (std::uint64_t s = 0; s < 64; ++s) EXPECT_EQ(steps(q->config, s), s / 4 < 13 ? 3 : 0);
}

TEST(Book, VCG_58_standard) {
  for (int n = 1; n <= 24; ++n) {
    auto const p = plan(("R = " + std::to_string(n)).c_str(), "R # 24 / 3", "R # 24 % 3", "1 # 8");
    ASSERT_TRUE(p) << n;
    if (n < 4 || n == 24) continue;  // one slice only, or no padding at all
    EXPECT_EQ(p->config.gate[0].match, static_cast<std::uint64_t>(n / 3)) << n;
    EXPECT_EQ(p->config.gate[0].valid, n % 3) << n;
  }
}

TEST(Book, VCG_59_fourteen_standard) {
  auto const p = plan("H = 14", "H # 24 / 3", "H # 24 % 3", "1 # 8", Name("H"));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b111, .match = 4, .valid = 2, .transposed = false}));
  Counts const expected[] = {{8, 8, 8}, {8, 8, 8}, {8, 8, 8}, {8, 8, 8}, {8, 8, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (std::uint64_t s = 0; s < 8; ++s) EXPECT_EQ(counts(p->config, s), expected[s]);
}

TEST(Book, VCG_60_transposed) {
  for (int n = 17; n <= 23; ++n) {
    auto const p = plan(("R = " + std::to_string(n)).c_str(), "R # 24 % 8", "R # 24 / 8", "1 # 8");
    ASSERT_TRUE(p) << n;
    EXPECT_EQ(p->config.gate[0].match, static_cast<std::uint64_t>(n % 8)) << n;
    EXPECT_EQ(p->config.gate[0].valid, n / 8) << n;
  }
}

TEST(Book, VCG_61_nineteen_transposed) {
  auto const p = plan("H = 19", "H # 24 % 8", "H # 24 / 8", "1 # 8", Name("H"));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->config.gate[0], (ValidGate{.mask = 0b111, .match = 3, .valid = 2, .transposed = true}));
  for (std::uint64_t s = 0; s < 8; ++s) EXPECT_EQ(steps(p->config, s), s < 3 ? 3 : 2);
  EXPECT_GT(valid_count(p->config, 0, 2), 0) << "16";
  EXPECT_EQ(valid_count(p->config, 3, 2), 0) << "19";
  EXPECT_GT(valid_count(p->config, 7, 1), 0) << "15";
}

TEST(Book, VCG_62_over_allocation) {
  EXPECT_EQ(code_of(plan("R = 19", "R # 40 % 8", "R # 40 / 8", "1 # 8")), "valid-count-over-padded");
  EXPECT_EQ(code_of(plan("R = 19", "R # 32 % 8", "R # 32 / 8", "1 # 8")), "valid-count-over-padded");
  // Where the padding is a whole number of times the data, it is a factor of its own with a gate of its own.
  auto const p = plan("R = 19", "R # 48 % 8", "R # 48 / 8", "1 # 8");
  ASSERT_TRUE(p);
  for (std::uint64_t s = 0; s < 8; ++s)
    for (std::int64_t t = 0; t < 6; ++t) EXPECT_EQ(valid_count(p->config, s, t) > 0, 8 * t + static_cast<std::int64_t>(s) < 19);
}

TEST(Book, VCG_63_packet_and_time) {
  for (int n = 2; n <= 24; ++n) {
    auto const p = plan_valid_count(rngd, Written{("R = " + std::to_string(n)).c_str()}.stream("1", "R # 24 / 8", "R # 24 % 8"),
                                    ValidCountAsk{R, true});
    ASSERT_TRUE(p) << n;
    for (std::int64_t t = 0; t < 3 && p->mode != ValidCountMode::none; ++t)
      EXPECT_EQ(valid_count(p->config, 0, t), std::min<std::int64_t>(8, std::max<std::int64_t>(0, n - 8 * t))) << n;
  }
}

TEST(Book, VCG_64_fifty_in_two_counters) {
  ValidCountConfig c;
  c.counter[c.counters++] = {3, 8, counts_packet};
  c.counter[c.counters++] = {3, 24, counts_packet};
  c.packet_valid = 50;
  EXPECT_EQ(counts(c, 0), (Counts{8, 8, 8, 8, 8, 8, 2, 0, 0}));
  auto const p = plan("R = 50", "1", "R # 72 / 8", "R # 72 % 8");
  ASSERT_TRUE(p);
  EXPECT_EQ(counts(p->config, 0), counts(c, 0));
}

TEST(Book, VCG_65_slice_and_packet) {
  EXPECT_EQ(code_of(plan("R = 10", "R # 16 / 8", "1", "R # 16 % 8")), "valid-count-varies-by-slice");
  EXPECT_EQ(valid_count(packet_only(10, 8, 1), 1, 0), 8);
  EXPECT_EQ(valid_count(packet_only(2, 8, 1), 0, 0), 2);
}

TEST(Book, VCG_66_slice_and_packet_that_fit) {
  // Whole packets: slices are switched off.
  auto const whole = plan("R = 16", "R # 32 / 8", "1", "R # 32 % 8");
  ASSERT_TRUE(whole);
  for (std::uint64_t s = 0; s < 4; ++s) EXPECT_EQ(valid_count(whole->config, s, 0), s < 2 ? 8 : 0);
  // Less than a packet: one slice holds it all, and Slice is mere padding.
  auto const small = plan("R = 5", "R # 16 / 8", "1", "R # 16 % 8");
  ASSERT_TRUE(small);
  EXPECT_EQ(valid_count(small->config, 0, 0), 5);
  ValidCountConfig closed = small->config;
  closed.gate[0] = {.mask = 0b1, .match = 0b1, .valid = 0};
  EXPECT_EQ(valid_count(closed, 0, 0), 5);
  EXPECT_EQ(valid_count(closed, 1, 0), 0);
}

TEST(Book, VCG_67_slice_time_and_packet) {
  EXPECT_EQ(code_of(plan("R = 13", "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8")), "valid-count-varies-by-slice");
  auto const p = plan("R = 12", "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8");
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  Counts const expected[] = {{4, 4}, {4, 0}, {0, 0}, {0, 0}};
  for (std::uint64_t s = 0; s < 4; ++s) EXPECT_EQ(counts(p->config, s), expected[s]);
}

/// Axes A, B, ... of 3, padded to 4 in Time, one after the other, and R of 5 in Packet.
Expected<ValidCountPlan> many_axes(int n, int unpadded) {
  std::string axes = "R = 5", time = "1";
  ValidCountAsk ask{R};
  for (int i = 0; i < n; ++i) {
    std::string const name(1, static_cast<char>('A' + i));
    axes += ", " + name + (i < unpadded ? " = 4" : " = 3");
    time += ", " + name + (i < unpadded ? "" : " # 4");
    ask.axis[ask.axes++] = Name(name);
  }
  return plan_valid_count(rngd, Written{axes.c_str()}.stream("1", time.c_str(), "R # 8"), ask);
}
TEST(Book, VCG_68_at_most_four_axes) {
  EXPECT_TRUE(many_axes(3, 0)) << "one count and three gates";
  EXPECT_EQ(code_of(many_axes(5, 0)), "valid-count-too-many-axes");
  EXPECT_TRUE(many_axes(5, 2)) << "unpadded axes are free";
}

TEST(Book, VCG_69_packet_dimension_as_a_gate) {
  // R fills its packets, so the count is constant and the packet dimension opens and closes for a fourth axis.
  Written const m{"R = 16, A = 3, B = 3, C = 3, D = 3"};
  ValidCountAsk ask{R};
  for (const char* axis : {"A", "B", "C", "D"}) ask.axis[ask.axes++] = Name(axis);
  auto const p = plan_valid_count(rngd, m.stream("1", "A # 4, B # 4, C # 4, D # 4, R / 8", "R % 8"), ask);
  ASSERT_TRUE(p) << p.refusal().sentence().s;
  for (std::int64_t t = 0; t < 512; ++t) {
    bool const live = t / 128 % 4 < 3 && t / 32 % 4 < 3 && t / 8 % 4 < 3 && t / 2 % 4 < 3;
    ASSERT_EQ(valid_count(p->config, 0, t), live ? 8 : 0) << t;
  }
}

TEST(Book, VCG_70_what_can_be_counted) {
  EXPECT_EQ(code_of(plan("R = 7, A = 2", "1", "R # 8 / 2", "R # 8 % 2 # 4, A")), "valid-count-packet-shared") << "a prefix";
  EXPECT_EQ(code_of(plan("R = 10", "R # 16 / 8", "1", "R # 16 % 8")), "valid-count-varies-by-slice") << "the same in all slices";
  EXPECT_EQ(code_of(plan("R = 13, X = 32", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2", "1 # 8")), "valid-count-slice-order")
      << "one threshold";
  EXPECT_EQ(code_of(many_axes(5, 0)), "valid-count-too-many-axes") << "four dimensions";
}

TEST(Book, VCG_72_trim) {
  EXPECT_TRUE(check_trimmed_count(rngd, packet_only(3, 8, 1)));
  EXPECT_TRUE(check_trimmed_count(rngd, packet_only(19, 4, 5)));
  EXPECT_EQ(code_of(check_trimmed_count(rngd, packet_only(5, 8, 1))), "valid-count-trimmed");
  // The mapping guarantees it.
  Written const m{"R = 5"};
  EXPECT_EQ(code_of(check_trim_way4(rngd, m("R # 8"), m("R = 4"))), "vector-trim-live-lanes");
}

TEST(Book, VCG_74_pad) {
  // Padding adds lanes without data behind the packet: the count stays.
  Written const m{"R = 3"};
  auto const padded = check_pad_way8(rngd, m("R # 4"), m("R # 8"));
  ASSERT_TRUE(padded);
  for (std::int64_t lane = 0; lane < 8; ++lane) EXPECT_EQ(cell(*padded, lane).live(), lane < 3);
}

TEST(Book, SUP_16_slice_factors_are_powers_of_two) {
  // Blocks of 4 over the slices: the last one is short, and the generator must know it by bits of the number of its slice.
  EXPECT_TRUE(plan("R = 14, X = 64", "X, R # 16 / 4", "R # 16 % 4", "1 # 8"));
  EXPECT_FALSE(plan("R = 10, X = 64", "X, R # 12 / 4", "R # 12 % 4", "1 # 8")) << "3 slices of 4 bits, and X begins inside them";
  EXPECT_TRUE(plan("R = 10, X = 64", "X, R # 12 / 4 # 4", "R # 12 % 4", "1 # 8")) << "padded to whole bits of the slice's number";
}

}  // namespace
}  // namespace tcp
