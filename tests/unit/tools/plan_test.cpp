// `tcp plan` from outside: cycles, the model and the order they are of, and no values on the way.
#include <nlohmann/json.hpp>

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

/// The same cycles as a run on the simulated chip, which computes the values too.
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

/// It compares what it downloads, which is zero, with what it should be; its kernels were recorded nevertheless.
TEST_F(PlanCommandTest, an_executable_that_misses_its_results_is_planned_all_the_same) {
  Answer const a = tcp_command({"plan", executable("launches", add_one, "exit 1\n")});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_TRUE(a.out.starts_with("add_one on rngd")) << a.out;
  EXPECT_TRUE(a.err.starts_with("note: 'launches' ended with exit code 1, as programs do")) << a.err;
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

}  // namespace
