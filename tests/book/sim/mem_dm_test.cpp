// The rows of the ledger on the performance of DM, shown by the model of its banks.
#include "tcp/device/derived.hpp"
#include "tcp/sched/bank_runs.hpp"
#include "timing/sim/traffic.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sim {
namespace {

DmAccess request(std::int64_t slice, std::int64_t i, std::int64_t bytes = 256) {
  return {.slice = slice, .address = Bytes{i % 1024 * 256}, .size = Bytes{bytes}, .tag = static_cast<std::uint64_t>(i)};
}

/// A DMA of so many requests of 256 bytes; request i goes to the slice `slice_of(i)`.
Sender dma(std::int64_t count, std::function<std::int64_t(std::int64_t)> slice_of) {
  return {.client = DmClient::dma, .command = 9, .count = count, .make = [=](std::int64_t i) { return request(slice_of(i), i); }};
}

Cycles cycles_of(std::vector<Sender> senders) {
  DmBanks banks(rngd);
  EXPECT_TRUE(run(banks, std::move(senders)));
  return banks.now();
}

/// Which bank serves an access.
std::int64_t bank_at(std::int64_t address, std::int64_t bytes = 1) {
  DmBanks banks(rngd);
  auto const access = [=](std::int64_t) { return DmAccess{.slice = 3, .address = Bytes{address}, .size = Bytes{bytes}}; };
  EXPECT_TRUE(run(banks, {{.client = DmClient::main_fetch, .command = 1, .count = 1, .make = access}}));
  return banks.stats().longest_hold.bank;
}
/// Cycles of two accesses that are asked for at once: one if different banks serve them.
Cycles both(std::int64_t first, std::int64_t second) {
  auto const at = [](std::int64_t address) {
    return [=](std::int64_t) { return DmAccess{.slice = 3, .address = Bytes{address}, .size = Bytes{1}}; };
  };
  return cycles_of({{.client = DmClient::main_fetch, .command = 1, .count = 1, .make = at(first)},
                    {.client = DmClient::sub_fetch, .command = 2, .count = 1, .make = at(second)}});
}

TEST(Mem, MEM_04_bits_3_to_6_choose_the_bank) {
  for (int bit = 0; bit < 19; ++bit) {
    bool const of_bank = bit >= 3 && bit <= 6;
    EXPECT_EQ(bank_at(std::int64_t{1} << bit), of_bank ? std::int64_t{1} << (bit - 3) : 0) << bit;
    EXPECT_EQ(both(0, std::int64_t{1} << bit), Cycles{of_bank ? 1 : 2}) << bit;
  }
}

TEST(Mem, MEM_05_probes) {
  EXPECT_EQ(bank_at(0), 0);
  EXPECT_EQ(bank_at(7), 0);
  EXPECT_EQ(bank_at(8), 1);
  EXPECT_EQ(bank_at(127), 15);
  EXPECT_EQ(bank_at(128), 0);
  EXPECT_EQ(bank_at(0x7ffff), 15);
  EXPECT_EQ(both(127, 0x7ffff), Cycles{2}) << "rows 0 and 4095 of one bank";
}

TEST(Mem, MEM_06_a_slice_gives_128_bytes_a_cycle) {
  // All 16 banks at once, cycle after cycle; and a bank by itself one access at a time.
  auto const row = [](std::int64_t i) { return DmAccess{.slice = 3, .address = Bytes{i * 128}, .size = Bytes{128}}; };
  EXPECT_EQ(cycles_of({{.client = DmClient::main_fetch, .command = 1, .count = 100, .make = row}}), Cycles{100});
  Sender const a{.client = DmClient::main_fetch, .command = 1, .count = 100, .make = bank_of(3, 7)};
  Sender const b{.client = DmClient::sub_fetch, .command = 2, .count = 100, .make = bank_of(3, 7)};
  EXPECT_EQ(cycles_of({a, b}), Cycles{200});
}

TEST(Mem, MEM_07_reads_that_alternate_between_two_dmns) {
  constexpr std::int64_t n = 8;
  ServedTimes served;
  DmBanks banks(rngd, &served);
  Sender reads = dma(2 * n, [](std::int64_t k) { return k % 2 * 32 + k / 2; });
  for (std::int64_t cycle = 0; cycle <= 2 * n; ++cycle) {
    reads.send(banks);
    Cycles const before[] = {banks.stats().dmn_busy[0], banks.stats().dmn_busy[1]};
    ASSERT_TRUE(banks.step());
    EXPECT_EQ(banks.stats().dmn_busy[0] - before[0], Cycles{cycle != 2 * n}) << "DMN 0 idles in cycle 2n only: " << cycle;
    EXPECT_EQ(banks.stats().dmn_busy[1] - before[1], Cycles{cycle != 0}) << "DMN 1 idles in cycle 0 only: " << cycle;
  }
  EXPECT_TRUE(banks.idle()) << "2n reads finish in 2n + 1 cycles";
  for (std::uint64_t k = 0; k < 2 * n; ++k)
    EXPECT_EQ(served.at[k], Cycles{static_cast<std::int64_t>(k) + 2}) << "read k has cycles k and k + 1";

  EXPECT_EQ(cycles_of({dma(2 * n, [](std::int64_t k) { return k % 32; })}), Cycles{2 * 2 * n}) << "one DMN alone: 2 cycles a read";
}

TEST(Mem, MEM_08_two_entries_a_slice_and_spreading) {
  DmBanks banks(rngd);
  auto const room = [&](std::int64_t slice) {
    DmAccess a = request(slice, 0);
    a.client = DmClient::dma;
    return *banks.issue(a);
  };
  EXPECT_TRUE(room(4));
  EXPECT_TRUE(room(4));
  EXPECT_FALSE(room(4)) << "two entries";
  EXPECT_TRUE(room(5)) << "a slice";

  // Slices that are taken seven cycles of eight, each free in another one: a single one gives DMA an eighth of its rate, all of them together the whole.
  auto const busy = [](std::int64_t slice) {
    return Sender{.client = DmClient::main_fetch, .command = 1, .count = 4000, .make = [=](std::int64_t i) {
                    return DmAccess{.slice = i % 8 == slice % 8 ? -1 : slice, .address = Bytes{0}, .size = Bytes{8}};
                  }};
  };
  auto const last_answer = [&](std::int64_t slices) {
    struct LastOfDma : DmObserver {
      Cycles last{};
      void served(const DmAccess& a, Cycles at) override {
        if (a.client == DmClient::dma) last = at;
      }
    } heard;
    DmBanks shared(rngd, &heard);
    // 128 bytes each, so that a request needs one free cycle.
    std::vector<Sender> senders{
        {.client = DmClient::dma, .command = 9, .count = 160, .make = [=](std::int64_t i) { return request(i % slices, i, 128); }}};
    for (std::int64_t s = 0; s < 8; ++s) senders.push_back(busy(s));
    EXPECT_TRUE(run(shared, senders));
    return heard.last;
  };
  EXPECT_GE(last_answer(1), Cycles{160 * 8 - 8});
  EXPECT_LE(last_answer(8), Cycles{160 + 8});
}

TEST(Mem, MEM_09_priority) {
  constexpr DmClient lowest_first[] = {DmClient::dma, DmClient::sub_commit, DmClient::sub_fetch, DmClient::main_commit,
                                       DmClient::main_fetch};
  ServedTimes served;
  DmBanks banks(rngd, &served);
  for (DmClient c : lowest_first)
    EXPECT_TRUE(*banks.issue({.slice = 0, .address = Bytes{0}, .size = Bytes{8}, .client = c, .tag = static_cast<std::uint64_t>(c)}));
  ASSERT_TRUE(banks.drain());
  for (std::uint64_t rank = 0; rank < 5; ++rank)
    EXPECT_EQ(served.at[rank], Cycles{static_cast<std::int64_t>(rank) + 1}) << "main fetch, main commit, sub fetch, sub commit, DMA";
}

Verdict hold_bank_0(std::int64_t cycles) {
  DmBanks banks(rngd);
  return run(banks, {{.client = DmClient::main_commit, .command = 4, .count = cycles, .make = bank_of(40, 0)},
                     {.client = DmClient::dma, .command = 9, .count = 1, .make = [](std::int64_t i) { return request(40, i, 128); }}});
}

TEST(Mem, MEM_10_timeout) {
  EXPECT_TRUE(hold_bank_0(4095)) << "answered 4,096 cycles after the request";
  Verdict const v = hold_bank_0(4096);
  ASSERT_FALSE(v);
  EXPECT_STREQ(v.refusal().code, "dm-response-timeout");
  EXPECT_STREQ(v.refusal().headline.s,
               "DMA command 9 has no answer from slice 40 after 4096 cycles: main commit of command 4 holds bank 0");
  EXPECT_NE(std::string(v.refusal().note.s).find("resets the cluster"), std::string::npos) << "E-86";
}

TEST(Mem, DMA_51_dma_has_the_lowest_priority_and_times_out) {
  for (DmClient c : {DmClient::main_fetch, DmClient::main_commit, DmClient::sub_fetch, DmClient::sub_commit}) {
    DmBanks banks(rngd);
    Verdict const v =
        run(banks, {{.client = c, .command = 4, .count = 5000, .make = bank_of(0, 15)},
                    {.client = DmClient::dma, .command = 9, .count = 1, .make = [](std::int64_t i) { return request(0, i); }}});
    ASSERT_FALSE(v);
    EXPECT_STREQ(v.refusal().code, "dm-response-timeout");
  }
}

/// The worst case of the book's bound: in all 32 slices of a DMN runs of n accesses to bank 0 with one cycle between two of them, and a request of
/// 256 bytes to each slice.
Verdict runs_of(std::int64_t n) {
  DmBanks banks(rngd);
  std::vector<Sender> senders;
  for (std::int64_t slice = 0; slice < 32; ++slice) {
    DmAccess a = request(slice, 0);
    a.client = DmClient::dma;
    a.command = 9;
    EXPECT_TRUE(*banks.issue(a));
    senders.push_back({.client = DmClient::main_fetch, .command = 4, .count = 5000, .make = [=](std::int64_t i) {
                         return DmAccess{.slice = i % (n + 1) == n ? -1 : slice, .address = Bytes{0}, .size = Bytes{8}};
                       }});
  }
  return run(banks, senders);
}

TEST(Mem, MEM_11_the_64_access_rule) {
  // 256 / 128 beats of 32 slices, each after a run of N: (N + 1) * 64 cycles.
  EXPECT_EQ(rngd.dma.engine_bytes_per_cycle / rngd.dm.dmn_bytes_per_cycle * rngd.levels.slices_per_dmn, 64);
  EXPECT_EQ(rngd.dm.same_bank_limit, 64);
  EXPECT_TRUE(runs_of(63)) << "N = 63 is safe";
  Verdict const v = runs_of(64);
  ASSERT_FALSE(v) << "64 violates (E-84)";
  EXPECT_STREQ(v.refusal().code, "dm-response-timeout");
}

TEST(Mem, MEM_12_accesses_of_concurrent_commands_add_up_in_a_bank) {
  // How long DMA waits for bank 5 depends on the sum alone, in whatever order the commands take turns.
  for (auto [main, sub] : {std::pair{30, 20}, std::pair{30, 33}, std::pair{35, 20}}) {
    ServedTimes served;
    DmBanks banks(rngd, &served);
    ASSERT_TRUE(
        run(banks, {{.client = DmClient::main_fetch, .command = 1, .count = main, .make = bank_of(0, 5)},
                    {.client = DmClient::sub_fetch, .command = 2, .count = sub, .make = bank_of(0, 5)},
                    {.client = DmClient::dma, .command = 3, .count = 1, .make = [](std::int64_t) { return request(0, 1000, 128); }}}));
    EXPECT_EQ(banks.stats().longest_hold, (DmHold{.accesses = main + sub, .slice = 0, .bank = 5}));
    EXPECT_EQ(served.at[1000], Cycles{main + sub + 1});
  }
}

TEST(Mem, MEM_14_probe_of_one_bank) {
  auto const longest = [](std::int64_t stride, std::int64_t iterations) {
    DmBanks banks(rngd);
    auto const make = [=](std::int64_t i) { return DmAccess{.slice = 0, .address = Bytes{i * stride}, .size = Bytes{8}}; };
    EXPECT_TRUE(run(banks, {{.client = DmClient::main_fetch, .command = 1, .count = iterations, .make = make}}));
    program::Sequencer walk;
    walk.loops = {{.size = iterations, .stride = stride}};
    walk.access_bytes = 8;
    sched::BankRuns const runs = program::bank_runs(rngd, walk);
    EXPECT_EQ(*std::max_element(runs.begin(), runs.end()), banks.stats().longest_hold.accesses) << "the scheduler counts the same";
    return banks.stats().longest_hold.accesses;
  };
  EXPECT_EQ(longest(128, 64), rngd.dm.same_bank_limit) << "violates";
  EXPECT_EQ(longest(128, 63), rngd.dm.same_bank_limit - 1) << "safe";
  EXPECT_EQ(longest(8, 64), 1) << "banks rotate";
}

TEST(Mem, MEM_15_main_delays_sub) {
  auto const both = [](std::int64_t main_bank, std::int64_t sub_bank) {
    return cycles_of({{.client = DmClient::main_fetch, .command = 1, .count = 6000, .make = bank_of(0, main_bank)},
                      {.client = DmClient::sub_fetch, .command = 2, .count = 1000, .make = bank_of(0, sub_bank)}});
  };
  EXPECT_EQ(both(0, 0), Cycles{7000}) << "worst: main + sub; and no timeout, though sub waited 6,000 cycles";
  EXPECT_EQ(both(0, 1), Cycles{6000}) << "best: the longer of both";

  // DMA takes 16 banks a beat, an access of sub one: sub meets DMA in every bank, and main in one.
  DmBanks banks(rngd);
  ASSERT_TRUE(run(banks, {dma(1, [](std::int64_t) { return 0; })}));
  for (std::int64_t b = 0; b < 16; ++b) EXPECT_EQ(banks.stats().bank_accesses[static_cast<std::size_t>(b)], 2) << b;
}

TEST(Mem, MEM_16_fetch_and_commit_of_one_context) {
  // What is fetched goes through a pipeline with room for eight; when it is full, the fetch waits, and the commit gets the bank they share.
  constexpr std::int64_t room = 8, accesses = 10000;
  DmBanks banks(rngd);
  Sender fetch{.client = DmClient::main_fetch, .command = 1, .count = accesses, .make = bank_of(0, 0)};
  Sender commit{.client = DmClient::main_commit, .command = 1, .count = accesses, .make = bank_of(0, 0)};
  auto const served = [&](DmClient c) { return banks.stats().of(c).served; };
  std::int64_t waits = 0, longest_wait = 0;
  while (served(DmClient::main_commit) < accesses) {
    if (fetch.sent - served(DmClient::main_commit) < room) fetch.send(banks);
    if (commit.sent < served(DmClient::main_fetch)) commit.send(banks);
    std::int64_t const before = served(DmClient::main_commit);
    ASSERT_TRUE(banks.step());
    waits = served(DmClient::main_commit) == before ? waits + 1 : 0;
    longest_wait = std::max(longest_wait, waits);
  }
  EXPECT_LE(longest_wait, room) << "never starved";
  EXPECT_LE(banks.now(), Cycles{2 * accesses + room});
}

TEST(Mem, MEM_18_slices_0_to_31_and_32_to_63_have_a_dmn_each) {
  auto const both = [](std::int64_t a, std::int64_t b) { return cycles_of({dma(2, [=](std::int64_t k) { return k == 0 ? a : b; })}); };
  for (auto [a, b] : {std::pair{0, 31}, std::pair{32, 63}, std::pair{7, 8}}) EXPECT_EQ(both(a, b), Cycles{4}) << a << " and " << b;
  for (auto [a, b] : {std::pair{31, 32}, std::pair{0, 63}, std::pair{40, 8}}) EXPECT_EQ(both(a, b), Cycles{3}) << a << " and " << b;
  DmBanks banks(rngd);
  EXPECT_FALSE(banks.issue(request(64, 0)).ok()) << "E-95: these 64 slices are the two DMNs of one PE";
}

TEST(Mem, MEM_19_spm) {
  EXPECT_EQ(rngd.spm.pe_bytes_per_cycle, Bytes{128});
  EXPECT_EQ(rngd.spm.pe_capacity, Bytes{4096}) << "CHIP-25: for each PE";
}

TEST(Mem, MEM_01_rules_for_dm) {
  EXPECT_FALSE(hold_bank_0(4096)) << "a bank that is held too long: timeout";
  constexpr std::int64_t requests = 1000;
  double const one_dmn = static_cast<double>(cycles_of({dma(requests, [](std::int64_t k) { return k % 32; })}).value);
  double const two_dmns = static_cast<double>(cycles_of({dma(requests, [](std::int64_t k) { return k % 2 * 32 + k / 2 % 32; })}).value);
  EXPECT_NEAR(two_dmns / one_dmn, 0.5, 0.01) << "without alternating DMNs, half of the bandwidth is lost";
}

using program::EdgeKind;
using sched::BookDuration;
using sched::bytes;
using sched::program_of;
using sched::scheduled;

/// A pass that reads bank 0 so many times in a row, the same rows again after a thousand.
program::Command one_bank(std::int64_t accesses, bool sub = false) {
  std::int64_t const rows = std::min<std::int64_t>(accesses, 1000);
  program::Exec e = sched::copy_pass(accesses, 8);
  e.sub = sub;
  e.fetch.read.loops = {{accesses / rows, 0}, {rows, 128}};
  e.sink = program::VrfStore{0, 8};
  program::Command c = sched::command_of(e);
  c.reads = {bytes(program::Memory::Dm, 0, rows * 128)};
  return c;
}

/// A DMA into DM, where no pass reads.
program::Command load(std::int64_t packets = 64) {
  constexpr std::int64_t address = 1 << 18;
  program::DmaDescriptor const d = sched::descriptor(0, sched::hbm(0), sched::dm(0, 0, address), {{packets, 256, 256}}, 256);
  program::Command c = sched::command_of(program::Dma{false, false, {d}});
  c.reads = {bytes(program::Memory::Hbm, 0, packets * 256)};
  c.writes = {bytes(program::Memory::Dm, address, address + packets * 256)};
  return c;
}

bool overlap(const program::Schedule& s, std::size_t a, std::size_t b) {
  return s.commands[a].start < s.commands[b].end && s.commands[b].start < s.commands[a].end;
}

TEST(Mem, MEM_12_the_sum_over_concurrent_commands_stays_below_64) {
  struct Case {
    std::int64_t main, sub;
    bool safe;
  };
  for (Case c : {Case{30, 20, true}, Case{30, 33, false}, Case{35, 20, true}}) {
    program::Schedule const s = scheduled(program_of({one_bank(c.main), one_bank(c.sub, true), load()}), BookDuration(rngd));
    EXPECT_TRUE(overlap(s, 0, 1));
    EXPECT_EQ(overlap(s, 0, 2) && overlap(s, 1, 2), c.safe) << c.main << " + " << c.sub << " + 1";
    EXPECT_EQ(s.commands[2].binding.kind, c.safe ? EdgeKind::None : EdgeKind::Starvation);
  }
}

TEST(Mem, MEM_13_what_violates_the_rule_occupies_dma) {
  for (bool sub : {false, true}) {
    program::Resources const own = sub ? sched::sub_context : sched::main_context;
    program::Schedule const s = scheduled(program_of({one_bank(64, sub), load()}), BookDuration(rngd));
    EXPECT_EQ(s.commands[0].resources, own | sched::tensor_dma);
    EXPECT_FALSE(overlap(s, 0, 1)) << "no concurrent DMA";
    EXPECT_EQ(scheduled(program_of({one_bank(63, sub), load()}), BookDuration(rngd)).commands[0].resources, own);
  }
}

TEST(Mem, MEM_17_a_context_has_one_occupant) {
  for (program::Resources context : {sched::main_context, sched::sub_context, sched::tensor_dma}) {
    program::Schedule const s = scheduled(program_of({sched::lasting(70, context), sched::lasting(5, context)}));
    EXPECT_EQ(s.commands[1].start, s.commands[0].end);
    EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::Resource);
  }
}

template <class T>
concept NamesCluster = requires(T t) { t.cluster; };

TEST(Mem, MEM_03_only_dma_crosses_clusters) {
  // E-93: a switch routes among the slices of one cluster, and its record has no place for another; both ends of a DMA name their own.
  static_assert(!NamesCluster<program::Switch> && !NamesCluster<program::RouteStep> && NamesCluster<program::DmaSide>);
  EXPECT_EQ(sizeof(program::SliceSet) * 8, static_cast<std::size_t>(rngd.levels.slices_per_cluster)) << "what a snoop bitmap can name";
  program::DmaDescriptor const across = sched::descriptor(0, sched::dm(0, 0, 0), sched::dm(1, 0, 0), {{4, 256, 256}}, 256);
  EXPECT_TRUE(BookDuration(rngd).cost(sched::command_of(program::Dma{false, false, {across}}), 0).ok());
}

TEST(Mem, MEM_10_the_timeout_shows_when_the_rule_is_switched_off) {
  constexpr std::int64_t accesses = 5000;
  program::Program const p = program_of({one_bank(accesses), load()});
  sched::Options off;
  off.keep_banks_free = false;
  program::Schedule const s = scheduled(p, BookDuration(rngd), off);
  ASSERT_TRUE(overlap(s, 0, 1));

  auto const in_banks = [&](const program::Schedule& when) {
    DmBanks banks(rngd);
    auto const late = [](std::int64_t start, std::function<DmAccess(std::int64_t)> make) {
      return [=](std::int64_t i) { return i < start ? DmAccess{.slice = -1} : make(i - start); };
    };
    auto const request = [](std::int64_t i) { return DmAccess{.slice = 0, .address = Bytes{(1 << 18) + i * 256}, .size = Bytes{256}}; };
    std::int64_t const fetch_at = when.commands[0].start.value, dma_at = when.commands[1].start.value;
    return run(banks, {{.client = DmClient::main_fetch, .command = 0, .count = fetch_at + accesses, .make = late(fetch_at, bank_of(0, 0))},
                       {.client = DmClient::dma, .command = 1, .count = dma_at + 64, .make = late(dma_at, request)}});
  };
  Verdict const v = in_banks(s);
  ASSERT_FALSE(v);
  EXPECT_STREQ(v.refusal().headline.s, "DMA command 1 has no answer from slice 0 after 4096 cycles: main fetch of command 0 holds bank 0");
  EXPECT_TRUE(in_banks(scheduled(p, BookDuration(rngd)))) << "the same commands, with the rule";
}

}  // namespace
}  // namespace tcp::sim
