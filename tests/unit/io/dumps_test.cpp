// Dumps of the vendor's tools as traces: what is read, what is kept, and that nothing unknown or impossible is an error
// or a crash.
#include "tcp/io/dumps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"

namespace tcp::io {
namespace {

using trace::Trace;

std::string sample(const char* name) {
  std::ifstream in(std::string(TCP_SOURCE_DIR "/tests/golden/files/") + name);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What is read passes the check of traces, and survives their file.
Trace imported(const std::string& text, const DumpOptions& options = {}) {
  auto const t = read_dump(text, "dump", options);
  EXPECT_TRUE(t) << t.refusal().sentence().s;
  if (!t) return {};
  auto const v = trace::check(*t, "dump");
  EXPECT_TRUE(v) << v.refusal().sentence().s;
  std::ostringstream written;
  trace::write_json(*t, written);
  auto const again = trace::read_json(written.view(), "t.json");
  EXPECT_TRUE(again) << again.refusal().sentence().s;
  if (again) {
    EXPECT_EQ(*again, *t);
  }
  (void)trace::show(trace::make_report(*t));
  return *t;
}
std::string code_of(const std::string& text) {
  auto const t = read_dump(text, "dump", {});
  return t ? "" : t.refusal().code;
}
std::string fact(const Trace& t, const std::string& name) {
  auto const at = std::find_if(t.facts.begin(), t.facts.end(), [&](const trace::Setting& s) { return s.name == name; });
  return at == t.facts.end() ? "" : at->text;
}
std::string setting(const Trace& t, const trace::Command& c, const std::string& name) {
  if (c.configuration == trace::none) return "";
  for (const trace::Setting& s : t.configurations[static_cast<std::size_t>(c.configuration)].settings)
    if (s.name == name) return s.text;
  return "";
}
std::string with(const std::string& instructions) { return "{\"instructions\": [" + instructions + "]}"; }

TEST(Dumps, are_told_apart_by_their_contents) {
  EXPECT_EQ(dump_kind(sample("relu.schedule.json")), DumpKind::schedule);
  EXPECT_EQ(dump_kind(sample("relu.spans.txt")), DumpKind::spans);
  EXPECT_EQ(dump_kind(sample("gemm.json")), DumpKind::none);
  EXPECT_EQ(dump_kind("the SPAN of a bridge"), DumpKind::none);
  EXPECT_EQ(dump_kind(""), DumpKind::none);
  EXPECT_EQ(code_of("hello"), "import-format");
}

TEST(ScheduleDump, has_commands_in_the_order_of_their_start) {
  Trace const t = imported(sample("relu.schedule.json"));
  EXPECT_EQ(t.imported, "schedule");
  EXPECT_EQ(t.program, "relu");
  EXPECT_EQ(t.makespan, Cycles{11106});
  ASSERT_EQ(t.commands.size(), 6u);
  std::vector<std::string> names;
  for (const trace::Command& c : t.commands) names.push_back(c.name + "#" + c.index);
  EXPECT_EQ(names, (std::vector<std::string>{"DmaLoad#1", "Main#4", "Main#7", "Main#10", "DmaStore#13", "Core#ExplicitSync(2)"}));
  EXPECT_EQ(t.commands[1].start, Cycles{1710});
  EXPECT_EQ(t.commands[1].length(), Cycles{282});
  const trace::Source& at = t.sources[static_cast<std::size_t>(t.commands[1].source)];
  EXPECT_EQ(at.file, "src/relu.rs");
  EXPECT_EQ(at.line, 23);
  EXPECT_EQ(at.column, 22);
  EXPECT_TRUE(at.text.starts_with("ctx.main.begin(now.view()).fetch::<m![1], m![A % 8]>()")) << at.text;
  EXPECT_EQ(t.commands[2].source, t.commands[1].source);
  EXPECT_EQ(t.commands[5].source, trace::none);
  auto const resource = [&t](std::size_t c, std::size_t k) { return t.resources[static_cast<std::size_t>(t.commands[c].resources.at(k))]; };
  EXPECT_EQ(resource(0, 0), "tensor DMA");
  EXPECT_EQ(resource(1, 0), "main");
  EXPECT_EQ(resource(1, 1), "vector engine");
  EXPECT_EQ(resource(5, 0), "core");
}

TEST(ScheduleDump, has_tensors_with_what_touches_them) {
  Trace const t = imported(sample("relu.schedule.json"));
  ASSERT_EQ(t.tensors.size(), 6u);
  EXPECT_EQ(t.tensors[1].memory, "DM");
  EXPECT_EQ(t.tensors[1].first, 0);
  EXPECT_EQ(t.tensors[1].last, 1);
  EXPECT_EQ(t.tensors[0].memory, "HBM");
  EXPECT_EQ(t.tensors[5].name, "out");
  EXPECT_EQ(t.commands[4].writes.at(0).tensor, 5);
  EXPECT_EQ(t.capacities.at(0).bytes, Bytes{268435456});
  auto const& details = t.tensors[3].details;
  EXPECT_TRUE(std::any_of(details.begin(), details.end(), [](const auto& s) { return s.name == "fingerprint" && s.text == "23757"; }));
}

TEST(ScheduleDump, keeps_what_it_does_not_know) {
  Trace const t = imported(sample("relu.schedule.json"));
  EXPECT_EQ(setting(t, t.commands[5], "fence"), "clusters");
  EXPECT_EQ(setting(t, t.commands[0], "util.total_util"), "0.0062");
  EXPECT_EQ(fact(t, "page_size"), "16777216");
  Trace const other = imported(with(R"({"index": 3, "tpe": "Warp", "contexts": ["Loom", "MainContext"], "lifetime": {"begin": 1, "end": 2},
    "description": "made by the compiler", "depth": [1, 2], "nothing": null})"));
  ASSERT_EQ(other.commands.size(), 1u);
  EXPECT_EQ(other.commands[0].name, "Warp");
  EXPECT_EQ(other.commands[0].index, "3");
  EXPECT_EQ(other.resources, (std::vector<std::string>{"Loom", "main"}));
  EXPECT_EQ(setting(other, other.commands[0], "depth"), "[1,2]");
  EXPECT_EQ(setting(other, other.commands[0], "description"), "made by the compiler");
}

TEST(ScheduleDump, leaves_out_what_has_no_possible_time_and_says_so) {
  std::string const right = R"({"index": "1", "tpe": "Main", "lifetime": {"begin": 5, "end": 9}})";
  for (const char* life :
       {R"({"begin": 9, "end": 5})", R"({"begin": -1, "end": 5})", R"({"begin": 0, "end": 1e300})", R"({"begin": "x", "end": 5})",
        R"({"begin": 18446744073709551615, "end": 18446744073709551615})", R"({"begin": 0})", "7", "null"}) {
    Trace const t = imported(with(right + R"(, {"index": "2", "lifetime": )" + life + "}"));
    EXPECT_EQ(t.commands.size(), 1u) << life;
    EXPECT_EQ(fact(t, "left out"), "1 instructions without a possible lifetime: 2") << life;
  }
  EXPECT_EQ(code_of(with("")), "import-nothing");
  EXPECT_EQ(code_of(with("1, [], \"x\", null, {}")), "import-nothing");
  EXPECT_EQ(imported(with(R"({"lifetime": {"begin": 1.75, "end": 3}, "input_tensors": [5, -1, "x"], "contexts": 7})")).commands.at(0).start,
            Cycles{1});
}

TEST(ScheduleDump, that_is_broken_is_refused_with_its_line) {
  auto const said = [](const std::string& text) {
    auto const t = read_dump(text, "dump.json", {});
    EXPECT_FALSE(t);
    return t ? "" : std::string(t.refusal().sentence().s);
  };
  EXPECT_NE(said("{\n\"instructions\": [\n{\"index\": NaN}]}").find("dump.json:3: the dump is broken"), std::string::npos);
  EXPECT_NE(said("{\n\n\n\"instructions\": [").find("dump.json:4: the dump is broken"), std::string::npos);
  EXPECT_NE(said("{\n\"instructions\": [\n{\"index\": 1e999}]}").find("dump.json:3: the dump is broken"), std::string::npos);
  EXPECT_EQ(code_of("{\"instructions\": {}}"), "import-format");
  EXPECT_EQ(code_of("{\"other\": \"instructions\"}"), "import-format");
}

TEST(Spans, are_in_ticks_and_become_cycles) {
  Trace const t = imported(sample("relu.spans.txt"));
  EXPECT_EQ(t.imported, "spans");
  EXPECT_EQ(t.program, "relu");
  ASSERT_EQ(t.commands.size(), 12u);
  EXPECT_EQ(t.commands[0].name, "DmaLoad");
  EXPECT_EQ(t.commands[0].index, "1");
  EXPECT_EQ(t.commands[0].start, Cycles{0});
  EXPECT_EQ(t.commands[0].end, Cycles{603});
  EXPECT_EQ(t.commands[0].cluster, 0);
  EXPECT_EQ(t.commands[1].cluster, 1);
  EXPECT_EQ(t.commands[1].start, Cycles{18});
  EXPECT_EQ(t.resources.at(1), "tensor DMA, cluster 1");
  EXPECT_EQ(fact(t, "skipped"), "3 lines that are no spans");
  EXPECT_EQ(fact(t, "the counter at the first span"), "91000400311");
  EXPECT_EQ(t.ticks_per_cycle, 2);
}

TEST(Spans, take_their_lines_from_a_schedule) {
  Trace const schedule = imported(sample("relu.schedule.json"));
  Trace const t = imported(sample("relu.spans.txt"), {.schedule = &schedule});
  ASSERT_EQ(t.commands.size(), 12u);
  EXPECT_EQ(t.sources.at(static_cast<std::size_t>(t.commands[2].source)).line, 23);
  EXPECT_EQ(t.commands[10].source, trace::none);
  EXPECT_EQ(fact(t, "source lines"), "10 of 12 spans have one, by type and index of the schedule");
}

TEST(Spans, of_older_editions_and_free_names) {
  Trace const t =
      imported("SPAN a beg=100 end=140 dur=40 name=my own phase\r\nSPAN a beg=10 dur=30 name=Main#ExplicitSync(4)\nSPAN a beg=1 end=2\n");
  ASSERT_EQ(t.commands.size(), 3u);
  EXPECT_EQ(t.commands[0].name, "span");
  EXPECT_EQ(t.commands[1].index, "ExplicitSync(4)");
  EXPECT_EQ(t.commands[1].length(), Cycles{15});
  EXPECT_EQ(t.commands[2].name, "my own phase");
  EXPECT_EQ(t.commands[2].cluster, trace::none);
  EXPECT_EQ(t.program, "a");
}

std::string joined(const std::vector<const char*>& lines) {
  std::string all;
  for (const char* line : lines) all += std::string(line) + "\n";
  return all;
}

TEST(Spans, of_several_tests_are_chosen_from) {
  std::string const both =
      joined({"SPAN a beg=10 end=30 name=Main#1", "SPAN b beg=50 end=60 name=Main#1", "SPAN a beg=40 end=44 name=Sub#2"});
  EXPECT_EQ(code_of(both), "import-several-tests");
  DumpOptions options;
  options.test = "b";
  Trace const t = imported(both, options);
  EXPECT_EQ(t.program, "b");
  ASSERT_EQ(t.commands.size(), 1u);
  EXPECT_EQ(t.makespan, Cycles{5});
  EXPECT_EQ(fact(t, "other tests"), "2 spans left out");
  options.test = "c";
  auto const none = read_dump(both, "dump", options);
  EXPECT_EQ(none ? "" : std::string(none.refusal().code), "import-no-such-test");
  options.test = "a";
  EXPECT_EQ(imported(both, options).commands.size(), 2u);
}

/// Three runs of a load and two rounds of a pass on two clusters.
const std::string& three_runs() {
  static std::string const all = joined({
      "SPAN k cl=0 beg=1000 end=1100 name=DmaLoad#1",
      "SPAN k cl=1 beg=1010 end=1130 name=DmaLoad#1",
      "SPAN k cl=0 beg=1140 end=1160 name=Main#2",
      "SPAN k cl=0 beg=1164 end=1190 name=Main#2",
      "SPAN k cl=0 beg=9000 end=9120 name=DmaLoad#1",
      "SPAN k cl=1 beg=9012 end=9140 name=DmaLoad#1",
      "SPAN k cl=0 beg=9150 end=9174 name=Main#2",
      "SPAN k cl=0 beg=9180 end=9200 name=Main#2",
      "SPAN k cl=1 beg=20008 end=20120 name=DmaLoad#1",
      "SPAN k cl=0 beg=20000 end=20300 name=DmaLoad#1",
      "SPAN k cl=0 beg=20304 end=20326 name=Main#2",
      "SPAN k cl=0 beg=20330 end=20352 name=Main#2",
  });
  return all;
}

TEST(Spans, of_several_runs_are_put_together_by_their_medians) {
  Trace const t = imported(three_runs());
  ASSERT_EQ(t.commands.size(), 4u);
  EXPECT_EQ(t.commands[0].length(), Cycles{60}) << "of 100, 120 and 300 ticks";
  EXPECT_EQ(t.commands[1].cluster, 1);
  EXPECT_EQ(t.commands[1].start, Cycles{5}) << "of 10, 12 and 8 ticks";
  EXPECT_EQ(t.commands[2].start, Cycles{75});
  EXPECT_EQ(t.commands[2].length(), Cycles{11}) << "of 20, 24 and 22 ticks";
  EXPECT_TRUE(fact(t, "runs").starts_with("3 of the same commands, put together: ")) << fact(t, "runs");
  EXPECT_TRUE(fact(t, "imported from").starts_with("dump: 12 spans"));
}

TEST(Spans, of_one_run_of_several) {
  DumpOptions options;
  options.run = 2;
  Trace const second = imported(three_runs(), options);
  ASSERT_EQ(second.commands.size(), 4u);
  EXPECT_EQ(second.commands[0].length(), Cycles{60});
  EXPECT_EQ(second.makespan, Cycles{100});
  EXPECT_EQ(fact(second, "runs"), "3 of the same commands, this is number 2");
  options.run = DumpOptions::all_runs;
  Trace const all = imported(three_runs(), options);
  EXPECT_EQ(all.commands.size(), 12u);
  EXPECT_EQ(fact(all, "runs"), "3 of the same commands, one after the other");
  options.run = 4;
  auto const none = read_dump(three_runs(), "dump", options);
  EXPECT_EQ(none ? "" : std::string(none.refusal().code), "import-no-such-run");
}

TEST(Spans, of_loops_are_no_runs) {
  Trace const rounds = imported(joined({"SPAN k beg=0 end=100 name=DmaLoad#1", "SPAN k beg=104 end=120 name=Main#2",
                                        "SPAN k beg=130 end=150 name=Main#2", "SPAN k beg=160 end=200 name=Core#ExplicitSync(3)"}));
  EXPECT_EQ(rounds.commands.size(), 4u);
  EXPECT_EQ(fact(rounds, "runs"), "");
  Trace const other = imported(joined({"SPAN k beg=0 end=100 name=Main#1", "SPAN k beg=9000 end=9100 name=Main#2"}));
  EXPECT_EQ(other.commands.size(), 2u) << "other commands";
  Trace const close = imported(joined({"SPAN k beg=0 end=100 name=Main#1", "SPAN k beg=400 end=500 name=Sub#2",
                                       "SPAN k beg=510 end=600 name=Main#1", "SPAN k beg=910 end=990 name=Sub#2"}));
  EXPECT_EQ(close.commands.size(), 4u) << "the chip stands still for longer within a round";
}

TEST(Spans, with_impossible_numbers_are_left_out_and_counted) {
  std::string const right = "SPAN a cl=0 beg=100 end=140 dur=40 name=Main#1\n";
  for (const char* wrong :
       {"SPAN a beg=-5 end=9 name=x", "SPAN a beg=9 end=5 name=x", "SPAN a beg=nan end=5", "SPAN a end=5", "SPAN",
        "SPAN a beg=99999999999999999999 end=5", "SPAN a cl=70000 beg=1 end=2", "SPAN a beg=9223372036854775807 dur=5"}) {
    Trace const t = imported(right + wrong + "\n");
    EXPECT_EQ(t.commands.size(), 1u) << wrong;
    EXPECT_EQ(t.facts.size(), 3u) << wrong;
  }
  EXPECT_EQ(fact(imported(right + "\nSPAN a end=5"), "left out"), "1 span without a possible time, the first in line 3");
  EXPECT_EQ(code_of(right + "SPAN a beg=100 end=9223372036854775807 name=Main#2\n"), "import-too-long");
  EXPECT_EQ(code_of("SPAN a beg=9 end=5 name=x\n"), "import-nothing");
}

}  // namespace
}  // namespace tcp::io
