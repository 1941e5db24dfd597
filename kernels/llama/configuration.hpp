// What a model is made of, as the JSON files beside its weights say it in the published form of Hugging Face:
// `config.json`, and `model.safetensors.index.json` where the weights lie in several files.
//
// Llama 3 is the frame; others of its kind differ by what `LlamaConfig` says of them:
//
//   Qwen 2     a bias on queries, keys and values; perhaps a window in the upper layers
//   Qwen 3     RMSNorm of each head of queries and keys
//   Mistral    a window of the last tokens
//   Gemma 2    norms before and after each half, weights of norms that count from one, scaled embeddings, GeGLU, caps on scores and logits,
//              a window in every other layer
//   Gemma 3    the same with norms of heads in the place of caps, five layers in six with a window, and rotations of their own; of those that
//              see pictures as well, the text part
//   Mixtral    a mixture of experts in the place of the feed-forward layer
//
//   auto const config = value_or_throw(kernels::read_llama_config("model/config.json"));
//
// Only what decides the computation is kept. A file that asks for something that we do not compute (another activation,
// other biases, another scaling of positions) is refused by the name of the field, never read as if it had not asked.
// Run time only.
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

/// How matrices of the layers are kept, if not as floats of 16 or 32 bits: each block of so many rows and columns has a
/// scale, by which its elements are multiplied.
struct Quantization {
  enum class Kind : std::uint8_t {
    none,
    f8,  // quant_method fp8: f8e4m3, and NAME.weight_scale_inv
    i4,  // quant_method compressed-tensors, pack-quantized: NAME.weight_packed, eight to a word, and NAME.weight_scale
  };
  Kind kind = Kind::none;
  std::int64_t rows = 1, columns = 1;  // of a block
};

enum class Architecture : std::uint8_t { llama, mistral, qwen2, qwen3, gemma2, gemma3, mixtral };

struct LlamaConfig {
  Architecture architecture = Architecture::llama;
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
  bool text_part = false;              // of a model that has others, whose weights are beside these
  Quantization quantization{};         // quantization_config

  // What others of its kind have beside.
  bool qkv_bias = false;
  bool head_norms = false;      // of queries and keys, before they are rotated
  bool outer_norms = false;     // of what attention and the feed-forward layer give, before it is added
  bool norms_from_one = false;  // the weight of a norm is 1 + what the checkpoint has
  bool gelu = false;            // GeGLU in the place of SwiGLU
  double embedding_scale = 1;   // rounded to bf16
  double attention_scale = 0;   // of scores; 0: 1 / sqrt(head_dim)
  double score_cap = 0;         // cap * tanh(score / cap); 0: none
  double logit_cap = 0;
  std::int64_t window = 0;                          // tokens that local layers attend to
  std::vector<bool> local{};                        // for each layer; empty: none is
  double local_rope_theta = 0;                      // of local layers; 0: as others
  double rope_factor = 1;                           // rotations of other layers are so many times slower
  std::int64_t experts = 0, experts_per_token = 0;  // 0: a feed-forward layer

  bool is_local(std::int64_t layer) const { return !local.empty() && local[static_cast<std::size_t>(layer)]; }
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

/// Radians that pair i of a head turns from one position to the next, for each pair; local layers may have their own.
std::vector<double> rope_frequencies(const LlamaConfig& config, bool local = false);

/// At most `room` characters, none of them unprintable.
std::string shown(std::string_view text, std::size_t room);
/// How a message begins: `config.json: `. The end of a path says most.
std::string shown_file(std::string_view path);

}  // namespace tcp::kernels
