// What a Llama 3 model is made of, as the JSON files beside its weights say it in the published form of Hugging Face:
// `config.json`, and `model.safetensors.index.json` where the weights lie in several files.
//
//   auto const config = value_or_throw(kernels::read_llama_config("model/config.json"));
//
// Only what decides the computation is kept. A file that asks for something that we do not compute (another activation,
// biases, a scaling of positions other than that of Llama 3.1) is refused by the name of the field, never read as if it
// had not asked. Run time only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/support/expected.hpp"

namespace tcp::kernels {

/// How Llama 3.1 stretches slow rotations for contexts longer than it was first trained for: `"rope_type": "llama3"`.
struct RopeScaling {
  double factor = 8;
  double low_freq_factor = 1, high_freq_factor = 4;
  std::int64_t original_positions = 8192;
};

struct LlamaConfig {
  std::int64_t vocabulary = 0;         // V: vocab_size
  std::int64_t hidden = 0;             // D: hidden_size
  std::int64_t intermediate = 0;       // F: intermediate_size
  std::int64_t layers = 0;             // L: num_hidden_layers
  std::int64_t heads = 0;              // h_q: num_attention_heads
  std::int64_t kv_heads = 0;           // h_kv: num_key_value_heads
  std::int64_t head_dim = 0;           // d_k: head_dim, or D / h_q
  std::int64_t positions = 0;          // s_max: max_position_embeddings
  double norm_epsilon = 1e-5;          // rms_norm_eps
  double rope_theta = 10000;           // rope_theta
  std::optional<RopeScaling> scaling;  // rope_scaling
  bool tied = false;                   // tie_word_embeddings: the embedding is the LM head, too
  std::vector<std::int64_t> stop_ids;  // eos_token_id

  /// G: query heads that share a key and value head.
  std::int64_t group() const { return heads / kv_heads; }
  /// d_k': pairs that are rotated together.
  std::int64_t pairs() const { return head_dim / 2; }
  std::int64_t query_columns() const { return heads * head_dim; }
  std::int64_t kv_columns() const { return kv_heads * head_dim; }
  /// Numbers that a checkpoint holds.
  std::int64_t parameters() const;
};

/// The published shapes of Meta's Llama 3.
LlamaConfig llama_3_8b();
LlamaConfig llama_3_70b();

/// Refused: a file that cannot be read, fields that are missing, of another kind or out of range, shapes that do not
/// fit together, and what we do not compute.
Expected<LlamaConfig> read_llama_config(const std::string& path);
/// Parses the text of a configuration; `file_name` is for the messages alone.
Expected<LlamaConfig> parse_llama_config(std::string_view text, std::string_view file_name);

/// For each tensor the file that holds it, a plain name: `weight_map` of the index. Refused: an index without one, and
/// a file's name that leads elsewhere.
using WeightMap = std::map<std::string, std::string>;
Expected<WeightMap> read_weight_map(const std::string& path);
Expected<WeightMap> parse_weight_map(std::string_view text, std::string_view file_name);

/// The index of the file `path`, about which something else is wrong.
Refusal bad_index(std::string_view path, const std::string& what);

}  // namespace tcp::kernels
