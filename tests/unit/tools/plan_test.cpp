// `tcp plan` from outside: cycles, the model and the order they are of, and no values on the way.
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "answer.hpp"

namespace {

using namespace tcp;
using namespace tcp::tool;

class PlanCommandTest : public Scratch {
 protected:
  /// A shell script that stands for an executable which launches what is in this text, and asks what it computes on.
  std::string executable(const std::string& name, const std::string& kernels, const std::string& end = "") const {
    std::string const path =
        write(name, "#!/bin/sh\necho $TCP_BACKEND > \"" + file("backend") + "\"\ncat >> \"$TCP_DUMP\" <<'END'\n" + kernels + "END\n" + end);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
};

std::int64_t cycles_in(const Answer& a) {
  EXPECT_EQ(a.code, 0) << a.err;
  return nlohmann::json::parse(a.out).at("makespan");
}

TEST_F(PlanCommandTest, says_the_cycles_the_model_and_the_order) {
  Answer const a = tcp_command({"plan", write("a.tcp", add_one)});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.err, "");
  EXPECT_TRUE(a.out.starts_with("add_one on rngd, model book: ")) << a.out;
  EXPECT_NE(a.out.find("\n3 commands, 3 on the critical path; taken in program order\n"), a.out.npos) << a.out;
  EXPECT_EQ(std::count(a.out.begin(), a.out.end(), '\n'), 2) << a.out;
}

/// A plan has the cycles of a run on the simulated chip, which computes the values too.
TEST_F(PlanCommandTest, takes_as_long_as_a_run) {
  std::string const kernel = write("a.tcp", add_one);
  for (const char* model : {"book", "planned", "calibrated", "detailed"}) {
    std::int64_t const planned = cycles_in(tcp_command({"plan", kernel, "--model", model, "--json"}));
    Answer const ran = tcp_command({"run", kernel, "--random", "1", "--backend", "device", "--model", model, "--trace", file("t.json")});
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(planned, cycles_in(tcp_command({"report", file("t.json"), "--json"}))) << model;
  }
}

TEST_F(PlanCommandTest, the_order_is_that_of_the_model_or_the_one_asked_for) {
  std::string const kernel = write("a.tcp", add_one);
  auto const order = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"plan", kernel, "--json"});
    Answer const a = tcp_command(options);
    EXPECT_EQ(a.code, 0) << a.err;
    return nlohmann::json::parse(a.out).at("order_by").get<std::string>();
  };
  EXPECT_EQ(order({}), "program");
  EXPECT_EQ(order({"--order", "ready"}), "ready");
  EXPECT_EQ(order({"--model", "planned"}), "ready");
  EXPECT_EQ(order({"--model", "calibrated"}), "ready");
  EXPECT_EQ(order({"--model", "planned", "--order", "program"}), "program");
  EXPECT_EQ(order({"--model", "detailed"}), "program");
  EXPECT_EQ(order({"--order", "shorter"}), "program");  // there is nothing to gain
  expect_refused(tcp_command({"plan", kernel, "--model", "detailed", "--order", "ready"}), 1, "runtime-detailed-reorder");
  expect_refused(tcp_command({"plan", kernel, "--order", "backwards"}), 2, "tool-usage");
}

TEST_F(PlanCommandTest, of_a_compiled_program_in_both_forms) {
  std::string const kernel = write("a.tcp", add_one);
  std::int64_t const cycles = cycles_in(tcp_command({"plan", kernel, "--json"}));
  for (const char* form : {"program", "json"}) {
    ASSERT_EQ(tcp_command({"compile", kernel, "--emit", form, "-o", file("a.prog")}).code, 0);
    EXPECT_EQ(cycles_in(tcp_command({"plan", file("a.prog"), "--json"})), cycles) << form;
    EXPECT_EQ(cycles_in(tcp_command({"report", file("a.prog"), "--json"})), cycles) << form;
  }
}

TEST_F(PlanCommandTest, an_executable_is_recorded_on_a_backend_that_computes_nothing) {
  std::string const program = executable("launches", add_one);
  Answer const a = tcp_command({"plan", program});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(a.out.starts_with("add_one on rngd")) << a.out;
  EXPECT_EQ(content(file("backend")), "plan\n");
}

TEST_F(PlanCommandTest, an_executable_gets_its_arguments) {
  std::string const program = executable("asks", add_one, "[ \"$1 $2\" = 'two words rows' ] || exit 1\n");
  Answer const without = tcp_command({"plan", program});
  EXPECT_NE(without.err.find("ended with exit code 1"), std::string::npos) << without.err;
  Answer const a = tcp_command({"plan", program, "--arg", "two words", "--arg", "rows"});
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.err, "");
  expect_refused(tcp_command({"plan", write("a.tcp", add_one), "--arg", "rows"}), 2, "tool-usage");
}

/// It compares what it downloads, which is zero, with what it should be; its kernels were recorded nevertheless.
TEST_F(PlanCommandTest, an_executable_that_misses_its_results_is_planned_all_the_same) {
  Answer const a = tcp_command({"plan", executable("launches", add_one, "exit 1\n")});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(a.out.starts_with("add_one on rngd")) << a.out;
  EXPECT_TRUE(a.err.starts_with("note: 'launches' ended with exit code 1: its results are zeros, because nothing was computed")) << a.err;
  expect_refused(tcp_command({"plan", executable("nothing", "", "exit 1\n")}), 1, "tool-program-failed");
  expect_refused(tcp_command({"plan", executable("idle", "")}), 1, "tool-kernel-missing");
}

TEST_F(PlanCommandTest, writes_a_trace_and_a_report) {
  std::string const kernel = write("a.tcp", add_one);
  Answer const a = tcp_command({"plan", kernel, "--model", "calibrated", "--trace", file("t.json"), "--report", "--ticks"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(a.out, tcp_command({"report", file("t.json"), "--ticks"}).out);
  EXPECT_EQ(tcp_command({"diff", file("t.json"), file("t.json")}).code, 0);
  expect_refused(tcp_command({"plan", file("t.json")}), 1, "tool-nothing-to-plan");
  expect_refused(tcp_command({"plan", kernel, "--trace", kernel}), 2, "tool-usage");
  expect_refused(tcp_command({"plan", kernel, "--trace", file("x"), "--page", file("x")}), 2, "tool-usage");
  expect_refused(tcp_command({"plan", file("absent.tcp")}), 1, "io-file-unreadable");
}

/// A number of the chip is changed by its key; one that changes nothing is said to.
TEST_F(PlanCommandTest, numbers_of_the_chip_can_be_set) {
  std::string const kernel = write("a.tcp", add_one);
  auto const planned = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"plan", kernel, "--json"});
    return tcp_command(options);
  };
  std::int64_t const plain = cycles_in(planned({}));
  Answer const quick = planned({"--set", "dma.startup=100"});
  EXPECT_EQ(cycles_in(quick), plain - 800) << "two transfers that start 400 cycles earlier";
  EXPECT_EQ(quick.err, "");
  Answer const both = planned({"--set", "dma.startup=100", "--set", "hbm.nominal_gb_per_s=3000"});
  EXPECT_EQ(cycles_in(both), plain - 800);
  EXPECT_TRUE(both.err.starts_with("note: hbm.nominal_gb_per_s=3000 has no effect here: ")) << both.err;
  EXPECT_NE(cycles_in(planned({"--set", "hbm.clock=1500"})), plain) << "partial writes wait for HBM";
  Answer const ran = tcp_command({"run", kernel, "--random", "1", "--backend", "device", "--json", "--set", "dma.startup=100"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(nlohmann::json::parse(ran.out).at("device").at("cycles"), plain - 800);
}

TEST_F(PlanCommandTest, numbers_that_no_chip_has_are_refused) {
  std::string const kernel = write("a.tcp", add_one);
  expect_refused(tcp_command({"plan", kernel, "--set", "hbm.clok=1500"}), 2, "tool-usage");
  EXPECT_NE(tcp_command({"plan", kernel, "--set", "hbm.clok=1500"}).err.find("did you mean hbm.clock?"), std::string::npos);
  expect_refused(tcp_command({"plan", kernel, "--set", "hbm.clock=fast"}), 2, "tool-usage");
  expect_refused(tcp_command({"plan", kernel, "--set", "hbm.clock"}), 2, "tool-usage");
  expect_refused(tcp_command({"plan", kernel, "--set", "M=4"}), 2, "tool-usage");
  expect_refused(tcp_command({"plan", kernel, "--set", "dm.banks_per_slice=3"}), 1, "device-file-bad-value");
}

using SweepCommandTest = PlanCommandTest;

TEST_F(SweepCommandTest, plans_all_combinations) {
  std::string const kernel = write("a.tcp", add_one);
  Answer const a = tcp_command({"sweep", kernel, "--chip", "rngd", "--chip", "rngd_s", "--set", "dma.startup=500,100", "--size",
                                "A=2048,1024,2000", "--json", "--csv", file("s.csv"), "--svg", file("s.svg")});
  ASSERT_EQ(a.code, 0) << a.err;
  auto const points = nlohmann::json::parse(a.out).at("points");
  ASSERT_EQ(points.size(), 12u);
  std::int64_t const plain = cycles_in(tcp_command({"plan", kernel, "--json"}));
  EXPECT_EQ(points[0].at("cycles"), plain);
  EXPECT_EQ(points[3].at("cycles"), plain - 800);
  EXPECT_NE(points[1].value("error", ""), "") << "128 slices of 256";
  EXPECT_EQ(points[1].at("size").at("A"), "1024");
  std::ifstream csv(file("s.csv")), svg(file("s.svg"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "kernel,chip,dma.startup,A,cycles,us,error");
  std::getline(svg, line);
  EXPECT_TRUE(line.starts_with("<svg ")) << line;
}

TEST_F(SweepCommandTest, goes_on_where_it_was_stopped) {
  std::string const kernel = write("a.tcp", add_one), known = file("known.jsonl");
  Answer const first = tcp_command({"sweep", kernel, "--set", "dma.startup=500", "--resume", known});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  std::ofstream(known, std::ios::app) << "{\"key\": \"half of a li";
  Answer const second = tcp_command({"sweep", kernel, "--set", "dma.startup=500,100", "--resume", known});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_NE(second.err.find("note: 1 of 2 points were in "), std::string::npos) << second.err;
  // The file is believed: another number there is what the table shows. A kernel that changed is planned again.
  std::string text;
  {
    std::ifstream in(known);
    std::getline(in, text);
  }
  std::ofstream(known) << std::regex_replace(text, std::regex("\"cycles\":[0-9]+"), "\"cycles\":7") << "\n";
  EXPECT_NE(tcp_command({"sweep", kernel, "--set", "dma.startup=500", "--resume", known}).out.find(" 7 "), std::string::npos);
  std::string const other = write("a.tcp", add_one + "// changed\n");
  EXPECT_EQ(tcp_command({"sweep", other, "--set", "dma.startup=500", "--resume", known}).out.find(" 7 "), std::string::npos);
}

TEST_F(SweepCommandTest, says_what_has_no_effect) {
  std::string const kernel = write("a.tcp", add_one);
  Answer const a = tcp_command({"sweep", kernel, "--set", "hbm.nominal_gb_per_s=1500,3000", "--set", "dma.startup=500,100"});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("note: hbm.nominal_gb_per_s has no effect"), std::string::npos) << a.out;
  EXPECT_EQ(a.out.find("note: dma.startup"), std::string::npos) << a.out;
}

TEST_F(SweepCommandTest, wrong_uses_are_refused) {
  std::string const kernel = write("a.tcp", add_one);
  expect_refused(tcp_command({"sweep", kernel, "--set", "dma.startup="}), 2, "tool-usage");
  expect_refused(tcp_command({"sweep", kernel, "--set", "dma.start=1"}), 2, "tool-usage");
  expect_refused(tcp_command({"sweep", kernel, "--size", "B=1"}), 2, "tool-usage");
  expect_refused(tcp_command({"sweep", kernel, "--size", "A=x"}), 2, "tool-usage");
  expect_refused(tcp_command({"sweep", kernel, "--csv", kernel}), 2, "tool-usage");
}

}  // namespace
