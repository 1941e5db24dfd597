// Llama 3 on the host in f32, written from the model's publications and the checkpoint's own convention: elements i and i + d/2 of a head are rotated together,
// the whole sequence is computed anew for every answer, and nothing is kept. It shares no code with the kernels, not even the readers of files.
#pragma once

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
  }

  /// The logits behind each token.
  Rows logits(const std::vector<std::int64_t>& tokens) const {
    Rows x;
    std::size_t const hidden = size("hidden_size");
    for (std::int64_t t : tokens) {
      auto const row = weight("model.embed_tokens.weight").begin() + t * static_cast<std::int64_t>(hidden);
      x.emplace_back(row, row + static_cast<std::int64_t>(hidden));
    }
    for (std::size_t layer = 0; layer < size("num_hidden_layers"); ++layer)
      x = after_layer(x, "model.layers." + std::to_string(layer) + ".");
    bool const tied = config_.value("tie_word_embeddings", false);
    return product(normed(x, "model.norm.weight"), tied ? "model.embed_tokens.weight" : "lm_head.weight");
  }
  /// What a decoder layer makes of its input.
  Rows after_layer(const Rows& in, const std::string& name) const {
    Rows const x = after_attention(in, name);
    Rows const n = normed(x, name + "post_attention_layernorm.weight");
    Rows gate = product(n, name + "mlp.gate_proj.weight");
    Rows const up = product(n, name + "mlp.up_proj.weight");
    for (std::size_t r = 0; r < gate.size(); ++r)
      for (std::size_t i = 0; i < gate[r].size(); ++i) gate[r][i] = gate[r][i] / (1 + std::exp(-gate[r][i])) * up[r][i];
    return sum(x, product(gate, name + "mlp.down_proj.weight"));
  }
  /// What its first half makes of it.
  Rows after_attention(const Rows& in, const std::string& name) const {
    return sum(in, attention(normed(in, name + "input_layernorm.weight"), name + "self_attn."));
  }
  Rows normed(const Rows& x, const std::string& name) const {
    Row const& scale = weight(name);
    float const epsilon = config_.at("rms_norm_eps").get<float>();
    Rows out = x;
    for (Row& row : out) {
      float squares = 0;
      for (float v : row) squares += v * v;
      float const inverse = 1 / std::sqrt(squares / static_cast<float>(row.size()) + epsilon);
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = row[i] * inverse * scale[i];
    }
    return out;
  }

 private:
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
  float frequency(std::size_t i, std::size_t head_dim) const {
    double f = 1 / std::pow(config_.at("rope_theta").get<double>(), static_cast<double>(2 * i) / static_cast<double>(head_dim));
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
  void rotate(Row& row, std::size_t heads, std::size_t position) const {
    std::size_t const d = row.size() / heads;
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t i = 0; i < d / 2; ++i) {
        float const angle = static_cast<float>(position) * frequency(i, d), c = std::cos(angle), s = std::sin(angle);
        float &a = row[h * d + i], &b = row[h * d + i + d / 2];
        float const x = a, y = b;
        a = x * c - y * s;
        b = y * c + x * s;
      }
  }
  Rows attention(const Rows& x, const std::string& name) const {
    std::size_t const heads = size("num_attention_heads"), kv_heads = size("num_key_value_heads");
    Rows q = product(x, name + "q_proj.weight"), k = product(x, name + "k_proj.weight");
    Rows const v = product(x, name + "v_proj.weight");
    std::size_t const d = q[0].size() / heads;
    for (std::size_t t = 0; t < x.size(); ++t) {
      rotate(q[t], heads, t);
      rotate(k[t], kv_heads, t);
    }
    Rows out(x.size(), Row(heads * d, 0.0f));
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t t = 0; t < x.size(); ++t) attend(q, k, v, h * d, h / (heads / kv_heads) * d, d, t, out[t]);
    return product(out, name + "o_proj.weight");
  }
  static void attend(const Rows& q, const Rows& k, const Rows& v, std::size_t q0, std::size_t kv0, std::size_t d, std::size_t t, Row& out) {
    Row scores;
    float greatest = -INFINITY, total = 0;
    for (std::size_t u = 0; u <= t; ++u) {
      float dot = 0;
      for (std::size_t i = 0; i < d; ++i) dot += q[t][q0 + i] * k[u][kv0 + i];
      scores.push_back(dot / std::sqrt(static_cast<float>(d)));
      greatest = std::max(greatest, scores.back());
    }
    for (float& s : scores) total += s = std::exp(s - greatest);
    for (std::size_t u = 0; u <= t; ++u)
      for (std::size_t i = 0; i < d; ++i) out[q0 + i] += scores[u] / total * v[u][kv0 + i];
  }

  nlohmann::json config_;
  std::map<std::string, Row> weights_;
};

}  // namespace tcp::host
