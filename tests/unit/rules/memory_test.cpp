#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/memory.hpp"

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

}  // namespace
}  // namespace tcp
