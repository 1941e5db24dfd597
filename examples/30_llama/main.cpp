// A language model from its files to its tokens: a checkpoint in the published form, its weights in HBM, a prompt at once, then token after token. Beside it the same
// model on the host, in f32 and plain loops.
#include <unistd.h>
#include <tcp/io/safetensors.hpp>
#include <tcp/kernels/llama/model.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tcp/tcp.hpp>
#include <vector>

using namespace tcp;
using Row = std::vector<float>;
using Rows = std::vector<Row>;
using Ids = std::vector<std::int64_t>;

constexpr std::int64_t words = 96, hidden = 64, ffn = 96, heads = 4, kv_heads = 2, head = 16, layers = 1;

// The checkpoint: random weights under the names that Hugging Face gives them.

struct Tensor {
  io::Extents shape;
  std::vector<bf16> values;
};
std::map<std::string, Tensor> made_weights() {
  Random random(30);
  std::map<std::string, Tensor> all;
  auto const make = [&](const std::string& name, std::int64_t rows, std::int64_t columns, double around) {
    Tensor& t = all[name + ".weight"];
    t.shape = rows == 1 ? io::Extents{columns} : io::Extents{rows, columns};
    for (std::int64_t i = 0; i < rows * columns; ++i)
      t.values.push_back(bf16::from_double(around + static_cast<double>(random.between(-1000, 1000)) / 4000));
  };
  make("model.embed_tokens", words, hidden, 0);
  for (std::int64_t i = 0; i < layers; ++i) {
    std::string const in = "model.layers." + std::to_string(i) + ".";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"}) make(in + norm, 1, hidden, 1);
    make(in + "self_attn.q_proj", heads * head, hidden, 0);
    for (const char* kv : {"self_attn.k_proj", "self_attn.v_proj"}) make(in + kv, kv_heads * head, hidden, 0);
    make(in + "self_attn.o_proj", hidden, heads * head, 0);
    for (const char* to : {"mlp.gate_proj", "mlp.up_proj"}) make(in + to, ffn, hidden, 0);
    make(in + "mlp.down_proj", hidden, ffn, 0);
  }
  make("model.norm", 1, hidden, 1);
  make("lm_head", words, hidden, 0);
  return all;
}
void write_checkpoint(const std::filesystem::path& folder, const std::map<std::string, Tensor>& weights) {
  std::ofstream(folder / "config.json")
      << R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_act": "silu", "vocab_size": 96,
    "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 1, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
    "max_position_embeddings": 64, "rms_norm_eps": 1e-05, "rope_theta": 500000.0, "tie_word_embeddings": false, "eos_token_id": 95})";
  std::vector<io::TensorToWrite> tensors;
  for (auto const& [name, t] : weights) tensors.push_back({name, ScalarType::bf16, t.shape, std::as_bytes(std::span(t.values))});
  throw_if_refused(io::write_safetensors((folder / "model.safetensors").string(), tensors));
}

// The model on the host. Nothing is kept: every answer computes the whole sequence anew.

class Host {
 public:
  explicit Host(const std::map<std::string, Tensor>& weights) : weights_(weights) {}

  Row logits(const Ids& ids) const {
    Rows x;
    for (std::int64_t id : ids) {
      Row& row = x.emplace_back();
      for (std::int64_t i = 0; i < hidden; ++i) row.push_back(at("model.embed_tokens", id * hidden + i));
    }
    for (std::int64_t i = 0; i < layers; ++i) layer("model.layers." + std::to_string(i) + ".", x);
    return product("lm_head", normed("model.norm", x.back()));
  }

 private:
  float at(const std::string& name, std::int64_t i) const {
    return weights_.at(name + ".weight").values[static_cast<std::size_t>(i)].to_float();
  }
  Row normed(const std::string& name, const Row& x) const {
    float squares = 0;
    for (float v : x) squares += v * v;
    Row out;
    for (std::size_t i = 0; i < x.size(); ++i)
      out.push_back(x[i] / std::sqrt(squares / static_cast<float>(hidden) + 1e-5f) * at(name, static_cast<std::int64_t>(i)));
    return out;
  }
  Row product(const std::string& name, const Row& x) const {
    auto const columns = static_cast<std::int64_t>(x.size());
    Row out(static_cast<std::size_t>(weights_.at(name + ".weight").shape[0]), 0.0f);
    for (std::size_t o = 0; o < out.size(); ++o)
      for (std::int64_t i = 0; i < columns; ++i)
        out[o] += x[static_cast<std::size_t>(i)] * at(name, static_cast<std::int64_t>(o) * columns + i);
    return out;
  }
  // A checkpoint turns element i of a head together with element i + head / 2.
  static void turn(Row& row, std::size_t position) {
    for (std::size_t h = 0; h < row.size(); h += head)
      for (std::size_t i = 0; i < head / 2; ++i) {
        double const angle = static_cast<double>(position) * std::pow(500000.0, -2.0 * static_cast<double>(i) / head);
        auto const c = static_cast<float>(std::cos(angle)), s = static_cast<float>(std::sin(angle));
        float const a = row[h + i], b = row[h + i + head / 2];
        row[h + i] = a * c - b * s;
        row[h + i + head / 2] = b * c + a * s;
      }
  }
  void layer(const std::string& name, Rows& x) const {
    Rows q, k, v;
    for (std::size_t t = 0; t < x.size(); ++t) {
      Row const n = normed(name + "input_layernorm", x[t]);
      turn(q.emplace_back(product(name + "self_attn.q_proj", n)), t);
      turn(k.emplace_back(product(name + "self_attn.k_proj", n)), t);
      v.push_back(product(name + "self_attn.v_proj", n));
    }
    for (std::size_t t = 0; t < x.size(); ++t) {
      Row const attended = product(name + "self_attn.o_proj", attention(q[t], k, v, t));
      for (std::size_t i = 0; i < hidden; ++i) x[t][i] += attended[i];
      Row const n = normed(name + "post_attention_layernorm", x[t]);
      Row gate = product(name + "mlp.gate_proj", n);
      Row const up = product(name + "mlp.up_proj", n);
      for (std::size_t i = 0; i < ffn; ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
      Row const down = product(name + "mlp.down_proj", gate);
      for (std::size_t i = 0; i < hidden; ++i) x[t][i] += down[i];
    }
  }
  static Row attention(const Row& q, const Rows& k, const Rows& v, std::size_t last) {
    Row out(q.size(), 0.0f);
    for (std::size_t h = 0; h < heads; ++h) {
      std::size_t const mine = h * head, shared = h / (heads / kv_heads) * head;
      Row weights;
      float sum = 0;
      for (std::size_t t = 0; t <= last; ++t) {
        float score = 0;
        for (std::size_t i = 0; i < head; ++i) score += q[mine + i] * k[t][shared + i];
        sum += weights.emplace_back(std::exp(score / std::sqrt(static_cast<float>(head))));
      }
      for (std::size_t t = 0; t <= last; ++t)
        for (std::size_t i = 0; i < head; ++i) out[mine + i] += weights[t] / sum * v[t][shared + i];
    }
    return out;
  }

  const std::map<std::string, Tensor>& weights_;
};

/// Whether logits are as near as bf16 can be expected to be: 8 percent of their root mean square at the worst.
bool near(const Row& found, const Row& expected) {
  float squares = 0, worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    squares += expected[i] * expected[i];
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  return worst <= 0.08f * std::sqrt(squares / static_cast<float>(expected.size()));
}

void print(const char* what, const Ids& ids) {
  std::printf("%s", what);
  for (std::int64_t id : ids) std::printf(" %2lld", static_cast<long long>(id));
  std::puts("");
}

int main() try {
  auto const folder = std::filesystem::temp_directory_path() / ("tcp_lesson_30_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  auto const weights = made_weights();
  write_checkpoint(folder, weights);

  auto ctx = Context::acquire();
  auto const config = value_or_throw(kernels::read_llama_config((folder / "config.json").string()));
  auto const checkpoint = value_or_throw(kernels::Checkpoint::open(folder.string(), config));
  kernels::Llama llama(ctx, rngd, config, checkpoint, {.context = 24});
  std::printf("%lld numbers in %zu tensors\n", static_cast<long long>(config.parameters()), weights.size());

  // Prefill and decode, and the host beside them.
  Host const host(weights);
  kernels::LanguageModel const steps = llama.steps();
  Ids so_far;
  int off = 0;
  auto const watched = [&](kernels::Logits const& logits) {
    off += !near(logits, host.logits(so_far));
    return logits;
  };
  kernels::LanguageModel const model{steps.vocabulary, steps.context,
                                     [&](std::span<const std::int64_t> ids) {
                                       so_far.assign(ids.begin(), ids.end());
                                       return watched(steps.prefill(ids));
                                     },
                                     [&](std::int64_t id) {
                                       so_far.push_back(id);
                                       return watched(steps.decode(id));
                                     }};
  Ids const prompt{3, 14, 15, 92, 65};
  print("prompt: ", prompt);
  auto const greedy = value_or_throw(kernels::generate(model, prompt, {.most = 6, .stop_ids = config.stop_ids}));
  print("answer: ", greedy.ids);
  std::printf("logits after each token: %d wrong of %zu\n", off, greedy.ids.size());

  // What was decoded token by token, prefilled at once: the cache makes no difference.
  Ids all = prompt;
  all.insert(all.end(), greedy.ids.begin(), greedy.ids.end() - 1);
  auto const at_once = llama.prefill(all);
  auto const next = std::max_element(at_once.begin(), at_once.end()) - at_once.begin();
  std::printf("the last one, all others prefilled at once: %lld\n", static_cast<long long>(next));

  auto const drawn = value_or_throw(
      kernels::generate(llama.steps(), prompt, {.most = 6, .sampling = {.temperature = 0.8, .top_k = 20, .top_p = 0.9, .seed = 7}}));
  print("sampled:", drawn.ids);
  std::filesystem::remove_all(folder);
  return off == 0 && next == greedy.ids.back() ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
