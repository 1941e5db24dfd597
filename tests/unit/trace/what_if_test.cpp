// Times that are worked out again from a trace, with and without changes.
#include <gtest/gtest.h>

#include <algorithm>

#include "sample.hpp"
#include "tcp/support/random.hpp"
#include "tcp/trace/trials.hpp"
#include "tcp/trace/what_if.hpp"

namespace tcp::trace_test {
namespace {

TEST(WhatIf, nothing_is_changed) {
  trace::Trace const t = sample();
  trace::WhatIf what_if(t);
  EXPECT_EQ(what_if.makespan({}), t.makespan);
  EXPECT_EQ(what_if.gain({}), Cycles{0});
}

TEST(WhatIf, a_shorter_command_gains_what_replay_says) {
  for (std::int32_t c = 0; c < 4; ++c) {
    trace::Trace t = sample();
    Cycles const shorter{t.commands[static_cast<std::size_t>(c)].length().value / 2};
    trace::WhatIf what_if(t);
    Cycles const made = what_if.makespan({{{c, shorter}}, {}});
    trace::Trace again = t;
    trace::Command& changed = again.commands[static_cast<std::size_t>(c)];
    changed.streaming = shorter;
    changed.end = changed.start + shorter;
    trace::replay(again);
    EXPECT_EQ(made, again.makespan) << "command " << c;
    EXPECT_LT(made, t.makespan);
  }
}

TEST(WhatIf, a_longer_command_stays_as_it_is) {
  trace::Trace const t = sample();
  EXPECT_EQ(trace::WhatIf(t).makespan({{{0, Cycles{1000}}}, {}}), t.makespan);
}

TEST(WhatIf, a_dropped_edge_lets_a_command_start_earlier) {
  trace::Trace const t = sample();
  trace::WhatIf what_if(t);
  EXPECT_EQ(what_if.makespan({{}, {{2, 1}}}), Cycles{250}) << "the multiplication waits for a alone, the store for both loads";
  EXPECT_EQ(what_if.makespan({{}, {{3, 1}}}), Cycles{250}) << "the store beside the multiplication";
  EXPECT_EQ(what_if.makespan({}), t.makespan) << "changes are forgotten";
}

/// The trace has, for each queue, the last command that must be waited for. The multiplication reads b, which command 1
/// writes, and writes where command 3 still reads: without the latter it waits for the former.
TEST(WhatIf, a_second_place_does_not_hide_who_writes_what_is_read) {
  trace::Trace t = sample();
  trace::Command store = t.commands[3];
  store.start = Cycles{200};
  store.end = Cycles{400};
  store.after = {{"resource", 1, "tensor DMA", 0, 0}};
  store.binding = 0;
  trace::Command mul = t.commands[2];
  mul.start = Cycles{400};
  mul.end = Cycles{450};
  mul.after = {{"war", 2, "DM", 512, 768}};
  mul.binding = 0;
  t.commands = {t.commands[0], t.commands[1], store, mul};
  t.makespan = Cycles{450};
  trace::WhatIf what_if(t);
  EXPECT_EQ(what_if.makespan({}), Cycles{450});
  EXPECT_EQ(what_if.makespan({{{2, Cycles{10}}}, {{3, 0}}}), Cycles{250}) << "b is there at 200";
}

TEST(Replay, leaves_a_schedule_as_it_is) {
  trace::Trace t = sample();
  replay(t);
  EXPECT_EQ(t, sample());
}

TEST(Replay, moves_what_follows_a_longer_command) {
  trace::Trace t = sample();
  t.commands[0].end = Cycles{150};
  replay(t);
  EXPECT_EQ(t.commands[1].start, Cycles{150});
  EXPECT_EQ(t.commands[2].start, Cycles{250});
  EXPECT_EQ(t.makespan, Cycles{350});
}

TEST(Replay, finds_slack_and_another_critical_path) {
  trace::Trace t = sample();
  t.commands[1].after.clear();  // both loads at once
  t.commands[0].end = Cycles{40};
  replay(t);
  EXPECT_EQ(t.commands[0].slack, Cycles{60});
  EXPECT_EQ(t.critical_path, (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_FALSE(t.commands[0].critical);
  EXPECT_EQ(t.makespan, Cycles{200});
}

/// Slack as it is meant: by so much a command may end later and the makespan stays; by one more, and it does not.
TEST(Replay, slack_is_what_a_command_may_be_late) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    trace::Trace t;
    t.resources = {"main"};
    for (int i = 0; i < 8; ++i) {
      trace::Command c = command("c", main_queue, 0, static_cast<std::int64_t>(random.below(20)) + 1, trace::none);
      for (int j = 0; j < i; ++j)
        if (random.below(3) == 0) c.after.push_back({"raw", j, "DM", 0, 1});
      t.commands.push_back(c);
    }
    replay(t);
    for (std::size_t i = 0; i < t.commands.size(); ++i)
      for (std::int64_t more : {0, 1}) {
        trace::Trace late = t;
        late.commands[i].end += t.commands[i].slack + Cycles{more};
        replay(late);
        ASSERT_EQ(late.makespan, t.makespan + Cycles{more}) << "round " << round << ", command " << i;
      }
  }
}

trace::Trials all_of(const trace::Trace& t, std::int64_t steps = trace::trial_steps) {
  return trace::try_all(t, trace::find(t), 100, steps);
}

const trace::Trial* trial(const trace::Trials& all, const std::string& kind, const std::string& words) {
  for (const trace::Trial& t : all.best)
    if (t.kind == kind && t.what.find(words) != t.what.npos) return &t;
  return nullptr;
}

/// Engines of the multiplication, and its waits and that of the store.
TEST(Trials, say_what_waits_and_engines_would_gain) {
  trace::Trace const t = sample();
  trace::Trials const all = all_of(t);
  EXPECT_EQ(all.tried, all.of);
  const trace::Trial* const wait = trial(all, "wait", "main at multiply.cpp:12 need not wait");
  ASSERT_NE(wait, nullptr);
  EXPECT_EQ(wait->after, Cycles{250}) << "the store waits for the second load";
  EXPECT_EQ(wait->gain, Cycles{50});
  const trace::Trial* const engine = trial(all, "engine", "Fetch at twice its rate");
  ASSERT_NE(engine, nullptr);
  EXPECT_EQ(engine->after, Cycles{290}) << "Vector takes 40 cycles";
  EXPECT_EQ(trial(all, "engine", "Vector"), nullptr) << "it does not set the pace";
}

TEST(Trials, say_what_a_second_place_would_gain) {
  trace::Trace t = sample();
  t.commands[1].after = {{"war", 0, "DM", 256, 512}};
  t.commands[1].resources = {main_queue};
  t.commands[0].reads = t.commands[1].writes;
  const trace::Trials all = all_of(t);
  const trace::Trial* const buffer = trial(all, "buffer", "a second place for b in DM");
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(buffer->after, Cycles{200});
}

TEST(Trials, say_what_a_stall_and_a_finding_cost) {
  trace::Trace t = sample();
  trace::DmaFacts d;
  d.bytes = Bytes{256};
  d.run = d.unit = Bytes{256};
  t.commands[0].dma = {d};
  t.commands[0].streaming = Cycles{60};
  t.commands[0].stalls = {{"partial-write", Cycles{40}}};
  trace::Trials const all = all_of(t);
  const trace::Trial* const stall = trial(all, "stall", "no stall: partial-write");
  const trace::Trial* const finding = trial(all, "finding", "partial-writes at multiply.cpp:10");
  ASSERT_NE(stall, nullptr);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(stall->gain, Cycles{40});
  EXPECT_EQ(finding->gain, Cycles{40});
  EXPECT_EQ(stall->finding, trace::none);
  EXPECT_EQ(finding->finding, 0);
  EXPECT_EQ(trace::WhatIf(t).gain(stall->changes), Cycles{40}) << "what was planned comes with it";
}

TEST(Trials, are_ranked_and_bounded) {
  trace::Trace const t = sample();
  trace::Trials const all = all_of(t);
  for (std::size_t i = 1; i < all.best.size(); ++i) EXPECT_GE(all.best[i - 1].gain, all.best[i].gain);
  for (const trace::Trial& each : all.best) EXPECT_EQ(each.after + each.gain, t.makespan);
  EXPECT_EQ(trace::try_all(t, {}, 1).best.size(), 1u);
  trace::Trials const few = all_of(t, 1);
  EXPECT_EQ(few.tried, 1) << "one at least";
  EXPECT_EQ(few.of, all.of);
}

}  // namespace
}  // namespace tcp::trace_test
