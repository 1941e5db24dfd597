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

TEST_F(Import, refuses_what_it_cannot_use) {
  expect_refused(tcp_command({"import", write("x", "hello")}), 1, "import-format");
  expect_refused(tcp_command({"import", write("x", "{\"instructions\": [")}), 1, "import-json");
  expect_refused(tcp_command({"import", file("absent")}), 1, "io-file-unreadable");
  expect_refused(tcp_command({"import"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", golden + "relu.schedule.json", "--schedule", golden + "relu.schedule.json"}), 2, "tool-usage");
  expect_refused(tcp_command({"import", golden + "relu.spans.txt", "--schedule", golden + "relu.spans.txt"}), 2, "tool-usage");
  std::string const spans = write("spans.txt", "SPAN a beg=1 end=2\n");
  expect_refused(tcp_command({"import", spans, "-o", spans}), 2, "tool-usage");
}

}  // namespace
