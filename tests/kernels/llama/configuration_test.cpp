// Configuration, weights and rotations of Llama 3: the published numbers, and what is refused.
#include "kernels/llama/configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "kernels/llama/checkpoint.hpp"
#include "tcp/support/image_parts.hpp"
#include "tcp/support/refused.hpp"
#include "tiny_checkpoint.hpp"

namespace tcp {
namespace {

using kernels::LayerWeight;
using kernels::LlamaConfig;
using kernels::ModelWeight;
using kernels_test::TinyCheckpoint;
using nlohmann::json;

/// The file that Meta published with Llama 3.1 70B Instruct, as far as it decides the computation.
json published_70b() {
  return json::parse(R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0, "bos_token_id": 128000,
    "eos_token_id": [128001, 128008, 128009], "hidden_act": "silu", "hidden_size": 8192, "initializer_range": 0.02, "intermediate_size": 28672,
    "max_position_embeddings": 131072, "mlp_bias": false, "model_type": "llama", "num_attention_heads": 64, "num_hidden_layers": 80,
    "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16", "use_cache": true, "vocab_size": 128256})");
}
/// Llama 3.1 8B has other sizes, and nothing else.
json published_8b() {
  json file = published_70b();
  file.update({{"hidden_size", 4096}, {"intermediate_size", 14336}, {"num_attention_heads", 32}, {"num_hidden_layers", 32}});
  return file;
}
LlamaConfig parsed(const json& file) { return value_or_throw(kernels::parse_llama_config(file.dump(), "config.json")); }
std::string code_of(const json& file) {
  auto const c = kernels::parse_llama_config(file.dump(), "config.json");
  if (c) return "accepted";
  const Refusal& r = c.refusal();
  EXPECT_FALSE(r.headline.empty() || r.note.empty() || r.advice.empty()) << r.code;
  EXPECT_LE(r.headline.size(), 300u);
  return r.code;
}
std::string with(const char* field, const json& value) {
  json file = published_70b();
  file[field] = value;
  return code_of(file);
}
std::string without(const char* field) {
  json file = published_70b();
  file.erase(field);
  return code_of(file);
}

/// As far as they decide the computation, the files that were published with Mistral 7B, Qwen2.5 0.5B, Qwen3 0.6B, Gemma 2 2B, Gemma 3 1B and Mixtral 8x7B.
json published(const std::string& of) {
  std::map<std::string, std::string> const files = {
      {"mistral",
       R"({"architectures": ["MistralForCausalLM"], "model_type": "mistral", "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096,
        "intermediate_size": 14336, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
        "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "sliding_window": 4096, "tie_word_embeddings": false, "vocab_size": 32000})"},
      {"qwen2",
       R"({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "eos_token_id": 151643, "hidden_act": "silu", "hidden_size": 896,
        "intermediate_size": 4864, "max_position_embeddings": 32768, "max_window_layers": 24, "num_attention_heads": 14, "num_hidden_layers": 24,
        "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0, "sliding_window": 32768, "tie_word_embeddings": true,
        "use_mrope": false, "use_sliding_window": false, "vocab_size": 151936})"},
      {"qwen3",
       R"({"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3", "attention_bias": false, "eos_token_id": 151645, "head_dim": 128,
        "hidden_act": "silu", "hidden_size": 1024, "intermediate_size": 3072, "max_position_embeddings": 40960, "max_window_layers": 28,
        "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "rope_scaling": null, "rope_theta": 1000000,
        "sliding_window": null, "tie_word_embeddings": true, "use_sliding_window": false, "vocab_size": 151936})"},
      {"gemma2",
       R"({"architectures": ["Gemma2ForCausalLM"], "model_type": "gemma2", "attention_bias": false, "attn_logit_softcapping": 50.0,
        "eos_token_id": 1, "final_logit_softcapping": 30.0, "head_dim": 256, "hidden_act": "gelu_pytorch_tanh", "hidden_activation": "gelu_pytorch_tanh",
        "hidden_size": 2304, "intermediate_size": 9216, "max_position_embeddings": 8192, "num_attention_heads": 8, "num_hidden_layers": 26,
        "num_key_value_heads": 4, "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_theta": 10000.0, "sliding_window": 4096, "vocab_size": 256000})"},
      {"gemma3",
       R"({"architectures": ["Gemma3ForCausalLM"], "model_type": "gemma3_text", "attention_bias": false, "attn_logit_softcapping": null,
        "eos_token_id": [1, 106], "final_logit_softcapping": null, "head_dim": 256, "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 1152,
        "intermediate_size": 6912, "max_position_embeddings": 32768, "num_attention_heads": 4, "num_hidden_layers": 26, "num_key_value_heads": 1,
        "query_pre_attn_scalar": 256, "rms_norm_eps": 1e-06, "rope_local_base_freq": 10000, "rope_scaling": null, "rope_theta": 1000000,
        "sliding_window": 512, "sliding_window_pattern": 6, "vocab_size": 262144})"},
      {"mixtral",
       R"({"architectures": ["MixtralForCausalLM"], "model_type": "mixtral", "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 4096,
        "intermediate_size": 14336, "max_position_embeddings": 32768, "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32,
        "num_key_value_heads": 8, "num_local_experts": 8, "output_router_logits": false, "rms_norm_eps": 1e-05, "rope_theta": 1000000.0,
        "router_aux_loss_coef": 0.02, "sliding_window": null, "tie_word_embeddings": false, "vocab_size": 32000})"}};
  return json::parse(files.at(of));
}
TEST(Llama, what_other_architectures_have_beside) {
  LlamaConfig const mistral = parsed(published("mistral"));
  EXPECT_EQ(mistral.window, 4096);
  EXPECT_TRUE(mistral.is_local(0) && mistral.is_local(31));
  LlamaConfig qwen2 = parsed(published("qwen2"));
  EXPECT_TRUE(qwen2.qkv_bias && qwen2.tied && !qwen2.head_norms && !qwen2.is_local(23));
  EXPECT_NEAR(static_cast<double>(qwen2.parameters()), 494.0e6, 0.1e6);
  json windows = published("qwen2");
  windows.update({{"use_sliding_window", true}, {"max_window_layers", 20}});
  qwen2 = parsed(windows);
  EXPECT_TRUE(!qwen2.is_local(19) && qwen2.is_local(20) && qwen2.window == 32768);
  LlamaConfig const qwen3 = parsed(published("qwen3"));
  EXPECT_TRUE(qwen3.head_norms && !qwen3.qkv_bias && qwen3.head_dim == 128 && qwen3.query_columns() == 2048);
  EXPECT_NEAR(static_cast<double>(qwen3.parameters()), 596.0e6, 0.1e6);
  LlamaConfig const gemma2 = parsed(published("gemma2"));
  EXPECT_TRUE(gemma2.outer_norms && gemma2.norms_from_one && gemma2.gelu && gemma2.tied && !gemma2.head_norms);
  EXPECT_TRUE(gemma2.is_local(0) && !gemma2.is_local(1) && gemma2.is_local(24));
  EXPECT_EQ(gemma2.embedding_scale, 48);
  EXPECT_EQ(gemma2.attention_scale, 1.0 / 16);
  EXPECT_EQ(gemma2.score_cap, 50);
  EXPECT_EQ(gemma2.logit_cap, 30);
  EXPECT_NEAR(static_cast<double>(gemma2.parameters()), 2614.3e6, 0.1e6);
  LlamaConfig const gemma3 = parsed(published("gemma3"));
  EXPECT_TRUE(gemma3.head_norms && gemma3.outer_norms && gemma3.score_cap == 0 && gemma3.logit_cap == 0);
  EXPECT_TRUE(gemma3.is_local(0) && gemma3.is_local(4) && !gemma3.is_local(5) && gemma3.is_local(6));
  EXPECT_EQ(gemma3.local_rope_theta, 10000);
  EXPECT_EQ(gemma3.embedding_scale, 34);  // sqrt(1152) = 33.94, in bf16
  EXPECT_NEAR(static_cast<double>(gemma3.parameters()), 999.9e6, 0.1e6);
  LlamaConfig const mixtral = parsed(published("mixtral"));
  EXPECT_EQ(mixtral.experts, 8);
  EXPECT_EQ(mixtral.experts_per_token, 2);
  EXPECT_NEAR(static_cast<double>(mixtral.parameters()), 46702.8e6, 0.1e6);
}
TEST(Llama, layers_by_their_kinds) {
  json file = published("gemma2");
  std::vector<std::string> kinds(26, "full_attention");
  kinds[3] = "sliding_attention";
  file["layer_types"] = kinds;
  LlamaConfig const c = parsed(file);
  EXPECT_TRUE(c.is_local(3) && !c.is_local(0));
  file["layer_types"] = std::vector<std::string>(25, "full_attention");
  EXPECT_EQ(code_of(file), "llama-config-value");
  file["layer_types"] = std::vector<std::string>(26, "chunked_attention");
  EXPECT_EQ(code_of(file), "llama-config-unsupported");
}
TEST(Llama, what_other_architectures_are_refused_for) {
  auto const changed = [](const char* of, const char* field, const json& value) {
    json file = published(of);
    file[field] = value;
    return code_of(file);
  };
  EXPECT_EQ(changed("qwen2", "architectures", json::array({"LlamaForCausalLM"})), "llama-config-unsupported");
  EXPECT_EQ(changed("qwen3", "attention_bias", true), "llama-config-unsupported");
  EXPECT_EQ(changed("gemma2", "hidden_activation", "gelu"), "llama-config-unsupported");
  EXPECT_EQ(changed("gemma2", "sliding_window", -1), "llama-config-value");
  EXPECT_EQ(changed("mixtral", "num_local_experts", nullptr), "llama-config-missing");
  EXPECT_EQ(changed("mistral", "model_type", "mamba"), "llama-config-unsupported");
  EXPECT_EQ(changed("gemma3", "rope_scaling", {{"rope_type", "linear"}, {"factor", 8}}), "accepted");
  EXPECT_EQ(changed("gemma2", "rope_scaling", {{"rope_type", "linear"}, {"factor", 8}}), "llama-config-unsupported");
  EXPECT_EQ(changed("gemma3", "rope_parameters", {{"full_attention", {{"rope_theta", 1e6}}}}), "llama-config-value");
  json const by_kind = {{"full_attention", {{"rope_theta", 1e6}}}, {"sliding_attention", {{"rope_theta", 1e4}}}};
  EXPECT_EQ(changed("gemma3", "rope_parameters", by_kind), "accepted");
  EXPECT_EQ(changed("gemma2", "rope_parameters", by_kind), "llama-config-unsupported");
  EXPECT_EQ(changed("gemma3", "rope_parameters",
                    {{"full_attention", {{"rope_theta", 1e6}}}, {"sliding_attention", {{"rope_theta", 1e4}, {"rope_type", "linear"}}}}),
            "llama-config-unsupported");
}
TEST(Llama, rotations_by_the_kinds_of_layers) {
  json file = published("gemma3");
  file.erase("rope_theta");
  file.erase("rope_local_base_freq");
  file["rope_parameters"] = {{"full_attention", {{"rope_type", "linear"}, {"factor", 8.0}, {"rope_theta", 2e6}}},
                             {"sliding_attention", {{"rope_type", "default"}, {"rope_theta", 5e3}}}};
  LlamaConfig const c = parsed(file);
  EXPECT_EQ(c.rope_theta, 2e6);
  EXPECT_EQ(c.rope_factor, 8);
  EXPECT_EQ(c.local_rope_theta, 5e3);
}
/// As far as it decides the computation, the file that was published with Gemma 3 4B.
TEST(Llama, text_part_of_a_model_that_sees_pictures) {
  json file = json::parse(
      R"({"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3", "eos_token_id": [1, 106], "mm_tokens_per_image": 256,
          "text_config": {"hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
          "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024}, "vision_config": {"hidden_size": 1152}})");
  LlamaConfig const c = parsed(file);
  EXPECT_TRUE(c.text_part && c.tied && c.head_norms && c.is_local(0) && !c.is_local(5));
  EXPECT_EQ(c.rope_factor, 8);
  EXPECT_EQ(c.stop_ids, (std::vector<std::int64_t>{1, 106}));
  EXPECT_NEAR(static_cast<double>(c.parameters()), 3880.3e6, 0.1e6);
  file.erase("text_config");
  EXPECT_EQ(code_of(file), "llama-config-unsupported");
}

TEST(Llama, LLM_01_constants_of_70b) {
  for (LlamaConfig const& c : {parsed(published_70b()), kernels::llama_3_70b()}) {
    EXPECT_EQ(c.vocabulary, 128256);
    EXPECT_EQ(c.hidden, 8192);
    EXPECT_EQ(c.intermediate, 28672);
    EXPECT_EQ(c.layers, 80);
    EXPECT_EQ(c.heads, 64);
    EXPECT_EQ(c.kv_heads, 8);
    EXPECT_EQ(c.group(), 8);
    EXPECT_EQ(c.head_dim, 128);
    EXPECT_EQ(c.pairs(), 64);
    EXPECT_EQ(c.pairs() * 2, c.head_dim);
    EXPECT_EQ(c.rope_theta, 500000);
    EXPECT_FALSE(c.tied);
    EXPECT_EQ(c.parameters(), 70553706496);
  }
}
TEST(Llama, shape_of_8b) {
  for (LlamaConfig const& c : {parsed(published_8b()), kernels::llama_3_8b()}) {
    EXPECT_EQ(c.parameters(), 8030261248);  // as Hugging Face counts them
    EXPECT_EQ(c.layers, 32);
    EXPECT_EQ(c.hidden, 4096);
    EXPECT_EQ(c.intermediate, 14336);
    EXPECT_EQ(c.group(), 4);
    EXPECT_EQ(c.head_dim, 128);
  }
}
TEST(Llama, config_has_stop_ids_and_scaling) {
  LlamaConfig const c = parsed(published_70b());
  EXPECT_EQ(c.stop_ids, (std::vector<std::int64_t>{128001, 128008, 128009}));
  ASSERT_TRUE(c.scaling.has_value());
  EXPECT_EQ(c.scaling->factor, 8);
  EXPECT_EQ(c.scaling->original_positions, 8192);
  EXPECT_EQ(c.positions, 131072);
  json file = published_70b();
  file["eos_token_id"] = 7;
  file["rope_scaling"] = nullptr;
  file.erase("num_key_value_heads");
  LlamaConfig const plain = parsed(file);
  EXPECT_EQ(plain.stop_ids, std::vector<std::int64_t>{7});
  EXPECT_FALSE(plain.scaling.has_value());
  EXPECT_EQ(plain.kv_heads, 64);
}
/// The published file with its rotations told in another way.
json rotations(const json& scaling, const json& parameters, const json& theta = nullptr) {
  json file = published_70b();
  file["rope_scaling"] = scaling;
  file["rope_parameters"] = parameters;
  file["rope_theta"] = theta;
  return file;
}
TEST(Llama, rotations_stand_in_one_of_two_places) {
  json const older = published_70b()["rope_scaling"];
  json younger = older;
  younger["rope_theta"] = 500000.0;
  LlamaConfig const c = parsed(rotations(nullptr, younger)), published = parsed(published_70b());
  EXPECT_EQ(c.rope_theta, 500000);
  EXPECT_EQ(kernels::rope_frequencies(c), kernels::rope_frequencies(published));
  LlamaConfig const plain = parsed(rotations(nullptr, {{"rope_type", "default"}, {"rope_theta", 1e6}}));
  EXPECT_FALSE(plain.scaling.has_value());
  EXPECT_EQ(plain.rope_theta, 1e6);
  EXPECT_EQ(parsed(rotations(nullptr, {{"rope_theta", 3e5}})).rope_theta, 3e5);
  EXPECT_FALSE(parsed(rotations({{"type", "default"}}, nullptr, 5e5)).scaling.has_value());
  EXPECT_EQ(parsed(rotations(nullptr, nullptr)).rope_theta, 10000);  // of the first Llama, whose file does not say it
  EXPECT_EQ(code_of(rotations(nullptr, {{"rope_type", "yarn"}, {"factor", 4}})), "llama-config-unsupported");
  EXPECT_EQ(code_of(rotations(nullptr, {{"factor", 4}})), "llama-config-unsupported");
  EXPECT_EQ(code_of(rotations(nullptr, {{"rope_theta", 1e6}, {"partial_rotary_factor", 0.5}})), "llama-config-unsupported");
  EXPECT_EQ(code_of(rotations(nullptr, {{"rope_theta", -1}})), "llama-config-value");
  EXPECT_EQ(code_of(rotations(nullptr, 7)), "llama-config-value");
}
TEST(Llama, config_that_is_refused) {
  for (const char* field : {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                            "max_position_embeddings", "rms_norm_eps"})
    EXPECT_EQ(without(field), "llama-config-missing") << field;
  for (json const& value : {json(0), json(-3), json("8192"), json(8192.5), json(1u << 30), json(18446744073709551615u), json::array()})
    EXPECT_EQ(with("hidden_size", value), "llama-config-value") << value;
  EXPECT_EQ(with("rms_norm_eps", -1), "llama-config-value");
  EXPECT_EQ(with("tie_word_embeddings", "no"), "llama-config-value");
  EXPECT_EQ(with("eos_token_id", 128256), "llama-config-value");
  EXPECT_EQ(with("eos_token_id", json::array({1, "x"})), "llama-config-value");
  EXPECT_EQ(with("rope_scaling", 3), "llama-config-value");
  EXPECT_EQ(with("num_key_value_heads", 7), "llama-config-shape");
  EXPECT_EQ(with("num_attention_heads", 48), "llama-config-shape");
  EXPECT_EQ(with("head_dim", 127), "llama-config-shape");
  EXPECT_EQ(with("hidden_act", "gelu"), "llama-config-unsupported");
  EXPECT_EQ(with("model_type", "mixtral"), "llama-config-unsupported");
  EXPECT_EQ(with("attention_bias", true), "llama-config-unsupported");
  EXPECT_EQ(with("architectures", json::array({"MistralForCausalLM"})), "llama-config-unsupported");
  EXPECT_EQ(with("architectures", nullptr), "accepted");
  EXPECT_EQ(with("quantization_config", {{"quant_method", "fp8"}}), "llama-config-unsupported");
  EXPECT_EQ(with("quantization_config", {{"quant_method", "gptq"}, {"bits", 4}}), "llama-config-unsupported");
  EXPECT_EQ(with("quantization_config", {{"quant_method", "fp8"}, {"fmt", "e4m3"}, {"weight_block_size", {128, 128}}}), "accepted");
  EXPECT_EQ(with("quantization_config", {{"quant_method", "fp8"}, {"fmt", "e5m2"}, {"weight_block_size", {128, 128}}}),
            "llama-config-unsupported");
  EXPECT_EQ(with("quantization_config", {{"quant_method", "fp8"}, {"weight_block_size", {128, 0}}}), "llama-config-unsupported");
  EXPECT_EQ(with("quantization_config", 8), "llama-config-value");
  auto const groups = [](int bits, bool symmetric) {
    return json{
        {"quant_method", "compressed-tensors"},
        {"format", "pack-quantized"},
        {"config_groups",
         {{"group_0",
           {{"weights", {{"num_bits", bits}, {"type", "int"}, {"symmetric", symmetric}, {"strategy", "group"}, {"group_size", 128}}}}}}}};
  };
  EXPECT_EQ(with("quantization_config", groups(4, true)), "accepted");
  EXPECT_EQ(with("quantization_config", groups(8, true)), "llama-config-unsupported");
  EXPECT_EQ(with("quantization_config", groups(4, false)), "llama-config-unsupported");
  EXPECT_EQ(with("partial_rotary_factor", 0.5), "llama-config-unsupported");
  EXPECT_EQ(with("partial_rotary_factor", 1.0), "accepted");
  EXPECT_EQ(with("mlp_bias", true), "llama-config-unsupported");
  EXPECT_EQ(with("rope_scaling", {{"rope_type", "yarn"}, {"factor", 4}}), "llama-config-unsupported");
  EXPECT_EQ(with("rope_scaling", {{"type", "linear"}, {"factor", 4}}), "llama-config-unsupported");
  EXPECT_EQ(with("rope_scaling", {{"rope_type", "llama3"}}), "llama-config-missing");
  EXPECT_EQ(code_of(json::array()), "llama-json");
  for (std::string text :
       {std::string("{"), std::string(), std::string("{\"a\": ") + std::string(5000, '[') + std::string(5000, ']') + "}"})
    EXPECT_STREQ(kernels::parse_llama_config(text, "x").refusal().code, "llama-json");
}

TEST(Llama, checkpoint_in_one_file_and_in_three_is_the_same) {
  TinyCheckpoint const one("--seed 3"), three("--seed 3 --shards 3");
  auto const config = value_or_throw(kernels::read_llama_config(one.path("config.json")));
  auto const a = value_or_throw(kernels::Checkpoint::open(one.path(), config));
  auto const b = value_or_throw(kernels::Checkpoint::open(three.path(), config));
  auto const same = [](const std::vector<bf16>& x, const std::vector<bf16>& y) {
    return !x.empty() && std::equal(x.begin(), x.end(), y.begin(), y.end(), [](bf16 p, bf16 q) { return p.bits == q.bits; });
  };
  for (LayerWeight which : kernels::layer_weights) {
    auto const shape = kernels::shape_of(config, which);
    EXPECT_EQ(static_cast<std::int64_t>(a.read(which, 1).size()), shape.rows * shape.columns);
    EXPECT_TRUE(same(a.read(which, 1), b.read(which, 1)));
  }
  for (ModelWeight which : {ModelWeight::embedding, ModelWeight::norm, ModelWeight::lm_head})
    EXPECT_TRUE(same(a.read(which), b.read(which)));
  EXPECT_FALSE(same(a.read(ModelWeight::embedding), a.read(ModelWeight::lm_head)));
}
/// What a rank reads: its own chips' part, and zeros in the place of the others'.
TEST(Llama, a_part_of_the_chips_is_that_part_of_all) {
  for (const char* options : {"--size heads", "--size heads --architecture qwen2", "--size heads --quantised fp8"}) {
    TinyCheckpoint const tiny(options);
    auto const config = value_or_throw(kernels::read_llama_config(tiny.path("config.json")));
    auto const weights = value_or_throw(kernels::Checkpoint::open(tiny.path(), config));
    for (kernels::LayerTensor which : kernels::layer_tensors_of(config)) {
      auto const all = weights.read(which, 0, 4), mine = weights.read(which, 0, 4, {1, 3});
      ASSERT_EQ(all.size(), mine.size());
      bool const shared = !kernels::is_alike(which);
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t const chip = i / (all.size() / 4);
        bool const here = !shared || (chip >= 1 && chip < 3);
        ASSERT_EQ(mine[i].bits, here ? all[i].bits : 0) << options << ", tensor " << static_cast<int>(which) << " at " << i;
      }
    }
  }
}
/// What is quantised is made bf16 in parts, whole rows or not, and is what reading it gives.
TEST(Llama, quantised_images_are_kept_packed) {
  struct Of {
    const char* options;
    std::int64_t chips;
  };
  for (const Of& of : {Of{"--quantised fp8", 1}, Of{"--quantised i4", 1}, Of{"--size heads --quantised fp8", 4},
                       Of{"--size heads --quantised i4", 2}, Of{"--quantised i4 --architecture mixtral", 2}}) {
    TinyCheckpoint const tiny(of.options);
    auto const config = value_or_throw(kernels::read_llama_config(tiny.path("config.json")));
    auto const weights = value_or_throw(kernels::Checkpoint::open(tiny.path(), config));
    for (kernels::LayerTensor which : kernels::layer_tensors_of(config)) {
      kernels::ChipRange const some{of.chips / 2, of.chips};
      auto const image = weights.image(which, 0, of.chips, some);
      auto const all = weights.read(which, 0, of.chips, some);
      ASSERT_EQ(image->size(), 2 * all.size());
      if (kernels::is_alike(which)) {
        EXPECT_EQ(image->later(), nullptr);
        continue;
      }
      const auto* const parts = dynamic_cast<const ImageParts*>(image->later());
      ASSERT_NE(parts, nullptr);
      std::vector<bf16> part;
      for (std::size_t first = 0, count = 1; first < all.size(); first += count, count = count % 97 + 13) {
        count = std::min(count, all.size() - first);
        part.resize(count);
        parts->write_part(reinterpret_cast<std::byte*>(part.data()), 2 * first, 2 * count);
        for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(part[i].bits, all[first + i].bits) << of.options << " at " << first + i;
      }
    }
  }
}
/// All bytes of f8 and all nibbles, with scales that are ordinary, tiny, huge and none.
TEST(Llama, elements_of_blocks_are_those_one_by_one) {
  std::vector<std::byte> cells(4 * 256);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<std::byte>(i % 251 + i / 256 * 5);
  for (std::size_t i = 0; i < 256; ++i) cells[i] = static_cast<std::byte>(i);
  std::vector<float> const scales{0.37f, -1.25f, 1e-37f, 3e-40f, 3e38f, std::numeric_limits<float>::infinity(), 0.0f, 1.0f};
  for (auto const kind : {kernels::Quantization::Kind::f8, kernels::Quantization::Kind::i4}) {
    bool const bytes = kind == kernels::Quantization::Kind::f8;
    kernels::StoredWeight w;
    w.columns = bytes ? 256 : 512;
    std::int64_t const rows = static_cast<std::int64_t>(cells.size()) / 256, across = 2;
    w.values = {bytes ? ScalarType::f8e4m3 : ScalarType::i32, {rows, bytes ? 256 : 64}, rows * (bytes ? 256 : 64), cells, false, nullptr};
    w.scales = io::Array{ScalarType::f32, {rows, across}, rows * across, std::as_bytes(std::span(scales)), false, nullptr};
    w.block = {kind, 1, w.columns / across};
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t begin : {0, 1, 6, 130}) {
        std::vector<bf16> made(static_cast<std::size_t>(w.columns - begin));
        w.write(row, begin, w.columns - begin, made.data());
        for (std::size_t i = 0; i < made.size(); ++i)
          ASSERT_EQ(made[i].bits, w.at(row, begin + static_cast<std::int64_t>(i)).bits) << (bytes ? "f8 " : "i4 ") << row << " " << i;
      }
  }
}
TEST(Llama, a_tied_head_is_the_embedding) {
  TinyCheckpoint const tied("--size tied");
  auto const config = value_or_throw(kernels::read_llama_config(tied.path("config.json")));
  auto const c = value_or_throw(kernels::Checkpoint::open(tied.path(), config));
  auto const head = c.read(ModelWeight::lm_head), embedding = c.read(ModelWeight::embedding);
  ASSERT_EQ(head.size(), embedding.size());
  EXPECT_EQ(head[77].bits, embedding[77].bits);
}
/// The checkpoint with every element in another format: the numbers of its bf16, which F32 has all, and F16 to the nearest.
void write_as(const TinyCheckpoint& from, const TinyCheckpoint& to, const char* dtype, std::size_t bytes,
              const std::function<std::uint32_t(float)>& bits_of) {
  std::string const file = from.content("model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, file.data(), 8);
  json header = json::parse(file.substr(8, length));
  std::string data;
  for (std::size_t at = 8 + length; at < file.size(); at += 2) {
    std::uint32_t half = 0;
    std::memcpy(&half, file.data() + at, 2);
    std::uint32_t const bits = bits_of(bf16::from_bits(half).to_float());
    data.append(reinterpret_cast<const char*>(&bits), bytes);
  }
  for (auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    entry["dtype"] = dtype;
    for (auto& offset : entry["data_offsets"]) offset = offset.get<std::size_t>() / 2 * bytes;
  }
  std::string const text = header.dump();
  length = text.size();
  to.write("model.safetensors", std::string(reinterpret_cast<const char*>(&length), 8) + text + data);
}
TEST(Llama, weights_of_other_formats_are_rounded_to_bf16) {
  TinyCheckpoint const plain("--size tied"), other("--size tied");
  auto const config = value_or_throw(kernels::read_llama_config(plain.path("config.json")));
  auto const expected = value_or_throw(kernels::Checkpoint::open(plain.path(), config)).read(ModelWeight::embedding);
  auto const read = [&] { return value_or_throw(kernels::Checkpoint::open(other.path(), config)).read(ModelWeight::embedding); };
  // A quarter of bf16's last place more, which rounding takes away again.
  write_as(plain, other, "F32", 4, [](float x) { return f32::from_float(x).bits + 0x4000; });
  auto const from_f32 = read();
  write_as(plain, other, "F16", 2, [](float x) { return f16::from_float(x).bits; });
  auto const from_f16 = read();
  ASSERT_EQ(from_f32.size(), expected.size());
  ASSERT_EQ(from_f16.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(from_f32[i].bits, expected[i].bits) << i;
    // F16 has eleven bits of these numbers, and fewer of those below 2^-14.
    ASSERT_NEAR(from_f16[i].to_float(), expected[i].to_float(), 1e-7) << i;
  }
  write_as(plain, other, "I16", 2, [](float x) { return bf16::from_float(x).bits; });
  EXPECT_STREQ(kernels::Checkpoint::open(other.path(), config).refusal().code, "llama-weight-type");
}
TEST(Llama, checkpoint_that_is_cut_off) {
  TinyCheckpoint const tiny("--size tied");
  auto const config = value_or_throw(kernels::read_llama_config(tiny.path("config.json")));
  std::string const whole = tiny.content("model.safetensors");
  for (std::size_t bytes : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{200}, whole.size() / 2, whole.size() - 1}) {
    tiny.write("model.safetensors", whole.substr(0, bytes));
    auto const opened = kernels::Checkpoint::open(tiny.path(), config);
    ASSERT_FALSE(opened.ok()) << bytes;
    EXPECT_TRUE(std::string(opened.refusal().code).starts_with("safetensors-")) << opened.refusal().code;
  }
}
TEST(Llama, checkpoint_that_is_refused) {
  TinyCheckpoint const tiny("--shards 2");
  auto const config = value_or_throw(kernels::read_llama_config(tiny.path("config.json")));
  auto const code_with = [&](LlamaConfig const& c) {
    auto const opened = kernels::Checkpoint::open(tiny.path(), c);
    return std::string(opened ? "accepted" : opened.refusal().code);
  };
  EXPECT_EQ(code_with(config), "accepted");
  LlamaConfig other = config;
  other.layers = 3;
  EXPECT_EQ(code_with(other), "llama-weight-missing");
  other = config;
  other.kv_heads = 1;
  EXPECT_EQ(code_with(other), "llama-weight-shape");
  std::string const index = "model.safetensors.index.json", good = tiny.content(index);
  for (const char* bad : {R"({"weight_map": 3})", R"({})", R"({"weight_map": {"a": 7}})", R"({"weight_map": {"a": "../x"}})",
                          R"({"weight_map": {"a": "model-00001-of-00002.safetensors"}})"}) {
    tiny.write(index, bad);
    EXPECT_EQ(code_with(config), "llama-index") << bad;
  }
  tiny.write(index, R"({"weight_map": {"a": "absent.safetensors"}})");
  EXPECT_NE(code_with(config), "accepted");
  tiny.write(index, "[]");
  EXPECT_EQ(code_with(config), "llama-json");
  std::filesystem::remove(tiny.path(index));
  EXPECT_EQ(code_with(config), "llama-checkpoint-missing");
}

TEST(Llama, LLM_10_pairs_lie_side_by_side) {
  // Two heads of 6, one column: the checkpoint rotates (0, 3), (1, 4), (2, 5).
  std::vector<bf16> rows;
  for (int i = 0; i < 12; ++i) rows.push_back(bf16::from_float(static_cast<float>(i)));
  auto const paired = kernels::pairs_side_by_side(rows, 2, 6, 1);
  std::vector<float> found;
  for (bf16 v : paired) found.push_back(v.to_float());
  EXPECT_EQ(found, (std::vector<float>{0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11}));
}
TEST(Llama, slow_rotations_are_stretched_as_in_3_1) {
  LlamaConfig plain = parsed(published_8b()), scaled = plain;
  plain.scaling.reset();
  auto const a = kernels::rope_frequencies(plain), b = kernels::rope_frequencies(scaled);
  EXPECT_EQ(b.front(), a.front());           // a turn in 6 positions
  EXPECT_DOUBLE_EQ(b.back(), a.back() / 8);  // a turn in 2.5 million
  // Between 2048 and 8192 positions a turn they are mixed: pair 29 turns once in 2,404 positions.
  double const wave = 2 * M_PI / a[29], share = (8192 / wave - 1) / 3;
  ASSERT_GT(share, 0);
  ASSERT_LT(share, 1);
  EXPECT_NEAR(b[29], a[29] * (share + (1 - share) / 8), 1e-12);
  // As the implementation that was published with the model computes them, by its own formula in another language.
  struct Known {
    std::size_t pair;
    double frequency;
  };
  for (Known const k :
       {Known{16, 0.03760603093086393}, Known{28, 0.0032114459947525913}, Known{29, 0.002166570763503359}, Known{31, 0.0008567514129196321},
        Known{34, 0.00017850781276799638}, Known{35, 9.556212353964683e-05}, Known{63, 3.068925988914511e-07}})
    EXPECT_NEAR(b[k.pair], k.frequency, 1e-12 * k.frequency) << k.pair;
}

}  // namespace
}  // namespace tcp
