// `tcp import`, and the commands that take what the vendor's tools wrote as it is.
#include <nlohmann/json.hpp>

#include "answer.hpp"

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
