// What memories hold: addresses and rows, stores into TRF and VRF, and other names for the same places.
#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/cell.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/memory.hpp"
#include "tcp/rules/register_files.hpp"
#include "tcp/rules/view.hpp"

namespace tcp {
namespace {

TCP_AXES(A = 8, B = 512, X = 2048);

static_assert(check_dm(rngd, ScalarType::bf16, m<B>{}, Bytes{64}).ok(), "rules are constant expressions");
static_assert(!check_slice_size(rngd, m<X / 64>{}).ok());

std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }
Mapping elements(std::int64_t n) { return one.pad(n); }

/// A memory of `bytes` bytes takes exactly that, and no tensor that begins later and ends beyond it.
template <class Check>
void expect_capacity(std::int64_t bytes, const char* too_large, const Check& check) {
  EXPECT_EQ(code(check(ScalarType::i8, bytes, 0)), "accepted");
  EXPECT_EQ(code(check(ScalarType::i8, bytes + 1, 0)), too_large);
  EXPECT_EQ(code(check(ScalarType::i8, bytes, 1)), "memory-beyond-end");
  EXPECT_EQ(code(check(ScalarType::i8, 1, bytes - 1)), "accepted");
  EXPECT_EQ(code(check(ScalarType::i8, 1, bytes)), "memory-beyond-end");
  EXPECT_EQ(code(check(ScalarType::i4, 2 * bytes, 0)), "accepted");
  EXPECT_EQ(code(check(ScalarType::i4, 2 * bytes + 2, 0)), too_large);
  EXPECT_EQ(code(check(ScalarType::i4, 2 * bytes - 1, 0)), "scalar-not-whole-bytes") << "half a byte is no size";
  EXPECT_EQ(code(check(ScalarType::bf16, bytes / 2, 0)), "accepted");
  EXPECT_EQ(code(check(ScalarType::bf16, bytes / 2 + 1, 0)), too_large);
  EXPECT_EQ(code(check(ScalarType::f32, bytes / 4, 0)), "accepted");
  EXPECT_EQ(code(check(ScalarType::f32, bytes / 4 + 1, 0)), too_large);
  EXPECT_EQ(code(check(ScalarType::f32, bytes / 4 - 1, 4)), "accepted");
  EXPECT_EQ(code(check(ScalarType::f32, bytes / 4 - 1, 8)), "memory-beyond-end");
  EXPECT_EQ(code(check(ScalarType::f32, 1, 2)), "memory-address-misaligned");
  EXPECT_EQ(code(check(ScalarType::i8, 1, -1)), "memory-address-negative");
}

TEST(MemoryRules, dm_capacity_at_its_edges) {
  expect_capacity(512 * 1024, "memory-dm-too-large",
                  [](ScalarType t, std::int64_t n, std::int64_t at) { return check_dm(rngd, t, elements(n), Bytes{at}); });
}
TEST(MemoryRules, hbm_capacity_at_its_edges) {
  expect_capacity(std::int64_t{48} << 30, "memory-hbm-too-large",
                  [](ScalarType t, std::int64_t n, std::int64_t at) { return check_hbm(rngd, t, elements(n), Bytes{at}); });
}
TEST(MemoryRules, vrf_capacity_at_its_edges) {
  expect_capacity(8 * 1024, "memory-vrf-too-large",
                  [](ScalarType t, std::int64_t n, std::int64_t at) { return check_vrf(rngd, t, elements(n), Bytes{at}); });
}

TEST(MemoryRules, capacity_follows_the_device) {
  Device small = rngd;
  small.dm.slice_capacity = Bytes{1000};
  EXPECT_EQ(code(check_dm(small, ScalarType::i8, elements(1000), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_dm(small, ScalarType::i8, elements(1001), Bytes{0})), "memory-dm-too-large");
}

TEST(MemoryRules, padding_takes_room) {
  EXPECT_EQ(*element_bytes(ScalarType::bf16, B.pad(600)), Bytes{1200});
  EXPECT_EQ(*element_bytes(ScalarType::i4, B), Bytes{256});
  EXPECT_STREQ(element_bytes(ScalarType::i4, elements(5)).refusal().code, "scalar-not-whole-bytes");
  EXPECT_STREQ(element_bytes(ScalarType::f32, elements(std::int64_t{1} << 62)).refusal().code, "scalar-size-overflow");
}

TEST(MemoryRules, trf_is_shared_by_its_rows) {
  auto const trf = [](ScalarType t, std::int64_t rows, std::int64_t n, TrfAddress where) {
    return code(check_trf(rngd, t, elements(rows), elements(n), where));
  };
  for (std::int64_t rows : {1, 2, 4, 8}) {
    EXPECT_EQ(trf(ScalarType::i8, rows, 65536 / rows, TrfAddress::Full), "accepted") << rows;
    EXPECT_EQ(trf(ScalarType::i8, rows, 65536 / rows + 1, TrfAddress::Full), "memory-trf-too-large") << rows;
    EXPECT_EQ(trf(ScalarType::i4, rows, 2 * 65536 / rows, TrfAddress::Full), "accepted") << rows;
    EXPECT_EQ(trf(ScalarType::i4, rows, 2 * 65536 / rows + 2, TrfAddress::Full), "memory-trf-too-large") << rows;
    for (TrfAddress half : {TrfAddress::FirstHalf, TrfAddress::SecondHalf}) {
      EXPECT_EQ(trf(ScalarType::i8, rows, 32768 / rows, half), "accepted") << rows;
      EXPECT_EQ(trf(ScalarType::i8, rows, 32768 / rows + 1, half), "memory-trf-too-large") << rows;
    }
  }
  for (std::int64_t rows : {3, 5, 6, 7, 9, 16}) EXPECT_EQ(trf(ScalarType::i8, rows, 1, TrfAddress::Full), "memory-trf-rows") << rows;
  EXPECT_EQ(trf(ScalarType::i8, 8, std::int64_t{1} << 58, TrfAddress::Full), "memory-trf-too-large");
}

TEST(MemoryRules, what_is_written_begins_at_a_row_of_a_bank) {
  for (std::int64_t at = 0; at < 32; ++at) EXPECT_EQ(check_dm_write(rngd, ScalarType::i8, B, Bytes{at}).ok(), at % 8 == 0) << at;
  EXPECT_EQ(code(check_dm_write(rngd, ScalarType::i8, B, Bytes{4})), "memory-write-misaligned");
  EXPECT_EQ(code(check_dm_write(rngd, ScalarType::i8, elements(524289), Bytes{0})), "memory-dm-too-large");
  EXPECT_EQ(code(check_dm_write(logical, ScalarType::i8, B, Bytes{4})), "accepted") << "no alignment of writes on `logical`";
}

TEST(MemoryRules, the_help_of_a_misaligned_address_is_an_aligned_one) {
  EXPECT_EQ(check_dm(rngd, ScalarType::f32, B, Bytes{4098}).refusal().advice.view(), "use 4100");
  EXPECT_EQ(check_dm_write(rngd, ScalarType::i8, B, Bytes{4100}).refusal().advice.view(), "use 4104");
}

TEST(MemoryRules, levels_have_the_devices_sizes) {
  EXPECT_EQ(code(check_chip_size(rngd, 8, A)), "accepted");
  EXPECT_EQ(code(check_chip_size(rngd, 1, one)), "accepted");
  EXPECT_EQ(code(check_chip_size(rngd, 7, A)), "memory-chip-size");
  for (std::int64_t n : {1, 3, 4}) EXPECT_EQ(code(check_cluster_size(rngd, elements(n))), "memory-cluster-size") << n;
  EXPECT_EQ(code(check_cluster_size(rngd, elements(2))), "accepted");
  for (std::int64_t n : {1, 255, 257, 512}) EXPECT_EQ(code(check_slice_size(rngd, elements(n))), "memory-slice-size") << n;
  EXPECT_EQ(code(check_slice_size(rngd, elements(256))), "accepted");
}

TEST(MemoryRules, the_logical_device_has_no_geometry) {
  EXPECT_EQ(code(check_chip_size(logical, 8, one)), "accepted");
  EXPECT_EQ(code(check_cluster_size(logical, one)), "accepted");
  EXPECT_EQ(code(check_slice_size(logical, X)), "accepted");
  EXPECT_EQ(code(check_dm(logical, ScalarType::i8, elements(524289), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_hbm(logical, ScalarType::i8, elements(std::int64_t{1} << 40), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_vrf(logical, ScalarType::i8, elements(8193), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_trf(logical, ScalarType::i8, elements(9), elements(65536), TrfAddress::Full)), "accepted");
  EXPECT_EQ(code(check_dm(logical, ScalarType::f32, B, Bytes{2})), "memory-address-misaligned") << "but elements stay whole";
}

TEST(MemoryRules, a_mapping_that_cannot_be_is_said_to_be_so) {
  Mapping const faulty = B / 7;
  EXPECT_EQ(code(check_dm(rngd, ScalarType::i8, faulty, Bytes{0})), "mapping-stride-not-divisor");
  EXPECT_EQ(code(check_slice_size(rngd, faulty)), "mapping-stride-not-divisor");
  EXPECT_EQ(code(check_trf(rngd, ScalarType::i8, faulty, B, TrfAddress::Full)), "mapping-stride-not-divisor");
  EXPECT_EQ(code(verdict(extent_at(ScalarType::i8, faulty, Bytes{0}))), "mapping-stride-not-divisor");
}

TEST(MemoryRules, geometry_asks_all_levels_and_that_they_do_not_overlap) {
  Levels levels;
  levels.set(Level::cluster, one.pad(2)).set(Level::slice, (X / 8)).set(Level::element, X % 8);
  EXPECT_EQ(code(check_geometry(rngd, 1, levels)), "accepted");
  EXPECT_EQ(code(check_geometry(rngd, 2, levels)), "memory-chip-size");
  EXPECT_EQ(code(check_geometry(rngd, 1, Levels(levels).set(Level::cluster, one))), "memory-cluster-size");
  EXPECT_EQ(code(check_geometry(rngd, 1, Levels(levels).set(Level::slice, X / 16))), "memory-slice-size");
  EXPECT_EQ(code(check_geometry(rngd, 1, Levels(levels).set(Level::element, X % 16))), "levels-axis-twice");
  EXPECT_EQ(code(check_geometry(logical, 2, Levels(levels).set(Level::element, X % 16))), "levels-axis-twice")
      << "that is no matter of the device";
}

TEST(MemoryRules, extents_are_half_open) {
  Interval const a{Bytes{0}, Bytes{16}}, b{Bytes{16}, Bytes{32}}, c{Bytes{15}, Bytes{17}};
  EXPECT_FALSE(a.overlaps(b));
  EXPECT_FALSE(b.overlaps(a));
  EXPECT_TRUE(a.overlaps(c));
  EXPECT_TRUE(c.overlaps(b));
  EXPECT_TRUE(a.overlaps(a));
  EXPECT_EQ(*extent_at(ScalarType::bf16, B, Bytes{100}), (Interval{Bytes{100}, Bytes{1124}}));
  EXPECT_TRUE(extent_at(ScalarType::i8, B, Bytes{INT64_MAX - 512}).ok());
  EXPECT_STREQ(extent_at(ScalarType::i8, B, Bytes{INT64_MAX - 511}).refusal().code, "memory-address-overflow");
}

// Stores into TRF and VRF: what becomes Row and Element, which padding may be promised, what fits.

namespace register_files {

using enum ScalarType;

std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }

struct Store {
  Axes axes = parse_axes("A = 4, N = 8, K = 12, L = 40").value();

  Mapping map(std::string_view text) const { return parse(text, axes).value(); }
  std::string trf(std::string_view time, std::string_view packet, std::string_view row, std::string_view element) const {
    return code(verdict(check_to_trf(rngd, bf16, map(time), map(packet), map(row), map(element), TrfAddress::Full)));
  }
  std::string vrf(std::string_view time, std::string_view packet, std::string_view element, std::int64_t address = 0) const {
    return code(verdict(check_to_vrf(rngd, f32, map(time), map(packet), map(element), Bytes{address})));
  }
};

TEST(RegisterFiles, padding_may_be_promised_less_never_more) {
  Store const s;
  EXPECT_EQ(s.trf("N, A", "K #z 16", "N", "A, K #z 16"), "accepted");
  EXPECT_EQ(s.trf("N, A", "K #z 16", "N", "A, K # 16"), "accepted") << "then it may not be relied on";
  EXPECT_EQ(s.trf("N, A", "K # 16", "N", "A, K #z 16"), "trf-padding-not-zero");
  EXPECT_EQ(s.trf("N, A", "K #z 16", "N", "A, K"), "trf-element-wrong") << "padding is stored as well";
  EXPECT_EQ(s.vrf("A", "K #z 16", "A, K #z 16"), "accepted");
  EXPECT_EQ(s.vrf("A", "K # 16", "A, K #z 16"), "vrf-padding-not-zero");
  // The type that results is the declared one.
  EXPECT_EQ(check_to_trf(rngd, bf16, s.map("N, A"), s.map("K #z 16"), s.map("N"), s.map("A, K # 16"), TrfAddress::Full).value().element,
            s.map("A, K # 16"));
}

TEST(RegisterFiles, padding_of_two_kinds) {
  // The flit's own padding is undefined, the other half of the row zeros.
  Store const s;
  Mapping const real = s.map("1 #z 2, K # 16");
  EXPECT_FALSE(detail::promises_more(s.map("K # 32"), real));
  EXPECT_FALSE(detail::promises_more(real, real));
  EXPECT_TRUE(detail::promises_more(s.map("K #z 32"), real));
}

TEST(RegisterFiles, padded_rows) {
  Store const s;
  EXPECT_EQ(s.trf("K # 16 / 2, A", "L # 48 % 16", "K # 16 / 2", "A, L # 48 % 16"), "accepted");
  EXPECT_EQ(s.trf("A # 8, N", "L # 48 % 16", "A #z 8", "N, L # 48 % 16"), "trf-padding-not-zero");
  EXPECT_EQ(s.trf("A, N", "L # 48 % 16", "A # 8", "N, L # 48 % 16"), "trf-row-not-outermost") << "there is no padding in Time";
}

TEST(RegisterFiles, row_lies_in_time) {
  Store const s;
  EXPECT_EQ(s.trf("A", "N, 2", "A, N / 4", "N % 4, 2"), "trf-row-not-outermost") << "a flit goes into one Row";
  EXPECT_EQ(s.trf("1", "N, 2", "1", "N, 2"), "accepted");
}

TEST(RegisterFiles, vrf_capacity_and_address) {
  Store const s;
  EXPECT_EQ(s.vrf("A, N", "L # 64", "A, N, L # 64"), "accepted") << "8 KB";
  EXPECT_EQ(s.vrf("A, N", "L # 65", "A, N, L # 65"), "memory-vrf-too-large");
  EXPECT_EQ(s.vrf("A", "N", "A, N", 8064), "accepted");
  EXPECT_EQ(s.vrf("A", "N", "A, N", 8068), "memory-beyond-end");
  EXPECT_EQ(s.vrf("A", "N", "A, N", 2), "memory-address-misaligned");
  EXPECT_EQ(s.vrf("A", "N", "N, A"), "vrf-element-wrong");
  EXPECT_EQ(check_to_vrf(rngd, i32, s.map("A"), s.map("N"), s.map("A, N"), Bytes{64}).value().extent, (Interval{Bytes{64}, Bytes{192}}));
}

TEST(RegisterFiles, a_logical_device_has_no_capacity) {
  Store const s;
  EXPECT_EQ(
      code(verdict(check_to_trf(logical, bf16, s.map("N, L"), s.map("1 # 4096"), s.map("N"), s.map("L, 1 # 4096"), TrfAddress::Full))),
      "accepted");
  EXPECT_EQ(s.trf("N, L", "1 # 4096", "N", "L, 1 # 4096"), "memory-trf-too-large");
}

}  // namespace register_files

// What a reshape may do: give other names to the same places. The judge here walks all positions.

Mapping written(const std::string& text) {
  auto const m = parse(
      text,
      *parse_axes("A = 6, B = 4, C = 24, D = 2, E = 12, N = 1024, Ring = 4, InRing = 16, Own = 16, Cl = 2, Rings = 2, W = 3, D2 = 2"));
  EXPECT_TRUE(m.ok()) << text;
  return m.ok() ? *m : Mapping{};
}
bool accepted(const std::string& from, const std::string& to) {
  Levels before, after;
  before.set(Level::element, written(from));
  after.set(Level::element, written(to));
  return check_reshape(before, after).ok();
}
bool live_alike(const std::string& from, const std::string& to) {
  Mapping const a = written(from), b = written(to);
  if (a.size != b.size) return false;
  for (std::int64_t at = 0; at < a.size; ++at)
    if (cell(a, at).live() != cell(b, at).live()) return false;
  return true;
}

TEST(Reshape, a_group_padded_as_a_whole_is_live_where_one_padded_axis_is) {
  EXPECT_TRUE(accepted("C # 30", "[A, B] # 30"));
  EXPECT_TRUE(accepted("[A, B] # 30", "[D, E] # 30"));
  EXPECT_TRUE(accepted("N # 1168", "[Ring, InRing] # 73, Own"));
  EXPECT_TRUE(accepted("N # 1280", "[Cl, Rings] # 5, InRing, Own"));
  EXPECT_FALSE(accepted("C # 30", "A, B # 5"));
}

TEST(Reshape, a_plain_axis_is_read_as_a_window) {
  EXPECT_TRUE(accepted("A", "$(B, W)"));
  EXPECT_TRUE(accepted("C, A # 8", "C, $(B, W) # 8"));
  EXPECT_TRUE(accepted("E", "$(B:3, W)"));
  EXPECT_TRUE(accepted("C", "$(E:2, D)")) << "the places are all named";
  EXPECT_TRUE(accepted("[A, B] # 30", "$(E:2, D) # 30")) << "of two axes, too";
  EXPECT_FALSE(accepted("A # 8", "$(B, W), 1 # 2")) << "padding stays where it is";
  EXPECT_FALSE(accepted("A # 8", "$(A, W)")) << "what is not there has no name";
}
TEST(Reshape, zeros_that_are_promised_can_be_read) {
  EXPECT_TRUE(accepted("D, A #z 12", "D, E")) << "zeros are elements";
  EXPECT_TRUE(accepted("A #z 12, D", "C"));
  EXPECT_TRUE(accepted("D, A #z 12", "D, $(B:3, W)")) << "of a window, too";
  EXPECT_FALSE(accepted("D, A # 12", "D, E")) << "padding that is not zero is whatever was there";
  EXPECT_FALSE(accepted("D, A #z 12", "D, A # 8, 1 # 2"));
}
TEST(Reshape, promises_no_zeros_that_were_not_promised_before) {
  std::string const some[] = {"A # 12, D",      "A #z 12, D",    "E",
                              "C # 30",         "C #z 30",       "[A, B] # 30",
                              "[A, B] #z 30",   "D #z 4, W # 4", "D # 4, W #z 4",
                              "D #z 4, W #z 4", "D # 4, W # 4",  "D2 #z 4, W # 4"};
  int kept = 0, broken = 0;
  for (const auto& a : some)
    for (const auto& b : some) {
      if (!live_alike(a, b)) continue;
      Mapping const from = written(a), to = written(b);
      bool honest = true;
      for (std::int64_t at = 0; at < from.size; ++at) honest = honest && (cell(to, at).pad != Pad::zero || cell(from, at).pad == Pad::zero);
      EXPECT_EQ(accepted(a, b), honest) << a << " to " << b;
      (honest ? kept : broken) += a != b;
    }
  EXPECT_GE(kept, 8);
  EXPECT_GE(broken, 8);
}
TEST(Reshape, a_window_stays_what_it_is) {
  EXPECT_TRUE(accepted("$(B, W)", "$(B, W)"));
  EXPECT_FALSE(accepted("$(B, W)", "A"));
  EXPECT_FALSE(accepted("$(B, W)", "$(D:4, D2)"));
}

TEST(Reshape, answers_as_walking_every_position_does) {
  std::string const some[] = {"C # 30",           "[A, B] # 30",    "[D, E] # 30",           "A, B # 5",         "A # 15, D",
                              "D, [A, B] # 30",   "D, C # 30",      "[D, A] # 15, B",        "E # 15, B",        "[[D, A] # 13, B] # 60",
                              "[E # 13, B] # 60", "[D, A, B] # 60", "[[A, B] # 25, D] # 60", "[C # 25, D] # 60", "[A, B # 5] # 60"};
  int same = 0;
  for (const auto& a : some)
    for (const auto& b : some) {
      EXPECT_EQ(accepted(a, b), live_alike(a, b)) << a << " to " << b;
      same += live_alike(a, b) && a != b;
    }
  EXPECT_GE(same, 14);
}

}  // namespace
}  // namespace tcp
