// The tokenizer of a model: `tokenizer.json`, and the texts that it cuts into tokens.
#include <string>

#include "refuse_test.hpp"
#include "tcp/tokens/tokenizer.hpp"

using namespace tcp;

namespace tokens_test {
/// A file with some fields beside its model, or with a model of its own.
inline Refusal refused_file(const std::string& fields,
                            const std::string& model = R"({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []})") {
  return tokens::Tokenizer::parse(R"({"model": )" + model + fields + "}", "tokenizer.json").refusal();
}
inline Refusal refused_text(const std::string& fields, const std::string& text) {
  auto const file =
      tokens::Tokenizer::parse(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []})" + fields + "}", "tokenizer.json");
  return file ? file->encode(text).refusal() : file.refusal();
}
}  // namespace tokens_test

// # tokens-character
// A byte-level vocabulary has a token for each byte, and the SentencePiece kind has one for what is unknown (`unk_token`). This file has neither for a character of the
// text. Other programs leave such characters out without a word, and the model then answers another question.
// run time only: files are values
namespace tokens_character {
// error[tokens-character]: the vocabulary has no token for U+0062; help: take the tokenizer.json that was published with the model, or leave the character out
REFUSED_AT_RUN_TIME { return tokens_test::refused_text("", "ab"); }
}  // namespace tokens_character

// # tokens-field
// A field of `tokenizer.json` is missing, or has a value of another kind than the format asks for. The file is written by the program that trained the tokenizer; one that
// was edited by hand or cut off in copying is the usual reason.
// run time only: files are values
namespace tokens_field {
// error[tokens-field]: tokenizer.json: model.vocab of a is "zero"; it should be a number from 0 to 16777215; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "vocab": {"a": "zero"}, "merges": []})"); }
// error[tokens-field]: tokenizer.json: model.vocab is not there; it should be an object; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "merges": []})"); }
// error[tokens-field]: tokenizer.json: pre_tokenizer.behavior is Sideways; it should be Removed, Isolated, MergedWithPrevious, MergedWithNext or Contiguous; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME {
  return tokens_test::refused_file(R"(, "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "Sideways"})");
}
// error[tokens-field]: tokenizer.json: post_processor.single is []; it should be a list with {"Sequence": ...} in it; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME {
  return tokens_test::refused_file(R"(, "post_processor": {"type": "TemplateProcessing", "single": [], "special_tokens": {}})");
}
}  // namespace tokens_field

// # tokens-growth
// A normalizer writes a text in another form before it is cut into tokens: a mark in the place of each blank, letters and accents joined or taken apart. This one makes the
// text more than sixty times as long, which no published one does.
// run time only: files are values
namespace tokens_growth {
// error[tokens-growth]: the normalizer makes 30000 bytes of 3, and at most 4288 are expected; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME {
  std::string const twice = R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaa"})";
  return tokens_test::refused_text(
      R"(, "normalizer": {"type": "Sequence", "normalizers": [)" + twice + "," + twice + "," + twice + "," + twice + "]}", "aaa");
}
}  // namespace tokens_growth

// # tokens-id
// Each token has one number and each number one token; otherwise a text could not be read back. The added tokens may repeat what the vocabulary has, with the same number.
// run time only: files are values
namespace tokens_id {
// error[tokens-id]: tokenizer.json: id 0 is a and b; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []})"); }
// error[tokens-id]: tokenizer.json: added_tokens[0] has a with id 7; in model.vocab it is 0; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file(R"(, "added_tokens": [{"id": 7, "content": "a"}])"); }
// error[tokens-id]: tokenizer.json: model.unk_token is "<unk>", which is no token of model.vocab; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "<unk>"})"); }
// error[tokens-id]: tokenizer.json: model.unk_id is 3, and model.vocab has 1 tokens; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "Unigram", "vocab": [["a", -1.5]], "unk_id": 3})"); }
}  // namespace tokens_id

// # tokens-json
// `tokenizer.json` is one JSON object. `tokenizer.model` (SentencePiece's own format) and `vocab.json` with `merges.txt` are other files; most models have a
// `tokenizer.json` beside them.
// run time only: files are values
namespace tokens_json {
// error[tokens-json]: tokenizer.json: it is not JSON; help: copy the file again from where the model was published; tokenizer.model is another format
REFUSED_AT_RUN_TIME { return tokens::Tokenizer::parse("<!doctype html>", "tokenizer.json").refusal(); }
}  // namespace tokens_json

// # tokens-merge
// BPE joins two neighbours to a token of their own, by a list in which the first is the most urgent. Both of them and what they become are tokens of the vocabulary.
// run time only: files are values
namespace tokens_merge {
// error[tokens-merge]: tokenizer.json: model.merges[0] is "a b": ab is no token of model.vocab; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["a b"]})"); }
// error[tokens-merge]: tokenizer.json: model.merges[0] is "ab": it is no two tokens with a blank between; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": ["ab"]})"); }
// error[tokens-merge]: tokenizer.json: model.merges[0] is ["a"]: it is neither a text nor a pair of texts; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a"]]})"); }
}  // namespace tokens_merge

// # tokens-pattern
// Texts are cut into words by a regular expression of the file before tokens are looked for. This one cannot be read. Published files use what ICU and Oniguruma share:
// classes of Unicode such as `\p{L}`, groups such as `(?i:...)`, and looking ahead.
// run time only: files are values
namespace tokens_pattern {
// error[tokens-pattern]: tokenizer.json: pre_tokenizer.pattern has (\p{L}+, which is no regular expression: U_REGEX_MISMATCHED_PAREN; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME {
  return tokens_test::refused_file(R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(\\p{L}+"}, "behavior": "Isolated"})");
}
}  // namespace tokens_pattern

// # tokens-pattern-slow
// A regular expression that can match the same text in many ways may need twice the time for each character more. Matching is given up after about half a second
// for one word; the patterns that models are published with need millionths.
// run time only: files are values
namespace tokens_pattern_slow {
// error[tokens-pattern-slow]: the regular expression (a|aa)+b was given up on a text of 60 bytes: U_REGEX_TIME_OUT; help: take the tokenizer.json that was published with the model
REFUSED_AT_RUN_TIME {
  return tokens_test::refused_text(R"(, "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a|aa)+b"}, "behavior": "Isolated"})",
                                   std::string(60, 'a'));
}
}  // namespace tokens_pattern_slow

// # tokens-unsupported
// `tokenizer.json` asks for a step that is not computed here. Known are BPE and Unigram; the normalizers NFC, NFD, NFKC, NFKD, Prepend and Replace; the pre-tokenizers
// Split, ByteLevel, Metaspace and Digits; the post-processors TemplateProcessing and ByteLevel; the decoders ByteLevel, ByteFallback, Replace, Metaspace, Fuse and Strip;
// and sequences of them. To leave a step out would give other numbers, and no message.
// run time only: files are values
namespace tokens_unsupported {
// error[tokens-unsupported]: tokenizer.json: model.type is WordPiece, and only BPE or Unigram is computed here; help: give the numbers themselves (tcp llama --prompt-ids), from the tokenizer that the model came with
REFUSED_AT_RUN_TIME { return tokens_test::refused_file("", R"({"type": "WordPiece", "vocab": {}})"); }
// error[tokens-unsupported]: tokenizer.json: normalizer.type is Precompiled, and only Sequence, NFC, NFD, NFKC, NFKD, Prepend or Replace is computed here; help: give the numbers themselves (tcp llama --prompt-ids), from the tokenizer that the model came with
REFUSED_AT_RUN_TIME { return tokens_test::refused_file(R"(, "normalizer": {"type": "Precompiled", "precompiled_charsmap": ""})"); }
// error[tokens-unsupported]: tokenizer.json: truncation is {"max_length":512}, and only null is computed here; help: give the numbers themselves (tcp llama --prompt-ids), from the tokenizer that the model came with
REFUSED_AT_RUN_TIME { return tokens_test::refused_file(R"(, "truncation": {"max_length": 512})"); }
}  // namespace tokens_unsupported
