#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/device/load.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

const std::string& rngd_text() {
  static const std::string text = to_chip_file(rngd);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (char c : text) {
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  }
  return lines;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& l : lines) text += (&l == &lines.front() ? "" : "\n") + l;
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t const at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

/// `code: headline` of the refusal.
std::string refused(const std::string& text, const std::string& file = "my.json") {
  auto const d = parse_device(text, file);
  EXPECT_FALSE(d.ok()) << "accepted";
  if (d) return "";
  EXPECT_FALSE(d.refusal().note.empty());
  EXPECT_FALSE(d.refusal().advice.empty());
  EXPECT_LE(d.refusal().headline.size(), 300u);
  EXPECT_LT(d.refusal().sentence().size(), std::size_t{Text::room}) << d.refusal().sentence().view();
  return std::string(d.refusal().code) + ": " + std::string(d.refusal().headline.view());
}
std::string advice(const std::string& text) { return std::string(parse_device(text, "my.json").refusal().advice.view()); }

/// An entry of the file: its line, and the path of its key.
struct Entry {
  std::size_t line;
  std::string group, key;
};
std::vector<Entry> entries() {
  std::vector<Entry> all;
  std::string group;
  auto const lines = lines_of(rngd_text());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t const quote = lines[i].find('"');
    if (quote == std::string::npos || i < 2) continue;
    std::string const key = lines[i].substr(quote + 1, lines[i].find('"', quote + 1) - quote - 1);
    if (quote == 2) group = key;
    else all.push_back({i, group, key});
  }
  return all;
}

TEST(ParseDevice, every_entry_is_needed) {
  ASSERT_EQ(entries().size(), static_cast<std::size_t>(field_count()));
  for (const Entry& e : entries()) {
    auto lines = lines_of(rngd_text());
    std::string const rest = lines[e.line].substr(lines[e.line].find(':'));
    // The last of a group has no comma after it, so the key is misspelt instead of the line removed; then it is unknown first.
    lines[e.line] = "    \"zzz\"" + rest;
    EXPECT_EQ(refused(joined(lines)),
              "device-file-unknown-key: my.json:" + std::to_string(e.line + 1) + ": unknown key " + e.group + ".zzz");
    lines = lines_of(rngd_text());
    if (!lines[e.line].ends_with(',')) continue;
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(e.line));
    std::string const missing = refused(joined(lines));
    EXPECT_TRUE(missing.starts_with("device-file-missing-key: my.json:")) << missing;
    EXPECT_TRUE(missing.ends_with(": " + e.group + "." + e.key + " is missing")) << missing;
  }
}

TEST(ParseDevice, every_entry_stands_once) {
  for (const Entry& e : entries()) {
    auto lines = lines_of(rngd_text());
    std::string copy = lines[e.line];
    if (!copy.ends_with(',')) copy += ',';
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(e.line), copy);
    EXPECT_EQ(refused(joined(lines)), "device-file-duplicate-key: my.json:" + std::to_string(e.line + 2) + ": key " + e.key +
                                          " occurs twice in one object; line " + std::to_string(e.line + 1) + " has it already");
  }
}

TEST(ParseDevice, every_value_has_its_type_and_line) {
  for (const Entry& e : entries()) {
    auto lines = lines_of(rngd_text());
    std::string& line = lines[e.line];
    std::size_t const from = line.find("\"value\": ") + 9;
    std::size_t const to = std::min(line.find(", \"unit\""), line.find(", \"source\""));
    std::string const at = "my.json:" + std::to_string(e.line + 1) + ": " + e.group + "." + e.key;
    std::string const good = line;
    for (const char* bad : {"\"16\"", "null", "{}", "1.5", "1e3", "123456789012345678901234567890"}) {
      line = good.substr(0, from) + bad + good.substr(to);
      std::string const r = refused(joined(lines));
      EXPECT_TRUE(r.starts_with("device-file-wrong-type: " + at + ".value is ")) << bad << ": " << r;
    }
    line = good.substr(0, from) + (good[from] == '[' ? "[-1]" : "-1") + good.substr(to);
    std::string const r = refused(joined(lines));
    bool const flag = good[from] == 't' || good[from] == 'f';
    EXPECT_TRUE(r.starts_with((flag ? "device-file-wrong-type: " : "device-file-bad-value: ") + at)) << r;
  }
}

TEST(ParseDevice, every_source_is_a_text_that_says_something) {
  for (const Entry& e : entries()) {
    auto lines = lines_of(rngd_text());
    std::string& line = lines[e.line];
    std::string const at = "my.json:" + std::to_string(e.line + 1) + ": " + e.group + "." + e.key + ".source ";
    std::string const good = line;
    std::size_t const from = line.find("\"source\": ");
    std::size_t const end = line.find('"', from + 11) + 1;
    line = good.substr(0, from) + "\"source\": \"\"" + good.substr(end);
    EXPECT_EQ(refused(joined(lines)), "device-file-bad-value: " + at + "is empty");
    line = good.substr(0, from) + "\"source\": 7" + good.substr(end);
    EXPECT_EQ(refused(joined(lines)), "device-file-wrong-type: " + at + "is a whole number, but must be a text");
    line = good.substr(0, from - 2) + good.substr(end);
    EXPECT_EQ(refused(joined(lines)), "device-file-missing-key: " + at + "is missing");
  }
}

TEST(ParseDevice, an_assumption_is_remembered) {
  auto const d =
      parse_device(replaced(rngd_text(), "\"source\": \"HEL-05\"", "\"source\": \"assumption: we looked at the photograph\""), "my.json");
  ASSERT_TRUE(d);
  EXPECT_TRUE(is_assumed(*d, "levels", "clusters_per_chip"));
  EXPECT_EQ(assumption_count(*d, "book"), assumption_count(rngd, "book") + 1);
}

TEST(ParseDevice, byte_sizes_may_be_given_in_any_unit) {
  for (const char* same : {"524288, \"unit\": \"B\"", "512, \"unit\": \"KiB\""}) {
    auto const d = parse_device(replaced(rngd_text(), "512, \"unit\": \"KiB\"", same), "my.json");
    ASSERT_TRUE(d);
    EXPECT_EQ(*d, rngd);
  }
  EXPECT_EQ(refused(replaced(rngd_text(), "512, \"unit\": \"KiB\"", "512, \"unit\": \"KB\"")),
            "device-file-bad-value: my.json:40: dm.slice_capacity.unit is KB, which is not a unit here");
  EXPECT_EQ(refused(replaced(rngd_text(), "512, \"unit\": \"KiB\"", "512, \"unit\": 1024")),
            "device-file-wrong-type: my.json:40: dm.slice_capacity.unit is a whole number, but must be a text");
  EXPECT_EQ(refused(replaced(rngd_text(), "512, \"unit\": \"KiB\"", "512")),
            "device-file-missing-key: my.json:40: dm.slice_capacity.unit is missing");
  EXPECT_EQ(refused(replaced(rngd_text(), "\"value\": 16, ", "\"value\": 16, \"unit\": \"B\", ")),
            "device-file-unknown-key: my.json:20: unknown key hbm.channels_per_stack.unit");
  EXPECT_EQ(refused(replaced(rngd_text(), "48, \"unit\": \"GiB\"", "9000000000000000000, \"unit\": \"GiB\"")),
            "device-file-bad-value: my.json:18: hbm.capacity.value is 9000000000000000000, which in bytes is more than 64 bits hold");
}

TEST(ParseDevice, notes_are_free_texts) {
  EXPECT_TRUE(parse_device(replaced(rngd_text(), "\"HEL-05\"", "\"HEL-05\", \"note\": \"\\u00e4 \\\" \\n\""), "my.json"));
  EXPECT_EQ(refused(replaced(rngd_text(), "\"HEL-05\"", "\"HEL-05\", \"note\": 1")),
            "device-file-wrong-type: my.json:4: levels.clusters_per_chip.note is a whole number, but must be a text");
}

TEST(ParseDevice, lists_hold_whole_numbers_and_not_too_many) {
  EXPECT_EQ(refused(replaced(rngd_text(), "[1, 2, 4, 8]", "[1, \"2\"]")),
            "device-file-wrong-type: my.json:115: an item of contraction.row_counts.value is a text, but must be a whole number");
  EXPECT_EQ(refused(replaced(rngd_text(), "[1, 2, 4, 8]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]")),
            "device-file-bad-value: my.json:115: contraction.row_counts.value lists 9 values, but must list 1 to 8");
  EXPECT_EQ(refused(replaced(rngd_text(), "[1, 2, 4, 8]", "[]")),
            "device-file-bad-value: my.json:115: contraction.row_counts lists 0 values, but must list 1 to 8");
}

TEST(ParseDevice, the_name) {
  EXPECT_EQ(refused(replaced(rngd_text(), "  \"chip\": \"rngd\",\n", "")), "device-file-missing-key: my.json: the key chip is missing");
  EXPECT_EQ(refused(replaced(rngd_text(), "\"rngd\"", "7")),
            "device-file-wrong-type: my.json:2: chip is a whole number, but must be a text");
  EXPECT_EQ(refused(replaced(rngd_text(), "\"rngd\"", "\"my chip\"")),
            "device-file-bad-value: my.json:2: chip must have 1 to 31 letters, digits, _, - or .");
  EXPECT_EQ(refused(replaced(rngd_text(), "\"rngd\"", "\"a\\u0000b\"")),
            "device-file-bad-value: my.json:2: chip has 3 characters, or one that is not printable");
  EXPECT_EQ(refused(replaced(rngd_text(), "\"rngd\"", '"' + std::string(32, 'x') + '"')),
            "device-file-bad-value: my.json:2: chip has 32 characters, or one that is not printable");
}

TEST(ParseDevice, groups) {
  EXPECT_EQ(refused(replaced(rngd_text(), "\"dm\": {", "\"dmm\": {")), "device-file-unknown-key: my.json:39: unknown key dmm");
  EXPECT_EQ(advice(replaced(rngd_text(), "\"dm\": {", "\"dmm\": {")), "write dm");
  EXPECT_EQ(refused("{\"chip\": \"x\", \"dm\": 3}"), "device-file-wrong-type: my.json:1: dm is a whole number, but must be an object");
  EXPECT_EQ(refused("{\"chip\": \"x\",\n\"dm\": {\"row_bytes\": 3}}"),
            "device-file-wrong-type: my.json:2: dm.row_bytes is a whole number, but must be an object");
  EXPECT_EQ(refused("{\"chip\": \"x\"}"), "device-file-missing-key: my.json: levels.clusters_per_chip is missing");
  EXPECT_EQ(refused("[]"), "device-file-wrong-type: my.json:1: the file is a list, but must be an object");
}

TEST(ParseDevice, a_close_word_is_offered) {
  EXPECT_EQ(advice(replaced(rngd_text(), "\"banks_per_slice\"", "\"bank_per_slice\"")), "write banks_per_slice");
  EXPECT_EQ(advice(replaced(rngd_text(), "\"banks_per_slice\"", "\"colour\"")), "remove it; data/chips/rngd.json has every key");
}

TEST(ParseDevice, syntax_errors_name_their_line) {
  EXPECT_EQ(refused(""), "device-file-syntax: my.json:1: is not JSON: the text ends too early");
  EXPECT_EQ(refused("\n\n{"), "device-file-syntax: my.json:3: is not JSON: the text ends too early");
  EXPECT_EQ(refused("{\n  \"chip\": \"x\",\n}"), "device-file-syntax: my.json:3: is not JSON: reading stopped after }");
  EXPECT_EQ(refused("{\n  \"chip\": \"x\"\n  \"dm\": 1\n}"), "device-file-syntax: my.json:3: is not JSON: reading stopped after \"dm\"");
  EXPECT_EQ(refused("{\n  \"chip\": \"x\n}"), "device-file-syntax: my.json:2: is not JSON: reading stopped after \"chip\": \"x?");
  EXPECT_EQ(refused("{\n  // a chip\n"), "device-file-syntax: my.json:2: is not JSON: reading stopped after /");
  EXPECT_EQ(refused("{\n  \"chip\": 1e999}"), "device-file-syntax: my.json:2: is not JSON: the number is too large in \"chip\": 1e999");
  EXPECT_EQ(refused(rngd_text() + "x"),
            "device-file-syntax: my.json:" + std::to_string(lines_of(rngd_text()).size()) + ": is not JSON: reading stopped after x");
}

TEST(ParseDevice, hostile_texts_are_refused) {
  EXPECT_EQ(refused(std::string(1 << 20, '[')), "device-file-syntax: my.json:1: is not a chip file: it is nested deeper than 8 levels");
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"a\":";
  EXPECT_EQ(refused(deep), "device-file-syntax: my.json:1: is not a chip file: it is nested deeper than 8 levels");
  std::string wide = "{";
  for (int i = 0; i < 100000; ++i) wide += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_EQ(refused(wide), "device-file-syntax: my.json:1: is not a chip file: one object or list has more than 1000 entries");
  EXPECT_EQ(refused("[" + std::string(1 << 20, '1') + "]"),
            "device-file-syntax: my.json:1: is not JSON: the number is too large in " + std::string(40, '1'));
  std::string flood = "[0";
  for (int i = 0; i < 100000; ++i) flood += ",[]";
  EXPECT_EQ(refused(flood), "device-file-syntax: my.json:1: is not a chip file: one object or list has more than 1000 entries");
  std::string const key = refused("{\"" + std::string(1 << 20, 'k') + "\": 1}");
  EXPECT_EQ(key, "device-file-unknown-key: my.json:1: unknown key " + std::string(57, 'k') + "...");
  EXPECT_EQ(refused("{\"a\\u0007\\n\": 1}"), "device-file-unknown-key: my.json:1: unknown key a??")
      << "no control character reaches a terminal";
  EXPECT_EQ(refused("{}", std::string(200, 'd') + "/my.json"),
            "device-file-missing-key: ..." + std::string(69, 'd') + "/my.json: the key chip is missing");
}

TEST(ParseDevice, no_beginning_of_a_file_is_a_file) {
  const std::string& text = rngd_text();
  for (std::size_t n = 0; n + 2 < text.size(); n += 7) EXPECT_FALSE(parse_device(std::string_view(text).substr(0, n), "my.json").ok()) << n;
}

TEST(ParseDevice, spoilt_bytes_never_crash) {
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    std::string text = rngd_text();
    for (int k = 0; k < 3; ++k) text[random.below(text.size())] = static_cast<char>(random.below(256));
    auto const d = parse_device(text, "my.json");
    EXPECT_TRUE(d.ok() || std::string_view(d.refusal().code).starts_with("device-file-"));
  }
}

TEST(LoadDevice, what_cannot_be_read) {
  namespace fs = std::filesystem;
  auto const headline = [](const std::string& path) { return std::string(load_device(path).refusal().headline.view()); };
  EXPECT_EQ(headline("no/such/chip.json"), "no/such/chip.json: cannot be read: there is no such file");
  EXPECT_EQ(headline(""), ": cannot be read: there is no such file");
  EXPECT_EQ(headline("/dev/zero"), "/dev/zero: cannot be read: it is not a regular file");
  fs::path const folder =
      fs::temp_directory_path() / ("tcp_load_device_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()));
  fs::create_directories(folder);
  EXPECT_EQ(headline(folder.string()), folder.string() + ": cannot be read: it is not a regular file");
  std::string const large = (folder / "large.json").string();
  std::ofstream(large) << std::string((1 << 20) + 1, ' ');
  EXPECT_EQ(headline(large), large + ": cannot be read: it is larger than 1 MiB");
  std::string const good = (folder / "good.json").string();
  std::ofstream(good) << rngd_text();
  EXPECT_TRUE(load_device(good).ok());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace tcp
