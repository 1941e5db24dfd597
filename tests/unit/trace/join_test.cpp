// Which commands of an imported trace and of one of ours are the same, and what the comparison says of them.
#include "tcp/trace/join.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample.hpp"
#include "tcp/trace/diff.hpp"

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
  Trace const plan = imported({{"Main", "7", "main", 0, 10, "a.rs", 1, 2}, {"Main", "8", "main", 10, 30, "a.rs", 1, 2}});
  Trace const chip = imported({{"Main", "8", "main", 0, 50, "", 0, 0}, {"Main", "7", "main", 50, 60, "", 0, 0}}, "spans");
  Diff const d = compare(plan, chip);
  ASSERT_EQ(d.commands.size(), 2u);
  EXPECT_EQ(d.commands[0].name, "Main#8");
  EXPECT_EQ(d.commands[0].busy_before, Cycles{20});
  EXPECT_EQ(d.commands[0].busy_after, Cycles{50});
  EXPECT_EQ(d.commands[1].busy_after, Cycles{10});
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
