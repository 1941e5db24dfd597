// The rows of the ledger on the switch and on collect.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/collect.hpp"
#include "tcp/rules/switch.hpp"

using namespace tcp;

namespace {

/// One example of the book: its axes, and the stream before the switch.
struct Example {
  const char* axes;
  const char *slice, *time, *packet = "1", *chip = "1", *cluster = "1";
  const Device& device = rngd;

  Mapping written(const std::string& text) const {
    auto const m = parse(text, *parse_axes(axes));
    EXPECT_TRUE(m.ok()) << text;
    return m.ok() ? *m : Mapping{};
  }
  Levels in() const {
    Levels l;
    l.set(Level::chip, written(chip)).set(Level::cluster, written(cluster)).set(Level::slice, written(slice));
    return l.set(Level::time, written(time)).set(Level::packet, written(packet));
  }
  Expected<Switched> to(const SwitchConfig& config, const char* slice2, const char* time2) const {
    return check_switch(device, in(), config, written(slice2), written(time2));
  }
  void expect(const SwitchConfig& config, const char* slice2, const char* time2, std::int64_t ring) const {
    auto const s = to(config, slice2, time2);
    ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
    EXPECT_EQ(s->slice, written(slice2));
    EXPECT_EQ(s->time, written(time2));
    EXPECT_EQ(s->ring_size, ring);
  }
  std::string code(const SwitchConfig& config, const char* slice2, const char* time2) const {
    auto const s = to(config, slice2, time2);
    return s.ok() ? "accepted" : s.refusal().code;
  }
};

using Bitmap = std::set<std::int64_t>;
Bitmap bitmap(const Switched& s, std::int64_t slice) {
  Bitmap b;
  for (std::int64_t from = 0; from < s.slice.size; ++from)
    if (s.snoops(slice, from)) b.insert(from);
  return b;
}

Example const broadcast01{"A = 256, B = 64, C = 63, D = 8, X = 4", "A", "B", "C # 64", "D / 2", "D % 2"};
SwitchConfig const two_two_four = SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 4};
constexpr const char* broadcast01_time = "B / 4, A / 2 % 2, B % 4, A % 2";

Example const custom{"A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2, Z = 4", "A, B", "C", "D, E"};

Example const two_slices{"A = 2, B = 2, C = 64", "A", "B", "C", "1", "1", logical};

SwitchConfig ring(std::int64_t n) { return SwitchConfig::CustomBroadcast{.ring_size = n}; }

}  // namespace

TEST(Book, HEL_24_vector_to_all_slices) {
  Example const gemv{"I = 256, J = 2048", "1 # 256", "1", "J"};
  gemv.expect(SwitchConfig::Broadcast01{.slice1 = 256, .slice0 = 1, .time0 = 1}, "I", "1 # 256", 256);
}

TEST(Book, SWI_01_slice_and_time_change_and_nothing_else) {
  auto const s = broadcast01.to(two_two_four, "A / 4, X", broadcast01_time);
  ASSERT_TRUE(s.ok());
  Levels const in = broadcast01.in();
  Levels out = in;
  out[Level::slice] = s->slice;
  out[Level::time] = s->time;
  // Every element is where the route says it came from.
  for (std::int64_t slice = 0; slice < 256; slice += 37) {
    for (std::int64_t time = 0; time < 256; time += 11) {
      SwitchSource const from = s->source(slice, time);
      Cell const here = cell(out, {.chip = 3, .cluster = 1, .slice = slice, .time = time, .packet = 62});
      Cell const there = cell(in, {.chip = 3, .cluster = 1, .slice = from.slice, .time = from.time, .packet = 62});
      ASSERT_TRUE(here.live() && there.live());
      for (const char* axis : {"A", "B", "C", "D"}) EXPECT_EQ(here.index.get(axis), there.index.get(axis));
    }
  }
  // The verifier runs: another Slice is refused.
  EXPECT_EQ(broadcast01.code(two_two_four, "A", broadcast01_time), "switch-wrong-slice");
}

TEST(Book, SWI_02_collect_without_a_switch_is_forwarding) {
  broadcast01.expect(SwitchConfig::Forwarding{}, "A", "B", 1);
  EXPECT_EQ(broadcast01.code(SwitchConfig{}, "A", "B"), "accepted");
  EXPECT_EQ(broadcast01.code(SwitchConfig::Forwarding{}, "A % 2, A / 2", "B"), "switch-wrong-slice");
  EXPECT_EQ(broadcast01.code(SwitchConfig::Forwarding{}, "A", "B % 2, B / 2"), "switch-wrong-time");
}

TEST(Book, SWI_03_packets_of_any_size_pass) {
  for (const char* packet : {"C", "C # 64", "1", "D, C"}) {
    Example e{"A = 256, B = 64, C = 63, D = 8, X = 4", "A", "B", packet};
    EXPECT_EQ(e.code(two_two_four, "A / 4, X", broadcast01_time), "accepted") << packet;
  }
}

TEST(Book, SWI_04_one_ring_of_256_slices) {
  EXPECT_EQ(rngd.levels.slices_per_cluster, 256);
  custom.expect(ring(256), "B % 4, B / 4, A % 4, A / 4", "C", 256);
  EXPECT_EQ(custom.code(ring(512), "B % 4, B / 4, A % 4, A / 4", "C"), "switch-ring-size");
}

TEST(Book, SWI_05_a_bitmap_names_the_sources_of_a_slice) {
  auto const s = custom.to(ring(4), "A, B / 4, 4", "C, B % 4");
  ASSERT_TRUE(s.ok());
  for (std::int64_t slice = 0; slice < 256; ++slice) {
    Bitmap sources;
    for (std::int64_t t = 0; t < s->time.size; ++t) sources.insert(s->source(slice, t).slice);
    EXPECT_EQ(bitmap(*s, slice), sources);
  }
}

// Both slices collect 0, 1, 2, 3: slice 0 sends 0 and 1, slice 1 sends 2 and 3.
TEST(Book, SWI_08_order_of_arrival) {
  auto const s = two_slices.to(SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 1, .time0 = 2}, "2", "A, B");
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  for (std::int64_t slice = 0; slice < 2; ++slice)
    for (std::int64_t t = 0; t < 4; ++t) EXPECT_EQ(s->source(slice, t), (SwitchSource{t / 2, t % 2}));
}

// F-09: the mapping printed for that trace, with slice0 = 2, delivers 0, 2, 1, 3.
TEST(Book, SWI_09_as_printed) {
  auto const s = two_slices.to(SwitchConfig::Broadcast01{.slice1 = 1, .slice0 = 2, .time0 = 2}, "A / 2, 2", "B / 2, B % 2, A % 2");
  ASSERT_TRUE(s.ok()) << s.refusal().sentence().s;
  for (std::int64_t slice = 0; slice < 2; ++slice)
    for (std::int64_t t = 0; t < 4; ++t) EXPECT_EQ(s->source(slice, t), (SwitchSource{t % 2, t / 2}));
}

TEST(Book, SWI_10_forwarding_then_collect) {
  Example const e{"A = 256, B = 64, C = 32", "A", "B", "C"};
  e.expect(SwitchConfig::Forwarding{}, "A", "B", 1);
  auto const as_printed = check_collect(rngd, ScalarType::f32, e.written("B"), e.written("C"), e.written("B"), e.written("C"));
  EXPECT_STREQ(as_printed.refusal().code, "collect-packet-not-one-flit");
  EXPECT_TRUE(check_collect(rngd, ScalarType::f32, e.written("B"), e.written("C"), e.written("B, C / 8"), e.written("C % 8")).ok());
}

TEST(Book, SWI_13_numbers_that_do_not_divide_are_refused) {
  EXPECT_EQ(broadcast01.code(SwitchConfig::Broadcast01{.slice1 = 3, .slice0 = 2, .time0 = 4}, "A / 4, X", broadcast01_time),
            "switch-slice-not-divisible");
  EXPECT_EQ(broadcast01.code(SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 5}, "A / 4, X", broadcast01_time),
            "switch-time-not-divisible");
}

TEST(Book, SWI_14_broadcast01_layout) {
  // slice1 stands outside of time0, slice0 inside (F-18).
  EXPECT_EQ(broadcast01.code(two_two_four, "A / 4, 4", "B / 4, A / 2 % 2, B % 4, A % 2"), "accepted");
  EXPECT_EQ(broadcast01.code(two_two_four, "A / 4, 4", "B, A % 4"), "switch-wrong-time");
  EXPECT_EQ(broadcast01.code(two_two_four, "4, A / 4", "B / 4, A / 2 % 2, B % 4, A % 2"), "switch-wrong-slice");
}

TEST(Book, SWI_15_rings) {
  auto const s = broadcast01.to(two_two_four, "A / 4, 4", broadcast01_time);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->ring_size, 4);
  EXPECT_EQ(256 / s->ring_size, 64);
  for (std::int64_t slice = 0; slice < 256; ++slice)
    for (std::int64_t from : bitmap(*s, slice)) EXPECT_EQ(from / 4, slice / 4);
}

TEST(Book, SWI_16_broadcast01) {
  broadcast01.expect(two_two_four, "A / 4, X", broadcast01_time, 4);
  broadcast01.expect(two_two_four, "A / 4, 4", broadcast01_time, 4);
}

TEST(Book, SWI_17_sizes) {
  auto const s = broadcast01.to(two_two_four, "A / 4, X", broadcast01_time);
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->slice.size, 256);
  EXPECT_EQ(s->time.size, 256);
}

TEST(Book, SWI_18_bitmap_of_broadcast01) {
  auto const s = broadcast01.to(two_two_four, "A / 4, X", broadcast01_time);
  ASSERT_TRUE(s.ok());
  for (std::int64_t slice = 0; slice < 4; ++slice) EXPECT_EQ(bitmap(*s, slice), (Bitmap{0, 1, 2, 3}));
  EXPECT_EQ(bitmap(*s, 4), (Bitmap{4, 5, 6, 7}));
  EXPECT_EQ(bitmap(*s, 255), (Bitmap{252, 253, 254, 255}));
}

TEST(Book, SWI_21_copies_are_a_new_axis_or_a_number) {
  Example e{"A = 256, B = 64, C = 63, X = 4", "A", "B", "X, C"};
  EXPECT_EQ(e.code(two_two_four, "A / 4, X", broadcast01_time), "switch-axis-known");
  e.packet = "C";
  EXPECT_EQ(e.code(two_two_four, "A / 4, X", broadcast01_time), "accepted");
  EXPECT_EQ(e.code(two_two_four, "A / 4, 4", broadcast01_time), "accepted");
  e.time = "B, X";
  EXPECT_EQ(e.code(two_two_four, "A / 4, X", "B, A / 2 % 2, X, A % 2"), "switch-axis-known");
}

TEST(Book, SWI_22_broadcast01_as_algebra) {
  Example const e{"A = 64, B = 64", "A", "B / 2", "B % 2", "1", "1", logical};
  e.expect(SwitchConfig::Broadcast01{.slice1 = 8, .slice0 = 8, .time0 = 2}, "A / 64, 64", "B / 4, A / 8 % 8, B / 2 % 2, A % 8", 64);
}

TEST(Book, SWI_23_broadcast1_layout) {
  Example const e{"A = 256, B = 64", "A", "B"};
  e.expect(SwitchConfig::Broadcast1{.slice1 = 8, .slice0 = 4}, "A / 32, 8, A % 4", "B, A / 4 % 8", 32);
  EXPECT_EQ(e.code(SwitchConfig::Broadcast1{.slice1 = 8, .slice0 = 4}, "A / 32, 8, A % 4", "A / 4 % 8, B"), "switch-wrong-time");
  EXPECT_EQ(e.code(SwitchConfig::Broadcast1{.slice1 = 3, .slice0 = 4}, "A", "B"), "switch-slice-not-divisible");
}

TEST(Book, SWI_24_broadcast1) {
  Example const e{"A = 256, B = 64, C = 63, X = 4", "A", "B", "C # 64"};
  e.expect(SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, "A / 32, X, A % 8", "B, A / 8 % 4", 32);
}

TEST(Book, SWI_25_transpose_layout) {
  Example const e{"A = 256, B = 64", "A", "B"};
  e.expect(SwitchConfig::Transpose{.slice1 = 16, .slice0 = 16}, "A % 16, A / 16", "B", 256);
  EXPECT_EQ(e.code(SwitchConfig::Transpose{.slice1 = 16, .slice0 = 16}, "A % 16, A / 16", "B / 2, B % 2 = 1"), "switch-wrong-time");
}

TEST(Book, SWI_26_transpose) {
  Example const e{"A = 256, B = 64, C = 63", "A", "B", "C # 64"};
  e.expect(SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, "A / 64, A % 2, A / 2 % 32", "B", 64);
  Mapping const slice = e.written("A / 64, A % 2, A / 2 % 32");
  ASSERT_EQ(slice.digits, 3);
  std::int64_t const stride[] = {64, 1, 2}, size[] = {4, 2, 32};
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(slice.digit[k].stride, stride[k]);
    EXPECT_EQ(slice.digit[k].size, size[k]);
  }
}

TEST(Book, SWI_27_inter_transpose_layout) {
  Example const e{"A = 8, B = 32, C = 256", "C", "A", "B # 32"};
  // time1 takes the place of slice1, and so has its size: Time has 8 steps, of which slice1 · time0 must divide.
  EXPECT_EQ(e.code(SwitchConfig::InterTranspose{.slice1 = 4, .slice0 = 16, .time0 = 2}, "C / 64, A / 2, C % 16", "A % 2, C / 16 % 4"),
            "accepted");
  EXPECT_EQ(e.code(SwitchConfig::InterTranspose{.slice1 = 4, .slice0 = 16, .time0 = 4}, "C / 64, A / 2, C % 16", "A % 2, C / 16 % 4"),
            "switch-time-not-divisible");
}

TEST(Book, SWI_28_inter_transpose) {
  Example const e{"A = 8, B = 32, C = 256", "C", "A", "B # 32"};
  e.expect(SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 16, .time0 = 2}, "C / 32, A / 2 % 2, C % 16", "A / 4, A % 2, C / 16 % 2",
           32);
}

TEST(Book, SWI_29_custom_permutes_copies_and_extracts) {
  EXPECT_EQ(custom.code(ring(256), "B % 4, B / 4, A % 4, A / 4", "C"), "accepted");
  EXPECT_EQ(custom.code(ring(32), "A / 2, X, B / 2, Y", "C, A % 2, B % 2"), "accepted");
  EXPECT_EQ(custom.code(ring(4), "A, B / 4, Z", "C, B = 3"), "accepted");
  EXPECT_EQ(custom.code(ring(4), "A, B / 4, Z", "B = 3, C"), "switch-moved-not-innermost");
}

TEST(Book, SWI_30_types_custom_occupies_dma_and_sub) {
  EXPECT_TRUE(custom.to(ring(256), "B, A", "C")->occupies_dma_and_sub);
  EXPECT_FALSE(broadcast01.to(two_two_four, "A / 4, X", broadcast01_time)->occupies_dma_and_sub);
}

TEST(Book, SWI_31_arbitrary_permutation) {
  custom.expect(ring(256), "B % 4, B / 4, A % 4, A / 4", "C", 256);
  EXPECT_EQ(custom.code(ring(128), "B % 4, B / 4, A % 4, A / 4", "C"), "switch-ring-size");
}

TEST(Book, SWI_32_bitmap_of_the_permutation) {
  auto const s = custom.to(ring(256), "B % 4, B / 4, A % 4, A / 4", "C");
  ASSERT_TRUE(s.ok());
  struct {
    std::int64_t slice, source;
  } const rows[] = {{0, 0}, {1, 64}, {2, 128}, {3, 192}, {255, 255}, {4, 16}, {5, 80}, {6, 144}, {7, 208}, {16, 4}, {64, 1}, {65, 65}};
  for (auto const& row : rows) EXPECT_EQ(bitmap(*s, row.slice), Bitmap{row.source}) << row.slice;
}

TEST(Book, SWI_34_source_of_slice_3) {
  EXPECT_EQ(custom.to(ring(256), "B % 4, B / 4, A % 4, A / 4", "C")->source(3, 0).slice, 192);
  EXPECT_EQ(custom.to(ring(256), "B % 4, B / 4, A % 4, A / 4", "C")->source(19, 0).slice, 196);
}

TEST(Book, SWI_35_multi_axis_broadcast) {
  custom.expect(ring(32), "A / 2, X, B / 2, Y", "C, A % 2, B % 2", 32);
  custom.expect(ring(32), "A / 2, 2, B / 2, 2", "C, A % 2, B % 2", 32);
  auto const s = custom.to(ring(32), "A / 2, X, B / 2, Y", "C, A % 2, B % 2");
  EXPECT_EQ(bitmap(*s, 0), (Bitmap{0, 1, 16, 17}));
  EXPECT_EQ(bitmap(*s, 1), (Bitmap{0, 1, 16, 17}));
  EXPECT_EQ(bitmap(*s, 2), (Bitmap{2, 3, 18, 19}));
  EXPECT_EQ(bitmap(*s, 3), (Bitmap{2, 3, 18, 19}));
  EXPECT_EQ(bitmap(*s, 255), (Bitmap{238, 239, 254, 255}));
}

TEST(Book, SWI_36_the_ring_is_what_the_still_factors_leave) {
  EXPECT_EQ(custom.to(SwitchConfig::CustomBroadcast{}, "A / 2, X, B / 2, Y", "C, A % 2, B % 2")->ring_size, 32);
  // No regular topology moves two factors that are not neighbours.
  EXPECT_EQ(custom.code(SwitchConfig::Broadcast01{.slice1 = 16, .slice0 = 2, .time0 = 8}, "A / 2, X, B / 2, Y", "C, A % 2, B % 2"),
            "switch-wrong-slice");
}

TEST(Book, SWI_37_reading_a_bitmap) {
  auto const s = custom.to(ring(32), "A / 2, X, B / 2, Y", "C, A % 2, B % 2");
  EXPECT_EQ(bitmap(*s, 0), bitmap(*s, 1)) << "a broadcast: the same rows";
  EXPECT_EQ(bitmap(*s, 0).size(), 4u) << "Slice to Time: several sources";
  EXPECT_EQ(bitmap(*custom.to(ring(256), "B, A", "C"), 7).size(), 1u);
}

TEST(Book, SWI_38_partial_extraction) {
  custom.expect(ring(4), "A, B / 4, 4", "C, B % 4 = 3", 4);
  custom.expect(ring(4), "A, B / 4, Z", "C, B % 4 = 3", 4);
  auto const s = custom.to(ring(4), "A, B / 4, 4", "C, B % 4 = 3");
  EXPECT_TRUE(s->drops_live);
  for (std::int64_t slice = 0; slice < 4; ++slice) EXPECT_EQ(bitmap(*s, slice), (Bitmap{0, 1, 2}));
  EXPECT_EQ(bitmap(*s, 4), (Bitmap{4, 5, 6}));
  EXPECT_EQ(bitmap(*s, 255), (Bitmap{252, 253, 254}));
  // F-15: the strict reading.
  SwitchConfig const strict = SwitchConfig::CustomBroadcast{.ring_size = 4, .extraction = Extraction::Whole};
  EXPECT_EQ(custom.code(strict, "A, B / 4, 4", "C, B % 4 = 3"), "switch-drops-data");
  Example const padding{"A = 16, F = 4, P = 3, C = 8, Z = 4", "A, F, P # 4", "C"};
  EXPECT_EQ(padding.code(strict, "A, F, Z", "C, P"), "accepted") << "only padding is left behind";
}

TEST(Book, SWI_39_full_extraction) {
  EXPECT_EQ(bitmap(*custom.to(ring(4), "A, B / 4, 4", "C, B % 4"), 0), (Bitmap{0, 1, 2, 3}));
  EXPECT_FALSE(custom.to(ring(4), "A, B / 4, 4", "C, B % 4")->drops_live);
}

TEST(Book, SWI_40_order_of_what_moves) {
  EXPECT_EQ(custom.code(ring(4), "A, B / 4, 4", "C, B % 2, B / 2 % 2"), "switch-moved-out-of-order");
  // As printed, B / 4 would be counted twice (F-16): already the mapping Time = C, B % 2, B / 2 clashes with Slice.
  EXPECT_EQ(custom.code(ring(4), "A, B / 4, 4", "C, B % 2, B / 2"), "levels-axis-twice");
}

TEST(Book, SWI_41_order_kept) { custom.expect(ring(4), "A, B / 4, 4", "C, B / 2 % 2, B % 2", 4); }

TEST(Book, SWI_42_innermost_in_time) {
  EXPECT_EQ(custom.code(ring(32), "A / 2, 2, B / 2, 2", "A % 2, C, B % 2"), "switch-moved-not-innermost");
}

TEST(Book, SWI_43_innermost_kept) { custom.expect(ring(32), "A / 2, 2, B / 2, 2", "C, A % 2, B % 2", 32); }

TEST(Book, SWI_44_broadcast01_may_go_outside_of_time0) {
  Example const e{"A = 256, B = 64", "A", "B"};
  EXPECT_EQ(e.code(two_two_four, "A / 4, 4", broadcast01_time), "accepted");
  EXPECT_EQ(e.code(ring(4), "A / 4, 4", broadcast01_time), "switch-moved-not-innermost");
}

TEST(Book, SWI_45_regular_topologies_have_one_layout) {
  Example const e{"A = 256, B = 64, X = 4", "A", "B"};
  EXPECT_EQ(e.code(two_two_four, "X, A / 4", broadcast01_time), "switch-wrong-slice");
  EXPECT_EQ(e.code(SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, "A / 32, A % 8, X", "B, A / 8 % 4"), "switch-wrong-slice");
  EXPECT_EQ(e.code(SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, "A / 64, A / 2 % 32, A % 2", "B"), "switch-wrong-slice");
  EXPECT_EQ(e.code(SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 16, .time0 = 2}, "A", "B"), "switch-wrong-slice");
}

TEST(Book, SWI_46_full_cluster) {
  Example const half{"A = 128, B = 64, X = 4", "A", "B"};
  for (SwitchConfig const& c : {SwitchConfig(SwitchConfig::Forwarding{}), two_two_four, ring(4)})
    EXPECT_EQ(half.code(c, "A", "B"), "switch-not-full-cluster");
  Example const whole{"A = 256, B = 64, X = 4", "A", "B"};
  EXPECT_EQ(whole.code(two_two_four, "A / 4", broadcast01_time), "switch-not-full-cluster");
}

TEST(Book, SWI_47_ring_size) {
  EXPECT_EQ(custom.code(ring(48), "A / 2, 2, B / 2, 2", "C, A % 2, B % 2"), "switch-ring-not-power-of-two");
  EXPECT_EQ(custom.code(ring(16), "A / 2, 2, B / 2, 2", "C, A % 2, B % 2"), "switch-ring-size");
  Example const thirds{"A = 12, B = 64", "A", "B", "1", "1", "1", logical};
  EXPECT_EQ(thirds.code(SwitchConfig::Transpose{.slice1 = 3, .slice0 = 2}, "A / 6, A % 2, A / 2 % 3", "B"), "switch-ring-not-power-of-two");
}

TEST(Book, SUP_01_transposed_broadcast1) {
  Example const e{"A = 256, B = 16, C = 32, Y = 8", "A", "B", "C"};
  e.expect(SwitchConfig::TransposedBroadcast1{.slice1 = 8, .slice0 = 8}, "A / 64, Y, A / 8 % 8", "B, A % 8", 64);
}

TEST(Book, SUP_02_ring_size_is_derived) {
  auto const derived = [](const char* slice, const char* time) {
    return custom.to(SwitchConfig::CustomBroadcast{}, slice, time)->ring_size;
  };
  EXPECT_EQ(derived("A, B", "C"), 1);
  EXPECT_EQ(derived("A, B % 4, B / 4", "C"), 16);
  EXPECT_EQ(derived("A / 2, X, B / 2, Y", "C, A % 2, B % 2"), 32);
  EXPECT_EQ(derived("A, B / 4, Z", "C, B % 4"), 4);
  for (std::int64_t other : {1, 2, 4, 8, 32, 64, 128, 256}) EXPECT_EQ(custom.code(ring(other), "A, B % 4, B / 4", "C"), "switch-ring-size");
  EXPECT_EQ(custom.code(ring(16), "A, B % 4, B / 4", "C"), "accepted");
}

TEST(Book, SUP_03_copies_of_a_custom_switch) {
  Example const e{"A = 16, B = 16, C = 8, D = 8, Z = 4, W = 8, P = 3", "A, B", "C", "D"};
  EXPECT_EQ(e.code(ring(4), "A, B / 4, Z", "C, B % 4"), "accepted");
  EXPECT_EQ(e.code(ring(4), "A, B / 4, D % 4", "C, B % 4"), "switch-axis-known");
  EXPECT_EQ(e.code(ring(4), "A, B / 4, W % 4", "C, B % 4"), "accepted") << "CHIP-02: a part of a new axis";
  EXPECT_EQ(e.code(ring(4), "A, B / 4, P # 4", "C, B % 4"), "switch-copies-not-whole");
  EXPECT_EQ(e.code(ring(4), "A, B / 4, Z % 2, Z / 2", "C, B % 4"), "accepted") << "CHIP-02: all of it, in two digits";
  // The outer part of Time is the input's, padding included.
  EXPECT_EQ(e.code(ring(4), "A, B / 4, Z", "C # 16, B % 4"), "switch-moved-not-innermost");
  Example const padded{"A = 16, B = 16, P = 3, Z = 4", "A, B", "P # 4"};
  EXPECT_EQ(padded.code(ring(4), "A, B / 4, Z", "P # 4, B % 4"), "accepted");
  EXPECT_EQ(padded.code(ring(4), "A, B / 4, Z", "P, B % 4"), "switch-moved-not-innermost");
}

// The rows of the ledger about the Collect Engine: packets become flits of 32 bytes.

namespace tcp {
namespace {

/// What is left of Time and Packet, in the ledger's notation. The declared stream is compared without kinds of padding.
std::string collected_as(const char* axes, ScalarType type, const char* time, const char* packet, const char* time2, const char* packet2) {
  Written const m{axes};
  return code_of(check_collect(rngd, type, m(time), m(packet), m(time2), m(packet2)));
}

TEST(Book, COL_02_pads_then_cuts) {
  // By the rule's own words: element i of step t of the packet comes in flit i / n of that step, at i % n; the rest of the last flit is padding.
  struct Case {
    const char *axes, *packet;
    ScalarType type;
    std::int64_t flit;
  };
  for (const Case& c : {Case{"A = 3, B = 56", "B", ScalarType::i8, 32}, Case{"A = 3, B = 40", "B", ScalarType::bf16, 16},
                        Case{"A = 3, B = 5", "B", ScalarType::i32, 8}, Case{"A = 3, B = 24", "B", ScalarType::f32, 8}}) {
    Written const m{c.axes};
    auto const made = collected(rngd, c.type, m("A"), m(c.packet));
    ASSERT_TRUE(made) << c.axes;
    std::int64_t const size = m(c.packet).size, flits = (size + c.flit - 1) / c.flit;
    EXPECT_EQ(made->packet.size, c.flit);
    ASSERT_EQ(made->time.size, 3 * flits) << c.axes;
    Levels stream;
    stream.set(Level::time, made->time).set(Level::packet, made->packet);
    for (std::int64_t t = 0; t < 3 * flits; ++t)
      for (std::int64_t p = 0; p < c.flit; ++p) {
        std::int64_t const element = t % flits * c.flit + p;
        Cell const there = cell(stream, {.time = t, .packet = p});
        ASSERT_EQ(there.live(), element < size) << c.axes << ": " << t << ", " << p;
        if (!there.live()) continue;
        EXPECT_EQ(there.index.get("A"), t / flits);
        EXPECT_EQ(there.index.get("B"), element);
      }
  }
}

TEST(Book, COL_03_identity) { EXPECT_EQ(collected_as("A = 8, B = 32", ScalarType::i8, "A", "B", "A", "B # 32"), "accepted"); }
TEST(Book, COL_04_padding) {
  EXPECT_EQ(collected_as("A = 8, B = 16", ScalarType::i8, "A", "B", "A", "B # 32"), "accepted");
  EXPECT_EQ(collected_as("A = 8, B = 16", ScalarType::i8, "A", "B", "A", "B"), "collect-packet-not-one-flit")
      << "the padding is not optional";
}
TEST(Book, COL_05_split) {
  EXPECT_EQ(collected_as("A = 8, B = 32", ScalarType::bf16, "A", "B", "A, B / 16", "B % 16"), "accepted");
  EXPECT_EQ(collected_as("A = 8, B = 32", ScalarType::bf16, "A", "B", "B / 16, A", "B % 16"), "collect-wrong-time");
}
TEST(Book, COL_06_direct_collect) { EXPECT_EQ(collected_as("A = 8, B = 64", ScalarType::i8, "A", "B", "A, B / 32", "B % 32"), "accepted"); }
TEST(Book, COL_07_explicit_padding_stays) {
  Written const m{"A = 8, B = 32"};
  auto const made = collected(rngd, ScalarType::i8, m("A"), m("B # 32"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time, m("A"));
  EXPECT_EQ(made->packet, m("B # 32"));
}
TEST(Book, COL_08_less_than_a_flit) {
  Written const m{"A = 8, B = 16"};
  auto const made = collected(rngd, ScalarType::i8, m("A"), m("B"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time, m("A"));
  EXPECT_TRUE(equivalent(made->packet, m("B # 32")));
  EXPECT_EQ(made->packet, m("B #z 32")) << "what collect adds is zero";
}
TEST(Book, COL_09_several_flits) {
  Written const m{"A = 8, B = 32"};
  auto const made = collected(rngd, ScalarType::bf16, m("A"), m("B"));
  ASSERT_TRUE(made);
  EXPECT_EQ(made->time, m("A, B / 16"));
  EXPECT_EQ(made->packet, m("B % 16"));
}
TEST(Book, COL_10_both_steps) {
  EXPECT_EQ(collected_as("A = 8, B = 56", ScalarType::i8, "A", "B", "A, B # 64 / 32", "B # 64 % 32"), "accepted");
}

TEST(Book, PIP_07_one_flit_or_nothing) {
  for (std::int64_t elements : {1, 7, 31, 32, 33, 64, 96}) {
    std::string const axes = "A = 4, B = " + std::to_string(elements);
    Written const m{axes.c_str()};
    auto const made = collected(rngd, ScalarType::i8, m("A"), m("B"));
    ASSERT_TRUE(made);
    EXPECT_EQ(packed_size(ScalarType::i8, Elements{made->packet.size}).value(), Bytes{32}) << elements;
    std::string const unchanged = code_of(check_collect(rngd, ScalarType::i8, m("A"), m("B"), m("A"), m("B")));
    EXPECT_EQ(unchanged, elements == 32 ? "accepted" : "collect-packet-not-one-flit") << elements;
  }
}

}  // namespace
}  // namespace tcp
