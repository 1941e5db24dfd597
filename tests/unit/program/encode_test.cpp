#include "tcp/program/encode.hpp"

#include <gtest/gtest.h>

#include "sample.hpp"
#include "tcp/support/render.hpp"

namespace tcp::program {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t header = 24;

/// CRC-32 bit by bit, as its definition has it.
std::uint32_t crc(std::span<const std::byte> bytes) {
  std::uint32_t c = 0xffffffffu;
  for (std::byte b : bytes)
    for (int k = 0; k < 8; ++k) {
      bool const bit = ((c ^ (static_cast<std::uint32_t>(b) >> k)) & 1) != 0;
      c = (c >> 1) ^ (bit ? 0xedb88320u : 0u);
    }
  return ~c;
}

void put(Bytes& bytes, std::size_t at, std::uint64_t v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) bytes[at + i] = static_cast<std::byte>(v >> (8 * i));
}

/// The file with a header that fits its body, as an attacker who knows the format writes it.
Bytes sealed(Bytes file) {
  put(file, 12, crc(std::span(file).subspan(header)), 4);
  put(file, 16, file.size() - header, 8);
  return file;
}

std::string code_of(const Bytes& file) {
  auto const p = decode(file);
  return p ? "accepted" : p.refusal().code;
}

TEST(Encode, random_programs_come_back) {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Program const p = Sample(seed).program();
    Bytes const bytes = encode(p);
    auto const again = decode(bytes);
    ASSERT_TRUE(again) << seed << ": " << render(again.refusal());
    ASSERT_TRUE(*again == p) << seed;
    ASSERT_TRUE(encode(*again) == bytes) << seed;
  }
}

TEST(Encode, the_header_is_as_documented) {
  Program p;
  p.name = "x";
  Bytes const bytes = encode(p);
  std::uint8_t const begin[] = {0x89, 'T', 'C', 'P', 'P', '\r', '\n', 0x1a, version, 0, 0, 0};
  for (std::size_t i = 0; i < std::size(begin); ++i) EXPECT_EQ(static_cast<std::uint8_t>(bytes[i]), begin[i]) << i;
  EXPECT_EQ(bytes, sealed(bytes));
  // name, chip, chips, numeric, tables, commands, barriers, loops, arguments, results; of debug, lines, tensors, axes, regions, commands
  std::uint8_t const body[] = {1, 'x', 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  ASSERT_EQ(bytes.size(), header + std::size(body));
  for (std::size_t i = 0; i < std::size(body); ++i) EXPECT_EQ(static_cast<std::uint8_t>(bytes[header + i]), body[i]) << i;
}

TEST(Encode, every_flipped_bit_is_refused) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Bytes const bytes = encode(Sample(seed).program());
    for (std::size_t bit = 0; bit < std::min<std::size_t>(bytes.size(), 4000) * 8; ++bit) {
      Bytes flipped = bytes;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
      ASSERT_NE(code_of(flipped), "accepted") << "seed " << seed << ", bit " << bit;
    }
  }
}

TEST(Encode, every_cut_and_every_addition_is_refused) {
  Bytes const bytes = encode(Sample(2).program());
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    ASSERT_EQ(code_of(cut), n < 8 ? "program-not-encoded" : "program-length") << n;
    if (n < header) continue;
    std::string const inside = code_of(sealed(cut));
    ASSERT_TRUE(inside == "program-cut-short" || inside == "program-count-too-large") << n << ": " << inside;
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_EQ(code_of(longer), "program-length");
  EXPECT_EQ(code_of(sealed(longer)), "program-trailing-bytes");
}

TEST(Encode, what_is_accepted_has_one_encoding) {
  // Bytes changed at random under a right checksum: refused, or exactly what encode writes for what was read.
  Random random(7);
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Bytes const bytes = encode(Sample(seed).program());
    if (bytes.size() == header) continue;
    for (int k = 0; k < 200; ++k) {
      Bytes changed = bytes;
      changed[header + random.next() % (bytes.size() - header)] = static_cast<std::byte>(random.next());
      changed = sealed(changed);
      auto const p = decode(changed);
      if (!p) continue;
      ++accepted;
      ASSERT_TRUE(encode(*p) == changed) << seed;
    }
  }
  EXPECT_GT(accepted, 100);
}

TEST(Encode, a_count_that_lies_costs_nothing) {
  Bytes file = encode(Program{});
  file.resize(header);
  for (int b : {0, 0, 2, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}) file.push_back(static_cast<std::byte>(b));  // 2^42 - 1 commands
  EXPECT_EQ(code_of(sealed(file)), "program-count-too-large");
}

TEST(Encode, numbers_have_one_form) {
  Bytes file = encode(Program{});
  file.resize(header);
  for (int b : {0x80, 0}) file.push_back(static_cast<std::byte>(b));  // 0 in two bytes
  EXPECT_EQ(code_of(sealed(file)), "program-bad-value");
}

TEST(Encode, an_unknown_version_is_refused) {
  Bytes file = encode(Program{});
  put(file, 8, version + 1, 4);
  EXPECT_EQ(code_of(file), "program-version");
}

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
