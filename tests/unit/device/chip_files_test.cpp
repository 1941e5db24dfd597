// The chip files, and where an address of HBM is.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tcp/device/address_map.hpp"
#include "tcp/device/check.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/load.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/render.hpp"

namespace tcp {
namespace {

const Device* const chips[] = {&rngd, &rngd_s, &logical};

std::string path_of(const Device& d) { return TCP_SOURCE_DIR "/data/chips/" + std::string(d.name.view()) + ".json"; }

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(ChipFiles, are_what_the_table_says) {
  bool const regenerate = std::getenv("TCP_REGENERATE") != nullptr;
  for (const Device* d : chips) {
    if (regenerate) std::ofstream(path_of(*d), std::ios::binary) << to_chip_file(*d);
    EXPECT_EQ(contents(path_of(*d)), to_chip_file(*d))
        << "if the table is right: TCP_REGENERATE=1 and this program, with --gtest_filter='ChipFiles.*'";
  }
}

TEST(ChipFiles, are_the_constants) {
  for (const Device* d : chips) {
    auto const loaded = load_device(path_of(*d));
    ASSERT_TRUE(loaded) << render(loaded.refusal());
    EXPECT_EQ(*loaded, *d) << d->name.view();
  }
}

TEST(ChipFiles, become_the_header_of_a_target) {
  std::string const path = TCP_SOURCE_DIR "/tests/unit/device/rngd_s_target.hpp";  // compiled by target_test.cpp
  if (std::getenv("TCP_REGENERATE") != nullptr) std::ofstream(path, std::ios::binary) << to_header(rngd_s);
  EXPECT_EQ(contents(path), to_header(rngd_s))
      << "if the new header is right: TCP_REGENERATE=1 and this program, with --gtest_filter='ChipFiles.*'";
}

/// Moves every number to another one that is as possible, flags and assumptions too.
struct Shake : FieldCursor {
  Random random;
  FieldSet* assumed;

  Shake(std::uint64_t seed, FieldSet* where_to_note) : random(seed), assumed(where_to_note) {}

  void field(const DeviceField&, bool& flag, bool) {
    note();
    flag = random.below(2) != 0;
  }
  void field(const DeviceField& row, std::int64_t& n, std::int64_t) {
    note();
    if (group_name != std::string_view("hbm") && row.range == FieldRange::positive) n = random.between(1, 1 << 20);
  }
  template <class Unit>
  void field(const DeviceField& row, Count<Unit>& n, Count<Unit>) {
    note();
    std::string_view const group = group_name;
    bool const free = !std::is_same_v<Count<Unit>, Bytes> || group == "vrf" || group == "spm" || group == "dma";
    if (free && row.range == FieldRange::positive) n.value = random.between(1, 2000) << (10 * random.below(3));
  }
  template <class T>
  void field(const DeviceField&, OneOf<T>& list, const OneOf<T>&) {
    note();
    list.count = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(list.count)));
    for (int i = list.count; i < OneOf<T>::room; ++i) list.item[i] = T{};
  }

 private:
  void note() {
    next();
    if (random.below(2) != 0) assumed->insert(index);
  }
};

TEST(ChipFiles, law_parse_of_written_is_the_device) {
  int possible = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Device d = rngd;
    d.name = "shaken";
    d.assumed = {};
    Shake shake(seed, &d.assumed);
    each_field(d, shake);
    // Some numbers follow from others, and some have a limit.
    d.levels.clusters_per_chip = 1 + d.levels.clusters_per_chip % 32;
    d.vector.narrow_lanes = 1 + d.vector.narrow_lanes % 4;
    d.trf.halves = 2;
    d.trf.bank_columns = rngd.trf.bank_columns;
    d.contraction = rngd.contraction;
    d.sequencer.base_packets = rngd.sequencer.base_packets;
    if (!check_device(d)) continue;
    ++possible;
    auto const read = parse_device(to_chip_file(d), "shaken.json");
    ASSERT_TRUE(read) << render(read.refusal());
    EXPECT_EQ(*read, d);
  }
  EXPECT_GT(possible, 150);
}

constexpr std::int64_t hbm_bytes = rngd.hbm.capacity.value;

static_assert(*hbm_encode(rngd, *hbm_decode(rngd, Bytes{hbm_bytes - 1})) == Bytes{hbm_bytes - 1});

void expect_there_and_back(std::int64_t address) {
  auto const place = hbm_decode(rngd, Bytes{address});
  ASSERT_TRUE(place.ok()) << address;
  ASSERT_EQ(*hbm_encode(rngd, *place), Bytes{address});
}

TEST(HbmMap, there_and_back_for_every_setting_of_the_bits_above_the_byte) {
  // All values of bits 8 to 23, with several of the bits above: every component but the row takes all its values in each.
  for (std::int64_t high = 0; high < hbm_bytes; high += (std::int64_t{1} << 24) * 331)
    for (std::int64_t unit = 0; unit < 1 << 16; ++unit) expect_there_and_back(high + unit * 256 + unit % 256);
  // All values of bits 20 to 35.
  for (std::int64_t top = 0; top < hbm_bytes >> 20; ++top) expect_there_and_back(top << 20 | 0x5a5a5);
}

TEST(HbmMap, there_and_back_at_random) {
  Random random(7);
  for (int i = 0; i < 300000; ++i) expect_there_and_back(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(hbm_bytes))));
}

TEST(HbmMap, back_and_there_for_places) {
  Random random(8);
  auto const below = [&](std::int64_t n) { return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n))); };
  for (int i = 0; i < 300000; ++i) {
    HbmPlace const p{.stack = below(2),
                     .channel = below(16),
                     .slice = below(3),
                     .bank_group = below(4),
                     .bank = below(4),
                     .row = below(16384),
                     .byte = below(2048)};
    auto const address = hbm_encode(rngd, p);
    ASSERT_TRUE(address.ok());
    ASSERT_EQ(*hbm_decode(rngd, *address), p);
  }
}

/// All components as one number; none of them overlaps another.
std::int64_t packed(const HbmPlace& p) {
  return p.byte | p.stack << 11 | p.channel << 12 | p.bank_group << 16 | p.bank << 18 | p.row << 20 | p.slice << 34;
}

TEST(HbmMap, is_a_bijection_because_it_is_linear_with_full_rank) {
  // Below 16 GiB (bits 34 and 35 clear) and in the two 16 GiB above it, the bits of the place are sums modulo 2 of the bits of the address.
  // Such a map is one-to-one if the places of the single bits are independent; that the three parts do not meet is seen from slice and row.
  for (std::int64_t base : {std::int64_t{0}, std::int64_t{1} << 34, std::int64_t{1} << 35}) {
    auto const at = [&](std::int64_t a) { return packed(*hbm_decode(rngd, Bytes{base | a})); };
    std::vector<std::int64_t> basis;
    for (int bit = 0; bit < 34; ++bit) {
      std::int64_t v = at(std::int64_t{1} << bit) ^ at(0);
      for (std::int64_t b : basis) v = std::min(v, v ^ b);
      ASSERT_NE(v, 0) << "bit " << bit << " adds nothing";
      basis.push_back(v);
    }
    Random random(9);
    for (int i = 0; i < 100000; ++i) {
      auto const a = static_cast<std::int64_t>(random.below(std::uint64_t{1} << 34));
      auto const b = static_cast<std::int64_t>(random.below(std::uint64_t{1} << 34));
      ASSERT_EQ(at(a ^ b) ^ at(0), at(a) ^ at(b));
    }
  }
}

TEST(HbmMap, the_lower_address_bit_is_the_lower_bit_of_its_component) {
  auto const at = [](int bit) { return *hbm_decode(rngd, Bytes{std::int64_t{1} << bit}); };
  EXPECT_EQ(at(13).bank_group, 1);
  EXPECT_EQ(at(19).bank_group, 2);
  EXPECT_EQ(at(17).bank, 1);
  EXPECT_EQ(at(18).bank, 2);
  EXPECT_EQ(at(7).byte, 128);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(at(14 + k).byte, 256 << k);
  for (int k = 0; k < 13; ++k) EXPECT_EQ(at(21 + k).row, 1 << k);
}

TEST(HbmMap, the_bytes_of_a_unit_lie_in_one_row) {
  HbmPlace const first = *hbm_decode(rngd, Bytes{0});
  for (std::int64_t byte = 0; byte < 256; ++byte) {
    HbmPlace p = *hbm_decode(rngd, Bytes{byte});
    EXPECT_EQ(p.byte, byte);
    p.byte = 0;
    EXPECT_EQ(p, first);
  }
}

TEST(AddressMaps, refuse_what_the_memory_does_not_have) {
  for (std::int64_t bad : {std::int64_t{-1}, rngd.dm.slice_capacity.value, INT64_MAX, INT64_MIN})
    EXPECT_STREQ(check_dm_address(rngd, Bytes{bad}).refusal().code, "device-dm-address-out-of-range");
  for (std::int64_t bad : {std::int64_t{-1}, hbm_bytes, std::int64_t{3} << 34, INT64_MAX, INT64_MIN})
    EXPECT_STREQ(hbm_decode(rngd, Bytes{bad}).refusal().code, "device-hbm-address-out-of-range");
  std::int64_t const limit[] = {2, 16, 3, 4, 4, 16384, 2048};
  std::int64_t HbmPlace::* const part[] = {&HbmPlace::stack, &HbmPlace::channel, &HbmPlace::slice, &HbmPlace::bank_group,
                                           &HbmPlace::bank,  &HbmPlace::row,     &HbmPlace::byte};
  for (int i = 0; i < 7; ++i)
    for (std::int64_t bad : {std::int64_t{-1}, limit[i]}) {
      HbmPlace p;
      p.*part[i] = bad;
      EXPECT_STREQ(hbm_encode(rngd, p).refusal().code, "device-hbm-place-out-of-range") << i;
    }
}

}  // namespace
}  // namespace tcp
