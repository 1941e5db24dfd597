#include "tcp/trace/replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample.hpp"
#include "tcp/support/random.hpp"

namespace tcp::trace_test {
namespace {

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

}  // namespace
}  // namespace tcp::trace_test
