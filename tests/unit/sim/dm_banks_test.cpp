// The banks of DM under random traffic: each access is served once, no bank twice in a cycle, and nobody overtakes one of higher priority.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

#include "timing/sim/dm_traffic.hpp"

namespace tcp::sim {
namespace {

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
        EXPECT_TRUE(above) << "access " << a.tag << " waited for nobody above it";
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
