#include "tcp/trace/trials.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"

namespace tcp::trace_test {
namespace {

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
