#include <gtest/gtest.h>

#include <string>

#include "tcp/device/check.hpp"
#include "tcp/device/chips.hpp"

namespace tcp {
namespace {

static_assert(check_device(rngd) && check_device(rngd_s) && check_device(logical));

std::string path_of_fault(const Device& d) {
  DeviceFault const f = find_fault(d);
  EXPECT_EQ(bool(f), !check_device(d).ok());
  EXPECT_EQ(bool(f), !f.problem.empty());
  return std::string(f.group) + (f.key.empty() ? "" : ".") + std::string(f.key);
}

/// Makes one number of the device impossible, and no other.
struct Spoil : FieldCursor {
  int which;
  std::int64_t with;
  bool spoilt = false, may_be_zero = false;

  Spoil(int field_to_spoil, std::int64_t value) : which(field_to_spoil), with(value) {}

  void field(const DeviceField&, bool&, bool) { next(); }
  void set(std::int64_t& v) { v = with; }
  template <class Unit>
  void set(Count<Unit>& v) {
    v.value = with;
  }
  template <class T>
  void set(OneOf<T>& v) {
    set(v.item[v.count - 1]);
  }
  template <class T>
  void field(const DeviceField& row, T& member, const std::type_identity_t<T>&) {
    next();
    if (index != which) return;
    set(member);
    spoilt = true;
    may_be_zero = row.range == FieldRange::not_negative;
    path = std::string(group_name) + "." + row.key;
  }
  std::string path;
};

TEST(CheckDevice, no_number_is_zero_or_negative_or_beyond_reason) {
  int numbers = 0;
  for (int i = 0; i < field_count(); ++i)
    for (std::int64_t bad : {std::int64_t{0}, std::int64_t{-8}, std::int64_t{1} << 62, INT64_MIN, INT64_MAX}) {
      Device d = rngd;
      Spoil spoil(i, bad);
      each_field(d, spoil);
      if (!spoil.spoilt || (bad == 0 && spoil.may_be_zero)) continue;  // flags are right either way
      ++numbers;
      EXPECT_EQ(path_of_fault(d), spoil.path) << bad;
    }
  EXPECT_GT(numbers, 400);
}

TEST(CheckDevice, powers_of_two_where_addresses_are_taken_apart_by_bits) {
  Device d = rngd;
  d.dm.banks_per_slice = 12;
  EXPECT_EQ(path_of_fault(d), "dm.banks_per_slice");
  EXPECT_EQ(find_fault(d).problem.view(), "has 12, but it must be a power of two");
}

TEST(CheckDevice, lists_are_ascending_and_not_empty) {
  Device d = rngd;
  d.commit.main_sizes = {8, 24, 16};
  EXPECT_EQ(find_fault(d).problem.view(), "has 16 bytes after 24 bytes");
  d.commit.main_sizes = {8, 8};
  EXPECT_EQ(path_of_fault(d), "commit.main_sizes");
  d.commit.main_sizes = {};
  EXPECT_EQ(find_fault(d).problem.view(), "lists 0 values, but must list 1 to 8");
  d.commit.main_sizes.count = 9;
  EXPECT_EQ(find_fault(d).problem.view(), "lists 9 values, but must list 1 to 8");
}

TEST(CheckDevice, programs_can_name_all_units) {
  Device d = rngd;
  d.levels.slices_per_cluster = 512;
  d.levels.slices_per_dmn = 64;
  EXPECT_EQ(path_of_fault(d), "levels.slices_per_cluster");
  EXPECT_EQ(find_fault(d).problem.view(), "is 512, but programs are made for at most 256: a command names slices by a bitmap");
  d = rngd;
  d.levels.clusters_per_chip = 33;
  EXPECT_EQ(path_of_fault(d), "levels.clusters_per_chip");
  d.levels.clusters_per_chip = 32;
  EXPECT_EQ(path_of_fault(d), "");
  d = rngd;
  d.contraction.mac_bytes = Bytes{128};
  EXPECT_EQ(path_of_fault(d), "contraction.mac_bytes");
  d = rngd;
  d.vector.narrow_lanes = 8;
  EXPECT_EQ(path_of_fault(d), "vector.narrow_lanes");
}

TEST(CheckDevice, whole_and_parts_agree) {
  Device d = rngd;
  d.dm.rows_per_bank = 2048;
  EXPECT_EQ(find_fault(d).problem.view(), "is 524288 bytes, but 16 banks of 2048 rows of 8 bytes make 262144 bytes");
  d.dm.slice_capacity = Bytes{262144};
  EXPECT_EQ(path_of_fault(d), "");

  d = rngd;
  d.levels.slices_per_dmn = 64;
  EXPECT_EQ(path_of_fault(d), "levels.slices_per_cluster");
  d.levels.dmns_per_cluster = 4;
  EXPECT_EQ(path_of_fault(d), "");
  d.levels.pes_per_cluster = 8;
  EXPECT_EQ(path_of_fault(d), "levels.pes_per_cluster");

  d = rngd;
  d.trf.line_bytes = Bytes{64};
  EXPECT_EQ(path_of_fault(d), "trf.slice_capacity");
  d = rngd;
  d.trf.halves = 3;
  EXPECT_EQ(path_of_fault(d), "trf.halves");
  d = rngd;
  d.contraction.columns = 16;
  EXPECT_EQ(path_of_fault(d), "contraction.accumulator_slots");
  d = rngd;
  d.flit.dual_bytes = Bytes{128};
  EXPECT_EQ(path_of_fault(d), "flit.dual_bytes");
  d = rngd;
  d.vector.lanes = 16;
  EXPECT_EQ(path_of_fault(d), "vector.lanes");
  d = rngd;
  d.vector.narrow_lanes = 16;
  EXPECT_EQ(path_of_fault(d), "vector.narrow_lanes");
}

TEST(CheckDevice, a_product_beyond_64_bits_is_a_fault_and_no_overflow) {
  Device d = rngd;
  d.dm.banks_per_slice = d.dm.rows_per_bank = std::int64_t{1} << 32;
  EXPECT_EQ(path_of_fault(d), "dm.slice_capacity");
  EXPECT_NE(find_fault(d).problem.view().find("more than 64 bits hold"), std::string_view::npos);
}

TEST(CheckDevice, sizes_fit_what_carries_them) {
  Device d = rngd;
  d.dm.dma_slice_stride = Bytes{256 << 10};
  EXPECT_EQ(path_of_fault(d), "dm.dma_slice_stride");
  d = rngd;
  d.fetch.main_sizes = {8, 64};
  EXPECT_EQ(path_of_fault(d), "fetch.main_sizes");
  d.sequencer.base_packets = {8, 64};
  EXPECT_EQ(path_of_fault(d), "fetch.main_sizes");
  d = rngd;
  d.fetch.sub_size = Bytes{64};
  EXPECT_EQ(path_of_fault(d), "fetch.sub_size");
  d = rngd;
  d.fetch.sub_size_i4_to_i32 = Bytes{64};
  EXPECT_EQ(path_of_fault(d), "fetch.sub_size_i4_to_i32");
  d = rngd;
  d.commit.packet_sizes = {8, 40};
  EXPECT_EQ(path_of_fault(d), "commit.packet_sizes");
  d = rngd;
  d.commit.main_sizes = {8, 40};
  EXPECT_EQ(path_of_fault(d), "commit.main_sizes");
  d = rngd;
  d.commit.sub_size = Bytes{40};
  EXPECT_EQ(path_of_fault(d), "commit.sub_size");
  d = rngd;
  d.hbm.channel_bytes_per_cycle = Bytes{512};
  EXPECT_EQ(path_of_fault(d), "hbm.channel_bytes_per_cycle");
  d = rngd;
  d.contraction.row_counts = {1, 16};
  EXPECT_EQ(path_of_fault(d), "contraction.row_counts");
}

TEST(CheckDevice, a_tree_sums_no_more_than_a_cycle_brings) {
  Device d = rngd;
  d.contraction.tree_depth_i4 = 8;
  EXPECT_EQ(path_of_fault(d), "contraction.tree_depth_i4");
  d = rngd;
  d.contraction.tree_depth_i8 = 7;
  EXPECT_EQ(path_of_fault(d), "contraction.tree_depth_i8");
  d = rngd;
  d.contraction.tree_depth_f8 = 200;
  EXPECT_EQ(path_of_fault(d), "contraction.tree_depth_f8");
  d = rngd;
  d.contraction.tree_depth_bf16 = 6;
  EXPECT_EQ(path_of_fault(d), "contraction.tree_depth_bf16");
  d.contraction.tree_depth_bf16 = 4;
  EXPECT_EQ(path_of_fault(d), "");
}

TEST(CheckDevice, hbm_geometry_is_the_one_that_the_address_map_knows) {
  for (std::int64_t chip::Hbm::* part : {&chip::Hbm::stacks_per_chip, &chip::Hbm::channels_per_stack, &chip::Hbm::slices_per_channel,
                                         &chip::Hbm::bank_groups_per_slice, &chip::Hbm::banks_per_group, &chip::Hbm::rows_per_bank}) {
    Device d = rngd;
    d.hbm.*part *= 2;
    d.hbm.capacity = d.hbm.capacity * 2;
    EXPECT_TRUE(find_fault(d));
  }
  Device d = rngd;
  d.hbm.capacity = Bytes{32LL << 30};
  EXPECT_EQ(path_of_fault(d), "hbm.capacity");
}

TEST(CheckDevice, a_name_is_needed_and_plain) {
  for (const char* bad : {"", "two words", "quote\"", "a\nb"}) {
    Device d = rngd;
    d.name = bad;
    EXPECT_EQ(path_of_fault(d), "name") << bad;
  }
}

}  // namespace
}  // namespace tcp
