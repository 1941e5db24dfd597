// The weights of a model, from the files of its checkpoint: `model.safetensors`, or several of them with
// `model.safetensors.index.json`, which says in which file each tensor is. Files are mapped, not read: a weight
// costs memory and time when it is asked for.
//
// Tensors are asked for by what they are, and found under the names that Hugging Face gives them, [out, in] each:
//
//   model.embed_tokens.weight                      model.layers.N.mlp.gate_proj.weight
//   model.layers.N.input_layernorm.weight          model.layers.N.mlp.up_proj.weight
//   model.layers.N.self_attn.q_proj.weight         model.layers.N.mlp.down_proj.weight
//   model.layers.N.self_attn.k_proj.weight         model.norm.weight
//   model.layers.N.self_attn.v_proj.weight         lm_head.weight (none where it is tied to the embedding)
//   model.layers.N.self_attn.o_proj.weight
//   model.layers.N.post_attention_layernorm.weight
//
// and what other architectures have beside (q_proj.bias, q_norm, pre_feedforward_layernorm, block_sparse_moe, ...).
//
// What comes out is bf16, as checkpoints are published; f32 and f16 are rounded to it, and so are elements of 8 and 4
// bits times the scales of their blocks. Run time only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/llama/configuration.hpp"
#include "tcp/io/safetensors.hpp"
#include "tcp/scalar/float_formats.hpp"
#include "tcp/support/image.hpp"

namespace tcp::kernels {

enum class LayerWeight : std::uint8_t {
  attention_norm,
  query,
  key,
  value,
  output,
  ffn_norm,
  gate,
  up,
  down,
  // What some architectures have beside Llama's.
  query_bias,
  key_bias,
  value_bias,
  query_norm,
  key_norm,
  attention_out_norm,
  ffn_out_norm,
  router
};
/// Those of Llama.
inline constexpr LayerWeight layer_weights[] = {LayerWeight::attention_norm, LayerWeight::query,  LayerWeight::key,
                                                LayerWeight::value,          LayerWeight::output, LayerWeight::ffn_norm,
                                                LayerWeight::gate,           LayerWeight::up,     LayerWeight::down};
/// What is in HBM for a layer: matrices that multiply the same are one, their rows one after the other, so that one
/// product computes them all; and the matrices of all experts.
enum class LayerTensor : std::uint8_t {
  attention_norm,
  qkv,
  output,
  ffn_norm,
  gate_up,
  down,
  qkv_bias,
  query_norm,
  key_norm,
  attention_out_norm,
  ffn_out_norm,
  router,
  expert_gate,
  expert_up,
  expert_down
};
inline constexpr std::size_t layer_tensor_count = 15;
/// Those of Llama.
inline constexpr LayerTensor layer_tensors[] = {LayerTensor::attention_norm, LayerTensor::qkv,     LayerTensor::output,
                                                LayerTensor::ffn_norm,       LayerTensor::gate_up, LayerTensor::down};
/// Those that a layer of this model has.
std::vector<LayerTensor> layer_tensors_of(const LlamaConfig& config);
/// One after the other; of experts those of one.
std::vector<LayerWeight> weights_of(LayerTensor which);
bool is_norm(LayerTensor which);
/// Whether all chips have it alike: norms, and what chooses experts.
bool is_alike(LayerTensor which);
bool is_of_experts(LayerTensor which);

enum class ModelWeight : std::uint8_t { embedding, norm, lm_head };

/// Rows and columns; a norm has one row, a bias one column.
struct WeightShape {
  std::int64_t rows = 1, columns = 0;
};
WeightShape shape_of(const LlamaConfig& config, LayerWeight which);
WeightShape shape_of(const LlamaConfig& config, LayerTensor which);
WeightShape shape_of(const LlamaConfig& config, ModelWeight which);

/// What one of some chips has of the model: heads, and columns of the feed-forward layer.
LlamaConfig share_of(const LlamaConfig& config, std::int64_t chips);

/// `expert`: of its gate, up and down; -1: of the layer.
std::string checkpoint_name(const LlamaConfig& config, LayerWeight which, std::int64_t layer, std::int64_t expert = -1);
std::string checkpoint_name(ModelWeight which);

/// A matrix as its file keeps it.
struct StoredWeight {
  io::Array values;
  std::optional<io::Array> scales{};
  std::int64_t columns = 1;
  Quantization block{};

  /// An element, by its scale if it has one, rounded to bf16.
  bf16 at(std::int64_t row, std::int64_t column) const;
  /// So many elements of a row, from a column on. Law: what `at` says of each.
  void write(std::int64_t row, std::int64_t column, std::int64_t count, bf16* to) const;
};

/// Chips from the first on, to the one before the end.
struct ChipRange {
  std::int64_t begin = 0, end = 1;
};

class Checkpoint {
 public:
  /// Refused: a folder without such files, an index that is not one, and a tensor that is missing or of another shape
  /// or type: all of them are looked for now, before anything is computed.
  static Expected<Checkpoint> open(const std::string& folder, const LlamaConfig& config);

  /// A checkpoint of files that are open, or whose bytes the caller keeps alive.
  static Expected<Checkpoint> of(std::vector<io::Safetensors> files, const LlamaConfig& config);

  /// Row after row. The rows of `query` and `key` come in the order in which the RoPE kernel rotates them: element i of
  /// a head and its partner, head_dim / 2 further in the checkpoint, lie side by side. Scores do not change, since both
  /// are permuted alike.
  std::vector<bf16> read(LayerWeight which, std::int64_t layer, std::int64_t expert = -1) const;
  std::vector<bf16> read(ModelWeight which) const;
  /// Chip after chip, of each what shape_of(share_of(config, chips), which) says; what is alike on all chips comes
  /// once;
  /// experts come one after the other.
  std::vector<bf16> read(LayerTensor which, std::int64_t layer, std::int64_t chips = 1) const {
    return read(which, layer, chips, {0, chips});
  }
  /// Weights with zeros for chips that are not in the range: of the files, only the range's part is touched.
  std::vector<bf16> read(LayerTensor which, std::int64_t layer, std::int64_t chips, const ChipRange& range) const;
  /// What `read` gives as bytes: the mapped file's, where it has the parts one after the other; what is quantised stays
  /// so, and is made bf16 in parts where it is multiplied; else a copy.
  std::shared_ptr<const Image> image(LayerTensor which, std::int64_t layer, std::int64_t chips, const ChipRange& range) const;
  std::shared_ptr<const Image> image(ModelWeight which) const;

 private:
  explicit Checkpoint(const LlamaConfig& config) : config_(config) {}
  /// The name of a tensor of the text part as it is called in a model that has no other.
  std::string name_in_text(const std::string& name) const;
  io::Safetensors with_names_in_text(io::Safetensors file) const;
  Verdict open_files(const std::string& folder);
  Verdict open_shards(const std::string& folder, const std::string& index_path);
  Verdict check(const std::string& name, const WeightShape& shape) const;
  Verdict check_all() const;
  /// The parts of a matrix that is quantised: packed elements, or scales.
  Verdict check_quantised(const std::string& name, const WeightShape& shape) const;
  Verdict check_part(const std::string& name, const io::Extents& wanted, bool packed) const;
  io::Array array(const std::string& name) const;
  StoredWeight stored(const std::string& name) const;
  std::vector<bf16> read(const std::string& name) const;
  std::string name_of(ModelWeight which) const;
  /// Null: not all parts are quantised.
  std::shared_ptr<const Image> packed(LayerTensor which, std::int64_t layer, std::int64_t chips, const ChipRange& range) const;
  /// Null: the file has these tensors apart, or in another type.
  std::shared_ptr<const Image> mapped(const std::vector<std::string>& names) const;
  std::vector<bf16> read_rows(const std::string& name, std::int64_t first, std::int64_t rows, std::int64_t first_column,
                              std::int64_t columns) const;
  /// What one of several chips has of a weight, its pairs side by side.
  std::vector<bf16> read_part(LayerWeight which, std::int64_t layer, std::int64_t expert, std::int64_t chip,
                              const LlamaConfig& share) const;

  LlamaConfig config_;
  std::vector<io::Safetensors> files_;
  std::map<std::string, std::size_t, std::less<>> file_of_;  // the tensor's name to its file
};

/// Rows of each head, of which the checkpoint rotates element i with element i + head_dim / 2, so that these two lie
/// side by side.
/// Law: row 2 i of a head is the checkpoint's row i, row 2 i + 1 its row i + head_dim / 2.
std::vector<bf16> pairs_side_by_side(const std::vector<bf16>& rows, std::int64_t heads, std::int64_t head_dim, std::int64_t columns);

}  // namespace tcp::kernels
