// `tcp import`, and the commands that take what the vendor's tools wrote as it is.
#include <nlohmann/json.hpp>

#include <cmath>

#include "answer.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/device/load.hpp"

namespace {

using namespace tcp;
using namespace tcp::tool;

const std::string golden = TCP_SOURCE_DIR "/tests/golden/files/";

class Import : public Scratch {};

TEST_F(Import, makes_traces_that_the_other_commands_read) {
  Answer const plan = tcp_command({"import", golden + "relu.schedule.json", "-o", file("plan.json")});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_TRUE(plan.out.starts_with("relu on rngd, model schedule of the vendor: 11,106 cycles")) << plan.out;
  Answer const chip =
      tcp_command({"import", golden + "relu.spans.txt", "--schedule", golden + "relu.schedule.json", "-o", file("chip.json")});
  ASSERT_EQ(chip.code, 0) << chip.err;
  EXPECT_NE(chip.out.find("\nskipped: 3 lines that are no spans\n"), chip.out.npos) << chip.out;
  ASSERT_EQ(tcp_command({"plan", golden + "relu.rs", "--model", "calibrated", "--trace", file("model.json")}).code, 0);
  for (const char* theirs : {"plan.json", "chip.json"}) {
    EXPECT_EQ(tcp_command({"report", file(theirs)}).code, 0) << theirs;
    Answer const diff = tcp_command({"diff", file("model.json"), file(theirs), "--json"});
    ASSERT_EQ(diff.code, 0) << diff.err;
    auto const said = nlohmann::json::parse(diff.out);
    std::int64_t partners = 0;
    for (const auto& c : said.at("commands")) partners += c.at("commands_before") > 0 && c.at("commands_after") > 0 ? 1 : 0;
    EXPECT_EQ(partners, 3) << diff.out;  // the load, three passes in one loop, the store
  }
}

TEST_F(Import, is_done_by_the_other_commands_themselves) {
  EXPECT_EQ(tcp_command({"report", golden + "relu.schedule.json"}).out, [&] {
    EXPECT_EQ(tcp_command({"import", golden + "relu.schedule.json", "-o", file("plan.json")}).code, 0);
    return tcp_command({"report", file("plan.json")}).out;
  }());
  Answer const both = tcp_command({"diff", golden + "relu.schedule.json", golden + "relu.spans.txt"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(both.out.starts_with("chip takes 0.40 times as long as plan")) << both.out;
}

TEST_F(Import, chooses_a_test_and_a_run) {
  std::string const spans = write("spans.txt",
                                  "SPAN a beg=0 end=20 name=Main#1\nSPAN a beg=900 end=940 name=Main#1\n"
                                  "SPAN a beg=1900 end=1924 name=Main#1\nSPAN b beg=3000 end=3100 name=Main#1\n");
  expect_refused(tcp_command({"import", spans}), 1, "import-several-tests");
  expect_refused(tcp_command({"report", spans}), 1, "import-several-tests");
  EXPECT_TRUE(tcp_command({"import", spans, "--test", "a"}).out.starts_with("a on rngd, model spans of a chip: 12 cycles"));
  EXPECT_TRUE(tcp_command({"import", spans, "--test", "a", "--run", "2"}).out.starts_with("a on rngd, model spans of a chip: 20 cycles"));
  EXPECT_TRUE(
      tcp_command({"import", spans, "--test", "a", "--run", "all"}).out.starts_with("a on rngd, model spans of a chip: 962 cycles"));
}

/// A critical path is not known, and clusters that were watched beside each other do the same work once.
TEST_F(Import, has_a_report_without_what_is_not_known) {
  ASSERT_EQ(tcp_command({"import", golden + "relu.spans.txt", "--schedule", golden + "relu.schedule.json", "-o", file("chip.json")}).code,
            0);
  std::string const said = tcp_command({"report", file("chip.json")}).out;
  EXPECT_EQ(said.find("critical"), said.npos) << said;
  EXPECT_NE(said.find("By source line (cycles, of the slowest cluster)"), said.npos) << said;
  auto const report = nlohmann::json::parse(tcp_command({"report", file("chip.json"), "--json"}).out);
  for (const auto& line : report.at("lines"))
    if (line.at("commands") == 3) {
      EXPECT_EQ(line.at("busy"), 647) << "three passes of one cluster";
    }
}

TEST_F(Import, gives_a_fit_its_partners) {
  Answer const without = tcp_command({"fit", golden + "relu.rs", golden + "relu.spans.txt"});
  expect_refused(without, 1, "tool-fit-no-partner");
  EXPECT_NE(without.err.find("--schedule"), without.err.npos) << without.err;
  std::vector<std::string> const two{"fit", golden + "loads.tcp", golden + "loads.spans.txt", golden + "relu.rs",
                                     golden + "relu.spans.txt"};
  auto with = two;
  for (const char* schedule : {"loads.schedule.json", "relu.schedule.json"}) with.insert(with.end(), {"--schedule", golden + schedule});
  Answer const both = tcp_command(with);
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_NE(both.out.find("9 calls with a partner"), both.out.npos) << both.out;
  with.insert(with.end(), {"--schedule", golden + "relu.schedule.json"});
  expect_refused(tcp_command(with), 2, "tool-usage");
}

TEST_F(Import, refuses_what_it_cannot_use) {
  expect_refused(tcp_command({"import", write("x", "hello")}), 1, "import-format");
  expect_refused(tcp_command({"import", write("x", "{\"instructions\": [")}), 1, "import-json");
  expect_refused(tcp_command({"import", file("absent")}), 1, "io-file-unreadable");
  expect_refused(tcp_command({"import"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", golden + "relu.schedule.json", "--schedule", golden + "relu.schedule.json"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", golden + "relu.spans.txt", "--schedule", golden + "relu.spans.txt"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", write("x", "{\"instructions\": []}")}), 1, "import-nothing");
  expect_refused(tcp_command({"report", write("x", "SPAN a beg=2 end=1\n")}), 1, "import-nothing");
  expect_refused(tcp_command({"import", golden + "relu.schedule.json", "--run", "1"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", golden + "relu.spans.txt", "--run", "0"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", golden + "relu.spans.txt", "--run", "2"}), 1, "import-no-such-run");
  std::string const spans = write("spans.txt", "SPAN a beg=1 end=2\n");
  expect_refused(tcp_command({"import", spans, "-o", spans}), 2, "tool-usage");
}

}  // namespace

namespace {

using namespace tcp;
using namespace tcp::tool;

const std::string kernel_file = TCP_SOURCE_DIR "/tests/golden/files/loads.tcp";

class FitTest : public Scratch {
 protected:
  /// What a chip with these numbers would be measured with: spans, and the schedule that has their lines.
  void measure(const Device& chip, const std::string& kernel, const std::string& name, const char* model = "calibrated") const {
    write(name + ".chip", to_chip_file(chip));
    Answer const a = tcp_command({"plan", kernel, "--model", model, "--chip", file(name + ".chip"), "--trace", file(name + ".trace")});
    ASSERT_EQ(a.code, 0) << a.err;
    auto const trace = nlohmann::json::parse(content(file(name + ".trace")));
    std::string spans, instructions;
    for (std::size_t i = 0; i < trace["commands"].size(); ++i) {
      const auto& c = trace["commands"][i];
      const auto& at = trace["sources"][c["source"].get<std::size_t>()];
      bool const pass = trace["resources"][c["resources"][0].get<std::size_t>()] == "main";
      std::int64_t const start = c["start"];
      std::int64_t length = c["end"].get<std::int64_t>() - start - c.value("of_program", std::int64_t{0});
      for (const auto& stall : c.value("stalls", nlohmann::json::array()))
        if (stall["name"] == "lag") length -= stall["cycles"].get<std::int64_t>();
      std::string const number = std::to_string(i), type = pass ? "Main" : "DmaLoad";
      spans += "SPAN k cl=0 beg=" + std::to_string(2 * start + 1000) + " end=" + std::to_string(2 * (start + length) + 1000) +
               " name=" + type + "#" + number + "\n";
      instructions += std::string(i > 0 ? "," : "") + R"({"index":")" + number + R"(","tpe":")" + type + R"(","lifetime":{"begin":)" +
                      std::to_string(start) + R"(,"end":)" + std::to_string(start + length) + R"(},"description":"--> elsewhere/)" +
                      std::filesystem::path(kernel).filename().string() + ":" + std::to_string(at["line"].get<std::int64_t>()) +
                      R"(:99\n\nx"})";
    }
    write(name + ".spans.txt", spans);
    write(name + ".schedule.json", "{\"instructions\":[" + instructions + "]}");
  }
  Answer fit_spans(const std::string& kernel, const std::string& name) const {
    return tcp_command({"fit", kernel, file(name + ".spans.txt"), "--schedule", file(name + ".schedule.json"), "-o", file("fitted.json")});
  }
  Device fitted() const {
    auto const d = load_device(file("fitted.json"));
    EXPECT_TRUE(d) << d.refusal().sentence().s;
    return d.value();
  }
};

TEST_F(FitTest, finds_the_numbers_again_that_spans_were_made_with) {
  Device chip = rngd;
  chip.calibrated.vector_pass = Cycles{231};
  chip.calibrated.dma_startup_several = Cycles{777};
  chip.calibrated.engine_2048 = 9000;
  measure(chip, kernel_file, "m");
  Answer const a = fit_spans(kernel_file, "m");
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("after the fit 1.00\n"), a.out.npos) << a.out;
  Device const found = fitted();
  EXPECT_NEAR(static_cast<double>(found.calibrated.vector_pass.value), 231, 1);
  EXPECT_NEAR(static_cast<double>(found.calibrated.dma_startup_several.value), 777, 2);
  EXPECT_NEAR(static_cast<double>(found.calibrated.engine_2048), 9000, 30);
  // Nothing else has changed, and what was fitted counts as an assumption.
  Device same = found;
  same.calibrated = rngd.calibrated;
  same.assumed = rngd.assumed;
  same.name = rngd.name;
  EXPECT_EQ(same, rngd);
  EXPECT_EQ(found.assumed.size(), rngd.assumed.size() + 3);
  // The file is a chip for every command, and says what was measured.
  Answer const plan = tcp_command({"plan", kernel_file, "--model", "calibrated", "--chip", file("fitted.json")});
  EXPECT_TRUE(plan.out.starts_with("loads on rngd_fitted, model calibrated: ")) << plan.out << plan.err;
}

TEST_F(FitTest, of_a_schedule_changes_the_model_planned) {
  Device chip = rngd;
  chip.planned.vector_pass = Cycles{400};
  measure(chip, kernel_file, "m", "planned");
  Answer const a = tcp_command({"fit", file("m.schedule.json"), kernel_file, "-o", file("fitted.json")});
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(fitted().planned.vector_pass, Cycles{400});
  EXPECT_EQ(fitted().calibrated, rngd.calibrated);
}

TEST_F(FitTest, leaves_right_numbers_as_they_are) {
  measure(rngd, kernel_file, "m");
  Answer const a = fit_spans(kernel_file, "m");
  ASSERT_EQ(a.code, 0) << a.err;
  EXPECT_EQ(fitted().calibrated, rngd.calibrated);
  EXPECT_EQ(fitted().assumed, rngd.assumed);
}

TEST_F(FitTest, of_one_command_is_refused_with_the_reasons) {
  Device chip = rngd;
  chip.calibrated.dma_startup_several = Cycles{900};
  std::string const one = write("one.tcp", R"(module one
axes A = 262144
argument hbm a: i32 Element[A] at 0
result dm ad: i32 Cluster[A / 131072] Slice[A / 512 % 256] Element[A % 512]
move a -> ad
)");
  measure(chip, one, "m");
  Answer const a = fit_spans(one, "m");
  EXPECT_EQ(a.code, 1);
  EXPECT_TRUE(a.err.starts_with("error[tool-fit-untold]: the 1 call tells none of the numbers of the model\n")) << a.err;
  EXPECT_NE(a.out.find("dma_startup_several         only one call depends on it"), a.out.npos) << a.out;
  EXPECT_FALSE(std::filesystem::exists(file("fitted.json")));
}

/// Two loads of one size: a start-up and a rate change them in the same way.
TEST_F(FitTest, does_not_tell_apart_what_changes_times_alike) {
  std::string const two = write("two.tcp", R"(module two
axes A = 262144
argument hbm a: i32 Element[A] at 0
argument hbm b: i32 Element[A] at 33554432
result dm ad: i32 Cluster[A / 131072] Slice[A / 512 % 256] Element[A % 512]
result dm bd: i32 Cluster[A / 131072] Slice[A / 512 % 256] Element[A % 512]
move a -> ad
move b -> bd
)");
  measure(rngd, two, "m");
  Answer const a = fit_spans(two, "m");
  EXPECT_EQ(a.code, 1);
  EXPECT_NE(a.out.find("dma_startup_several         it cannot be told apart from engine_2048\n"), a.out.npos) << a.out;
  EXPECT_NE(a.out.find("engine_2048                 it cannot be told apart from dma_startup_several\n"), a.out.npos) << a.out;
}

TEST_F(FitTest, refuses_files_that_do_not_belong_together) {
  measure(rngd, kernel_file, "m");
  expect_refused(tcp_command({"fit", kernel_file}), 2, "tool-usage");
  expect_refused(tcp_command({"fit", kernel_file, kernel_file, file("m.schedule.json")}), 2, "tool-usage");
  expect_refused(tcp_command({"fit", kernel_file, file("m.trace")}), 2, "tool-usage");
  expect_refused(tcp_command({"fit", kernel_file, kernel_file, file("m.schedule.json"), file("m.spans.txt")}), 2, "tool-usage");
  expect_refused(tcp_command({"fit", kernel_file, file("m.schedule.json"), "-o", file("m.schedule.json")}), 2, "tool-usage");
  // Spans without lines have no partners: there is nothing to fit to.
  Answer const a = tcp_command({"fit", kernel_file, file("m.spans.txt")});
  EXPECT_EQ(a.code, 1);
  EXPECT_TRUE(a.err.starts_with("error[tool-fit-no-partner]: no measured command has a source line")) << a.err;
}

}  // namespace
