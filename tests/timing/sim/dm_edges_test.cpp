// The cycles of DM at their edges: when an access is served, when there is room again, and the last cycle in which DMA may be answered.
#include "traffic.hpp"

namespace tcp::sim {
namespace {

struct Dm {
  ServedTimes served;
  DmBanks banks{rngd, &served};

  bool issue(const DmAccess& a) { return *banks.issue(a); }
  /// Law: what is served in cycle t is not served by the steps before it, and is by that of t.
  void expect_served_in(std::uint64_t tag, std::int64_t t) {
    while (banks.now() < Cycles{t}) ASSERT_TRUE(banks.step());
    EXPECT_FALSE(served.at.contains(tag)) << tag << " is not served by cycle " << t - 1;
    ASSERT_TRUE(banks.step());
    ASSERT_TRUE(served.at.contains(tag)) << tag << " is served in cycle " << t;
    EXPECT_EQ(served.at[tag], Cycles{t + 1});
  }
};

constexpr DmAccess word(DmClient client, std::int64_t bank, std::uint64_t tag, std::int64_t slice = 0) {
  return {.slice = slice, .address = Bytes{bank * 8}, .size = Bytes{8}, .client = client, .tag = tag};
}

constexpr DmAccess dma(std::int64_t slice, std::uint64_t tag, std::int64_t size = 256, std::int64_t address = 0) {
  return {.slice = slice, .address = Bytes{address}, .size = Bytes{size}, .client = DmClient::dma, .command = 9, .tag = tag};
}

TEST(DmEdge, a_bank_serves_one_access_a_cycle) {
  Dm dm;
  EXPECT_TRUE(dm.issue(word(DmClient::sub_fetch, 3, 1)));
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 3, 2)));
  EXPECT_TRUE(dm.issue(word(DmClient::main_commit, 4, 3)));
  dm.expect_served_in(2, 0);
  EXPECT_EQ(dm.served.at[3], Cycles{1}) << "another bank, the same cycle";
  dm.expect_served_in(1, 1);
}

TEST(DmEdge, an_access_waits_for_all_of_its_banks) {
  Dm dm;
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 3, 1)));
  EXPECT_TRUE(dm.issue({.slice = 0, .address = Bytes{0}, .size = Bytes{32}, .client = DmClient::main_commit, .tag = 2}));
  EXPECT_TRUE(dm.issue(word(DmClient::sub_fetch, 0, 3)));
  dm.expect_served_in(1, 0);
  EXPECT_EQ(dm.served.at[3], Cycles{1}) << "what waits does not keep the banks that it does not use";
  dm.expect_served_in(2, 1);
}

TEST(DmEdge, an_engine_has_one_access_a_slice) {
  Dm dm;
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 3, 1)));
  EXPECT_FALSE(dm.issue(word(DmClient::main_fetch, 4, 2)));
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 4, 3, 1)));
  ASSERT_TRUE(dm.banks.step());
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 4, 2)));
}

TEST(DmEdge, a_slice_has_two_entries_for_dma) {
  Dm dm;
  EXPECT_TRUE(dm.issue(dma(7, 1)));
  EXPECT_TRUE(dm.issue(dma(7, 2)));
  EXPECT_FALSE(dm.issue(dma(7, 3)));
  EXPECT_TRUE(dm.issue(dma(8, 4)));
  ASSERT_TRUE(dm.banks.step());
  EXPECT_FALSE(dm.issue(dma(7, 3))) << "half of the first request is still to come";
  ASSERT_TRUE(dm.banks.step());
  EXPECT_TRUE(dm.issue(dma(7, 3)));
}

TEST(DmEdge, a_request_takes_a_cycle_for_each_128_bytes) {
  for (auto [size, address, cycles] : {std::tuple{8, 0, 1}, std::tuple{128, 0, 1}, std::tuple{128, 64, 1}, std::tuple{136, 0, 2},
                                       std::tuple{256, 0, 2}, std::tuple{256, 64, 2}, std::tuple{256, 4, 3}}) {
    Dm dm;
    EXPECT_TRUE(dm.issue(dma(0, 1, size, address)));
    dm.expect_served_in(1, cycles - 1);
  }
}

TEST(DmEdge, a_dmn_serves_its_slices_one_after_the_other) {
  Dm dm;
  EXPECT_TRUE(dm.issue(dma(0, 1)));
  EXPECT_TRUE(dm.issue(dma(31, 2)));
  EXPECT_TRUE(dm.issue(dma(32, 3)));
  dm.expect_served_in(1, 1);
  EXPECT_EQ(dm.served.at[3], Cycles{2}) << "slice 32 belongs to the other DMN";
  dm.expect_served_in(2, 3);
}

TEST(DmEdge, a_beat_takes_its_banks_as_they_become_free) {
  Dm dm;
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 0, 10)));
  EXPECT_TRUE(dm.issue(dma(0, 1, 128)));
  ASSERT_TRUE(dm.banks.step());
  EXPECT_TRUE(dm.issue(word(DmClient::main_fetch, 1, 11)));  // a bank that the beat has already had
  dm.expect_served_in(1, 1);
}

/// Main fetch of command 4 holds bank 0 of slice 5 for so many cycles while a request of 128 bytes waits.
Verdict hold_for(std::int64_t cycles, ServedTimes& served) {
  DmBanks banks(rngd, &served);
  Sender const fetch{.client = DmClient::main_fetch, .command = 4, .count = cycles, .make = bank_of(5, 0)};
  Sender const request{.client = DmClient::dma, .command = 9, .count = 1, .make = [](std::int64_t) { return dma(5, 1000, 128); }};
  return run(banks, {fetch, request});
}

TEST(DmEdge, dma_is_answered_after_4096_cycles_or_never) {
  ServedTimes in_time, late;
  EXPECT_TRUE(hold_for(4095, in_time));
  EXPECT_EQ(in_time.at[1000], Cycles{4096});
  Verdict const v = hold_for(4096, late);
  ASSERT_FALSE(v);
  EXPECT_STREQ(v.refusal().code, "dm-response-timeout");
  EXPECT_FALSE(late.at.contains(1000));
  std::string const said(v.refusal().headline.s);
  EXPECT_NE(said.find("DMA command 9"), std::string::npos) << said;
  EXPECT_NE(said.find("main fetch of command 4 holds bank 0"), std::string::npos) << said;
}

}  // namespace
}  // namespace tcp::sim
