// The Llama model: its checkpoint, its configuration and its tokenizer, with the texts that it cuts into tokens.
// no kernels: models are files and calls, which the page shows
#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "helpers/asked.hpp"
#include "helpers/tiny_config.hpp"
#include "kernels/llama/checkpoint.hpp"
#include "kernels/llama/configuration.hpp"
#include "kernels/llama/generation.hpp"
#include "kernels/llama/layer.hpp"
#include "kernels/llama/moe_layer.hpp"
#include "kernels/llama/sampling.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
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

// # llama-checkpoint-missing
// A model is a folder: `config.json`, and the weights in `model.safetensors`, or in several files that `model.safetensors.index.json` lists. This folder has no weights
// of that form. Checkpoints in PyTorch's own form (`*.bin`, `*.pth`) run code when they are read, and are not read here; most are published as safetensors, too.
// run time only: files are values
namespace llama_checkpoint_missing {
// error[llama-checkpoint-missing]: /no/such/model: there is neither model.safetensors nor model.safetensors.index.json; help: give the folder that holds config.json and these files; scripts/tiny-llama writes a small one
REFUSED_AT_RUN_TIME { return kernels::Checkpoint::open("/no/such/model", kernels::llama_3_8b()).refusal(); }
}  // namespace llama_checkpoint_missing

// # llama-chips
// A model is shared out over the chips of one machine, which work in groups of 1, 2, 4 or 8. Heads and the columns of the feed-forward layer fall to them evenly.
// run time only: sizes are values
namespace llama_chips {
// error[llama-chips]: a model over 3 chips; help: take 1, 2, 4 or 8
REFUSED_AT_RUN_TIME {
  std::filesystem::path const folder = std::filesystem::temp_directory_path() / ("refuse_llama_chips_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json")
      << R"({"vocab_size": 8, "hidden_size": 96, "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 6,
    "num_key_value_heads": 3, "max_position_embeddings": 16, "rms_norm_eps": 1e-05})";
  Refusal const r = refused_command({"llama", folder.string(), "--plan", "--chips", "3"});
  std::filesystem::remove_all(folder);
  return r;
}
}  // namespace llama_chips

// # llama-config-missing
// `config.json` says the sizes of the model. A size that is missing cannot be guessed from the weights in every case, and a wrong guess would show only in the tokens.
// Fields that the published files leave out have defaults: `num_key_value_heads` is then `num_attention_heads`, `head_dim` is `hidden_size / num_attention_heads`,
// `rope_theta` is 10000.
// run time only: files are values
namespace llama_config_missing {
// error[llama-config-missing]: config.json: there is no field hidden_size; help: take the config.json that was published with the checkpoint
REFUSED_AT_RUN_TIME { return kernels::parse_llama_config(R"({"vocab_size": 8})", "config.json").refusal(); }
}  // namespace llama_config_missing

// # llama-config-shape
// The sizes in `config.json` do not fit together. Every key and value head serves the same number of query heads; elements of a head are rotated in pairs;
// and without `head_dim` the heads share `hidden_size`.
// run time only: files are values
namespace llama_config_shape {
// error[llama-config-shape]: config.json: a head has 3 elements; help: take the config.json that was published with the checkpoint: 8B has 32 query and 8 key heads of 128
REFUSED_AT_RUN_TIME { return llama_test::refused_config(R"(, "head_dim": 3)"); }
}  // namespace llama_config_shape

// # llama-config-unsupported
// `config.json` asks for something that the model here does not compute: another architecture than Llama 3, Mistral, Qwen 2 and 3, Gemma 2 and 3 or Mixtral, another
// activation, other biases, or a scaling of positions other than that of Llama 3.1 (`"rope_type": "llama3"`). To leave it out would give other tokens, and no message.
// run time only: files are values
namespace llama_config_unsupported {
// error[llama-config-unsupported]: config.json: rope_scaling.rope_type is "yarn", and only llama3 is computed here; help: take a checkpoint of Llama 3, Mistral, Qwen 2 or 3, Gemma 2 or 3, or Mixtral, or write rope_scaling.rope_type: llama3 if that is what it was trained with
REFUSED_AT_RUN_TIME { return llama_test::refused_config(R"(, "rope_scaling": {"rope_type": "yarn", "factor": 4.0})"); }
// error[llama-config-unsupported]: config.json: model_type is "mamba", and only llama, mistral, qwen2, qwen3, gemma2, gemma3_text, mixtral is computed here; help: take a checkpoint of Llama 3, Mistral, Qwen 2 or 3, Gemma 2 or 3, or Mixtral, or write model_type: llama, mistral, qwen2, qwen3, gemma2, gemma3_text, mixtral if that is what it was trained with
REFUSED_AT_RUN_TIME { return kernels::parse_llama_config(R"({"model_type": "mamba"})", "config.json").refusal(); }
}  // namespace llama_config_unsupported

// # llama-config-value
// A field of `config.json` has a value that it cannot have: a size that is not a whole number or out of range, a factor that is not positive, an id that is no word.
// run time only: files are values
namespace llama_config_value {
// error[llama-config-value]: config.json: rope_theta is -1; it should be a number from 1.0 to 1000000000000.0; help: take the config.json that was published with the checkpoint, or correct rope_theta
REFUSED_AT_RUN_TIME { return llama_test::refused_config(R"(, "rope_theta": -1)"); }
}  // namespace llama_config_value

// # llama-index
// `model.safetensors.index.json` has an object `weight_map`, which names for each tensor the file that holds it. The files are beside the index: a name that leads into
// another folder is not followed.
// run time only: files are values
namespace llama_index {
// error[llama-index]: model.safetensors.index.json: weight_map has "../other.safetensors" for the file of lm_head.weight; help: copy the index again from where the checkpoint was published
REFUSED_AT_RUN_TIME {
  return kernels::parse_weight_map(R"({"weight_map": {"lm_head.weight": "../other.safetensors"}})", "model.safetensors.index.json")
      .refusal();
}
}  // namespace llama_index

// # llama-json
// A checkpoint has JSON files beside its weights: `config.json`, which says what the model is made of, and, where the weights are in several files,
// `model.safetensors.index.json`. This one cannot be read as a JSON object. Most often it is a page of a web site that was saved instead of the file.
// run time only: files are values
namespace llama_json {
// error[llama-json]: config.json: it is not JSON; help: copy the file again from where the checkpoint was published
REFUSED_AT_RUN_TIME { return kernels::parse_llama_config("<!doctype html>", "config.json").refusal(); }
}  // namespace llama_json

// # llama-logits
// The model has computed NaN for every word of its vocabulary: no next token can be chosen. A NaN spreads: one in a weight or an activation reaches all words of the tokens
// after it. Numbers beyond the range of bf16 become infinite, and the difference of two infinities is NaN.
// run time only: values are values
namespace llama_logits {
// error[llama-logits]: after token 1 no logit is a number; help: see that the weights are finite; values beyond the range of bf16 cannot be computed
REFUSED_AT_RUN_TIME {
  auto const broken = [](auto) { return kernels::Logits(8, NAN); };
  kernels::LanguageModel const model{.vocabulary = 8, .context = 16, .prefill = broken, .decode = broken};
  return kernels::generate(model, std::vector<std::int64_t>{3}, {}).refusal();
}
}  // namespace llama_logits

// # llama-moe-chips
// A decoder layer with a mixture of experts is written for one chip, which has all experts. To use several, share the tokens out over them.
// run time only: sizes are values
namespace llama_moe_chips {
// error[llama-moe-chips]: a layer of experts over 2 chips; help: take one chip; tokens may be shared out over chips, each with all experts
REFUSED_AT_RUN_TIME {
  try {
    kernels::MoeDecoderLayer const layer(rngd, kernels::llama_3_8b(), {.chips = 2}, {.experts = 8, .chosen = 2, .intermediate = 1024},
                                         Where{});
  } catch (const Refused& r) {
    return r.refusal();
  }
  return {};
}
}  // namespace llama_moe_chips

// # llama-prompt
// A prompt is a list of token ids. Each is the number of a word of the model's vocabulary, there is at least one, and no more than the model can look back at. The same
// holds for the ids that end an answer, and at least one new token is asked for.
// run time only: prompts are values
namespace llama_prompt {
// error[llama-prompt]: the prompt has the id 8; the model has 8 words; help: use ids from 0 to 7
REFUSED_AT_RUN_TIME {
  kernels::LanguageModel const model{.vocabulary = 8, .context = 16, .prefill = {}, .decode = {}};
  return kernels::generate(model, std::vector<std::int64_t>{3, 8}, {}).refusal();
}
}  // namespace llama_prompt

// # llama-sampling
// The next token is drawn from the probabilities that the model gives. `temperature` 0 takes the likeliest; above, it flattens or sharpens them. `top_k` keeps so many of the
// likeliest, 0 keeps all. `top_p` keeps the fewest that together have at least this probability, so it is above 0 and at most 1.
// run time only: options are values
namespace llama_sampling {
// error[llama-sampling]: top-p is 1.500000; it should be above 0 and at most 1; help: temperature 0 takes the likeliest token; 0.7 with top-p 0.9 is a usual choice
REFUSED_AT_RUN_TIME { return kernels::check_sampling({.temperature = 0.7, .top_p = 1.5}).refusal(); }
}  // namespace llama_sampling

// # llama-step
// A step of a model appends tokens to what its caches of keys and values hold. There is at least one, and room for all of them; prompts are computed one by one, since
// they differ in length, while several sequences that go on by a token each are computed together; and over several chips each has as many heads, and as many
// columns of the feed-forward layer, as any other.
// run time only: sizes are values
namespace llama_step {
// error[llama-step]: 1 sequences of 600 new tokens after 100, in caches for 512, over 1 chips; help: make the caches larger, or the context shorter
REFUSED_AT_RUN_TIME { return kernels::check_step(kernels::llama_3_8b(), {.tokens = 600, .past = 100, .capacity = 512}).refusal(); }
}  // namespace llama_step

// # llama-tokenizer-missing
// A prompt in words needs the tokenizer that the model was trained with: `tokenizer.json`, which is published beside the weights. Without it the prompt is a list of
// numbers (`--prompt-ids`), and so is the answer.
// run time only: files are values
namespace llama_tokenizer_missing {
// error[llama-tokenizer-missing]: there is no tokenizer.json beside the weights, and the prompt is a text; help: copy tokenizer.json from where the checkpoint was published, or give the numbers: --prompt-ids ID,ID,...
REFUSED_AT_RUN_TIME {
  std::filesystem::path const folder = std::filesystem::temp_directory_path() / ("refuse_llama_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "config.json") << llama_test::config_with("");
  Refusal const r = refused_command({"llama", folder.string(), "Hello"});
  std::filesystem::remove_all(folder);
  return r;
}
}  // namespace llama_tokenizer_missing

// # llama-weight-missing
// The checkpoint lacks a tensor that the model needs. Either `config.json` belongs to another model (more layers, a head of its own), or not all files are there.
// run time only: files are values
namespace llama_weight_missing {
// error[llama-weight-missing]: the checkpoint has no tensor model.norm.weight; help: see that config.json and the weights belong together
REFUSED_AT_RUN_TIME { return llama_test::refused_embedding("BF16", "[8, 4]", 64); }
}  // namespace llama_weight_missing

// # llama-weight-scales
// `quantization_config` in `config.json` says how matrices are kept: `fp8` with `weight_block_size`, elements of f8e4m3 and a scale for each block in
// `NAME.weight_scale_inv`; or `compressed-tensors` of the format `pack-quantized`, four bits for each element in `NAME.weight_packed` and a scale for each group of
// columns in `NAME.weight_scale`. A part of that is not there, or has other sizes than follow from the configuration.
// run time only: files are values
namespace llama_weight_scales {
// error[llama-weight-scales]: model.embed_tokens.weight_scale_inv is not in the checkpoint; quantization_config asks for (4, 1) of BF16, F16 or F32; help: see that config.json and the weights belong together
REFUSED_AT_RUN_TIME {
  return llama_test::refused_embedding("F8_E4M3", "[8, 4]", 32,
                                       R"(, "quantization_config": {"quant_method": "fp8", "weight_block_size": [2, 4]})");
}
}  // namespace llama_weight_scales

// # llama-weight-shape
// A tensor of the checkpoint has another shape than `config.json` asks for. Weights are matrices `[out, in]`; those of norms are vectors.
// run time only: files are values
namespace llama_weight_shape {
// error[llama-weight-shape]: model.safetensors: model.embed_tokens.weight has the shape (4, 8), and config.json asks for (8, 4); help: see that config.json and the weights belong together
REFUSED_AT_RUN_TIME { return llama_test::refused_embedding("BF16", "[4, 8]", 64); }
}  // namespace llama_weight_shape

// # llama-weight-type
// The kernels multiply bf16. Weights of bf16 are taken as they are; f32 and f16 are rounded to it. Integers, and floats of 8 and 4 bits, are quantised weights that mean
// something only with their scales: `quantization_config` in `config.json` says where these are, for the ways of keeping them that are read here.
// run time only: files are values
namespace llama_weight_type {
// error[llama-weight-type]: model.safetensors: model.embed_tokens.weight is of type F8_E4M3; help: take a checkpoint in BF16, F16 or F32, or one whose quantization_config is read here
REFUSED_AT_RUN_TIME { return llama_test::refused_embedding("F8_E4M3", "[8, 4]", 32); }
}  // namespace llama_weight_type

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
