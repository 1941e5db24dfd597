#include "tcp/program/encode.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"
#include "tcp/support/render.hpp"

namespace tcp::program {
namespace {

std::string code_of(const std::string& text) {
  auto const p = from_json(text);
  return p ? "accepted" : p.refusal().code;
}

/// The text with its first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  std::size_t const at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

Program small() {
  Program p;
  p.name = "small";
  Itos i;
  i.units = {{true, false}, 3, {}};
  for (std::int64_t s = 0; s < 16; ++s) i.units.slices.insert(s);
  i.units.slices.insert(32);
  p.commands.push_back({i, 2, {}, {}, -1});
  return p;
}

TEST(Json, random_programs_come_back) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Program const p = Sample(seed).program();
    std::string const text = to_json(p);
    auto const again = from_json(text);
    ASSERT_TRUE(again) << seed << ": " << render(again.refusal());
    ASSERT_TRUE(*again == p) << seed;
    ASSERT_EQ(to_json(*again), text) << seed;
  }
}

TEST(Json, reads_as_documented) {
  EXPECT_EQ(to_json(small()), R"({
  "tcp_program": 7,
  "name": "small",
  "chip": "",
  "chips": 1,
  "numeric": "rngd",
  "tables": [],
  "commands": [
    {
      "what": {"Itos": {"units": {"chips": [true, false], "clusters": 3, "slices": "0-15,32"}, "address": 0, "word": 0, "bytes": 4, "loops": []}},
      "resources": 2,
      "reads": [],
      "writes": [],
      "debug": -1
    }
  ],
  "barriers": [],
  "loops": [],
  "arguments": [],
  "results": [],
  "debug": {"lines": [], "tensors": [], "axes": [], "regions": [], "commands": []}
}
)");
}

TEST(Json, whatever_is_not_exactly_a_program_is_refused) {
  std::string const text = to_json(small());
  ASSERT_EQ(code_of(text), "accepted");
  EXPECT_EQ(code_of(with(text, "\"chips\": 1", "\"chips\": 1.0")), "program-json-value");
  EXPECT_EQ(code_of(with(text, "\"chips\": 1", "\"chips\": 4294967296")), "program-json-value");
  EXPECT_EQ(code_of(with(text, "\"chips\": 1", "\"chips\": 1e999")), "program-json-syntax");
  EXPECT_EQ(code_of(with(text, "\"word\": 0", "\"word\": -1")), "program-json-value");
  EXPECT_EQ(code_of(with(text, "\"rngd\"", "\"RNGD\"")), "program-json-value");
  EXPECT_EQ(code_of(with(text, "\"small\"", "\"sm\\u0007ll\"")), "program-json-value");
  EXPECT_EQ(code_of(with(text, "\"small\"", "null")), "program-json-value");
  EXPECT_EQ(code_of(with(text, "\"tables\": [],", "")), "program-json-key");
  EXPECT_EQ(code_of(with(text, "\"tables\": [],", "\"tables\": [], \"tabels\": [],")), "program-json-key");
  EXPECT_EQ(code_of(with(text, "\"tables\": [],", "\"tables\": [], \"tables\": [],")), "program-json-key");
  EXPECT_EQ(code_of(with(text, "\"Itos\"", "\"Iots\"")), "program-json-key");
  EXPECT_EQ(code_of(with(text, "\"tcp_program\": 7", "\"tcp_program\": 1")), "program-version");
  EXPECT_EQ(code_of(with(text, "\"tcp_program\": 7", "\"tcp_program\": 7.0")), "program-version");
  EXPECT_EQ(code_of(text + "x"), "program-json-syntax");
  EXPECT_EQ(code_of(std::string(100000, '[')), "program-json-syntax");
  EXPECT_EQ(code_of("[]"), "program-json-value");
  EXPECT_EQ(code_of(""), "program-json-syntax");
}

TEST(Json, sets_of_slices_have_one_form) {
  std::string const text = to_json(small());
  for (const char* wrong : {"0-15,32,", "0-14,15,32", "32,0-15", "0-15,256", "00-15", "15-0", "a", "-1", "0-", ",", " 1"})
    EXPECT_EQ(code_of(with(text, "0-15,32", wrong)), "program-json-value") << wrong;
  EXPECT_EQ(code_of(with(text, "0-15,32", "")), "accepted");
  EXPECT_EQ(code_of(with(text, "0-15,32", "255")), "accepted");
}

TEST(Json, every_cut_is_refused) {
  std::string const text = to_json(small());
  for (std::size_t n = 0; n + 2 < text.size(); ++n) ASSERT_NE(code_of(text.substr(0, n)), "accepted") << n;
}

TEST(Json, a_refusal_names_the_field) {
  auto const p = from_json(with(to_json(small()), "\"clusters\": 3", "\"clusters\": \"3\""));
  ASSERT_FALSE(p);
  EXPECT_EQ(p.refusal().headline.view(), "commands[0].what.Itos.units.clusters is a text, but must be a whole number");
}

}  // namespace
}  // namespace tcp::program
