// The rows of the ledger on what memories accept: alignment, the sizes of the levels, capacities, what a tensor takes.
#include <gtest/gtest.h>

#include "tcp/device/target.hpp"
#include "tcp/mapping/map.hpp"
#include "tcp/rules/memory.hpp"

namespace tcp {
namespace {

TCP_AXES(A = 8, B = 512, X = 2048);

std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }

/// n elements without a name.
Mapping elements(std::int64_t n) { return one.pad(n); }

TEST(Memory, STM_04_alignment) {
  // Every DM tensor begins at a multiple of its element's size.
  EXPECT_EQ(code(check_dm(target, ScalarType::i8, B, Bytes{1})), "accepted");
  EXPECT_EQ(code(check_dm(target, ScalarType::bf16, B, Bytes{2})), "accepted");
  EXPECT_EQ(code(check_dm(target, ScalarType::bf16, B, Bytes{3})), "memory-address-misaligned");
  EXPECT_EQ(code(check_dm(target, ScalarType::f32, B, Bytes{4})), "accepted");
  EXPECT_EQ(code(check_dm(target, ScalarType::f32, B, Bytes{6})), "memory-address-misaligned");
  // What is written, at a multiple of 8 bytes as well (E-29).
  EXPECT_EQ(code(check_dm_write(target, ScalarType::i8, B, Bytes{8})), "accepted");
  EXPECT_EQ(code(check_dm_write(target, ScalarType::i8, B, Bytes{4})), "memory-write-misaligned");
  EXPECT_EQ(code(check_dm_write(target, ScalarType::bf16, B, Bytes{3})), "memory-address-misaligned");
}

TEST(Memory, STM_06_one_position_for_each_chip) {
  EXPECT_EQ(code(check_chip_size(target, 8, A)), "accepted");
  EXPECT_EQ(code(check_chip_size(target, 4, A)), "memory-chip-size");
  EXPECT_EQ(code(check_chip_size(target, 4, one)), "memory-chip-size");
  EXPECT_EQ(code(check_chip_size(target, 4, one.pad(4))), "accepted") << "m![1 # NUM_CHIPS]";
}

TEST(Memory, STM_07_two_clusters) {
  EXPECT_EQ(code(check_cluster_size(target, one.pad(2))), "accepted") << "m![1 # 2]";
  EXPECT_EQ(code(check_cluster_size(target, A / 4)), "accepted");
  EXPECT_EQ(code(check_cluster_size(target, one)), "memory-cluster-size") << "the book's listings write m![1] (E-02)";
  EXPECT_EQ(code(check_cluster_size(target, one.pad(4))), "memory-cluster-size");
  EXPECT_EQ(code(check_cluster_size(logical, one)), "accepted") << "the bare listings run on `logical`";
}

TEST(Memory, STM_08_256_slices) {
  EXPECT_EQ(code(check_slice_size(target, (X / 64).pad(256))), "accepted") << "m![X / N # 256]";
  EXPECT_EQ(code(check_slice_size(target, X / 8)), "accepted");
  EXPECT_EQ(code(check_slice_size(target, one)), "memory-slice-size");
  EXPECT_EQ(code(check_slice_size(target, X / 64)), "memory-slice-size");
  EXPECT_EQ(code(check_slice_size(target, X / 4)), "memory-slice-size");
  EXPECT_EQ(code(check_slice_size(logical, X / 64)), "accepted");
}

TEST(Memory, STM_09_dm_capacity) {
  EXPECT_EQ(code(check_dm(target, ScalarType::i8, elements(524288), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_dm(target, ScalarType::i8, elements(524289), Bytes{0})), "memory-dm-too-large");
  EXPECT_EQ(code(check_dm(target, ScalarType::bf16, elements(262144), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_dm(target, ScalarType::bf16, elements(262145), Bytes{0})), "memory-dm-too-large");
}

TEST(Memory, STM_10_trf_capacity) {
  auto const trf = [](std::int64_t rows, std::int64_t n, TrfAddress where = TrfAddress::Full) {
    return code(check_trf(target, ScalarType::bf16, elements(rows), elements(n), where));
  };
  // 8 KB a row of eight.
  EXPECT_EQ(trf(8, 4096), "accepted");
  EXPECT_EQ(trf(8, 4097), "memory-trf-too-large");
  EXPECT_EQ(trf(9, 4096), "memory-trf-rows");
  // The correction: the capacity is Row * Element, 64 KB or 32 KB for a half, and Row is 1, 2, 4 or 8.
  EXPECT_EQ(trf(1, 32768), "accepted");
  EXPECT_EQ(trf(1, 32769), "memory-trf-too-large");
  EXPECT_EQ(trf(2, 16384), "accepted");
  EXPECT_EQ(trf(4, 8193), "memory-trf-too-large");
  for (TrfAddress half : {TrfAddress::FirstHalf, TrfAddress::SecondHalf}) {
    EXPECT_EQ(trf(8, 2048, half), "accepted");
    EXPECT_EQ(trf(8, 2049, half), "memory-trf-too-large");
  }
  for (std::int64_t rows : {3, 5, 6, 7, 16}) EXPECT_EQ(trf(rows, 1), "memory-trf-rows");
}

TEST(Memory, STM_11_vrf_capacity) {
  EXPECT_EQ(code(check_vrf(target, ScalarType::i32, elements(2048), Bytes{0})), "accepted");
  EXPECT_EQ(code(check_vrf(target, ScalarType::i32, elements(2049), Bytes{0})), "memory-vrf-too-large");
}

TEST(Memory, STM_12_dm_extent) {
  EXPECT_EQ(*extent_at(ScalarType::bf16, B, Bytes{4096}), (Interval{Bytes{4096}, Bytes{4096 + 1024}}));
  EXPECT_EQ(*extent_at(ScalarType::i4, B, Bytes{0}), (Interval{Bytes{0}, Bytes{256}})) << "sizes are counted in bits (E-28)";
  EXPECT_STREQ(extent_at(ScalarType::i4, elements(3), Bytes{0}).refusal().code, "scalar-not-whole-bytes");
  // Half open: the next tensor begins where this one ends.
  Interval const first = *extent_at(ScalarType::i8, B, Bytes{0}), next = *extent_at(ScalarType::i8, B, Bytes{512}),
                 inside = *extent_at(ScalarType::i8, B, Bytes{511});
  EXPECT_FALSE(first.overlaps(next));
  EXPECT_TRUE(first.overlaps(inside));
  EXPECT_TRUE(inside.overlaps(first));
}

TCP_AXES(M = 8192, N = 8192, K = 2048, C = 32, D = 8);
TCP_AXES(Batch = 32, SeqLen = 128, Hidden = 8192);

TEST(Book, KER_02_refusal) {
  EXPECT_EQ(code(check_vrf(target, ScalarType::f32, elements(2048), Bytes{0})), "accepted") << "8 KB";
  EXPECT_EQ(code(check_vrf(target, ScalarType::f32, elements(2049), Bytes{0})), "memory-vrf-too-large");
  EXPECT_EQ(code(check_dm(target, ScalarType::bf16, elements(262144), Bytes{0})), "accepted") << "512 KB";
  EXPECT_EQ(code(check_dm(target, ScalarType::bf16, elements(262145), Bytes{0})), "memory-dm-too-large");
}

TEST(Book, KER_04_types) {
  // F-72: M / 32 are the 256 tiles; each has the 32 elements of M % 32.
  EXPECT_EQ(Mapping(M / 32).size, 256);
  EXPECT_EQ(Mapping(N / 32).size, 256);
  EXPECT_EQ(Mapping(M % 32).size, 32);
}

TEST(Book, KER_11_sizes) {
  auto const bytes = [](const Mapping& m) { return element_bytes(ScalarType::bf16, m).value().value; };
  EXPECT_EQ(bytes(detail::listed(Batch, SeqLen, Hidden)), 64 << 20);
  EXPECT_EQ(Mapping(detail::listed(Batch, SeqLen)).size, 4096) << "tokens";
  EXPECT_EQ(bytes(Hidden), 16 << 10) << "a token";
  EXPECT_EQ(bytes(Hidden % 4096), 8 << 10) << "a half";
  EXPECT_EQ(Mapping(Hidden / 4096).size, 2);
}

TEST(Book, KER_51_padding_is_to_a_size) {
  // F-83: `C # 6` of eight elements would be less than there is; what that chapter adds is written as the size it comes to.
  EXPECT_FALSE(Mapping(D.pad(6)).ok());
  EXPECT_EQ(Mapping(D.pad(8 + 6)).size, 14);
  EXPECT_EQ(Mapping(C.pad(32 + 30)).size, 62);
}

TEST(Book, KER_71_vrf_totals) {
  EXPECT_EQ(target.vrf.slice_capacity, Bytes{8 << 10});
  EXPECT_EQ(target.vrf.slice_capacity.value * target.levels.slices_per_cluster, 2 << 20);
}

TEST(Book, KER_72_acceptance) {
  Mapping const all = detail::listed(K, C);  // 2048 · 32 elements of one byte in slice 0
  EXPECT_EQ(element_bytes(ScalarType::f8e4m3, all).value(), Bytes{64 << 10});
  EXPECT_EQ(code(check_vrf(target, ScalarType::f8e4m3, all, Bytes{0})), "memory-vrf-too-large");
  Mapping const spread = detail::listed(D, C);  // over 256 slices
  EXPECT_EQ(element_bytes(ScalarType::f8e4m3, spread).value(), Bytes{256});
  EXPECT_EQ(code(check_vrf(target, ScalarType::f8e4m3, spread, Bytes{0})), "accepted");
}

}  // namespace
}  // namespace tcp
