// Reads the weights of a checkpoint: one file or several, tensors found by the names that published models use.
#include "kernels/llama/checkpoint.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <numeric>

#include "kernels/llama/configuration.hpp"
#include "tcp/support/image_parts.hpp"
#include "tcp/support/round.hpp"

namespace tcp::kernels {
namespace {

constexpr const char* index_name = "model.safetensors.index.json";
constexpr const char* single_name = "model.safetensors";

/// Beside `NAME.weight`, where a matrix is quantised.
constexpr const char* block_scales_name = "weight_scale_inv";
constexpr const char* packed_name = "weight_packed";
constexpr const char* group_scales_name = "weight_scale";
constexpr std::int64_t packed_per_word = 8;

bool is_plain_float(std::optional<ScalarType> type) {
  return type == ScalarType::bf16 || type == ScalarType::f32 || type == ScalarType::f16;
}
float as_float(ScalarType type, std::uint32_t bits) {
  if (type == ScalarType::bf16) return bf16::from_bits(bits).to_float();
  return type == ScalarType::f32 ? f32::from_bits(bits).to_float() : f16::from_bits(bits).to_float();
}
bf16 as_bf16(ScalarType type, std::uint32_t bits) {
  return type == ScalarType::bf16 ? bf16::from_bits(bits) : bf16::from_float(as_float(type, bits));
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
    case LayerWeight::query_bias: return {c.query_columns(), 1};
    case LayerWeight::key_bias:
    case LayerWeight::value_bias: return {c.kv_columns(), 1};
    case LayerWeight::query_norm:
    case LayerWeight::key_norm: return {1, c.head_dim};
    case LayerWeight::attention_out_norm:
    case LayerWeight::ffn_out_norm: return {1, c.hidden};
    case LayerWeight::router: return {c.experts, c.hidden};
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
    case LayerTensor::qkv_bias: return {LayerWeight::query_bias, LayerWeight::key_bias, LayerWeight::value_bias};
    case LayerTensor::query_norm: return {LayerWeight::query_norm};
    case LayerTensor::key_norm: return {LayerWeight::key_norm};
    case LayerTensor::attention_out_norm: return {LayerWeight::attention_out_norm};
    case LayerTensor::ffn_out_norm: return {LayerWeight::ffn_out_norm};
    case LayerTensor::router: return {LayerWeight::router};
    case LayerTensor::expert_gate: return {LayerWeight::gate};
    case LayerTensor::expert_up: return {LayerWeight::up};
    case LayerTensor::expert_down: return {LayerWeight::down};
  }
  return {};
}
std::vector<LayerTensor> layer_tensors_of(const LlamaConfig& c) {
  std::vector<LayerTensor> all{LayerTensor::attention_norm, LayerTensor::qkv, LayerTensor::output, LayerTensor::ffn_norm};
  auto const add = [&](bool there, std::initializer_list<LayerTensor> some) {
    if (there) all.insert(all.end(), some);
  };
  add(c.experts == 0, {LayerTensor::gate_up, LayerTensor::down});
  add(c.experts > 0, {LayerTensor::router, LayerTensor::expert_gate, LayerTensor::expert_up, LayerTensor::expert_down});
  add(c.qkv_bias, {LayerTensor::qkv_bias});
  add(c.head_norms, {LayerTensor::query_norm, LayerTensor::key_norm});
  add(c.outer_norms, {LayerTensor::attention_out_norm, LayerTensor::ffn_out_norm});
  return all;
}
bool is_norm(LayerTensor which) {
  return which == LayerTensor::attention_norm || which == LayerTensor::ffn_norm || which == LayerTensor::query_norm ||
         which == LayerTensor::key_norm || which == LayerTensor::attention_out_norm || which == LayerTensor::ffn_out_norm;
}
bool is_alike(LayerTensor which) { return is_norm(which) || which == LayerTensor::router; }
bool is_of_experts(LayerTensor which) {
  return which == LayerTensor::expert_gate || which == LayerTensor::expert_up || which == LayerTensor::expert_down;
}
WeightShape shape_of(const LlamaConfig& c, LayerTensor which) {
  WeightShape all{0, 0};
  for (LayerWeight part : weights_of(which)) {
    WeightShape const w = shape_of(c, part);
    all = {all.rows + w.rows, w.columns};
  }
  if (is_of_experts(which)) all.rows *= c.experts;
  return all;
}
LlamaConfig share_of(const LlamaConfig& config, std::int64_t chips) {
  LlamaConfig share = config;
  share.heads /= chips;
  share.kv_heads /= chips;
  share.intermediate /= chips;
  return share;
}

std::string checkpoint_name(const LlamaConfig& config, LayerWeight which, std::int64_t layer, std::int64_t expert) {
  constexpr const char* names[] = {"input_layernorm.weight",
                                   "self_attn.q_proj.weight",
                                   "self_attn.k_proj.weight",
                                   "self_attn.v_proj.weight",
                                   "self_attn.o_proj.weight",
                                   "post_attention_layernorm.weight",
                                   "mlp.gate_proj.weight",
                                   "mlp.up_proj.weight",
                                   "mlp.down_proj.weight",
                                   "self_attn.q_proj.bias",
                                   "self_attn.k_proj.bias",
                                   "self_attn.v_proj.bias",
                                   "self_attn.q_norm.weight",
                                   "self_attn.k_norm.weight",
                                   "post_attention_layernorm.weight",
                                   "post_feedforward_layernorm.weight",
                                   "block_sparse_moe.gate.weight"};
  std::string const inside = "model.layers." + std::to_string(layer) + ".";
  if (expert >= 0) {
    const char* const matrix = which == LayerWeight::gate ? "w1" : which == LayerWeight::up ? "w3" : "w2";
    return inside + "block_sparse_moe.experts." + std::to_string(expert) + "." + matrix + ".weight";
  }
  // With norms after each half, the one before the feed-forward layer has a name of its own.
  if (which == LayerWeight::ffn_norm && config.outer_norms) return inside + "pre_feedforward_layernorm.weight";
  return inside + names[static_cast<int>(which)];
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
    c.files_.push_back(c.with_names_in_text(std::move(file)));
    for (const io::SafetensorsEntry& e : c.files_.back().entries) c.file_of_[e.name] = c.files_.size() - 1;
  }
  if (auto v = c.check_all(); !v) return v.refusal();
  return c;
}

/// Published files say language_model.model.NAME, younger ones model.language_model.NAME.
std::string Checkpoint::name_in_text(const std::string& name) const {
  constexpr std::string_view before = "language_model.", inside = "model.language_model.";
  if (!config_.text_part) return name;
  if (name.starts_with(before)) return name.substr(before.size());
  return name.starts_with(inside) ? "model." + name.substr(inside.size()) : name;
}
io::Safetensors Checkpoint::with_names_in_text(io::Safetensors file) const {
  if (!config_.text_part) return file;
  for (io::SafetensorsEntry& e : file.entries) e.name = name_in_text(e.name);
  std::sort(file.entries.begin(), file.entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return file;
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
  files_.push_back(with_names_in_text(*std::move(file)));
  for (const io::SafetensorsEntry& e : files_.back().entries) file_of_[e.name] = 0;
  return accept();
}

Verdict Checkpoint::open_shards(const std::string& folder, const std::string& index_path) {
  auto const map = read_weight_map(index_path);
  if (!map) return map.refusal();
  std::map<std::string, std::size_t> opened;
  for (auto const& [listed, name] : *map) {
    std::string const tensor = name_in_text(listed);
    auto at = opened.find(name);
    if (at == opened.end()) {
      auto file = io::open_safetensors((std::filesystem::path(folder) / name).string());
      if (!file) return file.refusal();
      files_.push_back(with_names_in_text(*std::move(file)));
      at = opened.emplace(name, files_.size() - 1).first;
    }
    if (files_[at->second].find(tensor) == nullptr) return bad_index(index_path, shown(tensor, 60) + " is not in " + shown(name, 60));
    file_of_[tensor] = at->second;
  }
  return accept();
}

Verdict Checkpoint::check_part(const std::string& name, const io::Extents& wanted, bool right_type) const {
  auto const at = file_of_.find(name);
  const io::SafetensorsEntry* const e = at == file_of_.end() ? nullptr : files_[at->second].find(name);
  if (e != nullptr && e->shape == wanted && (right_type ? e->type == ScalarType::i32 : is_plain_float(e->type))) return accept();
  return refuse("llama-weight-scales")
      .what(shown(name, 80), e == nullptr ? " is not in the checkpoint" : " has another shape or type", "; quantization_config asks for ",
            io::shown_shape(wanted), right_type ? " of I32" : " of BF16, F16 or F32")
      .why("what is quantised means something only with a scale for each of its blocks")
      .help("see that config.json and the weights belong together");
}
Verdict Checkpoint::check_quantised(const std::string& name, const WeightShape& shape) const {
  const Quantization& q = config_.quantization;
  std::string const stem = name.substr(0, name.size() - std::string_view("weight").size());
  io::Extents const scales{ceil_div(shape.rows, q.rows), ceil_div(shape.columns, q.columns)};
  if (q.kind == Quantization::Kind::f8) return check_part(stem + block_scales_name, scales, false);
  if (auto v = check_part(stem + packed_name, {shape.rows, ceil_div(shape.columns, packed_per_word)}, true); !v) return v;
  return check_part(stem + group_scales_name, scales, false);
}

Verdict Checkpoint::check(const std::string& name, const WeightShape& shape) const {
  std::string const stem = name.ends_with("weight") ? name.substr(0, name.size() - std::string_view("weight").size()) : "-";
  if (config_.quantization.kind == Quantization::Kind::i4 && file_of_.contains(stem + packed_name)) return check_quantised(name, shape);
  auto const at = file_of_.find(name);
  if (at == file_of_.end())
    return refuse("llama-weight-missing")
        .what("the checkpoint has no tensor ", shown(name, 80))
        .why("config.json promises ", config_.layers, " layers",
             config_.tied ? ", and a head that is the embedding" : ", and a head of its own")
        .help("see that config.json and the weights belong together");
  const io::SafetensorsEntry& e = *files_[at->second].find(name);
  bool const scaled = e.type == ScalarType::f8e4m3 && config_.quantization.kind == Quantization::Kind::f8 && stem != "-";
  if (!is_plain_float(e.type) && !scaled)
    return refuse("llama-weight-type")
        .what(shown_file(files_[at->second].file_name), shown(name, 80), " is of type ", shown(e.dtype, 20))
        .why("weights are multiplied as bf16; what is quantised needs its scales, which quantization_config in config.json announces")
        .help("take a checkpoint in BF16, F16 or F32, or one whose quantization_config is read here");
  bool const bias = name.ends_with(".bias");
  io::Extents const wanted = bias                                               ? io::Extents{shape.rows}
                             : shape.rows == 1 && name.ends_with("norm.weight") ? io::Extents{shape.columns}
                                                                                : io::Extents{shape.rows, shape.columns};
  if (e.shape != wanted)
    return refuse("llama-weight-shape")
        .what(shown_file(files_[at->second].file_name), shown(name, 80), " has the shape ", io::shown_shape(e.shape),
              ", and config.json asks for ", io::shown_shape(wanted))
        .why("a weight is a matrix [out, in] whose sizes follow from config.json")
        .help("see that config.json and the weights belong together");
  return scaled ? check_quantised(name, shape) : accept();
}

Verdict Checkpoint::check_all() const {
  for (ModelWeight which : {ModelWeight::embedding, ModelWeight::norm, ModelWeight::lm_head}) {
    if (which == ModelWeight::lm_head && config_.tied) continue;
    if (auto v = check(checkpoint_name(which), shape_of(config_, which)); !v) return v;
  }
  for (std::int64_t layer = 0; layer < config_.layers; ++layer)
    for (LayerTensor which : layer_tensors_of(config_))
      for (LayerWeight part : weights_of(which)) {
        std::int64_t const first = is_of_experts(which) ? 0 : -1, end = is_of_experts(which) ? config_.experts : 0;
        for (std::int64_t expert = first; expert < end; ++expert)
          if (auto v = check(checkpoint_name(config_, part, layer, expert), shape_of(config_, part)); !v) return v;
      }
  return accept();
}

std::shared_ptr<const Image> Checkpoint::mapped(const std::vector<std::string>& names) const {
  const io::Safetensors* file = nullptr;
  const std::byte* begin = nullptr;
  std::size_t size = 0;
  for (const std::string& name : names) {
    auto const at = file_of_.find(name);
    if (at == file_of_.end()) return nullptr;  // quantised, under other names
    const io::Safetensors& holds = files_[at->second];
    const io::SafetensorsEntry& e = *holds.find(name);
    if (begin == nullptr) {
      begin = e.bytes.data();
      file = &holds;
    }
    if (e.type != ScalarType::bf16 || &holds != file || e.bytes.data() != begin + size) return nullptr;
    size += e.bytes.size();
  }
  if (!file->file || reinterpret_cast<std::uintptr_t>(begin) % alignof(bf16) != 0) return nullptr;
  return std::make_shared<const Image>(Image::of(file->file, begin, size));
}
io::Array Checkpoint::array(const std::string& name) const {
  auto const at = file_of_.find(name);
  TCP_BUG_UNLESS(at != file_of_.end(), "a weight that was checked is not there");
  auto array = files_[at->second].read(name);
  TCP_BUG_UNLESS(array.ok(), "a weight that was checked cannot be read");
  return *std::move(array);
}
StoredWeight Checkpoint::stored(const std::string& name) const {
  StoredWeight w;
  w.block = config_.quantization;
  std::string const stem = name.substr(0, name.size() - std::string_view("weight").size());
  if (w.block.kind == Quantization::Kind::i4 && file_of_.contains(stem + packed_name)) {
    w.values = array(stem + packed_name);
    w.scales = array(stem + group_scales_name);
    w.columns = w.values.shape[1] * packed_per_word;
    return w;
  }
  w.values = array(name);
  w.columns = w.values.shape.size() > 1 ? w.values.shape[1] : 1;
  if (w.values.type == ScalarType::f8e4m3) w.scales = array(stem + block_scales_name);
  else w.block.kind = Quantization::Kind::none;
  return w;
}
bf16 StoredWeight::at(std::int64_t row, std::int64_t column) const {
  std::int64_t const i = row * columns + column;
  if (block.kind == Quantization::Kind::none) return as_bf16(values.type, values.bits(i));
  float const scale = as_float(scales->type, scales->bits(row / block.rows * scales->shape[1] + column / block.columns));
  if (block.kind == Quantization::Kind::f8) return bf16::from_float(f8e4m3::from_bits(values.bits(i)).to_float() * scale);
  std::uint32_t const nibble = values.bits(i / packed_per_word) >> (4 * (i % packed_per_word)) & 15;
  return bf16::from_float(static_cast<float>(static_cast<int>(nibble) - 8) * scale);
}
namespace {

/// Elements that are computed at once, of one block.
constexpr std::int64_t some = 16;

/// The number of bytes of f8e4m3. The exponent is moved to where f32 has it; below the least normal number a fraction
/// of that is one too large. False: one is none.
bool floats_of_bytes(const std::uint8_t (&in)[some], float (&out)[some]) {
  constexpr std::uint32_t normal_bias = 120u << 23, subnormal = 121u << 23;  // 2^(-6)
  std::uint32_t none = 0;
  for (int i = 0; i < some; ++i) {
    std::uint32_t const size = in[i] & 0x7fu, sign = (in[i] & 0x80u) << 24;
    none |= static_cast<std::uint32_t>(size == 0x7f);
    float const small = std::bit_cast<float>(subnormal | size << 20) - std::bit_cast<float>(subnormal);
    std::uint32_t const bits = size < 8 ? std::bit_cast<std::uint32_t>(small) : (size << 20) + normal_bias;
    out[i] = std::bit_cast<float>(bits | sign);
  }
  return none == 0;
}
void floats_of_nibbles(const std::uint8_t (&in)[some / 2], float (&out)[some]) {
  float low[some / 2], high[some / 2];
  for (int i = 0; i < some / 2; ++i) {
    low[i] = static_cast<float>(static_cast<int>(in[i] & 15) - 8);
    high[i] = static_cast<float>(static_cast<int>(in[i] >> 4) - 8);
  }
  for (int i = 0; i < some / 2; ++i) {
    out[2 * i] = low[i];
    out[2 * i + 1] = high[i];
  }
}
/// Times the scale, rounded to the nearest bf16. False: a product is infinite or no number, or too small for f32.
bool scaled(const float (&in)[some], float scale, std::uint16_t (&out)[some]) {
  std::uint32_t special = 0;
  for (int i = 0; i < some; ++i) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(in[i] * scale), size = bits & 0x7fffffffu;
    special |= static_cast<std::uint32_t>(size >= 0x7f7f0000u) | static_cast<std::uint32_t>(size < 0x00800000u && size != 0);
    out[i] = static_cast<std::uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  return special == 0;
}

}  // namespace

void StoredWeight::write(std::int64_t row, std::int64_t column, std::int64_t count, bf16* to) const {
  std::int64_t const end = column + count;
  auto const one_by_one = [&](std::int64_t until) {
    for (; column < until; ++column) *to++ = at(row, column);
  };
  if (block.kind == Quantization::Kind::none) return one_by_one(end);
  bool const bytes = block.kind == Quantization::Kind::f8;
  while (column < end) {
    std::int64_t const of_block = std::min(end, (column / block.columns + 1) * block.columns);
    float const scale = as_float(scales->type, scales->bits(row / block.rows * scales->shape[1] + column / block.columns));
    while (column + some <= of_block) {
      float numbers[some];
      std::uint16_t rounded[some];
      const std::byte* const from = values.bytes.data();
      bool plain = true;
      if (bytes) {
        std::uint8_t held[some];
        std::memcpy(held, from + row * columns + column, sizeof held);
        plain = floats_of_bytes(held, numbers);
      } else {
        if (column % 2 != 0) break;
        std::uint8_t held[some / 2];
        std::memcpy(held, from + (row * columns + column) / 2, sizeof held);
        floats_of_nibbles(held, numbers);
      }
      if (!plain || !scaled(numbers, scale, rounded)) {
        one_by_one(column + some);
        continue;
      }
      for (std::uint16_t bits : rounded) *to++ = bf16::from_bits(bits);
      column += some;
    }
    one_by_one(of_block);
  }
}
std::vector<bf16> Checkpoint::read(const std::string& name) const {
  StoredWeight const w = stored(name);
  std::int64_t const rows = w.values.shape.empty() ? 1 : w.values.shape[0];
  return read_rows(name, 0, rows, 0, w.columns);
}
std::vector<bf16> Checkpoint::read(LayerWeight which, std::int64_t layer, std::int64_t expert) const {
  auto rows = read(checkpoint_name(config_, which, layer, expert));
  switch (which) {
    case LayerWeight::query: return pairs_side_by_side(rows, config_.heads, config_.head_dim, config_.hidden);
    case LayerWeight::key: return pairs_side_by_side(rows, config_.kv_heads, config_.head_dim, config_.hidden);
    case LayerWeight::query_bias: return pairs_side_by_side(rows, config_.heads, config_.head_dim, 1);
    case LayerWeight::key_bias: return pairs_side_by_side(rows, config_.kv_heads, config_.head_dim, 1);
    case LayerWeight::query_norm:
    case LayerWeight::key_norm: return pairs_side_by_side(rows, 1, config_.head_dim, 1);
    default: return rows;
  }
}
std::vector<bf16> Checkpoint::read_rows(const std::string& name, std::int64_t first, std::int64_t rows, std::int64_t first_column,
                                        std::int64_t columns) const {
  StoredWeight const w = stored(name);
  std::vector<bf16> out;
  if (w.block.kind == Quantization::Kind::none && w.values.type == ScalarType::bf16) {
    out.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t row = 0; row < rows; ++row)
      std::memcpy(out.data() + row * columns, w.values.bytes.data() + 2 * ((first + row) * w.columns + first_column),
                  2 * static_cast<std::size_t>(columns));
    return out;
  }
  out.resize(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < rows; ++row) w.write(first + row, first_column, columns, out.data() + row * columns);
  return out;
}
/// Rows of queries and keys are those of whole heads, wherever a chip's part begins.
std::vector<bf16> Checkpoint::read_part(LayerWeight which, std::int64_t layer, std::int64_t expert, std::int64_t chip,
                                        const LlamaConfig& share) const {
  WeightShape const all = shape_of(config_, which), own = shape_of(share, which);
  bool const of_rows = own.columns == all.columns;
  auto rows = read_rows(checkpoint_name(config_, which, layer, expert), of_rows ? chip * own.rows : 0, own.rows,
                        of_rows ? 0 : chip * own.columns, own.columns);
  if (which == LayerWeight::query) return pairs_side_by_side(rows, share.heads, share.head_dim, own.columns);
  if (which == LayerWeight::key) return pairs_side_by_side(rows, share.kv_heads, share.head_dim, own.columns);
  if (which == LayerWeight::query_bias) return pairs_side_by_side(rows, share.heads, share.head_dim, 1);
  if (which == LayerWeight::key_bias) return pairs_side_by_side(rows, share.kv_heads, share.head_dim, 1);
  return rows;
}
std::vector<bf16> Checkpoint::read(LayerTensor which, std::int64_t layer, std::int64_t chips, const ChipRange& range) const {
  bool const alike = is_alike(which);
  ChipRange const wanted = alike ? ChipRange{} : range;
  if (alike) chips = 1;
  std::vector<std::int64_t> experts{-1};
  if (is_of_experts(which)) {
    experts.resize(static_cast<std::size_t>(config_.experts));
    std::iota(experts.begin(), experts.end(), 0);
  }
  LlamaConfig const share = share_of(config_, chips);
  std::vector<bf16> out;
  for (std::int64_t chip = 0; chip < chips; ++chip)
    for (std::int64_t expert : experts)
      for (LayerWeight part : weights_of(which)) {
        WeightShape const own = shape_of(share, part);
        if (chip < wanted.begin || chip >= wanted.end) {
          out.resize(out.size() + static_cast<std::size_t>(own.rows * own.columns));
          continue;
        }
        auto const rows = chips == 1 ? read(part, layer, expert) : read_part(part, layer, expert, chip, share);
        out.insert(out.end(), rows.begin(), rows.end());
      }
  return out;
}
std::vector<bf16> Checkpoint::read(ModelWeight which) const { return read(name_of(which)); }
std::string Checkpoint::name_of(ModelWeight which) const {
  return checkpoint_name(which == ModelWeight::lm_head && config_.tied ? ModelWeight::embedding : which);
}

namespace {

std::shared_ptr<const Image> copy_of(const std::vector<bf16>& values) {
  Image image = Image::not_initialised(values.size() * sizeof(bf16));
  if (!values.empty()) std::memcpy(image.data(), values.data(), image.size());
  return std::make_shared<const Image>(std::move(image));
}

}  // namespace

namespace {

/// Quantised matrices one after the other, as the bf16 that they stand for.
class PackedWeights final : public ImageParts {
 public:
  struct Piece {
    StoredWeight weight;
    std::int64_t first_row = 0, first_column = 0, rows = 0, columns = 0;
    std::int64_t pairs_of_head = 0;  // rows of heads lie pair by pair here; 0: as in the file
    bool is_elsewhere = false;       // another rank's: zeros
    std::int64_t begin = 0;          // its first element
  };

  void add(Piece piece) {
    piece.begin = elements();
    pieces_.push_back(std::move(piece));
  }
  std::int64_t elements() const { return pieces_.empty() ? 0 : pieces_.back().begin + pieces_.back().rows * pieces_.back().columns; }

  void write(std::byte* to) const override { write_part(to, 0, static_cast<std::size_t>(elements()) * sizeof(bf16)); }
  void write_part(std::byte* to, std::size_t first, std::size_t bytes) const override {
    std::int64_t at = static_cast<std::int64_t>(first / sizeof(bf16)), left = static_cast<std::int64_t>(bytes / sizeof(bf16));
    auto* out = reinterpret_cast<bf16*>(to);
    auto const after =
        std::upper_bound(pieces_.begin(), pieces_.end(), at, [](std::int64_t element, const Piece& p) { return element < p.begin; });
    for (auto piece = after - 1; left > 0; ++piece)
      for (std::int64_t i = at - piece->begin; i < piece->rows * piece->columns && left > 0; i = at - piece->begin) {
        std::int64_t const row = i / piece->columns, column = i % piece->columns, count = std::min(left, piece->columns - column);
        if (piece->is_elsewhere) std::fill_n(out, count, bf16());
        else piece->weight.write(piece->first_row + row_in_file(row, piece->pairs_of_head), piece->first_column + column, count, out);
        at += count;
        left -= count;
        out += count;
      }
  }

 private:
  /// Law: pairs_side_by_side.
  static std::int64_t row_in_file(std::int64_t row, std::int64_t head_dim) {
    if (head_dim == 0) return row;
    std::int64_t const in_head = row % head_dim;
    return row - in_head + in_head / 2 + in_head % 2 * (head_dim / 2);
  }

  std::vector<Piece> pieces_;
};

}  // namespace

std::shared_ptr<const Image> Checkpoint::packed(LayerTensor which, std::int64_t layer, std::int64_t chips, const ChipRange& range) const {
  if (config_.quantization.kind == Quantization::Kind::none || is_norm(which)) return nullptr;
  LlamaConfig const share = share_of(config_, chips);
  std::int64_t const first = is_of_experts(which) ? 0 : -1, end = is_of_experts(which) ? config_.experts : 0;
  auto all = std::make_shared<PackedWeights>();
  for (std::int64_t chip = 0; chip < chips; ++chip)
    for (std::int64_t expert = first; expert < end; ++expert)
      for (LayerWeight part : weights_of(which)) {
        WeightShape const whole = shape_of(config_, part), own = shape_of(share, part);
        bool const of_rows = own.columns == whole.columns, rotated = part == LayerWeight::query || part == LayerWeight::key;
        PackedWeights::Piece piece{stored(checkpoint_name(config_, part, layer, expert))};
        if (piece.weight.block.kind == Quantization::Kind::none) return nullptr;
        piece.first_row = of_rows ? chip * own.rows : 0;
        piece.first_column = of_rows ? 0 : chip * own.columns;
        piece.rows = own.rows;
        piece.columns = own.columns;
        piece.pairs_of_head = rotated ? config_.head_dim : 0;
        piece.is_elsewhere = chip < range.begin || chip >= range.end;
        all->add(std::move(piece));
      }
  auto const bytes = static_cast<std::size_t>(all->elements()) * sizeof(bf16);
  return std::make_shared<const Image>(Image::of(std::move(all), bytes));
}

std::shared_ptr<const Image> Checkpoint::image(LayerTensor which, std::int64_t layer, std::int64_t chips, const ChipRange& range) const {
  if (auto kept = packed(which, layer, chips, range)) return kept;
  bool const rotated =
      which == LayerTensor::qkv || which == LayerTensor::qkv_bias || which == LayerTensor::query_norm || which == LayerTensor::key_norm;
  if (rotated || (chips > 1 && !is_alike(which))) return copy_of(read(which, layer, chips, range));
  std::vector<std::string> names;
  for (LayerWeight part : weights_of(which)) {
    std::int64_t const first = is_of_experts(which) ? 0 : -1, end = is_of_experts(which) ? config_.experts : 0;
    for (std::int64_t expert = first; expert < end; ++expert) names.push_back(checkpoint_name(config_, part, layer, expert));
  }
  auto in_file = mapped(names);
  return in_file ? in_file : copy_of(read(which, layer, chips, range));
}
std::shared_ptr<const Image> Checkpoint::image(ModelWeight which) const {
  auto in_file = mapped({name_of(which)});
  return in_file ? in_file : copy_of(read(which));
}

}  // namespace tcp::kernels
