// Llama 3 and its kin on the host in f32, written from the models' publications and the checkpoints' own convention: elements i and i + d/2 of a head are rotated
// together, the whole sequence is computed anew for every answer, and nothing is kept. It shares no code with the kernels, not even the readers of files. What a model
// has beside Llama's is found by `model_type` and by the names of its weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tcp::host {

using Row = std::vector<float>;
using Rows = std::vector<Row>;

/// How long the difference of all rows is, beside the expected ones.
inline double distance(const Rows& found, const Rows& expected) {
  double errors = 0, sizes = 0;
  for (std::size_t r = 0; r < expected.size(); ++r)
    for (std::size_t c = 0; c < expected[r].size(); ++c) {
      double const e = static_cast<double>(expected[r][c]), off = static_cast<double>(found[r][c]) - e;
      errors += off * off;
      sizes += e * e;
    }
  return std::sqrt(errors / sizes);
}

class Llama {
 public:
  explicit Llama(const std::string& folder) {
    config_ = nlohmann::json::parse(content(folder + "/config.json"));
    read_weights(content(folder + "/model.safetensors"));
    read_quantised();
  }

  /// The logits behind each token.
  Rows logits(const std::vector<std::int64_t>& tokens) const {
    Rows x;
    std::size_t const hidden = size("hidden_size");
    for (std::int64_t t : tokens) {
      auto const row = weight("model.embed_tokens.weight").begin() + t * static_cast<std::int64_t>(hidden);
      x.emplace_back(row, row + static_cast<std::int64_t>(hidden));
      if (gemma())
        for (float& v : x.back()) v *= std::sqrt(static_cast<float>(hidden));
    }
    for (std::size_t layer = 0; layer < size("num_hidden_layers"); ++layer)
      x = after_layer(x, "model.layers." + std::to_string(layer) + ".");
    bool const tied = config_.value("tie_word_embeddings", false);
    Rows out = product(normed(x, "model.norm.weight"), tied ? "model.embed_tokens.weight" : "lm_head.weight");
    for (Row& row : out)
      for (float& v : row) v = capped(v, number("final_logit_softcapping"));
    return out;
  }
  /// What a decoder layer makes of its input.
  Rows after_layer(const Rows& in, const std::string& name) const {
    Rows const x = after_attention(in, name);
    Rows const n = normed(x, name + (gemma() ? "pre_feedforward_layernorm.weight" : "post_attention_layernorm.weight"));
    if (has(name + "block_sparse_moe.gate.weight")) return sum(x, of_experts(n, name + "block_sparse_moe."));
    Rows const made = perceptron(n, name + "mlp.gate_proj.weight", name + "mlp.up_proj.weight", name + "mlp.down_proj.weight");
    return sum(x, gemma() ? normed(made, name + "post_feedforward_layernorm.weight") : made);
  }
  /// What its first half makes of it.
  Rows after_attention(const Rows& in, const std::string& name) const {
    Rows const made = attention(normed(in, name + "input_layernorm.weight"), name);
    return sum(in, gemma() ? normed(made, name + "post_attention_layernorm.weight") : made);
  }
  Rows normed(const Rows& x, const std::string& name) const {
    Row const& scale = weight(name);
    float const epsilon = config_.at("rms_norm_eps").get<float>();
    Rows out = x;
    for (Row& row : out) {
      float squares = 0;
      for (float v : row) squares += v * v;
      float const inverse = 1 / std::sqrt(squares / static_cast<float>(row.size()) + epsilon);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i] * inverse * (gemma() ? 1 + scale[i] : scale[i]);
    }
    return out;
  }

 private:
  bool is(const char* type) const { return config_.value("model_type", "llama") == type; }
  bool gemma() const { return is("gemma2") || is("gemma3_text"); }
  bool has(const std::string& name) const { return weights_.contains(name); }
  /// 0: null, or not there.
  float number(const char* name) const {
    auto const at = config_.find(name);
    return at == config_.end() || at->is_null() ? 0 : at->get<float>();
  }
  static float capped(float v, float cap) { return cap == 0 ? v : std::tanh(v / cap) * cap; }
  /// How many tokens a layer looks back at; 0: all. Gemma 2: layers 0, 2, ...; Gemma 3: all but every n-th; Qwen 2: from a layer on.
  std::size_t window_of(std::size_t layer) const {
    bool local = is("mistral") || is("mixtral");
    if (is("gemma2")) local = layer % 2 == 0;
    if (is("gemma3_text")) local = (layer + 1) % config_.at("sliding_window_pattern").get<std::size_t>() > 0;
    if (is("qwen2")) local = config_.at("use_sliding_window").get<bool>() && layer >= size("max_window_layers");
    return local ? static_cast<std::size_t>(number("sliding_window")) : 0;
  }
  float active(float x) const {
    if (!gemma()) return x / (1 + std::exp(-x));
    return x / 2 * (1 + std::tanh(0.7978845608f * (x + 0.044715f * x * x * x)));
  }
  Rows perceptron(const Rows& n, const std::string& gate_name, const std::string& up_name, const std::string& down_name) const {
    Rows gate = product(n, gate_name);
    Rows const up = product(n, up_name);
    for (std::size_t r = 0; r < gate.size(); ++r)
      for (std::size_t i = 0; i < gate[r].size(); ++i) gate[r][i] = active(gate[r][i]) * up[r][i];
    return product(gate, down_name);
  }
  /// Softmax over all experts, the best few, and their shares of what is left.
  Rows of_experts(const Rows& n, const std::string& name) const {
    Rows const scores = product(n, name + "gate.weight");
    std::size_t const chosen = size("num_experts_per_tok");
    Rows out;
    for (std::size_t r = 0; r < n.size(); ++r) {
      std::vector<std::size_t> order(scores[r].size());
      for (std::size_t e = 0; e < order.size(); ++e) order[e] = e;
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[r][a] > scores[r][b]; });
      Row shares;
      float all = 0, kept = 0;
      for (float s : scores[r]) all += std::exp(s - scores[r][order[0]]);
      for (std::size_t e = 0; e < chosen; ++e) kept += shares.emplace_back(std::exp(scores[r][order[e]] - scores[r][order[0]]) / all);
      Row total(n[r].size(), 0.0f);
      for (std::size_t e = 0; e < chosen; ++e) {
        std::string const of = name + "experts." + std::to_string(order[e]) + ".";
        Row const made = perceptron({n[r]}, of + "w1.weight", of + "w3.weight", of + "w2.weight")[0];
        for (std::size_t i = 0; i < made.size(); ++i) total[i] += shares[e] / kept * made[i];
      }
      out.push_back(total);
    }
    return out;
  }

  static std::string content(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t size(const char* name) const { return config_.at(name).get<std::size_t>(); }
  const Row& weight(const std::string& name) const { return weights_.at(name); }

  void read_weights(const std::string& file) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    auto const header = nlohmann::json::parse(file.substr(8, length));
    for (auto const& [name, entry] : header.items()) {
      if (name == "__metadata__") continue;
      std::size_t const begin = 8 + length + entry["data_offsets"][0].get<std::size_t>(),
                        end = 8 + length + entry["data_offsets"][1].get<std::size_t>();
      std::string const bytes = file.substr(begin, end - begin), dtype = entry["dtype"];
      if (dtype != "BF16") {
        others_[name] = {bytes, entry["shape"]};
        continue;
      }
      Row& values = weights_[name];
      for (std::size_t at = begin; at < end; at += 2) {
        std::uint32_t const word = static_cast<std::uint32_t>(static_cast<unsigned char>(file[at + 1])) << 24 |
                                   static_cast<std::uint32_t>(static_cast<unsigned char>(file[at])) << 16;
        float value;
        std::memcpy(&value, &word, 4);
        values.push_back(value);
      }
    }
  }

  /// What is quantised, as floats: written from the formats of the files.
  void read_quantised() {
    auto const ends = [](const std::string& name, const std::string& with) {
      return name.size() > with.size() && name.substr(name.size() - with.size()) == with;
    };
    for (auto const& [name, stored] : others_) {
      if (ends(name, "_scale_inv") || ends(name, "_shape")) continue;
      auto const& [bytes, shape] = stored;
      bool const packed = ends(name, "_packed");
      std::string const plain = packed ? name.substr(0, name.size() - 7) : name;
      std::size_t const rows = shape[0], columns = shape[1] * (packed ? 8 : 1);
      Row& values = weights_[plain];
      for (std::size_t i = 0; i < rows * columns; ++i) {
        std::size_t const row = i / columns, column = i % columns;
        if (packed) {
          auto const byte = static_cast<unsigned char>(bytes[i / 2]);  // words are little-endian, so nibbles follow each other
          int const nibble = i % 2 == 0 ? byte & 15 : byte >> 4;
          std::size_t const group = config_["quantization_config"]["config_groups"]["group_0"]["weights"]["group_size"];
          std::size_t const across = (columns + group - 1) / group;
          values.push_back(static_cast<float>(nibble - 8) * weights_.at(plain + "_scale")[row * across + column / group]);
          continue;
        }
        auto const byte = static_cast<unsigned char>(bytes[i]);
        int const exponent = byte >> 3 & 15, fraction = byte & 7;
        float const size =
            exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9) : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
        auto const& block = config_["quantization_config"]["weight_block_size"];
        std::size_t const tall = block[0], wide = block[1], across = (columns + wide - 1) / wide;
        float scale;
        std::memcpy(&scale, others_.at(name + "_scale_inv").first.data() + 4 * (row / tall * across + column / wide), 4);
        values.push_back((byte & 128 ? -size : size) * scale);
      }
    }
  }

  Rows product(const Rows& x, const std::string& name) const {
    Row const& w = weight(name);
    std::size_t const columns = x[0].size(), rows = w.size() / columns;
    Rows out(x.size(), Row(rows));
    for (std::size_t r = 0; r < x.size(); ++r)
      for (std::size_t o = 0; o < rows; ++o) {
        float dot = 0;
        for (std::size_t i = 0; i < columns; ++i) dot += x[r][i] * w[o * columns + i];
        out[r][o] = dot;
      }
    return out;
  }
  static Rows sum(Rows a, const Rows& b) {
    for (std::size_t r = 0; r < a.size(); ++r)
      for (std::size_t i = 0; i < a[r].size(); ++i) a[r][i] += b[r][i];
    return a;
  }

  /// Radians a position, of the pair (i, i + d / 2).
  float frequency(std::size_t i, std::size_t head_dim, bool local) const {
    bool const own = local && config_.contains("rope_local_base_freq");
    double const theta = config_.at(own ? "rope_local_base_freq" : "rope_theta").get<double>();
    double f = 1 / std::pow(theta, static_cast<double>(2 * i) / static_cast<double>(head_dim));
    if (is("gemma3_text")) return static_cast<float>(own ? f : f / config_.at("rope_scaling").at("factor").get<double>());
    if (auto const at = config_.find("rope_scaling"); at != config_.end() && at->is_object()) {
      double const factor = (*at)["factor"], low = (*at)["low_freq_factor"], high = (*at)["high_freq_factor"];
      double const original = (*at)["original_max_position_embeddings"], wavelength = 2 * 3.14159265358979323846 / f;
      if (wavelength > original / low) {
        f /= factor;
      } else if (wavelength > original / high) {
        double const smooth = (original / wavelength - low) / (high - low);
        f = (1 - smooth) * f / factor + smooth * f;
      }
    }
    return static_cast<float>(f);
  }
  void rotate(Row& row, std::size_t heads, std::size_t position, bool local) const {
    std::size_t const d = row.size() / heads;
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < d / 2; ++i) {
        float const angle = static_cast<float>(position) * frequency(i, d, local), c = std::cos(angle), s = std::sin(angle);
        float &a = row[h * d + i], &b = row[h * d + i + d / 2];
        float const x = a, y = b;
        a = x * c - y * s;
        b = y * c + x * s;
      }
  }
  Rows with_bias(Rows rows, const std::string& name) const {
    if (!has(name)) return rows;
    for (Row& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i) row[i] += weight(name)[i];
    return rows;
  }
  void norm_heads(Row& row, std::size_t heads, const std::string& name) const {
    if (!has(name)) return;
    std::size_t const d = row.size() / heads;
    for (std::size_t h = 0; h < heads; ++h) {
      auto const begin = row.begin() + static_cast<std::ptrdiff_t>(h * d);
      Row const made = normed({Row(begin, begin + static_cast<std::ptrdiff_t>(d))}, name)[0];
      std::copy(made.begin(), made.end(), begin);
    }
  }
  /// `layer_name`: model.layers.N.
  Rows attention(const Rows& x, const std::string& layer_name) const {
    std::string const name = layer_name + "self_attn.";
    std::size_t const heads = size("num_attention_heads"), kv_heads = size("num_key_value_heads");
    std::size_t const window = window_of(static_cast<std::size_t>(std::stoi(layer_name.substr(13))));
    Rows q = with_bias(product(x, name + "q_proj.weight"), name + "q_proj.bias"),
         k = with_bias(product(x, name + "k_proj.weight"), name + "k_proj.bias");
    Rows const v = with_bias(product(x, name + "v_proj.weight"), name + "v_proj.bias");
    std::size_t const d = q[0].size() / heads;
    for (std::size_t t = 0; t < x.size(); ++t) {
      norm_heads(q[t], heads, name + "q_norm.weight");
      norm_heads(k[t], kv_heads, name + "k_norm.weight");
      rotate(q[t], heads, t, window > 0);
      rotate(k[t], kv_heads, t, window > 0);
    }
    Rows out(x.size(), Row(heads * d, 0.0f));
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < x.size(); ++t) attend(q, k, v, h * d, h / (heads / kv_heads) * d, d, t, window, out[t]);
    return product(out, name + "o_proj.weight");
  }
  void attend(const Rows& q, const Rows& k, const Rows& v, std::size_t q0, std::size_t kv0, std::size_t d, std::size_t t,
              std::size_t window, Row& out) const {
    std::size_t const first = window > 0 && t + 1 > window ? t + 1 - window : 0;
    float const divisor = gemma() ? number("query_pre_attn_scalar") : static_cast<float>(d);
    Row scores;
    float greatest = -INFINITY, total = 0;
    for (std::size_t u = first; u <= t; ++u) {
      float dot = 0;
      for (std::size_t i = 0; i < d; ++i) dot += q[t][q0 + i] * k[u][kv0 + i];
      scores.push_back(capped(dot / std::sqrt(divisor), number("attn_logit_softcapping")));
      greatest = std::max(greatest, scores.back());
    }
    for (float& s : scores) total += s = std::exp(s - greatest);
    for (std::size_t u = first; u <= t; ++u)
      for (std::size_t i = 0; i < d; ++i) out[q0 + i] += scores[u - first] / total * v[u][kv0 + i];
  }

  nlohmann::json config_;
  std::map<std::string, Row> weights_;
  std::map<std::string, std::pair<std::string, std::vector<std::size_t>>> others_;  // bytes and shape of what is not bf16
};

}  // namespace tcp::host
