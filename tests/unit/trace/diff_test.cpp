// Traces beside and behind each other: differences of two, and several launches as one.
#include <gtest/gtest.h>

#include <sstream>

#include "sample.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/launches.hpp"
#include "tcp/trace/what_if.hpp"
#include "unit/trace/sample.hpp"

namespace tcp::trace_test {
namespace {

using trace::compare;
using trace::Diff;

/// The multiplication takes 50 cycles more, and what follows moves.
trace::Trace longer() {
  trace::Trace t = sample();
  t.hash = "another";
  t.makespan = Cycles{350};
  t.commands[2].end = Cycles{300};
  t.commands[2].streaming = Cycles{100};
  t.commands[3].start = Cycles{300};
  t.commands[3].end = Cycles{350};
  return t;
}

TEST(Diff, of_a_trace_and_itself_is_nothing) {
  Diff const d = compare(sample(), sample());
  EXPECT_EQ(d.verdict, "nothing changed: 300 cycles");
  EXPECT_TRUE(d.lines.empty());
  EXPECT_TRUE(d.remarks.empty());
  EXPECT_TRUE(d.same_program);
  EXPECT_EQ(slowdown(d), 0);
}

TEST(Diff, tells_a_longer_command_from_one_that_moved) {
  Diff const d = compare(sample(), longer());
  EXPECT_FALSE(d.same_program);
  ASSERT_EQ(d.lines.size(), 2u);
  EXPECT_EQ(d.lines[0].at, "multiply.cpp:12");
  EXPECT_EQ(d.lines[0].changed, 1);
  EXPECT_EQ(d.lines[0].busy_before, Cycles{50});
  EXPECT_EQ(d.lines[0].busy_after, Cycles{100});
  EXPECT_EQ(d.lines[1].at, "multiply.cpp:13");
  EXPECT_EQ(d.lines[1].moved, 1);
  EXPECT_EQ(d.verdict, "slower by 16.7 %: 300 -> 350 cycles (+50), most of it at multiply.cpp:12 (+50)");
  EXPECT_EQ(compare(longer(), sample()).verdict, "faster by 14.3 %: 350 -> 300 cycles (-50), most of it at multiply.cpp:12 (-50)");
}

TEST(Diff, counts_what_appeared_and_vanished) {
  trace::Trace more = sample();
  more.commands.push_back(more.commands[3]);
  Diff const d = compare(sample(), more), back = compare(more, sample());
  ASSERT_EQ(d.lines.size(), 1u);
  EXPECT_EQ(d.lines[0].appeared, 1);
  EXPECT_EQ(back.lines[0].vanished, 1);
  EXPECT_EQ(d.resources[1], (trace::ResourceChange{"tensor DMA", 3, 4, Cycles{250}, Cycles{300}}));
}

TEST(Diff, follows_a_line_that_moved_in_its_file) {
  trace::Trace moved = sample();
  for (trace::Source& s : moved.sources) s.line += 5;
  EXPECT_TRUE(compare(sample(), moved).lines.empty());
}

TEST(Diff, knows_a_line_that_was_edited_where_it_is) {
  trace::Trace edited = longer();
  edited.sources[static_cast<std::size_t>(edited.commands[2].source)].text = "another mapping";
  Diff const d = compare(sample(), edited);
  ASSERT_EQ(d.lines.size(), 2u);
  EXPECT_EQ(d.lines[0].at, "multiply.cpp:12");
  EXPECT_EQ(d.lines[0].changed, 1);
  EXPECT_EQ(d.lines[0].appeared + d.lines[0].vanished, 0);
}

TEST(Diff, knows_the_lines_of_a_copy_under_another_name) {
  trace::Trace copy = sample();
  for (trace::Source& s : copy.sources) s.file = "copy.cpp";
  EXPECT_TRUE(compare(sample(), copy).lines.empty());
}

TEST(Diff, takes_the_number_of_a_line_without_text) {
  trace::Trace a = sample(), b = sample();
  for (trace::Trace* t : {&a, &b})
    for (trace::Source& s : t->sources) s.text.clear();
  b.sources[3].line = 20;
  Diff const d = compare(a, b);
  ASSERT_EQ(d.lines.size(), 2u);
  EXPECT_EQ(d.lines[0].appeared + d.lines[0].vanished + d.lines[1].appeared + d.lines[1].vanished, 2);
}

TEST(Diff, remarks_on_what_cannot_be_compared) {
  trace::Trace other = sample();
  other.model = "detailed";
  other.chip = "rngd_s";
  other.complete = false;
  Diff const d = compare(sample(), other);
  EXPECT_EQ(d.remarks, (std::vector<std::string>{"another chip: rngd, then rngd_s", "another timing model: book, then detailed",
                                                 "the second run was interrupted"}));
}

TEST(Diff, slowdown_is_rounded_up) {
  Diff d;
  d.before = Cycles{100'000};
  d.after = Cycles{102'000};
  EXPECT_EQ(slowdown(d), 200);
  d.after = Cycles{102'001};
  EXPECT_EQ(slowdown(d), 201);
  d.after = Cycles{99'000};
  EXPECT_EQ(slowdown(d), -100);
}

TEST(ShowDiff, fits_a_hundred_columns) {
  trace::Trace a = sample(), b = longer();
  for (trace::Trace* t : {&a, &b}) {
    t->resources[0] = std::string(200, 'r');
    for (trace::Source& s : t->sources) {
      s.file = std::string(200, 'f');
      s.text += std::string(200, 'x');
    }
  }
  for (bool ticks : {false, true}) {
    std::istringstream lines(show(compare(a, b), {.ticks = ticks}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  }
}

TEST(ShowDiff, ticks_stand_beside_cycles) {
  trace::Trace const a = sample(), b = longer();
  std::string const text = show(compare(a, b), {.ticks = true});
  std::string const before = std::to_string(2 * a.makespan.value), after = std::to_string(2 * b.makespan.value);
  EXPECT_NE(text.find("In ticks: " + before + " -> " + after + "\n"), text.npos) << text;
  EXPECT_NE(text.find("50 (100)  100 (200)  +50 (+100)"), text.npos) << text;
}

/// Traces of before version 4 do not say how many ticks a cycle has; two that differ have no common number.
TEST(Diff, ticks_are_those_of_both) {
  trace::Trace a = sample(), b = sample();
  EXPECT_EQ(compare(a, b).ticks_per_cycle, 2);
  a.ticks_per_cycle = 0;
  EXPECT_EQ(compare(a, b).ticks_per_cycle, 2);
  a.ticks_per_cycle = 3;
  EXPECT_EQ(compare(a, b).ticks_per_cycle, 0);
}

}  // namespace
}  // namespace tcp::trace_test

// Several launches as one trace: times and numbers move on, a launch waits for the whole of the one before, and the schedule can be worked out again.

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
