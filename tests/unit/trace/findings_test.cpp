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
  t.makespan = Cycles{100};
  t.bounds.clear();
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
trace::PassFacts good_pass() {
  trace::PassFacts p;
  p.clusters = p.clusters_of = 2;
  p.slices = p.slices_of = 256;
  p.rows = p.rows_of = 8;
  p.packet_bytes = p.flit_bytes = Bytes{32};
  p.lanes = p.lanes_of = 32;
  p.longest_bank_run = 1;
  p.ideal = Cycles{10};
  p.outputs = 64;
  return p;
}
/// A pass of one() that reads and writes DM, so that what it touches has a layout.
trace::Trace one_in_dm(const trace::PassFacts& p) {
  trace::Trace t = one(nullptr, &p);
  t.commands[0].reads = {{"DM", 0, 256, 0, trace::none}};
  t.commands[0].writes = {{"DM", 256, 512, 0, trace::none}};
  return t;
}

/// The only finding, as "rule cycles".
std::string only(const trace::Trace& t) {
  EXPECT_TRUE(trace::check(t, "t.json"));
  std::string out;
  for (const trace::Finding& f : trace::find(t)) {
    out += (out.empty() ? "" : "; ") + f.rule + " " + std::to_string(f.gain.value);
    EXPECT_FALSE(f.what.empty());
    EXPECT_FALSE(f.help.empty());
    EXPECT_EQ(f.gain, f.cycles) << "the only command is the critical path";
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
  trace::Trace t = one(&d, nullptr);
  t.units.assign(1, {"0", "0-1", "0-255"});
  t.commands[0].writes = {{"DM", 0, 128, 0, trace::none}};
  EXPECT_EQ(only(t), "small-dma-runs 60") << "a slice has 128 bytes";
  t.commands[0].dma->bytes = Bytes{512 * 64};
  EXPECT_EQ(only(t), "") << "a run has all that a slice gets";
  d.run = Bytes{256};
  EXPECT_EQ(only(one(&d, nullptr)), "") << "all engines work, and runs are whole";
}

TEST(Findings, missing_stack_bit) {
  trace::DmaFacts d = good_dma();
  d.stacks = 1;
  d.channels = 16;
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "") << "the model says no other time";
  d.in_order = Cycles{75};
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "missing-stack-bit 25");
}

TEST(Findings, few_hbm_channels) {
  trace::DmaFacts d = good_dma();
  d.channels = 4;
  d.in_order = Cycles{70};
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "few-hbm-channels 30");
  EXPECT_EQ(trace::find(one(&d, nullptr, "hbm-channel", 30)).at(0).what, "only 4 of 32 channels of HBM take part");
  d.channels = d.channels_of;
  EXPECT_EQ(trace::find(one(&d, nullptr, "hbm-channel", 30)).at(0).what,
            "all 32 channels of HBM take part, and some have more to do than others");
}

TEST(Findings, row_conflicts) {
  trace::DmaFacts d = good_dma();
  d.row_switches = 200;
  d.in_order = Cycles{75};
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "row-conflicts 25") << "whatever the model calls the wait";
}

TEST(Findings, partial_writes) {
  trace::DmaFacts const d = good_dma();
  EXPECT_EQ(only(one(&d, nullptr, "partial-write", 5)), "partial-writes 5");
}

TEST(Findings, partial_writes_of_copies_inside_hbm) {
  trace::DmaFacts const d = good_dma();
  trace::Trace t = one(&d, nullptr, "partial-write", 5);
  t.commands[0].reads = {{"HBM", 0, 256, 0, trace::none}};
  t.commands[0].writes = {{"HBM", 512, 768, 0, trace::none}};
  EXPECT_EQ(only(t), "") << "both layouts are wanted";
}

TEST(Findings, few_bytes_reach_few_channels) {
  trace::DmaFacts d = good_dma();
  d.stacks = d.channels = 1;
  d.in_order = Cycles{70};
  d.bytes = Bytes{257};
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "missing-stack-bit 30") << "two units could lie in two stacks";
  d.bytes = Bytes{256};
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "");
  d.stacks = 2;
  d.channels = 4;
  EXPECT_EQ(only(one(&d, nullptr, "hbm-channel", 30)), "") << "no more channels than units";
}

TEST(Findings, few_dma_engines) {
  trace::DmaFacts d = good_dma();
  d.engines = 1;
  d.ideal = Cycles{15};
  EXPECT_EQ(only(one(&d, nullptr)), "few-dma-engines 65") << "not below the full rate";
  d.ideal = Cycles{5};
  EXPECT_EQ(only(one(&d, nullptr)), "few-dma-engines 70") << "an eighth of 80 cycles is left";
  d.copies = 2;
  EXPECT_EQ(only(one(&d, nullptr)), "") << "more slices would want more copies";
}

TEST(Findings, row_interleaving) {
  trace::DmaFacts d = good_dma();
  d.dealt = Cycles{69};
  EXPECT_EQ(only(one(&d, nullptr)), "row-interleaving 11");
}

TEST(Findings, copies_that_a_switch_could_make) {
  trace::DmaFacts d = good_dma();
  d.copies = 16;
  EXPECT_EQ(only(one(&d, nullptr)), "") << "it would not help";
  d.one_copy = Cycles{40};
  EXPECT_EQ(only(one(&d, nullptr)), "replication 60");
}

/// Two loads of the same bytes into the same slices.
trace::Trace loaded_twice() {
  trace::Trace t = sample();
  trace::DmaFacts const d = good_dma();
  for (std::size_t c : {0u, 1u}) {
    t.commands[c].dma = {d};
    t.commands[c].reads = {{"HBM", 0, 256, trace::none, trace::none}};
  }
  return t;
}

TEST(Findings, bytes_that_are_loaded_again) {
  trace::Trace t = loaded_twice();
  std::vector<trace::Finding> found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "replication");
  EXPECT_EQ(found[0].gain, Cycles{100});
  EXPECT_EQ(found[0].what, "64.0 KiB are loaded that multiply.cpp:10 loaded before; DM has room to keep them");
  t.capacities[0].bytes = Bytes{800};
  EXPECT_TRUE(trace::find(t).empty()) << "768 bytes are used, and there is no room for 256 more";
  t = loaded_twice();
  t.commands[3].writes = {{"HBM", 128, 256, trace::none, trace::none}};
  EXPECT_TRUE(trace::find(t).empty()) << "they are written";
  t = loaded_twice();
  t.tensors[1].mapping = "i32 in DM Element[B]";
  EXPECT_TRUE(trace::find(t).empty()) << "another layout";
}

/// A pass that computes nothing, and one that reads what it made.
trace::Trace relayouts() {
  trace::Trace t = sample();
  trace::PassFacts p = good_pass();
  t.commands[3].dma.reset();
  t.commands[3].name = "main";
  t.commands[3].pass = {p};
  p.moves = true;
  t.commands[2].pass = {p};
  t.tensors[2].mapping = "i32 in DM Element[A / 8, A % 8]";
  return t;
}

TEST(Findings, relayouts_that_the_next_pass_could_do) {
  trace::Trace t = relayouts();
  std::vector<trace::Finding> found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "relayout");
  EXPECT_EQ(found[0].gain, Cycles{50});
  t.commands[3].end = Cycles{280};
  t.commands[3].streaming = Cycles{30};
  t.makespan = Cycles{280};
  found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].gain, Cycles{30}) << "the reader would take as long as the relayout";
  t.commands[3].pass.reset();
  EXPECT_TRUE(trace::find(t).empty()) << "a store wants its layout";
  t.tensors[2].mapping = t.tensors[1].mapping;
  EXPECT_EQ(trace::find(t).at(0).what, "256 B of each slice are copied as they are: nothing is computed, and the layout stays the same");
}

/// Two loads, one for each cluster.
trace::Trace lagging() {
  trace::Trace t = sample();
  t.units.push_back({"0", "0", "0-255"});
  t.units.push_back({"0", "1", "0-255"});
  trace::DmaFacts d = good_dma();
  d.ideal = Cycles{30};
  t.commands[0].dma = t.commands[1].dma = {d};
  t.commands[0].writes[0].units = 1;
  t.commands[1].writes[0].units = 2;
  return t;
}

TEST(Findings, cluster_1_begins_later) {
  trace::Trace t = lagging();
  std::vector<trace::Finding> found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "cluster-lag");
  EXPECT_EQ(found[0].gain, Cycles{100});
  t.commands[0].dma->ideal = t.commands[1].dma->ideal = Cycles{60};
  EXPECT_EQ(trace::find(t).at(0).gain, Cycles{80}) << "both together take 120 cycles of HBM";
  t.commands[0].dma->both_clusters = Cycles{150};
  t.commands[1].dma->both_clusters = Cycles{150};
  EXPECT_EQ(trace::find(t).at(0).gain, Cycles{50}) << "both at the same time take longer than one alone";
  t.commands[1].writes[0].units = 1;
  EXPECT_TRUE(trace::find(t).empty()) << "the same cluster";
}

TEST(Findings, shorter_loads_lag_less) {
  trace::DmaFacts d = good_dma();
  d.run = Bytes{32};
  d.ideal = Cycles{5};
  trace::Trace t = one(&d, nullptr, "lag", 40);
  t.commands[0].reads = {{"HBM", 0, 256, trace::none, trace::none}};
  std::vector<trace::Finding> found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cycles, Cycles{35}) << "an eighth of 40 is left";
  EXPECT_EQ(found[0].gain, Cycles{70}) << "and of the lag in the end";
  t.commands[0].dma->engines = 4;
  for (const trace::Finding& f : trace::find(t)) EXPECT_LE(f.gain, Cycles{35}) << "engines of one cluster: " << f.rule;
}

TEST(Findings, stalls_of_transfers) {
  trace::DmaFacts d = good_dma();
  EXPECT_EQ(only(one(&d, nullptr, "dmn", 5)), "") << "the model says no other time";
  d.both_dmns = Cycles{95};
  EXPECT_EQ(only(one(&d, nullptr, "dmn", 5)), "one-dmn 5");
  trace::DmaFacts const between = good_dma();
  EXPECT_EQ(only(one(&between, nullptr, "pcie", 5)), "") << "bytes between chips take what they take";
}

/// A copy inside HBM that the next command reads.
TEST(Findings, copies_inside_hbm) {
  trace::DmaFacts d = good_dma();
  trace::Trace t = one(&d, nullptr, "shared-medium", 5);
  for (const char* name : {"in", "copy"})
    t.tensors.push_back({name, "HBM", "i32 in HBM Element[A]", "", 0, 256, trace::none, 0, 0, 1, Cycles{0}, Cycles{100}});
  t.commands[0].reads = {{"HBM", 512, 768, trace::none, 0}};
  t.commands[0].writes = {{"HBM", 0, 256, trace::none, 1}};
  trace::Command load = t.commands[0];
  load.start = load.end = Cycles{100};
  load.startup = load.streaming = Cycles{0};
  load.stalls.clear();
  load.dma.reset();
  load.after = {{"raw", 0, "HBM", 0, 256}};
  load.binding = 0;
  load.reads = {{"HBM", 0, 256, trace::none, 1}};
  load.writes.clear();
  t.commands.push_back(load);
  EXPECT_EQ(only(t), "shared-medium 100") << "the copy is left out";
  t.tensors[1].role = "result";
  EXPECT_EQ(only(t), "") << "the copy is what was asked for";
  t.tensors[1].role.clear();
  t.tensors[1].mapping = "i32 in HBM Element[A / 8, A % 8 # 64]";
  EXPECT_EQ(only(t), "") << "another layout";
}

TEST(Findings, padding) {
  trace::PassFacts p = good_pass();
  p.packet_bytes = Bytes{8};
  EXPECT_EQ(only(one(nullptr, &p)), "padding 60") << "three quarters of 80 working cycles";
}

TEST(Findings, idle_parts_of_the_tensor_unit) {
  trace::PassFacts p = good_pass();
  p.clusters = 1;
  EXPECT_EQ(only(one_in_dm(p)), "idle-clusters 40");
  p = good_pass();
  p.slices = 64;
  EXPECT_EQ(only(one_in_dm(p)), "idle-slices 60");
  p.outputs = 2;
  EXPECT_EQ(only(one_in_dm(p)), "idle-slices 40") << "two slices have something to do";
  p.outputs = 1;
  EXPECT_EQ(only(one_in_dm(p)), "") << "there is one result";
  p.outputs = 0;
  EXPECT_EQ(only(one_in_dm(p)), "") << "weights are needed where they are used";
  p = good_pass();
  p.rows = 2;
  EXPECT_EQ(only(one(nullptr, &p)), "idle-rows 60");
  p.ideal = Cycles{50};
  EXPECT_EQ(only(one(nullptr, &p)), "idle-rows 30") << "what it reads takes 50 cycles";
  p = good_pass();
  p.lanes = 24;
  EXPECT_EQ(only(one(nullptr, &p)), "idle-lanes 20");
  p.lanes = p.rows = 0;
  EXPECT_EQ(only(one(nullptr, &p)), "") << "the Contraction Engine takes no part";
}

/// A pass that could be spread shares its source with one that could not.
TEST(Findings, a_pass_with_one_result_keeps_the_layout_of_its_source) {
  trace::PassFacts p = good_pass();
  p.clusters = 1;
  trace::Trace t = one_in_dm(p);
  trace::Command second = t.commands[0];
  second.start = Cycles{100};
  second.end = Cycles{200};
  second.after = {{"resource", 0, "main", 0, 0}};
  second.binding = 0;
  second.writes = {{"DM", 512, 544, 0, trace::none}};
  t.commands.push_back(second);
  t.makespan = Cycles{200};
  EXPECT_EQ(only(t), "idle-clusters 80") << "one change for both";
  t.commands[1].pass->outputs = 1;
  EXPECT_EQ(only(t), "");
}

TEST(Findings, stalls_of_passes) {
  trace::PassFacts const p = good_pass();
  EXPECT_EQ(only(one(nullptr, &p, "trf-bank", 5)), "bank-conflicts 5");
  EXPECT_EQ(only(one(nullptr, &p, "dm-bank", 5)), "bank-conflicts 5");
  EXPECT_EQ(only(one(nullptr, &p, "starvation", 5)), "starvation 5");
}

/// Nothing that is written makes an engine quicker which has that much to compute.
TEST(Findings, engines_that_compute_are_none) {
  trace::PassFacts p = good_pass();
  trace::Trace t = one(nullptr, &p, "engine", 50);
  for (const char* engine : {"Vector", "Contraction", "Commit", "Transpose"}) {
    t.commands[0].engines = {{"Fetch", Cycles{30}}, {engine, Cycles{80}}};
    t.commands[0].slowest = engine;
    EXPECT_EQ(only(t), "") << engine;
  }
}

/// A DMA could bring each packet to its slice.
TEST(Findings, a_slow_switch) {
  trace::PassFacts p = good_pass();
  p.outputs = 1;
  trace::Trace t = one(nullptr, &p, "engine", 70);
  t.geometry.emplace().dma_engines = 8;
  t.commands[0].slowest = "Switch";
  t.commands[0].engines = {{"Fetch", Cycles{10}}, {"Switch", Cycles{80}}};
  EXPECT_EQ(only(t), "slower-engine 16") << "512 packets by 8 engines";
  EXPECT_EQ(trace::find(t).at(0).what, "Switch sets the pace, with 80 cycles; DMA that brings each packet to its slice takes about 64");
  t.commands[0].engines.push_back({"Vector", Cycles{75}});
  EXPECT_EQ(only(t), "slower-engine 5") << "what the next-slowest engine takes is left";
  t.commands[0].pass->ideal = Cycles{80};
  EXPECT_EQ(only(t), "") << "a pass at peak rate is no stall";
}

TEST(Findings, lookups) {
  trace::PassFacts p = good_pass();
  p.table = 16;
  trace::Trace t = one(nullptr, &p, "engine", 50);
  t.commands[0].slowest = "Fetch";
  t.commands[0].engines = {{"Fetch", Cycles{30}}, {"Contraction", Cycles{40}}, {"Fetch", Cycles{80}}};
  EXPECT_EQ(only(t), "") << "nothing but the table reads such a type";
  t.commands[0].pass->computable = true;
  EXPECT_EQ(only(t), "lookups 40");
  t.commands[0].streaming -= Cycles{10};
  t.commands[0].startup -= Cycles{15};
  t.commands[0].stalls.push_back({"table", Cycles{25}});
  t.commands[0].engines = {{"Fetch", Cycles{20}}, {"Contraction", Cycles{40}}, {"Fetch", Cycles{70}}};
  EXPECT_EQ(only(t), "lookups 55");
  t.commands[0].pass->computed = Cycles{60};
  EXPECT_EQ(only(t), "lookups 35") << "the Vector Engine has fewer lanes than a flit has values";
  t.commands[0].pass->computed = Cycles{90};
  EXPECT_EQ(only(t), "lookups 5") << "and may be slower than the table";
}

/// 250 of 300 cycles are bytes of HBM; and less than a hundredth is not worth a word.
TEST(Findings, never_promise_more_than_the_bounds_leave) {
  trace::PassFacts p = good_pass();
  p.rows = 2;
  trace::Trace t = one(nullptr, &p);
  t.bounds = {{"dependency chain", Cycles{100}}, {"bytes of HBM", Cycles{75}}, {"multiply-adds", Cycles{50}}};
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].cycles, Cycles{60});
  EXPECT_EQ(found[0].gain, Cycles{25});
  t.bounds[1].cycles = Cycles{100};
  EXPECT_TRUE(trace::find(t).empty());
}

/// Only the part of a wait for a bank counts which nothing else explains.
TEST(Findings, starvation_counts_from_when_nothing_else_held_the_command_back) {
  trace::Trace t = sample();
  t.commands[2].after = {{"raw", 0, "DM", 0, 256}, {"starvation", 1, "DM", 3, 64}};
  t.commands[3].after = {{"raw", 2, "DM", 512, 768}};
  t.commands[3].binding = 0;
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "starvation");
  EXPECT_EQ(found[0].cycles, Cycles{100}) << "ready at 100, started at 200";
  EXPECT_EQ(found[0].gain, Cycles{100});
}

/// Two passes of one line side by side: both must become shorter.
TEST(Findings, commands_of_a_line_are_one_finding_the_dearest_speaks) {
  trace::PassFacts p = good_pass();
  p.rows = 4;
  trace::Trace t = one(nullptr, &p);
  trace::Command second = t.commands[0];
  second.resources = {dma_queue};
  second.end = Cycles{200};
  second.streaming = Cycles{180};
  second.pass->rows = 2;
  t.commands.push_back(second);
  t.commands[0].critical = false;
  t.makespan = Cycles{200};
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].commands, 2);
  EXPECT_EQ(found[0].cycles, Cycles{40 + 135});
  EXPECT_EQ(found[0].gain, Cycles{135}) << "200 cycles become 65";
  EXPECT_EQ(found[0].what, "only 2 of 8 Rows of the Contraction Engine multiply");
}

TEST(Findings, what_another_command_hides_is_no_finding) {
  trace::PassFacts p = good_pass();
  p.rows = 4;
  trace::Trace t = one(nullptr, &p);
  trace::Command second = t.commands[0];
  second.source = 1;
  second.resources = {dma_queue};
  second.pass.reset();
  t.commands.push_back(second);
  EXPECT_TRUE(trace::find(t).empty()) << "the other command takes as long";
}

/// Two hundred passes one after the other, each on a line of its own.
TEST(Findings, lines_of_an_unrolled_loop_are_one_finding) {
  trace::PassFacts p = good_pass();
  p.rows = 4;
  trace::Trace t = one(nullptr, &p);
  for (std::int32_t c = 1; c < 200; ++c) {
    trace::Command next = t.commands[0];
    next.start = Cycles{100 * c};
    next.end = Cycles{100 * c + 100};
    next.after = {{"resource", c - 1, "main", 0, 0}};
    next.binding = 0;
    next.source = static_cast<std::int32_t>(t.sources.size());
    t.sources.push_back({"/k/multiply.cpp", "multiply", 100 + c, 3, ""});
    t.commands.push_back(next);
  }
  t.makespan = Cycles{20000};
  std::vector<trace::Finding> const found = trace::find(t);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "idle-rows");
  EXPECT_EQ(found[0].commands, 200);
  EXPECT_EQ(found[0].gain, Cycles{200 * 40});
}

TEST(Findings, have_names_of_their_own) {
  std::vector<std::string_view> names(trace::finding_rules().begin(), trace::finding_rules().end());
  EXPECT_EQ(names.size(), 21u);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace tcp::trace_test
