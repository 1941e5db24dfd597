#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

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

}  // namespace
}  // namespace tcp
