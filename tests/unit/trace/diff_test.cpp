#include "tcp/trace/diff.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "sample.hpp"

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
