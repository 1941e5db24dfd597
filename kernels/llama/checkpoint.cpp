// Reads the weights of a checkpoint: one file or several, tensors found by the names that published models use.
#include "kernels/llama/checkpoint.hpp"

#include <algorithm>
#include <filesystem>

#include "kernels/llama/words.hpp"

namespace tcp::kernels {
namespace {

constexpr const char* index_name = "model.safetensors.index.json";
constexpr const char* single_name = "model.safetensors";

bf16 as_bf16(ScalarType type, std::uint32_t bits) {
  if (type == ScalarType::bf16) return bf16::from_bits(bits);
  return bf16::from_float(type == ScalarType::f32 ? f32::from_bits(bits).to_float() : f16::from_bits(bits).to_float());
}

}  // namespace

WeightShape shape_of(const LlamaConfig& c, LayerWeight which) {
  switch (which) {
    case LayerWeight::attention_norm:
    case LayerWeight::ffn_norm: return {1, c.hidden};
    case LayerWeight::query: return {c.query_columns(), c.hidden};
    case LayerWeight::key:
    case LayerWeight::value: return {c.kv_columns(), c.hidden};
    case LayerWeight::output: return {c.hidden, c.query_columns()};
    case LayerWeight::gate:
    case LayerWeight::up: return {c.intermediate, c.hidden};
    case LayerWeight::down: return {c.hidden, c.intermediate};
  }
  return {};
}
WeightShape shape_of(const LlamaConfig& c, ModelWeight which) {
  return which == ModelWeight::norm ? WeightShape{1, c.hidden} : WeightShape{c.vocabulary, c.hidden};
}

std::vector<LayerWeight> weights_of(LayerTensor which) {
  switch (which) {
    case LayerTensor::attention_norm: return {LayerWeight::attention_norm};
    case LayerTensor::qkv: return {LayerWeight::query, LayerWeight::key, LayerWeight::value};
    case LayerTensor::output: return {LayerWeight::output};
    case LayerTensor::ffn_norm: return {LayerWeight::ffn_norm};
    case LayerTensor::gate_up: return {LayerWeight::gate, LayerWeight::up};
    case LayerTensor::down: return {LayerWeight::down};
  }
  return {};
}
WeightShape shape_of(const LlamaConfig& c, LayerTensor which) {
  WeightShape all{0, 0};
  for (LayerWeight part : weights_of(which)) {
    WeightShape const w = shape_of(c, part);
    all = {all.rows + w.rows, w.columns};
  }
  return all;
}
LlamaConfig share_of(const LlamaConfig& config, std::int64_t chips) {
  LlamaConfig share = config;
  share.heads /= chips;
  share.kv_heads /= chips;
  share.intermediate /= chips;
  return share;
}

std::string checkpoint_name(LayerWeight which, std::int64_t layer) {
  constexpr const char* names[] = {"input_layernorm",  "self_attn.q_proj", "self_attn.k_proj",
                                   "self_attn.v_proj", "self_attn.o_proj", "post_attention_layernorm",
                                   "mlp.gate_proj",    "mlp.up_proj",      "mlp.down_proj"};
  return "model.layers." + std::to_string(layer) + "." + names[static_cast<int>(which)] + ".weight";
}
std::string checkpoint_name(ModelWeight which) {
  constexpr const char* names[] = {"model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"};
  return names[static_cast<int>(which)];
}

std::vector<bf16> pairs_side_by_side(const std::vector<bf16>& rows, std::int64_t heads, std::int64_t head_dim, std::int64_t columns) {
  std::vector<bf16> out(rows.size());
  std::int64_t const pairs = head_dim / 2;
  for (std::int64_t head = 0; head < heads; ++head)
    for (std::int64_t i = 0; i < head_dim; ++i) {
      std::int64_t const from = head * head_dim + i % 2 * pairs + i / 2;
      std::copy_n(rows.begin() + from * columns, columns, out.begin() + (head * head_dim + i) * columns);
    }
  return out;
}

Expected<Checkpoint> Checkpoint::open(const std::string& folder, const LlamaConfig& config) {
  Checkpoint c(config);
  if (auto v = c.open_files(folder); !v) return v.refusal();
  if (auto v = c.check_all(); !v) return v.refusal();
  return c;
}

Expected<Checkpoint> Checkpoint::of(std::vector<io::Safetensors> files, const LlamaConfig& config) {
  Checkpoint c(config);
  for (io::Safetensors& file : files) {
    for (const io::SafetensorsEntry& e : file.entries) c.file_of_[e.name] = c.files_.size();
    c.files_.push_back(std::move(file));
  }
  if (auto v = c.check_all(); !v) return v.refusal();
  return c;
}

Verdict Checkpoint::open_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code failed;
  std::string const index_path = (fs::path(folder) / index_name).string(), single_path = (fs::path(folder) / single_name).string();
  if (fs::exists(index_path, failed)) return open_shards(folder, index_path);
  if (!fs::exists(single_path, failed))
    return refuse("llama-checkpoint-missing")
        .what(shown_file(folder), "there is neither ", single_name, " nor ", index_name)
        .why("the weights of a checkpoint are in one file of the first name, or in several that the second lists")
        .help("give the folder that holds config.json and these files; scripts/tiny-llama writes a small one");
  auto file = io::open_safetensors(single_path);
  if (!file) return file.refusal();
  for (const io::SafetensorsEntry& e : file->entries) file_of_[e.name] = 0;
  files_.push_back(*std::move(file));
  return accept();
}

Verdict Checkpoint::open_shards(const std::string& folder, const std::string& index_path) {
  auto const map = read_weight_map(index_path);
  if (!map) return map.refusal();
  std::map<std::string, std::size_t> opened;
  for (auto const& [tensor, name] : *map) {
    auto at = opened.find(name);
    if (at == opened.end()) {
      auto file = io::open_safetensors((std::filesystem::path(folder) / name).string());
      if (!file) return file.refusal();
      files_.push_back(*std::move(file));
      at = opened.emplace(name, files_.size() - 1).first;
    }
    if (files_[at->second].find(tensor) == nullptr) return bad_index(index_path, shown(tensor, 60) + " is not in " + shown(name, 60));
    file_of_[tensor] = at->second;
  }
  return accept();
}

Verdict Checkpoint::check(const std::string& name, const WeightShape& shape) const {
  auto const at = file_of_.find(name);
  if (at == file_of_.end())
    return refuse("llama-weight-missing")
        .what("the checkpoint has no tensor ", shown(name, 80))
        .why("config.json promises ", config_.layers, " layers",
             config_.tied ? ", and a head that is the embedding" : ", and a head of its own")
        .help("see that config.json and the weights belong together");
  const io::SafetensorsEntry& e = *files_[at->second].find(name);
  if (e.type != ScalarType::bf16 && e.type != ScalarType::f32 && e.type != ScalarType::f16)
    return refuse("llama-weight-type")
        .what(shown_file(files_[at->second].file_name), shown(name, 80), " is of type ", shown(e.dtype, 20))
        .why("weights are multiplied as bf16; what is quantised needs its scales, which this model does not read")
        .help("take a checkpoint in BF16, F16 or F32");
  io::Extents const wanted = shape.rows == 1 ? io::Extents{shape.columns} : io::Extents{shape.rows, shape.columns};
  if (e.shape != wanted)
    return refuse("llama-weight-shape")
        .what(shown_file(files_[at->second].file_name), shown(name, 80), " has the shape ", io::shown_shape(e.shape),
              ", and config.json asks for ", io::shown_shape(wanted))
        .why("a weight is a matrix [out, in] whose sizes follow from config.json")
        .help("see that config.json and the weights belong together");
  return accept();
}

Verdict Checkpoint::check_all() const {
  for (ModelWeight which : {ModelWeight::embedding, ModelWeight::norm, ModelWeight::lm_head}) {
    if (which == ModelWeight::lm_head && config_.tied) continue;
    if (auto v = check(checkpoint_name(which), shape_of(config_, which)); !v) return v;
  }
  for (std::int64_t layer = 0; layer < config_.layers; ++layer)
    for (LayerWeight which : layer_weights)
      if (auto v = check(checkpoint_name(which, layer), shape_of(config_, which)); !v) return v;
  return accept();
}

std::vector<bf16> Checkpoint::read(const std::string& name) const {
  auto const at = file_of_.find(name);
  TCP_BUG_UNLESS(at != file_of_.end(), "a weight that was checked is not there");
  auto const array = files_[at->second].read(name);
  TCP_BUG_UNLESS(array.ok(), "a weight that was checked cannot be read");
  std::vector<bf16> out(static_cast<std::size_t>(array->size));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = as_bf16(array->type, array->bits(static_cast<std::int64_t>(i)));
  return out;
}
std::vector<bf16> Checkpoint::read(LayerWeight which, std::int64_t layer) const {
  auto rows = read(checkpoint_name(which, layer));
  if (which != LayerWeight::query && which != LayerWeight::key) return rows;
  return pairs_side_by_side(rows, which == LayerWeight::query ? config_.heads : config_.kv_heads, config_.head_dim, config_.hidden);
}
std::vector<bf16> Checkpoint::read(LayerTensor which, std::int64_t layer, std::int64_t chips) const {
  if (shape_of(config_, which).rows == 1) chips = 1;
  LlamaConfig const share = share_of(config_, chips);
  std::vector<std::vector<bf16>> parts;
  for (LayerWeight part : weights_of(which)) parts.push_back(read(part, layer));
  std::vector<bf16> out;
  for (std::int64_t chip = 0; chip < chips; ++chip)
    for (std::size_t i = 0; i < parts.size(); ++i) {
      WeightShape const all = shape_of(config_, weights_of(which)[i]), own = shape_of(share, weights_of(which)[i]);
      bool const of_rows = own.columns == all.columns;
      for (std::int64_t row = 0; row < own.rows; ++row) {
        auto const from = parts[i].begin() + (of_rows ? (chip * own.rows + row) * all.columns : row * all.columns + chip * own.columns);
        out.insert(out.end(), from, from + own.columns);
      }
    }
  return out;
}
std::vector<bf16> Checkpoint::read(ModelWeight which) const {
  return read(checkpoint_name(which == ModelWeight::lm_head && config_.tied ? ModelWeight::embedding : which));
}

}  // namespace tcp::kernels
