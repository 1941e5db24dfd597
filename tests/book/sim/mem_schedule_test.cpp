// The rows of the ledger on what the performance of DM asks of a schedule, and what the banks do when it is not asked.
#include "tcp/device/derived.hpp"
#include "timing/sim/traffic.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sim {
namespace {

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
