#include "tcp/trace/findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "sample.hpp"

namespace tcp::trace_test {
namespace {

/// One command of 100 cycles, 20 of them start-up.
trace::Trace one(const trace::DmaFacts* dma, const trace::PassFacts* pass, const char* stall = nullptr, std::int64_t stalled = 0) {
  trace::Trace t = sample();
  t.commands.resize(1);
  t.critical_path = {0};
  t.tensors.clear();
  trace::Command& c = t.commands[0];
  c.writes.clear();
  c.startup = Cycles{20};
  c.streaming = Cycles{80 - stalled};
  c.slowest = "Vector";
  if (stall != nullptr) c.stalls = {{stall, Cycles{stalled}}};
  if (dma != nullptr) c.dma = {*dma};
  if (pass != nullptr) c.pass = {*pass};
  return t;
}

trace::DmaFacts good_dma() {
  trace::DmaFacts d;
  d.bytes = Bytes{1 << 16};
  d.run = d.unit = Bytes{256};
  d.ideal = Cycles{80};
  d.descriptors = d.engines = d.engines_of = 8;
  d.stacks = d.stacks_of = 2;
  d.channels = d.channels_of = 32;
  d.requests = 256;
  return d;
}
trace::PassFacts good_pass() { return {2, 2, 256, 256, 8, 8, Bytes{32}, Bytes{32}, 32, 32, 1}; }

/// The only finding, as "rule cycles".
std::string only(const trace::Trace& t) {
  EXPECT_TRUE(trace::check(t, "t.json"));
  std::string out;
  for (const trace::Finding& f : trace::find(t)) {
    out += (out.empty() ? "" : "; ") + f.rule + " " + std::to_string(f.cycles.value);
    EXPECT_FALSE(f.what.empty());
    EXPECT_FALSE(f.help.empty());
    EXPECT_EQ(f.critical, f.cycles) << "the command is on the critical path";
  }
  return out;
}

TEST(Findings, are_none_where_all_is_well) {
  trace::DmaFacts const d = good_dma();
  trace::PassFacts const p = good_pass();
  EXPECT_EQ(only(one(&d, nullptr)), "");
  EXPECT_EQ(only(one(nullptr, &p)), "");
}

TEST(Findings, small_dma_runs) {
  trace::DmaFacts d = good_dma();
  d.run = Bytes{64};
  d.ideal = Cycles{20};
  EXPECT_EQ(only(one(&d, nullptr)), "small-dma-runs 60");
  d.run = Bytes{256};
  EXPECT_EQ(only(one(&d, nullptr)), "") << "all engines work, and runs are whole";
}

TEST(Findings, missing_stack_bit) {
  trace::DmaFacts d = good_dma();
  d.stacks = 1;
  d.channels = 16;
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "missing-stack-bit 30");
  EXPECT_EQ(only(one(&d, nullptr)), "") << "it costs nothing";
}

TEST(Findings, few_hbm_channels) {
  trace::DmaFacts d = good_dma();
  d.channels = 4;
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "few-hbm-channels 30");
  EXPECT_EQ(trace::find(one(&d, nullptr, "hbm-channel", 30)).at(0).what, "only 4 of 32 channels of HBM take part");
  d.channels = d.channels_of;
  EXPECT_EQ(trace::find(one(&d, nullptr, "hbm-channel", 30)).at(0).what,
            "all 32 channels of HBM take part, and some have more to do than others");
}

TEST(Findings, row_conflicts) {
  trace::DmaFacts d = good_dma();
  d.row_switches = 200;
  EXPECT_EQ(only(one(&d, nullptr, "hbm-row", 25)), "row-conflicts 25");
}

TEST(Findings, partial_writes) {
  trace::DmaFacts const d = good_dma();
  EXPECT_EQ(only(one(&d, nullptr, "partial-write", 5)), "partial-writes 5");
}

TEST(Findings, few_dma_engines) {
  trace::DmaFacts d = good_dma();
  d.engines = 1;
  d.ideal = Cycles{10};
  EXPECT_EQ(only(one(&d, nullptr)), "few-dma-engines 70");
  d.unit = Bytes{0};  // from DM to DM
  d.stacks = d.stacks_of = d.channels = d.channels_of = 0;
  EXPECT_EQ(only(one(&d, nullptr)), "relayout 70");
}

TEST(Findings, stalls_of_transfers) {
  trace::DmaFacts const d = good_dma();
  EXPECT_EQ(only(one(&d, nullptr, "dmn", 5)), "one-dmn 5");
  EXPECT_EQ(only(one(&d, nullptr, "broadcast", 5)), "broadcast-by-dma 5");
  EXPECT_EQ(only(one(&d, nullptr, "shared-medium", 5)), "shared-medium 5");
  EXPECT_EQ(only(one(&d, nullptr, "pcie", 5)), "between-chips 5");
}

TEST(Findings, padding) {
  trace::PassFacts p = good_pass();
  p.packet_bytes = Bytes{8};
  EXPECT_EQ(only(one(nullptr, &p)), "padding 60") << "three quarters of 80 working cycles";
}

TEST(Findings, idle_parts_of_the_tensor_unit) {
  trace::PassFacts p = good_pass();
  p.clusters = 1;
  EXPECT_EQ(only(one(nullptr, &p)), "idle-clusters 40");
  p = good_pass();
  p.slices = 64;
  EXPECT_EQ(only(one(nullptr, &p)), "idle-slices 60");
  p = good_pass();
  p.rows = 2;
  EXPECT_EQ(only(one(nullptr, &p)), "idle-rows 60");
  p = good_pass();
  p.lanes = 24;
  EXPECT_EQ(only(one(nullptr, &p)), "idle-lanes 20");
  p.lanes = p.rows = 0;
  EXPECT_EQ(only(one(nullptr, &p)), "") << "the Contraction Engine takes no part";
}

TEST(Findings, stalls_of_passes) {
  trace::PassFacts const p = good_pass();
  EXPECT_EQ(only(one(nullptr, &p, "trf-bank", 5)), "bank-conflicts 5");
  EXPECT_EQ(only(one(nullptr, &p, "dm-bank", 5)), "bank-conflicts 5");
  EXPECT_EQ(only(one(nullptr, &p, "engine", 5)), "slower-engine 5");
  EXPECT_EQ(only(one(nullptr, &p, "starvation", 5)), "starvation 5");
}

/// Of the wait for a bank only that part counts which nothing else explains.
TEST(Findings, starvation_counts_from_when_nothing_else_held_the_command_back) {
  trace::Trace t = sample();
  t.commands[2].after = {{"raw", 0, "DM", 0, 256}, {"starvation", 1, "DM", 3, 64}};
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "starvation");
  EXPECT_EQ(found[0].cycles, Cycles{100}) << "ready at 100, started at 200";
}

TEST(Findings, commands_of_a_line_are_one_finding_the_dearest_speaks) {
  trace::PassFacts p = good_pass();
  p.clusters = 1;
  trace::Trace t = one(nullptr, &p);
  trace::Command second = t.commands[0];
  second.start = Cycles{100};
  second.end = Cycles{300};
  second.streaming = Cycles{180};
  second.critical = false;
  t.commands.push_back(second);
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].commands, 2);
  EXPECT_EQ(found[0].cycles, Cycles{40 + 90});
  EXPECT_EQ(found[0].critical, Cycles{40});
}

TEST(Findings, those_on_the_critical_path_come_first) {
  trace::PassFacts p = good_pass();
  p.clusters = 1;
  trace::Trace t = one(nullptr, &p, "engine", 5);
  trace::Command second = t.commands[0];
  second.source = 1;
  second.start = Cycles{100};
  second.end = Cycles{300};
  second.streaming = Cycles{175};
  second.critical = false;
  t.commands.push_back(second);
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].source, 0);
  EXPECT_EQ(found[1].source, 0);
  EXPECT_EQ(found[2].rule, "idle-clusters");
}

}  // namespace
}  // namespace tcp::trace_test
