// Several launches as one trace: times and numbers move on, a launch waits for the whole of the one before, and the schedule can be worked out again.
#include "tcp/trace/launches.hpp"

#include <gtest/gtest.h>

#include "tcp/trace/replay.hpp"
#include "unit/trace/sample.hpp"

namespace tcp::trace {
namespace {

using trace_test::sample;
using trace_test::written;

std::vector<Trace> three() {
  std::vector<Trace> all(3, sample());
  all[1].program = "add";
  all[1].hash = "fedcba9876543210";
  all[1].axes = {{"A", 8}};
  all[1].host_transfers = {{"upload", "x", Bytes{4096}, Cycles{77}, none}};
  all[2].configurations[0].stages[0].source = 2;
  all[2].values = {{none, "00", 0, {}, {}}, {3, "01", 0, {}, {}}};
  return all;
}

TEST(Launches, one_after_the_other) {
  Trace const t = in_sequence(three());
  EXPECT_TRUE(check(t, "joined").ok());
  EXPECT_EQ(t.makespan, Cycles{900});
  EXPECT_EQ(t.program, "multiply and others, 3 launches");
  ASSERT_EQ(t.launches.size(), 3u);
  EXPECT_EQ(t.launches[1].name, "add");
  EXPECT_EQ(t.launches[1].command, 5);
  EXPECT_EQ(t.launches[1].tensor, 3);
  EXPECT_EQ(t.launches[1].transfer_cycles, Cycles{77});
  EXPECT_EQ(t.launches[1].transfer_bytes, Bytes{4096});
  EXPECT_EQ(t.launches[1].axes, (std::vector<Axis>{{"A", 8}}));
  ASSERT_EQ(t.commands.size(), 15u);
  EXPECT_EQ(t.commands[8].start, Cycles{500});  // the multiplication of the second
  EXPECT_EQ(t.commands[8].reads[0].tensor, 3);
  EXPECT_EQ(t.commands[8].configuration, 1);
  EXPECT_EQ(t.tensors[5].born, Cycles{500});
  EXPECT_EQ(t.bounds[0].cycles, Cycles{600});
  EXPECT_EQ(t.sources.size(), 4u);  // of one file: each line once
  EXPECT_EQ(t.configurations[2].stages[0].source, 2);
  EXPECT_EQ(t.values[0].command, 10);  // arguments: with the launch
  EXPECT_EQ(t.values[1].command, 14);
}

TEST(Launches, a_launch_waits_for_all_of_the_one_before) {
  Trace const t = in_sequence(three());
  const Command& second = t.commands[5];
  EXPECT_EQ(second.name, "launch");
  EXPECT_EQ(second.length(), Cycles{0});
  ASSERT_EQ(second.after.size(), 1u);  // the store is the only command that nothing waits for
  EXPECT_EQ(second.after[0], (Edge{"barrier", 4, "", 0, 0}));
  EXPECT_EQ(t.commands[6].after, (std::vector<Edge>{{"barrier", 5, "", 0, 0}}));
  EXPECT_EQ(t.critical_path.size(), 15u);
}

TEST(Launches, what_is_joined_is_written_and_read) {
  Trace const t = in_sequence(three());
  auto const again = read_json(written(t), "joined");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, t);
}

TEST(Launches, only_like_traces_are_joined) {
  Trace other = sample();
  EXPECT_EQ(difference(sample(), other), "");
  other.model = "planned";
  EXPECT_EQ(difference(sample(), other), "timing models book and planned");
  other = sample();
  other.chip = "rngd_s";
  EXPECT_EQ(difference(sample(), other), "chips rngd and rngd_s");
  EXPECT_EQ(difference(sample(), in_sequence(three())), "chips that are made differently");
}

}  // namespace
}  // namespace tcp::trace
