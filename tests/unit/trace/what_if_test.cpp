#include "tcp/trace/what_if.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"
#include "tcp/trace/replay.hpp"

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

/// Of each queue the trace has the last command that must be waited for. The multiplication reads b, which command 1
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

}  // namespace
}  // namespace tcp::trace_test
