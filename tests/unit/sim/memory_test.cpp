// The memories of the simulator: bytes, register files, banks of DM.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "sim/memory.hpp"
#include "sim/register_file.hpp"
#include "tcp/device/chips.hpp"
#include "timing/sim/traffic.hpp"

namespace tcp::sim {
namespace {

TEST(SparseMemory, holds_what_was_written_and_knows_what_was_not) {
  constexpr std::int64_t size = 5 * SparseMemory::page_bytes / 2;
  std::vector<std::byte> plain(size);
  std::vector<bool> undefined(2 * size, true);
  SparseMemory memory;
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    auto const begin = static_cast<std::int64_t>(random() % size);
    auto const length = std::min<std::int64_t>(size - begin, 1 + static_cast<std::int64_t>(random() % 5000));
    if (random() % 3 != 0) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(length));
      for (std::byte& b : bytes) b = static_cast<std::byte>(random());
      memory.write(begin, length, bytes.data());
      std::copy(bytes.begin(), bytes.end(), plain.begin() + begin);
      std::fill_n(undefined.begin() + 2 * begin, 2 * length, false);
    } else {
      auto const first = 2 * begin + static_cast<std::int64_t>(random() % 2), halves = std::max<std::int64_t>(1, 2 * length - 3);
      if (first + halves > 2 * size) continue;
      memory.undefine(first, halves);
      std::fill_n(undefined.begin() + first, halves, true);
    }
    auto const from = static_cast<std::int64_t>(random() % size);
    auto const count = std::min<std::int64_t>(size - from, 1 + static_cast<std::int64_t>(random() % 300));
    std::vector<std::byte> got(static_cast<std::size_t>(count));
    bool const defined = memory.read(from, count, got.data());
    bool const any =
        std::find(undefined.begin() + 2 * from, undefined.begin() + 2 * (from + count), true) != undefined.begin() + 2 * (from + count);
    ASSERT_EQ(defined, !any);
    for (std::int64_t i = 0; i < count; ++i) {
      ASSERT_EQ(memory.any_undefined(2 * (from + i), 1), undefined[static_cast<std::size_t>(2 * (from + i))]);
      ASSERT_EQ(memory.any_undefined(2 * (from + i) + 1, 1), undefined[static_cast<std::size_t>(2 * (from + i) + 1)]);
      if (undefined[static_cast<std::size_t>(2 * (from + i))]) continue;
      ASSERT_EQ(got[static_cast<std::size_t>(i)], plain[static_cast<std::size_t>(from + i)]);
    }
  }
}

TEST(SparseMemory, costs_what_is_touched) {
  SparseMemory memory;
  std::byte const one{1};
  std::int64_t const far = std::int64_t{47} << 30;
  memory.write(far, 1, &one);
  memory.write(3, 1, &one);
  EXPECT_EQ(memory.pages(), 2);
  std::byte got{};
  EXPECT_TRUE(memory.read(far, 1, &got));
  EXPECT_EQ(got, one);
  EXPECT_FALSE(memory.read(far + 1, 1, &got));
  EXPECT_EQ(memory.pages(), 2);  // looking makes nothing
}

TEST(SparseMemory, in_front_of_it_nothing_is_defined) {
  SparseMemory memory;
  std::vector<std::byte> const ones(8, std::byte{1});
  memory.write(0, 8, ones.data());
  std::vector<std::byte> got(8);
  EXPECT_FALSE(memory.read(-4, 8, got.data()));
  EXPECT_EQ(got[3], std::byte{0});
  EXPECT_EQ(got[4], std::byte{1});
}

// The banks of the TRF.

using Place = TensorRegisterFile::Place;

TEST(TensorRegisterFile, a_row_walks_both_columns_of_a_line_and_then_the_next_line) {
  TensorRegisterFile const trf(rngd);
  EXPECT_EQ(trf.place(3, 8, 0), (Place{3, 0, 0, 0}));
  EXPECT_EQ(trf.place(3, 8, 63), (Place{3, 0, 0, 63}));
  EXPECT_EQ(trf.place(3, 8, 64), (Place{3, 1, 0, 0}));
  EXPECT_EQ(trf.place(3, 8, 128), (Place{3, 0, 1, 0}));
}

TEST(TensorRegisterFile, every_slot_belongs_to_one_place_however_many_rows) {
  TensorRegisterFile const trf(rngd);
  for (std::int64_t rows : {1, 2, 4, 8}) {
    std::vector<bool> seen(8 * 2 * 128 * 64, false);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t half = 0; half < trf.row_halves(rows); ++half) {
        Place const p = trf.place(row, rows, half);
        auto const slot = static_cast<std::size_t>(((p.bank_row * 2 + p.bank_column) * 128 + p.line) * 64 + p.slot);
        ASSERT_FALSE(seen.at(slot)) << rows << " rows, row " << row << ", half byte " << half;
        seen[slot] = true;
      }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<std::ptrdiff_t>(seen.size()));
  }
}

TEST(TensorRegisterFile, the_first_half_is_the_lower_half_of_every_bank) {
  TensorRegisterFile const trf(rngd);
  for (std::int64_t rows : {1, 2, 4, 8})
    for (std::int64_t half = 0; half < trf.row_halves(rows); ++half)
      ASSERT_EQ(trf.place(0, rows, half).line < 64, half < trf.row_halves(rows) / 2) << rows << " rows, half byte " << half;
}

TEST(TensorRegisterFile, keeps_nine_bits_of_i9_in_two_slots) {
  TensorRegisterFile trf(rngd);
  EXPECT_TRUE(trf.load(0, 8, 6, 2).undefined);
  trf.store(0, 8, 6, 2, {0x1a5, false});
  EXPECT_EQ(trf.load(0, 8, 6, 2).bits, 0x1a5u);
  EXPECT_FALSE(trf.load(0, 8, 6, 2).undefined);
  EXPECT_TRUE(trf.load(0, 8, 4, 2).undefined);
  trf.store(7, 8, 100, 4, {0xbeef, true});
  EXPECT_EQ(trf.load(7, 8, 100, 4).bits, 0xbeefu);
  EXPECT_TRUE(trf.load(7, 8, 100, 4).undefined);
}

// The banks of DM under random traffic: each access is served once, no bank twice in a cycle, and none overtakes one of higher priority.

struct Log : DmObserver {
  std::vector<std::pair<DmAccess, Cycles>> served_at;
  void served(const DmAccess& a, Cycles at) override { served_at.emplace_back(a, at); }
};

/// Traffic of all clients in a few slices and banks, so that they meet.
struct Traffic {
  Log log;
  DmBanks banks{rngd, &log};
  std::map<std::uint64_t, Cycles> issued;

  explicit Traffic(unsigned seed) {
    std::mt19937 random(seed);
    auto const below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
    constexpr std::int64_t slices[] = {0, 1, 33};
    std::uint64_t tag = 0;
    for (int cycle = 0; cycle < 2000; ++cycle) {
      for (int c = 0; c < dm_clients; ++c) {
        auto const client = static_cast<DmClient>(c);
        bool const dma = client == DmClient::dma;
        if (below(3) != 0) continue;
        DmAccess const a{.slice = slices[below(3)],
                         .address = Bytes{below(8) * 8 + below(50) * 128},
                         .size = Bytes{dma ? 8 * (1 + below(32)) : 8 << below(3)},
                         .client = client,
                         .command = c,
                         .tag = tag};
        if (*banks.issue(a)) issued[tag++] = banks.now();
      }
      EXPECT_TRUE(banks.step());
    }
    EXPECT_TRUE(banks.drain());
  }
};

std::set<std::int64_t> banks_of(const DmAccess& a) {
  std::set<std::int64_t> all;
  for (std::int64_t byte = a.address.value; byte < a.address.value + a.size.value; ++byte) all.insert(byte / 8 % 16);
  return all;
}

TEST(DmBanks, every_access_is_served_once) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Traffic const t(seed);
    std::set<std::uint64_t> tags;
    std::int64_t counted = 0;
    for (auto const& [a, at] : t.log.served_at) {
      EXPECT_TRUE(tags.insert(a.tag).second);
      EXPECT_GT(at, t.issued.at(a.tag));
    }
    EXPECT_EQ(tags.size(), t.issued.size());
    for (const DmClientStats& c : t.banks.stats().client) counted += c.served;
    EXPECT_EQ(counted, std::ssize(t.log.served_at));
  }
}

TEST(DmBanks, no_bank_serves_two_engines_in_a_cycle) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Traffic const t(seed);
    std::set<std::tuple<std::int64_t, std::int64_t, Cycles>> taken;
    for (auto const& [a, at] : t.log.served_at) {
      if (a.client == DmClient::dma) continue;
      for (std::int64_t bank : banks_of(a))
        EXPECT_TRUE(taken.insert({a.slice, bank, at}).second) << "bank " << bank << " of slice " << a.slice;
    }
  }
}

TEST(DmBanks, an_engine_waits_only_for_those_above_it) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Traffic const t(seed);
    // What was served at which time, by slice and bank; DMA apart, which takes the banks of a beat at different times.
    std::map<std::tuple<std::int64_t, std::int64_t, Cycles>, DmClient> holder;
    for (auto const& [a, at] : t.log.served_at)
      if (a.client != DmClient::dma)
        for (std::int64_t bank : banks_of(a)) holder[{a.slice, bank, at}] = a.client;
    for (auto const& [a, at] : t.log.served_at) {
      if (a.client == DmClient::dma) continue;
      for (Cycles before = t.issued.at(a.tag) + Cycles{1}; before < at; before += Cycles{1}) {
        bool above = false;
        for (std::int64_t bank : banks_of(a)) {
          auto const found = holder.find({a.slice, bank, before});
          above |= found != holder.end() && found->second < a.client;
        }
        EXPECT_TRUE(above) << "access " << a.tag << " waited for no access above it";
      }
    }
  }
}

TEST(DmBanks, requests_of_a_dmn_are_answered_in_order) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Traffic const t(seed);
    std::map<std::int64_t, std::uint64_t> last;
    for (auto const& [a, at] : t.log.served_at) {
      if (a.client != DmClient::dma) continue;
      auto const [seen, first] = last.try_emplace(a.slice / 32, a.tag);
      EXPECT_TRUE(first || seen->second < a.tag);
      seen->second = a.tag;
    }
  }
}

TEST(DmBanks, accesses_of_each_bank_are_counted) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    Traffic const t(seed);
    std::vector<std::int64_t> expected(64 * 16);
    for (auto const& [a, at] : t.log.served_at)
      for (std::int64_t line = a.address.value / 8; line * 8 < a.address.value + a.size.value; ++line)
        ++expected[static_cast<std::size_t>(a.slice * 16 + line % 16)];
    EXPECT_EQ(t.banks.stats().bank_accesses, expected);
  }
}

TEST(DmBanks, two_side_by_side_do_not_disturb_each_other) {
  DmBanks alone(rngd), first(rngd), second(rngd);
  for (std::int64_t i = 0; i < 500; ++i) {
    DmAccess const a{.slice = i % 5, .address = Bytes{i * 8}, .size = Bytes{64}, .client = static_cast<DmClient>(i % 5)};
    EXPECT_EQ(*alone.issue(a), *first.issue(a));
    ASSERT_TRUE(second.issue({.slice = 1, .address = Bytes{0}, .size = Bytes{8}}).ok());
    for (DmBanks* b : {&alone, &first, &second}) ASSERT_TRUE(b->step());
  }
  EXPECT_EQ(alone.stats(), first.stats());
}

TEST(DmBanks, refuses_what_is_no_access) {
  DmBanks banks(rngd);
  auto const code = [&](std::int64_t slice, std::int64_t address, std::int64_t size, DmClient client) -> std::string {
    auto const r = banks.issue({.slice = slice, .address = Bytes{address}, .size = Bytes{size}, .client = client});
    return r ? "accepted" : r.refusal().code;
  };
  EXPECT_EQ(code(-1, 0, 8, DmClient::main_fetch), "dm-access-slice");
  EXPECT_EQ(code(64, 0, 8, DmClient::dma), "dm-access-slice");
  EXPECT_EQ(code(0, 0, 0, DmClient::main_fetch), "dm-access-size");
  EXPECT_EQ(code(0, 0, 129, DmClient::main_fetch), "dm-access-size");
  EXPECT_EQ(code(0, 4, 128, DmClient::main_fetch), "dm-access-size") << "17 rows: one bank twice";
  EXPECT_EQ(code(0, 0, 257, DmClient::dma), "dm-access-size");
  EXPECT_EQ(code(0, -8, 8, DmClient::main_fetch), "device-dm-address-out-of-range");
  EXPECT_EQ(code(0, 524288 - 8, 16, DmClient::main_fetch), "device-dm-address-out-of-range");
  EXPECT_EQ(code(0, INT64_MAX, 16, DmClient::dma), "device-dm-address-out-of-range");
  EXPECT_TRUE(banks.idle()) << "what is refused leaves no trace";
  EXPECT_EQ(code(0, 524288 - 128, 128, DmClient::main_fetch), "accepted");
  EXPECT_EQ(code(0, 524288 - 256, 256, DmClient::dma), "accepted");
}

}  // namespace
}  // namespace tcp::sim
