// Ids and texts that can be worked out by hand, from files of a few tokens. Hundreds of texts against a second implementation are in tests/tokens.
#include "tcp/tokens/tokenizer.hpp"

#include <gtest/gtest.h>

namespace tcp::tokens {
namespace {

/// Throws nothing: a file that is refused fails the test with its sentence.
Tokenizer of(const std::string& text) {
  auto const parsed = Tokenizer::parse(text, "tokenizer.json");
  if (!parsed) ADD_FAILURE() << parsed.refusal().sentence().view();
  return *parsed;
}
Ids encoded(const Tokenizer& t, std::string_view text, Specials around = Specials::left_out) {
  auto const ids = t.encode(text, around);
  if (!ids) ADD_FAILURE() << ids.refusal().sentence().view();
  return ids ? *ids : Ids{-1};
}
std::string file_of(const std::string& model, const std::string& fields = "") { return R"({"model": )" + model + fields + "}"; }

/// lo, low and er are joined in this order, then "er" to the left of what was joined.
const std::string low =
    R"({"type": "BPE", "vocab": {"l": 0, "o": 1, "w": 2, "e": 3, "r": 4, "lo": 5, "low": 6, "er": 7, "lower": 8, "ow": 9},
                            "merges": ["l o", "o w", "e r", "lo w", "low er"]})";

TEST(Tokenizer, joins_the_pair_of_lowest_rank_first) {
  Tokenizer const t = of(file_of(low));
  EXPECT_EQ(encoded(t, "lower"), (Ids{8}));
  EXPECT_EQ(encoded(t, "low"), (Ids{6}));  // "l o" comes before "o w"
  EXPECT_EQ(encoded(t, "ow"), (Ids{9}));
  EXPECT_EQ(encoded(t, "lowlow"), (Ids{6, 6}));
  EXPECT_EQ(encoded(t, "lrl"), (Ids{0, 4, 0}));
  EXPECT_EQ(encoded(t, ""), Ids{});
  EXPECT_EQ(t.size(), 10);
  EXPECT_EQ(t.id_of("er"), 7);
  EXPECT_EQ(t.token_of(9), "ow");
  EXPECT_EQ(t.token_of(10), std::nullopt);
}
TEST(Tokenizer, merges_as_pairs_may_have_blanks) {
  Tokenizer const t = of(file_of(R"({"type": "BPE", "vocab": {"a": 0, " ": 1, " a": 2, "a ": 3}, "merges": [[" ", "a"], ["a", " "]]})"));
  EXPECT_EQ(encoded(t, "a a"), (Ids{0, 2}));
  EXPECT_EQ(encoded(t, "a "), (Ids{3}));
}
TEST(Tokenizer, a_whole_word_comes_before_merges_only_where_they_are_ignored) {
  std::string const vocabulary = R"("vocab": {"a": 0, "b": 1, "c": 2, "abc": 3, "bc": 4}, "merges": ["b c"])";
  EXPECT_EQ(encoded(of(file_of(R"({"type": "BPE", )" + vocabulary + "}")), "abc"), (Ids{0, 4}));
  EXPECT_EQ(encoded(of(file_of(R"({"type": "BPE", "ignore_merges": true, )" + vocabulary + "}")), "abc"), (Ids{3}));
}
TEST(Tokenizer, added_tokens_are_found_first_the_longest_of_them) {
  Tokenizer const t =
      of(file_of(low, R"(, "added_tokens": [{"id": 20, "content": "<e>", "special": true}, {"id": 21, "content": "<e><e>", "special": true},
                                           {"id": 22, "content": "<b>", "special": true, "lstrip": true, "rstrip": true}])"));
  EXPECT_EQ(encoded(t, "low<e>er"), (Ids{6, 20, 7}));
  EXPECT_EQ(encoded(t, "<e><e><e>"), (Ids{21, 20}));
  EXPECT_EQ(encoded(t, "low  <b>\n er"), (Ids{6, 22, 7}));
  EXPECT_TRUE(t.is_special(20));
  EXPECT_FALSE(t.is_special(6));
  EXPECT_EQ(t.decode(Ids{6, 20, 7}), "lower");
  EXPECT_EQ(t.decode(Ids{6, 20, 7}, Specials::kept), "low<e>er");
}
TEST(Tokenizer, what_is_unknown_is_one_token_where_it_is_fused) {
  std::string const vocabulary = R"("vocab": {"<unk>": 0, "a": 1}, "merges": [], "unk_token": "<unk>")";
  EXPECT_EQ(encoded(of(file_of(R"({"type": "BPE", )" + vocabulary + "}")), "axya"), (Ids{1, 0, 0, 1}));
  EXPECT_EQ(encoded(of(file_of(R"({"type": "BPE", "fuse_unk": true, )" + vocabulary + "}")), "axya"), (Ids{1, 0, 1}));
}

const std::string byte_level_fields =
    R"(, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}, "decoder": {"type": "ByteLevel"})";
/// The bytes of U+1F600, F0 9F 98 80, as characters of byte-level vocabularies.
const std::string smile =
    R"({"type": "BPE", "vocab": {"\u00f0": 0, "\u0141": 1, "\u013a": 2, "\u0122": 3, "a": 4, "\u0120": 5, "\u00f0\u0141": 6}, "merges": ["\u00f0 \u0141"]})";

TEST(Tokenizer, bytes_are_characters_of_the_vocabulary) {
  Tokenizer const t = of(file_of(smile, byte_level_fields));
  EXPECT_EQ(encoded(t, "a \xF0\x9F\x98\x80"), (Ids{4, 5, 6, 2, 3}));
  EXPECT_EQ(t.decode(Ids{4, 5, 6, 2, 3}), "a \xF0\x9F\x98\x80");
}
TEST(DecodedStream, a_character_comes_when_its_last_byte_does) {
  Tokenizer const t = of(file_of(smile, byte_level_fields));
  DecodedStream stream(t);
  EXPECT_EQ(stream.add(4), "a");
  EXPECT_EQ(stream.add(6), "");
  EXPECT_EQ(stream.add(2), "");
  EXPECT_EQ(stream.add(3), "\xF0\x9F\x98\x80");
  EXPECT_EQ(stream.add(6), "");
  EXPECT_EQ(stream.add(4),
            "\xEF\xBF\xBD"
            "a");  // the character broke off
  EXPECT_EQ(stream.add(0), "");
  EXPECT_EQ(stream.finish(), "\xEF\xBF\xBD");
  EXPECT_EQ(stream.finish(), "");
}
TEST(DecodedStream, ids_without_a_token_show) {
  Tokenizer const t = of(file_of(low));
  EXPECT_EQ(t.decode(Ids{6, 99, -1, 7}),
            "low\xEF\xBF\xBD\xEF\xBF\xBD"
            "er");
}

const std::string pieces =
    R"({"type": "BPE", "byte_fallback": true, "vocab": {"\u2581": 0, "h": 1, "i": 2, "\u2581hi": 3, "hi": 4, "<0xC3>": 5, "<0xA9>": 6, "<unk>": 7},
                                "merges": ["h i", "\u2581 hi"], "unk_token": "<unk>"})";
const std::string joined =
    R"(, "decoder": {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "}, {"type": "ByteFallback"},
                                {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})";

TEST(Tokenizer, the_mark_of_a_blank_is_prepended_as_the_file_says) {
  auto const with = [](const char* scheme) {
    return of(file_of(
        pieces,
        joined +
            R"(, "added_tokens": [{"id": 8, "content": "<s>", "special": true}], "pre_tokenizer": {"type": "Metaspace", "replacement": "\u2581",
                                           "prepend_scheme": ")" +
            scheme + R"(", "split": false})"));
  };
  EXPECT_EQ(encoded(with("always"), "hi<s>hi"), (Ids{3, 8, 3}));
  EXPECT_EQ(encoded(with("first"), "hi<s>hi"), (Ids{3, 8, 4}));
  EXPECT_EQ(encoded(with("never"), "hi<s>hi"), (Ids{4, 8, 4}));
  EXPECT_EQ(encoded(with("first"), " hi hi"), (Ids{3, 3}));
  EXPECT_EQ(with("first").decode(Ids{3, 8, 3}), "hi hi");
}
TEST(Tokenizer, a_character_without_a_token_is_its_bytes) {
  Tokenizer const t = of(file_of(pieces, joined));
  EXPECT_EQ(encoded(t, "hi\xC3\xA9"), (Ids{4, 5, 6}));
  EXPECT_EQ(encoded(t, "hi\xE2\x82\xAC"), (Ids{4, 7}));  // no tokens for these bytes
  EXPECT_EQ(t.decode(Ids{4, 5, 6}), "hi\xC3\xA9");
  EXPECT_EQ(t.decode(Ids{5, 4}), "\xEF\xBF\xBDhi");
}
TEST(Tokenizer, unigram_takes_the_likeliest_way) {
  std::string const rows =
      R"({"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1], ["b", -1], ["ab", -1.5], ["abc", -9], ["c", -1]]})";
  Tokenizer const t = of(file_of(rows));
  EXPECT_EQ(encoded(t, "ab"), (Ids{3}));
  EXPECT_EQ(encoded(t, "abc"), (Ids{3, 5}));  // -2.5 is likelier than -9
  EXPECT_EQ(encoded(t, "axxb"), (Ids{1, 0, 2}));
}
TEST(Tokenizer, tokens_stand_around_a_text_as_the_template_says) {
  Tokenizer const t = of(file_of(low, R"(, "post_processor": {"type": "TemplateProcessing",
      "single": [{"SpecialToken": {"id": "[A]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[B]", "type_id": 0}}],
      "special_tokens": {"[A]": {"id": "[A]", "ids": [4, 3]}, "[B]": {"id": "[B]", "ids": [2]}}})"));
  EXPECT_EQ(encoded(t, "low", Specials::kept), (Ids{4, 3, 6, 2}));
  EXPECT_EQ(encoded(t, "low", Specials::left_out), (Ids{6}));
}
TEST(Tokenizer, pieces_of_a_split_by_each_behavior) {
  auto const cut = [](const char* behavior, const char* invert) {
    // No token reaches across pieces: "a-" is one only if both are in the same.
    std::string const model = R"({"type": "BPE", "vocab": {"a": 0, "-": 1, "a-": 2, "-a": 3, "--": 4}, "merges": ["a -", "- a", "- -"]})";
    return encoded(of(file_of(model, R"(, "pre_tokenizer": {"type": "Split", "pattern": {"String": "-"}, "invert": )" +
                                         std::string(invert) + R"(, "behavior": ")" + behavior + "\"}")),
                   "a--a");
  };
  EXPECT_EQ(cut("Isolated", "false"), (Ids{0, 1, 1, 0}));
  EXPECT_EQ(cut("Removed", "false"), (Ids{0, 0}));
  EXPECT_EQ(cut("Removed", "true"), (Ids{1, 1}));
  EXPECT_EQ(cut("MergedWithPrevious", "false"), (Ids{2, 1, 0}));
  EXPECT_EQ(cut("MergedWithNext", "false"), (Ids{0, 1, 3}));
  EXPECT_EQ(cut("Contiguous", "false"), (Ids{0, 4, 0}));
}
TEST(Tokenizer, normal_forms) {
  std::string const model = R"({"type": "BPE", "vocab": {"\u00e9": 0, "e": 1, "\u0301": 2, "f": 3, "i": 4}, "merges": []})";
  auto const form = [&](const char* name) { return of(file_of(model, R"(, "normalizer": {"type": ")" + std::string(name) + "\"}")); };
  EXPECT_EQ(encoded(form("NFC"), "e\xCC\x81"), (Ids{0}));
  EXPECT_EQ(encoded(form("NFD"), "\xC3\xA9"), (Ids{1, 2}));
  EXPECT_EQ(encoded(form("NFKC"), "\xEF\xAC\x81"), (Ids{3, 4}));  // the ligature fi
  EXPECT_EQ(encoded(form("NFKD"), "\xC3\xA9"), (Ids{1, 2}));
}
TEST(Tokenizer, digits_alone_or_in_runs) {
  std::string const model = R"({"type": "BPE", "vocab": {"1": 0, "2": 1, "12": 2, "a": 3, "a1": 4}, "merges": ["a 1", "1 2"]})";
  auto const digits = [&](const char* single) {
    return encoded(of(file_of(model, R"(, "pre_tokenizer": {"type": "Digits", "individual_digits": )" + std::string(single) + "}")), "a12");
  };
  EXPECT_EQ(digits("false"), (Ids{3, 2}));
  EXPECT_EQ(digits("true"), (Ids{3, 0, 1}));
}

}  // namespace
}  // namespace tcp::tokens
