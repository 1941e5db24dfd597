#include "tcp/trace/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "sample.hpp"

namespace tcp::trace_test {
namespace {

using trace::make_report;
using trace::Report;

TEST(Report, counts_what_is_busy) {
  Report const r = make_report(sample());
  EXPECT_EQ(r.commands, 4);
  EXPECT_EQ(r.critical_commands, 4);
  EXPECT_EQ(r.resources, (std::vector<trace::UnitUse>{{"main", Cycles{50}, 1}, {"tensor DMA", Cycles{250}, 3}}));
  EXPECT_EQ(r.engines, (std::vector<trace::UnitUse>{{"Fetch", Cycles{50}, 1}, {"Vector", Cycles{40}, 1}}));
  EXPECT_EQ(r.memories, (std::vector<trace::MemoryUse>{{"DM", Bytes{768}, Bytes{1024}}}));
}

TEST(Report, a_wait_is_while_the_own_queue_is_free) {
  Report const r = make_report(sample());
  ASSERT_EQ(r.waits.size(), 2u);
  EXPECT_EQ(r.waits[0], (trace::Wait{"main", 2, "reads b in DM, which dma at multiply.cpp:11 writes", 1, Cycles{200}, Cycles{200}}));
  EXPECT_EQ(r.waits[1], (trace::Wait{"dma", 3, "reads c in DM, which main at multiply.cpp:12 writes", 1, Cycles{50}, Cycles{50}}));
}

TEST(Report, waits_of_one_line_for_one_reason_are_one) {
  trace::Trace t = sample();
  trace::Command again = t.commands[2];
  again.start = Cycles{260};
  again.end = Cycles{270};
  again.streaming = Cycles{10};
  t.commands.push_back(again);
  Report const r = make_report(t);
  EXPECT_EQ(r.waits[0].commands, 2);
  EXPECT_EQ(r.waits[0].cycles, Cycles{210});
  EXPECT_EQ(r.waits[0].longest, Cycles{200});
}

TEST(Report, waits_for_one_of_many_tiles_are_waits_for_tiles) {
  trace::Trace t = sample();
  auto const b = static_cast<std::size_t>(t.commands[2].after[static_cast<std::size_t>(t.commands[2].binding)].from);
  std::int32_t const tensor = t.commands[b].writes[0].tensor;
  t.tensors[static_cast<std::size_t>(tensor)].name = "b[0]";
  t.tensors.push_back(t.tensors[static_cast<std::size_t>(tensor)]);
  t.tensors.back().name = "b[1]";
  trace::Command again = t.commands[2];
  again.start = Cycles{260};
  again.end = Cycles{270};
  again.streaming = Cycles{10};
  for (trace::Range& r : again.reads)
    if (r.tensor == tensor) r.tensor = static_cast<std::int32_t>(t.tensors.size()) - 1;
  t.commands.push_back(again);
  Report const r = make_report(t);
  EXPECT_EQ(r.waits[0].reason, "reads b[...] in DM, which dma at multiply.cpp:11 writes");
  EXPECT_EQ(r.waits[0].commands, 2);
}

/// Gaps and busy cycles fill the makespan of every resource that is used.
TEST(Report, gaps_are_what_is_not_busy) {
  Report const r = make_report(sample());
  for (const trace::UnitUse& u : r.resources) {
    Cycles idle{};
    for (const trace::Gap& g : r.gaps)
      if (g.resource == u.name) idle += g.end - g.begin;
    EXPECT_EQ(u.busy + idle, r.makespan) << u.name;
  }
  EXPECT_EQ(r.gaps[0], (trace::Gap{"main", Cycles{0}, Cycles{200}, 2, "reads b in DM, which dma at multiply.cpp:11 writes"}));
}

TEST(Report, sums_up_by_line_and_region) {
  Report const r = make_report(sample());
  ASSERT_EQ(r.lines.size(), 4u);
  EXPECT_EQ(r.lines[2], (trace::LineUse{2, 1, Cycles{50}, Cycles{50}, Cycles{200}}));
  EXPECT_EQ(r.regions, (std::vector<trace::RegionUse>{{"tile", 1, 1, Cycles{50}, Cycles{50}}}));
}

TEST(Report, goes_along_the_order_in_which_commands_were_taken) {
  trace::Trace t = sample();
  std::swap(t.commands[0], t.commands[1]);
  for (trace::Command& c : t.commands)
    for (trace::Edge& e : c.after) e.from = e.from == 0 ? 1 : e.from == 1 ? 0 : e.from;
  t.order = {1, 0, 2, 3};
  ASSERT_TRUE(trace::check(t, "t.json"));
  EXPECT_EQ(make_report(t).waits, make_report(sample()).waits);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(ShowReport, fits_a_hundred_columns_whatever_the_names_are) {
  trace::Trace t = sample();
  t.program = std::string(300, 'p');
  t.resources[0] = std::string(300, 'r');
  for (trace::Source& s : t.sources) {
    s.file = "/k/" + std::string(200, 'f') + ".cpp";
    s.text = std::string(300, 'x');
  }
  t.tensors[1].name = std::string(300, 't');
  t.regions[0].name = std::string(300, 'g');
  t.usage = {{std::string(300, 'u'), std::string(30, 'n'), Cycles{1}, Bytes{1}, 1, 1}};
  t.assumptions[0].source = std::string(300, 's');
  t.makespan = Cycles{std::int64_t{1} << 40};
  for (trace::Command& c : t.commands) {  // numbers of the greatest width, too
    c.end = t.makespan;
    c.streaming = c.length();
  }
  t.commands[2].pass = {{1, 2, 256, 256, 0, 0, Bytes{8}, Bytes{32}, 0, 0, 0}};
  for (bool ticks : {false, true})
    for (const std::string& line : lines_of(show(make_report(t), {10, false, true, ticks}))) {
      EXPECT_LE(line.size(), 100u) << line;
      EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
    }
}

/// Two ticks a cycle: every number of cycles has twice as many ticks beside it.
TEST(ShowReport, ticks_stand_beside_cycles) {
  Report const r = make_report(sample());
  std::string const text = show(r, {.ticks = true});
  auto const says = [&text](const std::string& words) { EXPECT_NE(text.find(words), text.npos) << words << "\n" << text; };
  says("multiply on rngd, model book: 300 cycles (600 ticks) (0.3 us at 1,000 MHz)\n");
  says("  bound             cycles (ticks)  of the makespan\n  dependency chain       200 (400)           66.7 %\n");
  says("  streaming       280 (560)           93.3 %\n");
  says("By source line (cycles, and ticks in brackets)\n");
  EXPECT_EQ(show(r).find("ticks"), std::string::npos);
}

TEST(ShowReport, what_the_host_moved_is_said_and_counted_nowhere) {
  trace::Trace t = sample();
  t.core_mhz = 1000;
  std::string const without = show(make_report(t));
  t.host_transfers = {{"upload", "x", Bytes{1 << 20}, Cycles{40000}, trace::none},
                      {"upload", "y", Bytes{1 << 20}, Cycles{40000}, 0},
                      {"download", "z", Bytes{512}, Cycles{700}, trace::none}};
  std::string with = show(make_report(t));
  for (const char* line : {"Uploads before the kernel: 2 tensors, 2.0 MiB, 80.0 us over PCIe, not counted.\n",
                           "Downloads before the kernel: 1 tensor, 512 B, 0.7 us over PCIe, not counted.\n"}) {
    std::size_t const at = with.find(line);
    ASSERT_NE(at, with.npos) << with;
    with.erase(at, std::string(line).size());
  }
  EXPECT_EQ(with, without);
}

TEST(ShowReport, has_no_colours_unless_asked_and_never_those_of_others) {
  trace::Trace t = sample();
  t.sources[0].text =
      "\033[31mred \xc2\x9b"
      "31m";
  std::string const plain = show(make_report(t)), coloured = show(make_report(t), {10, true, false});
  EXPECT_EQ(plain.find('\033'), plain.npos);
  EXPECT_EQ(plain.find("\xc2\x9b"), plain.npos);
  EXPECT_NE(coloured.find("\033[1m"), coloured.npos);
  EXPECT_EQ(coloured.find("\033[31m"), coloured.npos);
}

TEST(ShowReport, counts_what_it_leaves_out) {
  std::string const text = show(make_report(sample()), {1, false, false});
  EXPECT_NE(text.find("... and 3 more lines"), text.npos) << text;
  EXPECT_NE(text.find("... and 1 more reasons"), text.npos) << text;
}

TEST(ShowReport, says_that_a_run_was_interrupted) {
  trace::Trace t = sample();
  t.complete = false;
  EXPECT_NE(show(make_report(t)).find("interrupted"), std::string::npos);
  EXPECT_EQ(show(make_report(sample())).find("interrupted"), std::string::npos);
}

TEST(ShowReport, takes_an_empty_trace) {
  std::string const text = show(make_report(trace::Trace{}));
  EXPECT_NE(text.find("0 commands"), text.npos) << text;
}

TEST(Report, says_how_far_another_order_could_go) {
  trace::Trace t = sample();
  EXPECT_EQ(trace::show(trace::make_report(t)).find("No order"), std::string::npos) << "none was looked for";
  t.bounds.push_back({"any order", Cycles{300}});
  EXPECT_NE(trace::show(trace::make_report(t)).find("No order of these commands is shorter.\n"), std::string::npos);
  t.bounds.back().cycles = Cycles{270};
  EXPECT_NE(trace::show(trace::make_report(t)).find("No order of these commands takes less than 270 cycles: the gap is 10.0 %.\n"),
            std::string::npos);
}

TEST(Report, shows_what_would_help_most_alone) {
  trace::Trace const t = sample();
  std::string const page = trace::show(trace::make_report(t, true), {.what_if = true});
  EXPECT_NE(page.find("What if: waits, buffers, engines, stalls and findings, one at a time ("), std::string::npos);
  EXPECT_NE(page.find("  1. 250 cycles instead of 300 (-16.7 %): wait, "), std::string::npos) << page;
  EXPECT_EQ(page.find("Resources"), std::string::npos);
}

}  // namespace
}  // namespace tcp::trace_test
