#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tcp/support/random.hpp"
#include "tool.hpp"

namespace {

using namespace tcp::tool;

nlohmann::json answer_of(std::vector<std::string> arguments, int code) {
  std::ostringstream out, err;
  Terminal terminal{out, err, false, false, ""};
  arguments.insert(arguments.begin(), "layout");
  arguments.push_back("--json");
  EXPECT_EQ(run(arguments, terminal), code) << err.str();
  return nlohmann::json::parse(out.str());
}

TEST(Json, of_a_mapping_has_its_normal_form_and_its_runs) {
  auto const j = answer_of({"--axes", "A=3,B=5,C=7", "[A, B @ 1 = 3] #z 10, C"}, done);
  EXPECT_EQ(j["mapping"], "[A, B @ 1 = 3] #z 10, C");
  EXPECT_EQ(j["size"], 70);
  EXPECT_EQ(j["starts"]["B"], 1);
  EXPECT_EQ(j["digits"].size(), 3U);
  EXPECT_EQ(j["tails"][0]["slot"], 10);
  EXPECT_EQ(j["census"]["elements"], 63);
  EXPECT_EQ(j["census"]["zero"], 7);
  EXPECT_EQ(j["runs_are"], "all");
  std::int64_t covered = 0;
  for (auto const& r : j["runs"]) {
    EXPECT_EQ(r["from"], covered);
    covered += r["count"].get<std::int64_t>();
  }
  EXPECT_EQ(covered, 70);
  EXPECT_EQ(j["runs"][1]["index"]["B"], 2);
  EXPECT_EQ(j["runs"][1]["moving"], "C");
  EXPECT_EQ(j["runs"].back()["padding"], "zero");
}

TEST(Json, of_a_window_lists_all_elements) {
  auto const j = answer_of({"--axes", "W=4,Fw=3", "$(W:2, Fw)"}, done);
  EXPECT_EQ(j["runs"][2]["elements"].size(), 2U);
  EXPECT_TRUE(j["census"].is_null());
}

TEST(Json, of_a_part_says_where_it_goes_on) {
  auto const j = answer_of({"--axes", "A=300000,B=2", "B, A, 2", "--all"}, done);
  EXPECT_EQ(j["runs_are"], "the first");
  EXPECT_EQ(j["next"].get<std::size_t>(), 2 * j["runs"].size());
  EXPECT_EQ(answer_of({"--axes", "A=300000,B=2", "B, A, 2"}, done)["runs_are"], "some");
}

TEST(Json, of_levels_has_places_and_the_check) {
  auto const j = answer_of({"--axes", "I=512,K=64", "--levels", "Slice: I / 2; Element: I % 2, K", "--type", "bf16"}, done);
  EXPECT_EQ(j["levels"]["Slice"]["size"], 256);
  EXPECT_EQ(j["memory"]["bytes"], 256);
  EXPECT_EQ(j["runs"].back()["place"]["Slice"], 255);
}

TEST(Json, of_a_refusal_has_its_parts) {
  auto const j = answer_of({"--axes", "A=8", "A / 3"}, refused);
  EXPECT_EQ(j["refused"]["code"], "mapping-stride-not-divisor");
  for (const char* part : {"what", "why", "help"}) EXPECT_TRUE(j["refused"][part].is_string()) << part;
}

/// The terms of a stream and the loops it became, for buffers and streams that are cut at random.
TEST(Json, of_a_move_gives_every_loop_to_the_term_it_comes_from) {
  tcp::Random random(7);
  auto one_of = [&](std::vector<std::string> const& words) { return words[random.below(words.size())]; };
  std::vector<std::string> const a = {"A", "A / 4, A % 4", "A % 4, A / 4", "A % 8, A / 8", "A # 40", "A / 2 % 4, A / 8, A % 2"};
  std::vector<std::string> const b = {"B", "B % 3, B / 3", "B # 16", "[B % 3, B / 3]"};
  std::vector<std::string> const more = {"", ", 3", ", X", ", [X, 2] # 11"};
  int moves = 0;
  for (int i = 0; i < 400; ++i) {
    std::string const to = "Time: " + one_of(a) + one_of(more) + "; Packet: " + one_of(b);
    std::ostringstream out, err;
    Terminal terminal{out, err, false, false, ""};
    if (run({"layout", "--axes", "A=32,B=12,X=5", "--move", one_of(a) + ", " + one_of(b), to, "--chip", "logical", "--json"}, terminal) !=
        done)
      continue;
    ++moves;
    auto const j = nlohmann::json::parse(out.str());
    std::size_t next = 0;
    for (auto const& term : j["terms"]) {
      ASSERT_EQ(term["first_entry"], next) << out.str();
      std::int64_t rounds = 1;
      for (int k = 0; k < term["entries"]; ++k) rounds *= j["entries"][next++]["size"].get<std::int64_t>();
      ASSERT_EQ(rounds, term["positions"]) << out.str();
    }
    ASSERT_EQ(next, j["entries"].size()) << out.str();
  }
  EXPECT_GT(moves, 100);
}

}  // namespace
