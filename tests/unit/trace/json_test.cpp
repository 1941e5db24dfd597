// Traces as files: what is written is read again, what is broken is said, and what Perfetto is given.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sample.hpp"
#include "tcp/support/random.hpp"
#include "tcp/trace/diff.hpp"
#include "tcp/trace/json.hpp"
#include "tcp/trace/report.hpp"
#include "tcp/trace/source_text.hpp"

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

struct Broken {
  const char* what;
  void (*damage)(trace::Trace&);
  const char* code;
};
class Check : public testing::TestWithParam<Broken> {};

TEST_P(Check, refuses) {
  trace::Trace t = sample();
  ASSERT_TRUE(trace::check(t, "t.json"));
  GetParam().damage(t);
  Verdict const v = trace::check(t, "t.json");
  ASSERT_FALSE(v);
  EXPECT_STREQ(v.refusal().code, GetParam().code) << v.refusal().sentence().s;
}

const char* const reference = "trace-reference";
const char* const impossible = "trace-impossible";
const Broken all_broken[] = {
    Broken{"a source that is not there", [](trace::Trace& t) { t.commands[0].source = 4; }, reference},
    Broken{"a source below none", [](trace::Trace& t) { t.commands[0].source = -2; }, reference},
    Broken{"a region", [](trace::Trace& t) { t.commands[0].region = 1; }, reference},
    Broken{"a configuration", [](trace::Trace& t) { t.commands[0].configuration = 1; }, reference},
    Broken{"a resource", [](trace::Trace& t) { t.commands[0].resources = {2}; }, reference},
    Broken{"a binding edge", [](trace::Trace& t) { t.commands[0].binding = 0; }, reference},
    Broken{"an edge", [](trace::Trace& t) { t.commands[1].after[0].from = 9; }, reference},
    Broken{"the tensor of a range", [](trace::Trace& t) { t.commands[0].writes[0].tensor = 3; }, reference},
    Broken{"the units of a range", [](trace::Trace& t) { t.commands[0].writes[0].units = 1; }, reference},
    Broken{"a tensor's command", [](trace::Trace& t) { t.tensors[0].last = 4; }, reference},
    Broken{"a command of the critical path", [](trace::Trace& t) { t.critical_path.push_back(4); }, reference},
    Broken{"a command of the order", [](trace::Trace& t) { t.order = {0, 1, 2, 4}; }, reference},
    Broken{"an order with a command twice", [](trace::Trace& t) { t.order = {0, 1, 2, 2}; }, impossible},
    Broken{"an order that is too short", [](trace::Trace& t) { t.order = {0, 1, 2}; }, impossible},
    Broken{"an order against an edge", [](trace::Trace& t) { t.order = {1, 0, 2, 3}; }, impossible},
    Broken{"an edge from itself", [](trace::Trace& t) { t.commands[1].after[0].from = 1; }, impossible},
    Broken{"no resource", [](trace::Trace& t) { t.commands[0].resources.clear(); }, impossible},
    Broken{"parts that are too short", [](trace::Trace& t) { t.commands[0].streaming = Cycles{99}; }, impossible},
    Broken{"a command behind the makespan", [](trace::Trace& t) { t.makespan = Cycles{299}; }, impossible},
    Broken{"a negative stall", [](trace::Trace& t) { t.commands[0].stalls = {{"dmn", Cycles{-1}}}; }, impossible},
    Broken{"cycles beyond all counters", [](trace::Trace& t) { t.path[0].cycles = Cycles{std::int64_t{1} << 41}; }, impossible},
    Broken{"a tensor that ends before it begins", [](trace::Trace& t) { t.tensors[0].begin = 999; }, impossible},
    Broken{"a tensor that is gone before it is born", [](trace::Trace& t) { t.tensors[0].born = Cycles{251}; }, impossible},
    Broken{"runs of banks that are not there", [](trace::Trace& t) { t.commands[0].bank_runs = 0; }, reference},
    Broken{"the line of an upload", [](trace::Trace& t) { t.host_transfers = {{"upload", "a", Bytes{1}, Cycles{1}, 9}}; }, reference},
    Broken{"a transfer of the host without a direction",
           [](trace::Trace& t) { t.host_transfers = {{"sideways", "a", Bytes{1}, Cycles{1}, 0}}; }, impossible},
    Broken{"an upload of less than nothing", [](trace::Trace& t) { t.host_transfers = {{"upload", "a", Bytes{-1}, Cycles{1}, 0}}; },
           impossible},
    Broken{"a download that takes less than no time",
           [](trace::Trace& t) { t.host_transfers = {{"download", "a", Bytes{1}, Cycles{-1}, 0}}; }, impossible},
    Broken{"a geometry without a cluster", [](trace::Trace& t) { t.geometry = {.clusters = 0, .channel_bits = {}}; }, impossible},
    Broken{"a channel below 0", [](trace::Trace& t) { t.geometry = {.channel_bits = {-1}}; }, impossible},
    Broken{"an axis of size 0", [](trace::Trace& t) { t.axes = {{"I", 0}}; }, impossible},
    Broken{"runs of fewer banks than there are",
           [](trace::Trace& t) { t.geometry = {.dm_banks = 2, .channel_bits = {}}, t.bank_runs = {{{1}}}; }, impossible},
    Broken{"a run below 0", [](trace::Trace& t) { t.geometry = {.dm_banks = 1, .channel_bits = {}}, t.bank_runs = {{{-1}}}; }, impossible}};
INSTANTIATE_TEST_SUITE_P(Trace, Check, testing::ValuesIn(all_broken));

nlohmann::json events_of(const trace::Trace& t) {
  std::ostringstream out;
  trace::write_perfetto(t, out);
  return nlohmann::json::parse(out.str())["traceEvents"];
}

TEST(Perfetto, has_one_named_track_a_resource) {
  std::map<int, std::string> names;
  for (const auto& e : events_of(sample()))
    if (e["name"] == "thread_name") names[e["tid"]] = e["args"]["name"];
  EXPECT_EQ(names, (std::map<int, std::string>{{1, "main"}, {2, "tensor DMA"}}));
}

TEST(Perfetto, shows_each_command_on_each_of_its_resources_a_cycle_a_nanosecond) {
  trace::Trace t = sample();
  t.makespan = Cycles{1'234'567};
  t.commands[2].resources = {main_queue, dma_queue};
  t.commands[3].start = Cycles{1'234'501};
  t.commands[3].end = Cycles{1'234'567};
  std::multiset<std::tuple<int, double, double>> slices;
  for (const auto& e : events_of(t))
    if (e["ph"] == "X") slices.emplace(e["tid"].get<int>(), e["ts"].get<double>(), e["dur"].get<double>());
  EXPECT_EQ(slices, (std::multiset<std::tuple<int, double, double>>{
                        {2, 0.0, 0.1}, {2, 0.1, 0.1}, {1, 0.2, 0.05}, {2, 0.2, 0.05}, {2, 1234.501, 0.066}}));
}

/// What the viewer asks of a file: known phases, and of each the keys that it needs; arrows in pairs, each end inside a slice of its track.
TEST(Perfetto, is_well_formed) {
  auto const events = events_of(sample());
  std::map<int, std::string> arrows;
  auto const inside_a_slice = [&](const nlohmann::json& end) {
    for (const auto& e : events)
      if (e["ph"] == "X" && e["tid"] == end["tid"] && e["ts"] <= end["ts"] &&
          end["ts"].get<double>() < e["ts"].get<double>() + e["dur"].get<double>())
        return true;
    return false;
  };
  for (const auto& e : events) {
    std::string const phase = e["ph"];
    ASSERT_TRUE(e.contains("pid") && e.contains("tid") && e.contains("name")) << e;
    ASSERT_NE(std::string("MXsf").find(phase), std::string::npos) << e;
    ASSERT_TRUE(phase == "M" || e["ts"].is_number()) << e;
    if (phase == "s" || phase == "f") {
      EXPECT_TRUE(inside_a_slice(e)) << e;
      arrows[e["id"]] += phase;
    }
  }
  EXPECT_EQ(arrows, (std::map<int, std::string>{{1, "sf"}, {2, "sf"}, {3, "sf"}}));
}

TEST(Perfetto, says_why_a_command_waited) {
  std::string why;
  for (const auto& e : events_of(sample()))
    if (e["ph"] == "X" && e["args"]["command"] == 2) why = e["args"]["waited"];
  EXPECT_EQ(why, "reads b in DM, which dma at multiply.cpp:11 writes");
}

TEST(SourceText, has_lines_without_the_blanks_around_them) {
  std::filesystem::path const file = std::filesystem::path(testing::TempDir()) / "source_text_test.cpp";
  std::ofstream(file) << "first\n  second();\t\n\n" << std::string(300, 'x') << "\n";
  trace::SourceText text;
  EXPECT_EQ(text.line(file, 1), "first");
  EXPECT_EQ(text.line(file, 2), "second();");
  EXPECT_EQ(text.line(file, 3), "");
  EXPECT_EQ(text.line(file, 4), std::string(200, 'x'));
  EXPECT_EQ(text.line(file, 5), "");
  EXPECT_EQ(text.line(file, 0), "");
  EXPECT_EQ(text.line("/no/such/file", 1), "");
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tcp::trace_test
