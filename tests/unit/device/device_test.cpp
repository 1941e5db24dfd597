// The chip as data: its numbers, and the casts it has.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tcp/device/casts.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/derived.hpp"

namespace tcp {
namespace {

template <Device D>
struct CompiledFor {
  static constexpr Bytes flit = D.flit.bytes;
};
static_assert(CompiledFor<rngd>::flit == Bytes{32}, "a device is structural: it may be a template argument");

struct Row {
  std::string group, key, source, note;
  bool assumed;
};

struct RowsOf : FieldCursor {
  const Device& device;
  std::vector<Row> rows;

  explicit RowsOf(const Device& d) : device(d) { each_field(d, *this); }

  template <class T>
  void field(const DeviceField& row, const T&, const std::type_identity_t<T>&) {
    next();
    rows.push_back({group_name, row.key, row.source, row.note, device.assumed.contains(index)});
  }
};

TEST(DeviceTable, every_number_has_a_source) {
  std::regex const ledger("[A-Z]+-[0-9]{2,3}(, [A-Z]+-[0-9]{2,3})*");
  std::regex const words("public figures( of plans| of chips|, later editions)|(assumption|choice): [a-zA-Z0-9 ().,;'-]{20,}");
  for (const Row& r : RowsOf(rngd).rows)
    EXPECT_TRUE(std::regex_match(r.source, ledger) || std::regex_match(r.source, words)) << r.group << "." << r.key << ": " << r.source;
}

TEST(DeviceTable, paths_are_unique_and_words_need_no_escape_in_json) {
  std::set<std::string> paths;
  for (const Row& r : RowsOf(rngd).rows) {
    EXPECT_TRUE(paths.insert(r.group + "." + r.key).second) << r.group << "." << r.key;
    for (char c : r.group + r.key + r.source + r.note)
      EXPECT_TRUE(c >= ' ' && c <= '~' && c != '"' && c != '\\') << r.group << "." << r.key;
  }
  EXPECT_EQ(paths.size(), static_cast<std::size_t>(field_count()));
}

TEST(DeviceTable, numbers_of_fields_are_their_order) {
  int number = 0;
  for (const Row& r : RowsOf(rngd).rows) EXPECT_EQ(field_number(r.group, r.key), number++) << r.group << "." << r.key;
  EXPECT_EQ(field_number("dm", "clusters_per_chip"), -1);
}

TEST(Chips, what_is_assumed_of_rngd) {
  EXPECT_EQ(assumption_count(rngd, "book"), 2);
  EXPECT_EQ(assumption_count(rngd, "planned"), 4) << "a memset has been seen on chips alone";
  EXPECT_GT(assumption_count(rngd, "calibrated"), 4) << "what only plans have";
  EXPECT_FALSE(is_assumed(rngd, "spm", "pe_capacity"));
  EXPECT_TRUE(is_assumed(rngd, "hbm", "row_open"));
  EXPECT_TRUE(is_assumed(rngd, "fetch", "lift_table"));
  EXPECT_FALSE(is_assumed(rngd, "dm", "slice_capacity"));
}

TEST(Chips, of_rngd_s_only_the_extra_casts_are_published) {
  std::set<std::string> const extra{"i4_to_i9", "i16_to_i9", "f8e4m3_to_bf16", "f8e5m2_to_bf16"};
  for (const Row& r : RowsOf(rngd_s).rows)
    EXPECT_EQ(r.assumed, r.group != "checks" && !(r.group == "fetch_casts" && extra.contains(r.key))) << r.group << "." << r.key;
  Device without = rngd_s;
  without.name = rngd.name;
  without.fetch_casts = rngd.fetch_casts;
  without.assumed = rngd.assumed;
  EXPECT_EQ(without, rngd);
}

TEST(Chips, logical_is_rngd_without_geometry_and_dma_alignment) {
  EXPECT_TRUE(rngd.checks.geometry && rngd.checks.dma_alignment);
  EXPECT_FALSE(logical.checks.geometry || logical.checks.dma_alignment);
  Device held = logical;
  held.name = rngd.name;
  held.checks = rngd.checks;
  EXPECT_EQ(held, rngd);
}

TEST(Derived, follows_from_the_numbers) {
  EXPECT_EQ(slices_per_pe(rngd), 64);
  EXPECT_EQ(dmns_per_pe(rngd), 2);
  EXPECT_EQ(dm_bytes_per_memory(rngd), Bytes{256 << 20});
  EXPECT_EQ(dm_slice_bytes_per_cycle(rngd), Bytes{128});
  EXPECT_EQ(dma_dmn_stride(rngd), Bytes{128 << 20});
  EXPECT_EQ(trf_bytes_per_row(rngd), Bytes{8 << 10});
  EXPECT_EQ(trf_half_capacity(rngd), Bytes{32 << 10});
  EXPECT_EQ(hbm_channels_per_chip(rngd), 32);
  EXPECT_EQ(hbm_access_cycles(rngd), Ratio(16, 3));
  EXPECT_EQ(in_core_cycles(rngd, HbmCycles{3}), Ratio(2, 1));
  EXPECT_EQ(hbm_mb_per_s(rngd), 1536000);
}

TEST(Derived, the_64_access_rule_is_the_timeout_in_other_words) {
  std::int64_t const cycles_per_access = rngd.dma.engine_bytes_per_cycle / rngd.dm.dmn_bytes_per_cycle * rngd.levels.slices_per_dmn;
  EXPECT_LT((rngd.dm.same_bank_limit - 1) * cycles_per_access, rngd.dm.response_timeout.value);
  EXPECT_GE(rngd.dm.same_bank_limit * cycles_per_access, rngd.dm.response_timeout.value);
}

TEST(OneOf, contains_what_it_lists) {
  constexpr OneOf<Bytes> sizes{8, 16, 24, 32};
  static_assert(sizes.contains(Bytes{24}) && !sizes.contains(Bytes{12}) && !sizes.contains(Bytes{0}));
  static_assert(sizes.largest() == Bytes{32});
  static_assert(OneOf<Bytes>{}.largest() == Bytes{0});
  OneOf<std::int64_t> const full{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(full.count, 8) << "what does not fit is left out, and never written";
}

TEST(FieldSet, remembers_each_field) {
  FieldSet s;
  for (int i = 0; i < FieldSet::room; i += 3) s.insert(i);
  for (int i = 0; i < FieldSet::room; ++i) EXPECT_EQ(s.contains(i), i % 3 == 0) << i;
  EXPECT_EQ(s.size(), 86);
}

TEST(DeviceName, keeps_what_fits) {
  EXPECT_EQ(DeviceName("rngd").view(), "rngd");
  EXPECT_EQ(DeviceName(std::string(40, 'x')).view(), std::string(31, 'x'));
}

}  // namespace
}  // namespace tcp

namespace tcp {
namespace {

int count(bool (*has)(const Device&, ScalarType, ScalarType), const Device& d) {
  int n = 0;
  for (ScalarType from : scalar_types)
    for (ScalarType to : scalar_types) n += from != to && has(d, from, to);
  return n;
}

TEST(Casts, of_the_fetch_adapter) {
  EXPECT_EQ(count(has_fetch_cast, rngd), 10);
  EXPECT_EQ(count(has_fetch_cast, rngd_s), 14);
  EXPECT_TRUE(has_fetch_cast(rngd, ScalarType::i8, ScalarType::i32));
  EXPECT_FALSE(has_fetch_cast(rngd, ScalarType::i32, ScalarType::i8));
  EXPECT_FALSE(has_fetch_cast(rngd, ScalarType::i4, ScalarType::i9));
  EXPECT_TRUE(has_fetch_cast(rngd_s, ScalarType::i4, ScalarType::i9));
}

TEST(Casts, the_identity_needs_no_converter_in_fetch) {
  for (ScalarType t : scalar_types) EXPECT_TRUE(has_fetch_cast(rngd, t, t)) << scalar_info(t).name;
}

TEST(Casts, of_the_cast_engine) {
  EXPECT_EQ(count(has_cast_engine_cast, rngd), 7);
  EXPECT_TRUE(has_cast_engine_cast(rngd, ScalarType::f32, ScalarType::bf16));
  EXPECT_FALSE(has_cast_engine_cast(rngd, ScalarType::i32, ScalarType::i32));
  Device d = rngd;
  d.cast.f32_to_bf16 = false;
  EXPECT_FALSE(has_cast_engine_cast(d, ScalarType::f32, ScalarType::bf16));
}

/// Each flag is the flag of the pair that its name says: switching one on gives exactly the pair of that name.
struct SwitchOn : FieldCursor {
  int which;
  std::string key;

  explicit SwitchOn(int field) : which(field) {}

  void field(const DeviceField& row, bool& flag, bool) {
    next();
    if (index != which) return;
    flag = true;
    key = row.key;
  }
  template <class T>
  void field(const DeviceField&, T&, const std::type_identity_t<T>&) {
    next();
  }
};

TEST(Casts, each_flag_is_the_pair_of_its_name) {
  int flags = 0;
  for (int i = 0; i < field_count(); ++i) {
    Device d = rngd;
    d.fetch_casts = {};
    d.cast = {};
    SwitchOn on(i);
    each_field(d, on);
    if (on.key.find("_to_") == std::string::npos) continue;
    ++flags;
    for (ScalarType from : scalar_types)
      for (ScalarType to : scalar_types)
        if (from != to) {
          bool const named = on.key == std::string(scalar_info(from).name) + "_to_" + scalar_info(to).name;
          EXPECT_EQ(has_fetch_cast(d, from, to) || has_cast_engine_cast(d, from, to), named) << on.key;
        }
  }
  EXPECT_EQ(flags, 21);
}

}  // namespace
}  // namespace tcp
