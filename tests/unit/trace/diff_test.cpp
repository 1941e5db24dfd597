// Traces beside and behind each other: differences of two, and several launches as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "sample.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/join.hpp"
#include "tcp/trace/launches.hpp"
#include "tcp/trace/trials.hpp"
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

TEST(Launches, that_a_launch_waits_is_no_advice) {
  Trials const made = try_all(in_sequence(three()), {}, 1000, 1'000'000'000);
  ASSERT_FALSE(made.best.empty());
  for (const Trial& trial : made.best) EXPECT_EQ(trial.what.find("launch"), std::string::npos) << trial.what;
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

namespace tcp::trace_test {
namespace {

using trace::CommandChange;
using trace::Diff;
using trace::Trace;

/// A command of the vendor's, at the end of its call.
struct Theirs {
  const char* type;
  const char* index;
  const char* queue;
  std::int64_t start, end;
  const char* file;
  std::int64_t line, column;
  std::int32_t cluster = trace::none;
};

Trace imported(const std::vector<Theirs>& all, const char* from = "schedule") {
  Trace t;
  t.imported = from;
  for (const Theirs& each : all) {
    trace::Command c;
    c.name = each.type;
    c.index = each.index;
    c.cluster = each.cluster;
    auto found = std::find(t.resources.begin(), t.resources.end(), each.queue);
    if (found == t.resources.end()) found = t.resources.insert(found, each.queue);
    c.resources = {static_cast<std::int32_t>(found - t.resources.begin())};
    c.start = Cycles{each.start};
    c.end = Cycles{each.end};
    c.streaming = c.length();
    t.makespan = std::max(t.makespan, c.end);
    if (each.line > 0) {
      c.source = static_cast<std::int32_t>(t.sources.size());
      t.sources.push_back({each.file, "", each.line, each.column, ""});
    }
    t.commands.push_back(c);
  }
  EXPECT_TRUE(trace::check(t, "theirs"));
  return t;
}

const CommandChange* find(const Diff& d, const std::string& name, const std::string& at) {
  for (const CommandChange& c : d.commands)
    if (c.name == name && c.at == at) return &c;
  return nullptr;
}

TEST(Join, has_a_partner_for_each_command) {
  Trace const first = imported({{"Main", "1", "main, cluster 0", 0, 9, "a.rs", 3, 1, 0},
                                {"Main", "1", "main, cluster 1", 0, 9, "a.rs", 3, 1, 1},
                                {"Main", "1", "main, cluster 0", 10, 19, "a.rs", 3, 1, 0}},
                               "spans");
  Trace const second = imported({{"Main", "1", "main", 0, 5, "a.rs", 3, 1}, {"Main", "1", "main", 5, 9, "a.rs", 3, 1}});
  EXPECT_EQ(trace::partners(first, second), (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_EQ(trace::partners(second, first), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(trace::partners(first, first), (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(trace::partners(second, imported({{"Sub", "7", "sub", 0, 5, "a.rs", 3, 1}})),
            (std::vector<std::int32_t>{trace::none, trace::none}));
}

TEST(Join, has_every_command_of_both_once) {
  Trace const ours = sample(), theirs = imported({{"DmaLoad", "1", "tensor DMA", 0, 90, "multiply.cpp", 10, 30},
                                                  {"Core", "Sync(1)", "core", 90, 100, "", 0, 0},
                                                  {"DmaLoad", "9", "tensor DMA", 90, 100, "multiply.cpp", 99, 1}});
  std::vector<int> before(ours.commands.size()), after(theirs.commands.size());
  for (const trace::JoinedCommands& g : join(ours, theirs)) {
    for (std::int32_t c : g.before) ++before[static_cast<std::size_t>(c)];
    for (std::int32_t c : g.after) ++after[static_cast<std::size_t>(c)];
  }
  EXPECT_EQ(before, std::vector<int>(ours.commands.size(), 1));
  EXPECT_EQ(after, std::vector<int>(theirs.commands.size(), 1));
}

TEST(Join, is_by_file_and_line_and_queue) {
  Trace const theirs = imported({{"DmaLoad", "1", "tensor DMA", 0, 90, "build/k/multiply.cpp", 10, 30},
                                 {"Main", "4", "main", 90, 150, "build/k/multiply.cpp", 12, 40},
                                 {"DmaLoad", "3", "tensor DMA", 90, 95, "build/k/multiply.cpp", 12, 40},
                                 {"DmaStore", "5", "tensor DMA", 150, 250, "build/other.cpp", 13, 40}});
  Diff const d = compare(sample(), theirs);
  EXPECT_TRUE(d.lines.empty());
  const CommandChange* const load = find(d, "DmaLoad", "multiply.cpp:10");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->busy_before, Cycles{100});
  EXPECT_EQ(load->busy_after, Cycles{90});
  const CommandChange* const pass = find(d, "Main", "multiply.cpp:12");
  ASSERT_NE(pass, nullptr);
  EXPECT_EQ(pass->busy_before, Cycles{50});
  EXPECT_EQ(pass->busy_after, Cycles{60});
  // A table that their compiler loads for the pass, and another file: no partner.
  EXPECT_EQ(std::count_if(d.commands.begin(), d.commands.end(), [](const CommandChange& c) { return c.commands_before == 0; }), 2);
  EXPECT_EQ(std::count_if(d.commands.begin(), d.commands.end(), [](const CommandChange& c) { return c.commands_after == 0; }), 2);
  EXPECT_FALSE(d.commands.back().has_partner());
  EXPECT_EQ(d.verdict, "plan takes 0.83 times as long as book: 250 against 300 cycles; 2 of 6 calls have a partner");
}

/// Two files of one name: the longest common end of the paths decides.
TEST(Join, takes_the_path_that_ends_alike) {
  Trace ours = sample();
  ours.sources[0].file = "/home/a/layers/first/multiply.cpp";
  ours.sources[1].file = "/home/a/layers/second/multiply.cpp";
  ours.sources[1].line = 10;
  Trace const theirs = imported({{"DmaLoad", "1", "tensor DMA", 0, 7, "second/multiply.cpp", 10, 30}});
  for (const trace::JoinedCommands& g : join(ours, theirs))
    if (!g.after.empty()) {
      EXPECT_EQ(g.before, std::vector<std::int32_t>{1});
    }
}

/// `let (a, b) = (x.to_dm(), y.to_dm());`: ours have the column of their begin, theirs that of their end.
TEST(Join, of_two_calls_in_a_line_is_by_column) {
  Trace ours = sample();
  ours.commands[1].source = 0;
  ours.sources[0].column = 20;
  ours.commands[1].column = 40;
  Trace const theirs = imported(
      {{"DmaLoad", "2", "tensor DMA", 0, 70, "multiply.cpp", 10, 52}, {"DmaLoad", "1", "tensor DMA", 70, 170, "multiply.cpp", 10, 32}});
  std::vector<std::pair<std::int32_t, std::int32_t>> found;
  for (const trace::JoinedCommands& g : join(ours, theirs))
    if (!g.after.empty() && g.before.size() == 1) found.emplace_back(g.before[0], g.after.at(0));
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, (std::vector<std::pair<std::int32_t, std::int32_t>>{{0, 1}, {1, 0}}));
}

/// A chain of calls reaches over lines; the imported one names the line where it ends, or where it begins.
TEST(Join, of_a_chain_is_by_any_of_its_lines) {
  Trace ours = sample();
  ours.commands[2].last_line = 20;
  ours.commands[2].last_column = 5;
  for (std::int64_t line : {12, 16, 20}) {
    auto const groups = join(imported({{"Main", "4", "main", 0, 7, "multiply.cpp", line, 40}}), ours);
    EXPECT_EQ(std::count_if(groups.begin(), groups.end(),
                            [](const auto& g) { return !g.before.empty() && g.after == std::vector<std::int32_t>{2}; }),
              1)
        << line;
  }
}

TEST(Join, puts_rounds_together_and_takes_the_slowest_cluster) {
  Trace ours = sample();
  ours.commands[1].source = 0;
  Trace const theirs = imported({{"DmaLoad", "1", "tensor DMA, cluster 0", 0, 60, "multiply.cpp", 10, 32, 0},
                                 {"DmaLoad", "1", "tensor DMA, cluster 1", 5, 75, "multiply.cpp", 10, 32, 1},
                                 {"DmaLoad", "1", "tensor DMA, cluster 0", 100, 160, "multiply.cpp", 10, 32, 0},
                                 {"DmaLoad", "1", "tensor DMA, cluster 1", 105, 175, "multiply.cpp", 10, 32, 1}},
                                "spans");
  Diff const d = compare(ours, theirs);
  const CommandChange* const load = find(d, "DmaLoad", "multiply.cpp:10");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->commands_before, 2);
  EXPECT_EQ(load->commands_after, 2);
  EXPECT_EQ(load->busy_before, Cycles{200});
  EXPECT_EQ(load->busy_after, Cycles{140});
  EXPECT_EQ(d.resources.back(), (trace::ResourceChange{"tensor DMA", 3, 2, Cycles{250}, Cycles{140}}));
}

/// What the program takes before its first command is none of the command's.
TEST(Join, leaves_the_prologue_out) {
  Trace ours = sample();
  ours.commands[0].startup = Cycles{40};
  ours.commands[0].streaming = Cycles{60};
  ours.commands[0].of_program = Cycles{30};
  Diff const d = compare(ours, imported({{"DmaLoad", "1", "tensor DMA", 0, 90, "multiply.cpp", 10, 30}}));
  EXPECT_EQ(find(d, "DmaLoad", "multiply.cpp:10")->busy_before, Cycles{70});
}

TEST(Join, of_two_imported_traces_is_by_type_and_index) {
  Trace plan = imported({{"Main", "7", "main", 0, 10, "a.rs", 1, 2}, {"Main", "8", "main", 10, 30, "a.rs", 1, 2}});
  plan.commands[0].resources.push_back(static_cast<std::int32_t>(plan.resources.size()));
  plan.resources.push_back("vector engine");
  Trace const chip = imported({{"Main", "8", "main", 0, 50, "", 0, 0}, {"Main", "7", "main", 50, 60, "", 0, 0}}, "spans");
  Diff const d = compare(plan, chip);
  ASSERT_EQ(d.commands.size(), 2u);
  EXPECT_EQ(d.commands[0].name, "Main#8");
  EXPECT_EQ(d.commands[0].busy_before, Cycles{20});
  EXPECT_EQ(d.commands[0].busy_after, Cycles{50});
  EXPECT_EQ(d.commands[1].busy_after, Cycles{10});
  ASSERT_EQ(d.resources.size(), 1u) << "spans do not say who held the Vector Engine";
  EXPECT_EQ(d.resources[0].name, "main");
}

TEST(ShowDiff, of_an_imported_trace_has_calls_sums_and_what_has_no_partner) {
  Trace const theirs =
      imported({{"DmaLoad", "1", "tensor DMA", 0, 150, "multiply.cpp", 10, 30}, {"Warp", "2", "Loom", 0, 5, "", 0, 0}}, "spans");
  std::string const text = show(compare(sample(), theirs));
  EXPECT_NE(text.find("   100   150   1.50         1  DmaLoad  multiply.cpp:10"), text.npos) << text;
  EXPECT_NE(text.find("   100   150   1.50            all\n"), text.npos) << text;
  EXPECT_NE(text.find("  chip          5         1  Warp#2  -\n"), text.npos) << text;
}

}  // namespace
}  // namespace tcp::trace_test
