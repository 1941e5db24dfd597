#include "tcp/trace/json.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sample.hpp"
#include "tcp/support/random.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/report.hpp"

namespace tcp::trace_test {
namespace {

using trace::read_json;

std::string code_of(const std::string& text) {
  auto const t = read_json(text, "t.json");
  return t ? "accepted" : t.refusal().code;
}

/// Every key of every record with a value that is not its default.
trace::Trace full() {
  trace::Trace t = sample();
  t.chips = 2;
  t.complete = false;
  t.gained = Cycles{7};
  t.order = {0, 1, 2, 3};
  t.usage = {{"HBM channels", "0.1", Cycles{5}, Bytes{256}, 1, 1}};
  t.host_transfers = {{"upload", "a", Bytes{4096}, Cycles{640}, 0}, {"download", "", Bytes{1}, Cycles{500}, trace::none}};
  t.tensors[0].role = "argument";
  trace::Command& c = t.commands[3];
  c.startup = Cycles{10};
  c.streaming = Cycles{30};
  c.stalls = {{"hbm-row", Cycles{10}}};
  c.slack = Cycles{1};
  c.dma = {{Bytes{1}, Bytes{2}, Bytes{3}, Cycles{4}, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, "0-5"}};
  c.queues = "0-1,3";
  c.bank_runs = 1;
  t.geometry = {2, 256, 8, 2, Bytes{8}, 64, 32, {0, 0, 16, 1}};
  t.axes = {{"I", 512}, {"K", 1}};
  t.bank_runs = {{{1, 1}}, {{0, 63}}};
  t.commands[2].pass = {{1, 2, 3, 4, 5, 6, Bytes{7}, Bytes{8}, 9, 10, 11}};
  t.imported = "schedule";
  t.facts = {{"title", "multiply", ""}};
  t.tensors[0].details = {{"fingerprint", "7", "of the dump"}};
  t.commands[0].index = "ExplicitSync(4)";
  t.commands[0].cluster = 1;
  t.commands[0].column = 9;
  t.commands[0].last_line = 12;
  t.commands[0].last_column = 5;
  return t;
}

TEST(Json, what_is_written_is_read_again) {
  for (const trace::Trace& t : {trace::Trace{}, sample(), full()}) {
    auto const again = read_json(written(t), "t.json");
    ASSERT_TRUE(again) << again.refusal().sentence().s;
    EXPECT_EQ(*again, t);
  }
}

TEST(Json, another_parser_finds_the_same_values) {
  auto const j = nlohmann::json::parse(written(full()));
  EXPECT_EQ(j["format"], "tcp-trace");
  EXPECT_EQ(j["version"], 4);
  EXPECT_EQ(j["host_transfers"][1]["direction"], "download");
  EXPECT_EQ(j["host_transfers"][0]["bytes"], 4096);
  EXPECT_EQ(j["makespan"], 300);
  EXPECT_EQ(j["complete"], false);
  EXPECT_EQ(j["sources"][2]["text"], "auto c = ctx.main.begin(a);");
  EXPECT_EQ(j["commands"].size(), 4u);
  EXPECT_EQ(j["commands"][3]["stalls"][0]["name"], "hbm-row");
  EXPECT_EQ(j["commands"][3]["dma"][0]["partial_writes"], 14);
  EXPECT_EQ(j["commands"][3]["dma"][0]["engine_set"], "0-5");
  EXPECT_EQ(j["commands"][3]["bank_runs"], 1);
  EXPECT_EQ(j["geometry"][0]["channel_bits"][2], 16);
  EXPECT_EQ(j["axes"][0]["size"], 512);
  EXPECT_EQ(j["bank_runs"][1]["runs"][1], 63);
  EXPECT_EQ(j["commands"][2]["after"][1]["from"], 1);
  EXPECT_FALSE(j["commands"][0].contains("region")) << "a default is left out";
}

TEST(Json, keys_may_stand_in_any_order_and_blanks_between) {
  auto const j = nlohmann::json::parse(written(full()));  // an object of this library is sorted by key
  std::string text = "{ \"format\" : \"tcp-trace\" , \"version\" : 1";
  for (const auto& [key, value] : j.items())
    if (key != "format" && key != "version") text += ",\r\n\t\"" + key + "\" : " + value.dump(2);
  auto const again = read_json(text + "\n}\n", "t.json");
  ASSERT_TRUE(again) << again.refusal().sentence().s;
  EXPECT_EQ(*again, full());
}

TEST(Json, the_former_version_is_read_too) {
  std::string text = written(sample());
  text.replace(text.find("\"version\":4"), 11, "\"version\":1");
  auto const again = read_json(text, "t.json");
  ASSERT_TRUE(again) << again.refusal().sentence().s;
  EXPECT_EQ(*again, sample());
}

TEST(Json, texts_keep_every_character) {
  trace::Trace t = sample();
  t.program = "\"\\/\b\f\n\r\t\x01\x7f \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80";
  auto const again = read_json(written(t), "t.json");
  ASSERT_TRUE(again) << again.refusal().sentence().s;
  EXPECT_EQ(again->program, t.program);
  EXPECT_EQ(nlohmann::json::parse(written(t))["program"], t.program);
}

TEST(Json, bytes_that_are_no_utf8_are_replaced) {
  trace::Trace t = sample();
  t.program =
      "a\xff"
      "b\xc3";
  EXPECT_EQ(nlohmann::json::parse(written(t))["program"],
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd");
}

TEST(Json, escapes_are_understood) {
  std::string text = written(sample());
  text.replace(text.find("\"multiply\""), 10, R"("\u0061\u00e9\ud83d\ude00\/")");
  auto const t = read_json(text, "t.json");
  ASSERT_TRUE(t) << t.refusal().sentence().s;
  EXPECT_EQ(t->program, "a\xc3\xa9\xf0\x9f\x98\x80/");
}

struct Wrong {
  const char *from, *to, *code;
};
class Mistake : public testing::TestWithParam<Wrong> {};

TEST_P(Mistake, is_refused) {
  std::string text = written(full());
  std::size_t const at = text.find(GetParam().from);
  ASSERT_NE(at, text.npos);
  text.replace(at, std::string(GetParam().from).size(), GetParam().to);
  EXPECT_EQ(code_of(text), GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(
    Json, Mistake,
    testing::Values(Wrong{"tcp-trace", "other", "trace-format"}, Wrong{"\"version\":4", "\"version\":5", "trace-version"},
                    Wrong{"\"version\":4", "\"tool\":1", "trace-version"}, Wrong{"{\"format\"", "[\"format\"", "trace-wrong-type"},
                    Wrong{"\"chip\":", "\"chop\":", "trace-key-unknown"}, Wrong{"\"chip\":\"rngd\",", "", "trace-key-missing"},
                    Wrong{"\"chips\":2", "\"chips\":2,\"chips\":2", "trace-key-twice"},
                    Wrong{"\"chips\":2", "\"chips\":\"2\"", "trace-wrong-type"}, Wrong{"\"chips\":2", "\"chips\":2.5", "trace-wrong-type"},
                    Wrong{"\"chips\":2", "\"chips\":02", "trace-wrong-type"}, Wrong{"\"chips\":2", "\"chips\":-", "trace-wrong-type"},
                    Wrong{"\"chips\":2", "\"chips\":9007199254740992", "trace-wrong-type"},
                    Wrong{"\"chips\":2", "\"chips\":99999999999999999999999", "trace-wrong-type"},
                    Wrong{"\"complete\":false", "\"complete\":0", "trace-wrong-type"},
                    Wrong{"\"resources\":[1]", "\"resources\":[4294967296]", "trace-wrong-type"},
                    Wrong{"\"multiply\"", "\"a\\x\"", "trace-syntax"}, Wrong{"\"multiply\"", "\"\\ud800\"", "trace-syntax"},
                    Wrong{"\"multiply\"", "\"\\udc00\"", "trace-syntax"}, Wrong{"\"multiply\"", "\"a\nb\"", "trace-syntax"},
                    Wrong{"\"multiply\"", "\"\xff\"", "trace-syntax"}, Wrong{"\"chips\":2,", "\"chips\":2;", "trace-syntax"},
                    Wrong{"\"chips\":2", "\"chips\" 2", "trace-syntax"}, Wrong{"[0,1,2,3]", "[0,1,2 3]", "trace-syntax"},
                    Wrong{"\"geometry\":[\n{", "\"geometry\":[\n{},{", "trace-syntax"},
                    Wrong{"[0,1,2,3]", "[0,1,2,]", "trace-wrong-type"}));

TEST(Json, nothing_may_follow) { EXPECT_EQ(code_of(written(sample()) + "x"), "trace-syntax"); }

TEST(Json, a_cut_file_is_refused_at_every_byte) {
  std::string const whole = written(full());
  for (std::size_t n = 0; n + 2 < whole.size(); ++n) ASSERT_FALSE(read_json(std::string_view(whole).substr(0, n), "t.json")) << n;
}

TEST(Json, a_refusal_names_the_byte) {
  std::string text = written(sample());
  std::size_t const at = text.find("\"chip\":");
  text.replace(at, 7, "\"chop\":");
  std::string const sentence(read_json(text, "t.json").refusal().sentence().view());
  EXPECT_NE(sentence.find("t.json, byte " + std::to_string(at + 7) + ": there is no key 'chop'"), sentence.npos) << sentence;
}

TEST(Json, a_long_trace_is_read_as_it_was_written) {
  trace::Trace t = sample();
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    trace::Command c = t.commands[static_cast<std::size_t>(random.below(4))];
    for (trace::Edge& e : c.after) e.from = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(t.commands.size())));
    t.commands.push_back(c);
  }
  auto const again = read_json(written(t), "t.json");
  ASSERT_TRUE(again) << again.refusal().sentence().s;
  EXPECT_EQ(*again, t);
}

TEST(Json, report_and_comparison_are_json) {
  std::ostringstream report, diff;
  write_json(trace::make_report(full()), report);
  write_json(trace::compare(sample(), full()), diff);
  EXPECT_EQ(nlohmann::json::parse(report.str())["makespan"], 300);
  EXPECT_EQ(nlohmann::json::parse(diff.str())["before"], 300);
}

/// The keys of a JSON value, at any depth.
void keys_of(const nlohmann::json& j, std::vector<std::string>& keys) {
  if (j.is_object())
    for (const auto& [key, value] : j.items()) keys.push_back(key);
  for (const auto& each : j)
    if (each.is_structured()) keys_of(each, keys);
}

TEST(Json, the_page_describes_every_key) {
  std::ifstream in(TCP_SOURCE_DIR "/docs/trace.md");
  std::string const page{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string> keys;
  keys_of(nlohmann::json::parse(written(full())), keys);
  ASSERT_GT(keys.size(), 100u);
  for (const std::string& key : keys) EXPECT_NE(page.find("`" + key + "`"), page.npos) << key;
}

}  // namespace
}  // namespace tcp::trace_test
