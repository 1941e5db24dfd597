// The laws of the 64-access rule: runs are those of a walk access by access, and no DMA ever runs beside commands that together hold one of its banks too long.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tcp/sched/bank_runs.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

/// Every access of a walk, in order.
void each_access(const program::Sequencer& s, std::size_t k, std::int64_t at, std::vector<std::int64_t>& addresses) {
  if (k == s.loops.size()) return addresses.push_back(at);
  for (std::int64_t i = 0; i < s.loops[k].size; ++i) each_access(s, k + 1, at + i * s.loops[k].stride, addresses);
}

BankRuns walked(const program::Sequencer& s) {
  std::vector<std::int64_t> addresses;
  each_access(s, 0, s.base, addresses);
  BankRuns longest(16, 0), now(16, 0);
  for (std::int64_t at : addresses)
    for (std::int64_t bank = 0; bank < 16; ++bank) {
      bool touched = false;
      for (std::int64_t byte = at; byte < at + s.access_bytes; ++byte) touched |= byte / 8 % 16 == bank;
      std::size_t const b = static_cast<std::size_t>(bank);
      now[b] = touched ? now[b] + 1 : 0;
      longest[b] = std::max(longest[b], std::min<std::int64_t>(now[b], 64));
    }
  return longest;
}

TEST(BankLaw, runs_are_those_of_the_walk) {
  EXPECT_TRUE(rc::check("longest run of each bank", [] {
    program::Sequencer s;
    s.access_bytes = *rc::gen::element<std::int64_t>(1, 4, 8, 16, 24, 32);
    s.base = 1 << 17;
    s.base += *rc::gen::inRange<std::int64_t>(0, 300);
    for (std::size_t k = *rc::gen::inRange<std::size_t>(0, 4); k > 0; --k)
      s.loops.push_back({*rc::gen::element<std::int64_t>(1, 2, 3, 5, 16, 17, 40),
                         *rc::gen::element<std::int64_t>(0, 8, 24, -8, 64, 128, -128, 256, 1000, 1)});
    RC_ASSERT(bank_runs(rngd, s) == walked(s));
  }));
}

program::Command random_command() {
  std::int64_t const accesses = *rc::gen::inRange<std::int64_t>(1, 70);
  program::Units units = all_slices(0);
  units.slices.word[0] = *rc::gen::element<std::uint64_t>(1, 2, 3);
  if (*rc::gen::inRange(0, 3) == 0) {
    program::Command c = command_of(program::Dma{false, false, {descriptor(0, hbm(0), dm(0, 0, 0), {{accesses, 256, 0}}, 256)}});
    c.writes = {bytes(Memory::Dm, 1 << 17, (1 << 17) + 256, units)};
    return c;
  }
  program::Exec e = copy_pass(accesses * 5, 8);
  e.sub = *rc::gen::arbitrary<bool>();
  e.units = units;
  e.fetch.read.loops = {{5, 8}, {accesses, 128}};
  e.sink = program::VrfStore{0, 8};
  program::Command c = command_of(e);
  c.reads = {bytes(Memory::Dm, 0, 128 * accesses, units)};
  return c;
}
bool is_dma(const program::Command& c) { return std::holds_alternative<program::Dma>(c.what); }
std::uint64_t slices_of(const program::Command& c) { return (is_dma(c) ? c.writes : c.reads).front().units.slices.word[0]; }

TEST(BankLaw, no_dma_beside_banks_held_too_long) {
  EXPECT_TRUE(rc::check("at no moment do runs on a bank of one slice reach 64 beside a DMA", [] {
    std::vector<program::Command> commands(*rc::gen::inRange<std::size_t>(1, 14));
    for (program::Command& c : commands) c = random_command();
    program::Program const p = program_of(commands);
    program::Schedule const s = scheduled(p, BookDuration(rngd));
    for (std::size_t c = 0; c < commands.size(); ++c) {
      std::int64_t const now = start(s, c);
      for (std::uint64_t slice : {1u, 2u}) {
        std::int64_t sum = 0, running = 0;
        bool dma = false;
        for (std::size_t o = 0; o < commands.size(); ++o) {
          if (start(s, o) > now || end(s, o) <= now || (slices_of(commands[o]) & slice) == 0) continue;
          ++running;
          dma |= is_dma(commands[o]);
          sum += is_dma(commands[o]) ? 1 : std::get<program::Exec>(commands[o].what).fetch.read.loops[1].size;
        }
        RC_ASSERT(!dma || running < 2 || sum < 64);
      }
      const program::Edge& e = s.commands[c].binding;
      RC_ASSERT(now == (e.from < 0 ? 0 : end(s, static_cast<std::size_t>(e.from))));
    }
  }));
}

}  // namespace
}  // namespace tcp::sched
