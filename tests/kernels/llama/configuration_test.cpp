// Configuration, weights and rotations of Llama 3: the published numbers, and what is refused.
#include "kernels/llama/configuration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "kernels/llama/checkpoint.hpp"
#include "kernels/llama/rotation.hpp"
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
  LlamaConfig const c = kernels::llama_3_8b();
  EXPECT_EQ(c.parameters(), 8030261248);  // as Hugging Face counts them
  EXPECT_EQ(c.group(), 4);
  EXPECT_EQ(c.head_dim, 128);
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
TEST(Llama, a_tied_head_is_the_embedding) {
  TinyCheckpoint const tied("--size tied");
  auto const config = value_or_throw(kernels::read_llama_config(tied.path("config.json")));
  auto const c = value_or_throw(kernels::Checkpoint::open(tied.path(), config));
  auto const head = c.read(ModelWeight::lm_head), embedding = c.read(ModelWeight::embedding);
  ASSERT_EQ(head.size(), embedding.size());
  EXPECT_EQ(head[77].bits, embedding[77].bits);
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
  LlamaConfig plain = kernels::llama_3_8b(), scaled = plain;
  scaled.scaling = kernels::RopeScaling{};
  auto const a = kernels::rope_frequencies(plain), b = kernels::rope_frequencies(scaled);
  EXPECT_EQ(b.front(), a.front());           // a turn in 6 positions
  EXPECT_DOUBLE_EQ(b.back(), a.back() / 8);  // a turn in 2.5 million
  // Between 2048 and 8192 positions a turn they are mixed: pair 29 turns once in 2,404 positions.
  double const wave = 2 * M_PI / a[29], share = (8192 / wave - 1) / 3;
  ASSERT_GT(share, 0);
  ASSERT_LT(share, 1);
  EXPECT_NEAR(b[29], a[29] * (share + (1 - share) / 8), 1e-12);
}

}  // namespace
}  // namespace tcp
