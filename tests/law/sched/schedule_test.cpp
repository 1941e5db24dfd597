// The laws of a schedule, on random command sets: no hazard is broken, nothing is occupied twice, every start is
// explained, and slack is what it says. What is expected is worked out byte by byte and pair by pair, with nothing of
// the scheduler's.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::EdgeKind;

program::Units random_units() {
  program::Units u{{true, *rc::gen::inRange(0, 4) == 0}, static_cast<std::uint32_t>(*rc::gen::inRange(1, 4)), {}};
  u.slices.word[0] = *rc::gen::inRange<std::uint64_t>(1, 8);
  u.slices.word[3] = *rc::gen::inRange<std::uint64_t>(0, 2);
  return u;
}
std::vector<program::Range> random_ranges() {
  std::vector<program::Range> made(*rc::gen::inRange<std::size_t>(0, 3));
  for (program::Range& r : made) {
    std::int64_t const begin = *rc::gen::inRange(0, 20);
    r = {*rc::gen::element(Memory::Dm, Memory::Hbm, Memory::Trf, Memory::Vrf), random_units(), begin, begin + *rc::gen::inRange(0, 12)};
  }
  return made;
}
program::Program random_program(std::size_t most) {
  std::vector<program::Command> commands(*rc::gen::inRange<std::size_t>(1, most));
  for (program::Command& c : commands) {
    program::Resources const more = *rc::gen::element(0u, 0u, 0u, bit(Resource::VectorEngine), sub_context, tensor_dma);
    c = lasting(*rc::gen::inRange(0u, 30u), *rc::gen::element(main_context, sub_context, tensor_dma, pcie_dma) | more, random_ranges(),
                random_ranges());
  }
  return program_of(std::move(commands));
}

/// A random program, or as often commands that may be taken in any order.
program::Program random_program_or_free_commands(std::size_t most) {
  program::Program p = random_program(most);
  if (*rc::gen::arbitrary<bool>())
    for (program::Command& c : p.commands) c.reads = c.writes = {};
  return p;
}

bool share_a_unit(const program::Range& a, const program::Range& b) {
  bool chip = false;
  for (std::size_t c = 0; c < std::min(a.units.chips.size(), b.units.chips.size()); ++c) chip |= a.units.chips[c] && b.units.chips[c];
  if (a.memory == Memory::Hbm) return chip;
  bool slice = false;
  for (std::int64_t s = 0; s < 256; ++s) slice |= a.units.slices.contains(s) && b.units.slices.contains(s);
  return chip && slice && (a.units.clusters & b.units.clusters) != 0;
}
bool meet(const std::vector<program::Range>& a, const std::vector<program::Range>& b) {
  for (const program::Range& x : a)
    for (const program::Range& y : b)
      if (x.memory == y.memory && std::max(x.begin, y.begin) < std::min(x.end, y.end) && share_a_unit(x, y)) return true;
  return false;
}
/// Whether the later one must wait for the earlier one, by data.
bool hazard(const program::Command& before, const program::Command& after) {
  return meet(before.writes, after.reads) || meet(before.reads, after.writes) || meet(before.writes, after.writes);
}
std::int64_t length(const program::Command& c) { return static_cast<std::int64_t>(std::get<program::Itos>(c.what).word); }

/// Starts by the book's rule, where command `late` ends `by` cycles after it should.
std::vector<std::int64_t> starts(const program::Program& p, const std::vector<std::int32_t>& order, std::size_t late, std::int64_t by,
                                 std::int64_t& makespan) {
  std::vector<std::int64_t> start(p.commands.size(), 0), end(p.commands.size(), 0);
  makespan = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::size_t const c = static_cast<std::size_t>(order[i]);
    for (std::size_t j = 0; j < i; ++j) {
      std::size_t const b = static_cast<std::size_t>(order[j]);
      bool const data = b < c ? hazard(p.commands[b], p.commands[c]) : hazard(p.commands[c], p.commands[b]);
      if (data || (p.commands[b].resources & p.commands[c].resources) != 0) start[c] = std::max(start[c], end[b]);
    }
    end[c] = start[c] + length(p.commands[c]) + (c == late ? by : 0);
    makespan = std::max(makespan, end[c]);
  }
  return start;
}
constexpr std::size_t nobody = static_cast<std::size_t>(-1);

void check_hazards_and_resources(const program::Program& p, const program::Schedule& s) {
  for (std::size_t j = 0; j < p.commands.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      if (hazard(p.commands[i], p.commands[j])) RC_ASSERT(start(s, j) >= end(s, i));
      bool const apart = end(s, i) <= start(s, j) || end(s, j) <= start(s, i);
      if ((p.commands[i].resources & p.commands[j].resources) != 0) RC_ASSERT(apart);
    }
}

void check_binding(const program::Program& p, const program::Schedule& s) {
  for (std::size_t c = 0; c < p.commands.size(); ++c) {
    const program::Edge& e = s.commands[c].binding;
    RC_ASSERT(end(s, c) - start(s, c) == length(p.commands[c]));
    if (e.kind == EdgeKind::None) {
      RC_ASSERT(start(s, c) == 0);
      continue;
    }
    RC_ASSERT(static_cast<std::size_t>(e.to) == c);
    RC_ASSERT(start(s, c) == end(s, static_cast<std::size_t>(e.from)));
    const program::Command &from = p.commands[static_cast<std::size_t>(e.from)], &to = p.commands[c];
    if (e.kind == EdgeKind::Resource) RC_ASSERT((from.resources & to.resources & bit(e.resource)) != 0);
    if (e.kind == EdgeKind::Raw) RC_ASSERT(meet(from.writes, to.reads));
    if (e.kind == EdgeKind::War) RC_ASSERT(meet(from.reads, to.writes));
    if (e.kind == EdgeKind::Waw) RC_ASSERT(meet(from.writes, to.writes));
    RC_ASSERT(e.kind != EdgeKind::Starvation);
  }
}

void check_slack(const program::Program& p, const program::Schedule& s) {
  for (std::size_t c = 0; c < p.commands.size(); ++c) {
    std::int64_t makespan = 0;
    starts(p, s.order, c, s.commands[c].slack.value, makespan);
    RC_ASSERT(makespan == s.makespan.value);
    starts(p, s.order, c, s.commands[c].slack.value + 1, makespan);
    RC_ASSERT(makespan > s.makespan.value);
  }
}

void check_path(const program::Schedule& s) {
  RC_ASSERT(!s.critical_path.empty());
  Cycles sum = s.path.startup + s.path.streaming;
  for (const program::StallCycles& stall : s.path.stalls) sum += stall.cycles;
  RC_ASSERT(sum == s.makespan);
  RC_ASSERT(s.commands[static_cast<std::size_t>(s.critical_path.front())].start == Cycles{0});
  for (std::int32_t c : s.critical_path) RC_ASSERT(s.commands[static_cast<std::size_t>(c)].slack == Cycles{0});
}

/// The longest chain of results, byte by byte.
std::int64_t chain(const program::Program& p) {
  std::vector<std::int64_t> end(p.commands.size(), 0);
  std::int64_t longest = 0;
  auto const overwritten = [&](std::size_t by, std::size_t writer, std::size_t reader) {
    return writer < by && by < reader && meet(p.commands[by].writes, p.commands[writer].writes);
  };
  for (std::size_t c = 0; c < p.commands.size(); ++c) {
    for (std::size_t w = 0; w < c; ++w) {
      if (!meet(p.commands[w].writes, p.commands[c].reads)) continue;
      bool hidden = false;
      for (std::size_t by = w + 1; by < c; ++by) hidden |= overwritten(by, w, c);
      if (!hidden) end[c] = std::max(end[c], end[w]);
    }
    end[c] += length(p.commands[c]);
    longest = std::max(longest, end[c]);
  }
  return longest;
}

TEST(ScheduleLaw, starts_are_those_of_the_rule) {
  EXPECT_TRUE(rc::check("start = the latest end of what comes before on a resource or by data", [] {
    program::Program const p = random_program(24);
    program::Schedule const s = scheduled(p);
    std::int64_t makespan = 0;
    std::vector<std::int64_t> const expected = starts(p, s.order, nobody, 0, makespan);
    for (std::size_t c = 0; c < p.commands.size(); ++c) RC_ASSERT(start(s, c) == expected[c]);
    RC_ASSERT(s.makespan.value == makespan);
  }));
}

TEST(ScheduleLaw, no_hazard_no_resource_broken) {
  EXPECT_TRUE(rc::check("in program order", [] {
    program::Program const p = random_program(24);
    program::Schedule const s = scheduled(p);
    check_hazards_and_resources(p, s);
    check_binding(p, s);
    check_path(s);
    RC_ASSERT(s.bounds.chain <= s.makespan);
    RC_ASSERT(s.bounds.chain.value >= chain(p));
  }));
}

TEST(ScheduleLaw, slack_is_right) {
  EXPECT_TRUE(rc::check("late by the slack moves nothing, by one more the end", [] {
    program::Program const p = random_program(12);
    check_slack(p, scheduled(p));
  }));
}

TEST(ScheduleLaw, reordering_keeps_hazards_and_gains) {
  EXPECT_TRUE(rc::check("never longer, says what it gained", [] {
    program::Program const p = random_program(24);
    program::Schedule const in_order = scheduled(p);
    program::Schedule const s = scheduled(p, GivenDuration(), {.reorder = true});
    check_hazards_and_resources(p, s);
    check_binding(p, s);
    check_slack(p, s);
    check_path(s);
    RC_ASSERT(s.gained == in_order.makespan - s.makespan);
    RC_ASSERT(s.gained >= Cycles{0});
    std::vector<std::int32_t> order = s.order;
    std::sort(order.begin(), order.end());
    for (std::size_t c = 0; c < order.size(); ++c) RC_ASSERT(order[c] == static_cast<std::int32_t>(c));
  }));
}

/// The shortest of all orders that keep the hazards, each tried.
std::int64_t shortest(const program::Program& p) {
  std::vector<std::int32_t> order(p.commands.size());
  for (std::size_t c = 0; c < order.size(); ++c) order[c] = static_cast<std::int32_t>(c);
  std::int64_t best = -1;
  do {
    bool kept = true;
    for (std::size_t j = 0; j < order.size(); ++j)
      for (std::size_t i = 0; i < j; ++i)
        kept = kept && (order[i] < order[j] ||
                        !hazard(p.commands[static_cast<std::size_t>(order[j])], p.commands[static_cast<std::size_t>(order[i])]));
    if (!kept) continue;
    std::int64_t makespan = 0;
    starts(p, order, nobody, 0, makespan);
    best = best < 0 ? makespan : std::min(best, makespan);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(ScheduleLaw, reordering_a_small_program_finds_the_shortest_order) {
  EXPECT_TRUE(rc::check("and says that no order is shorter", [] {
    program::Program const p = random_program_or_free_commands(7);
    program::Schedule const s = scheduled(p, GivenDuration(), {.reorder = true});
    RC_ASSERT(s.makespan.value == shortest(p));
    RC_ASSERT(s.bounds.order == s.makespan);
  }));
}

TEST(ScheduleLaw, a_shorter_program_never_takes_longer) {
  EXPECT_TRUE(rc::check("without a command, or with a shorter one, in program order and reordered", [] {
    program::Program const p = random_program_or_free_commands(12);
    for (bool reorder : {false, true}) {
      Options const options{.reorder = reorder};
      program::Schedule const s = scheduled(p, GivenDuration(), options);
      if (reorder && s.bounds.order < s.makespan) continue;  // too many orders to look at all
      std::size_t const which = *rc::gen::inRange<std::size_t>(0, p.commands.size());
      program::Program shorter = p;
      std::get<program::Itos>(shorter.commands[which].what).word = static_cast<std::uint32_t>(length(p.commands[which]) / 2);
      RC_ASSERT(scheduled(shorter, GivenDuration(), options).makespan <= s.makespan);
      if (p.commands.size() == 1) continue;
      program::Program fewer = p;
      fewer.commands.erase(fewer.commands.begin() + static_cast<std::ptrdiff_t>(which));
      RC_ASSERT(scheduled(fewer, GivenDuration(), options).makespan <= s.makespan);
    }
  }));
}

/// How many random programs of a dozen commands have no order that was left out.
TEST(ScheduleLaw, most_small_programs_are_searched_to_the_end) {
  int proven = 0, all = 0;
  EXPECT_TRUE(rc::check("the gap to the least is nothing", [&] {
    program::Schedule const s = scheduled(random_program_or_free_commands(12), GivenDuration(), {.reorder = true});
    RC_ASSERT(s.bounds.order <= s.makespan);
    ++all;
    proven += s.bounds.order == s.makespan ? 1 : 0;
  }));
  EXPECT_GE(proven * 10, all * 9);
}

TEST(ScheduleLaw, edges_and_costs_work_it_out_again) {
  EXPECT_TRUE(rc::check("each start is the latest end over its edges", [] {
    program::Program const p = random_program(24);
    for (bool reorder : {false, true}) {
      program::Schedule const s = scheduled(p, GivenDuration(), {.reorder = reorder});
      std::vector<Cycles> latest(p.commands.size());
      for (const program::Edge& e : s.edges)
        latest[static_cast<std::size_t>(e.to)] =
            std::max(latest[static_cast<std::size_t>(e.to)], s.commands[static_cast<std::size_t>(e.from)].end);
      for (std::size_t c = 0; c < p.commands.size(); ++c) RC_ASSERT(s.commands[c].start == latest[c]);
    }
  }));
}

}  // namespace
}  // namespace tcp::sched
