// A whole model on the fast interpreter, with random weights that this program writes as a checkpoint: a tiny one,
// whose token is all overhead, and one of the 1B shape (16 layers, 2048 wide, bf16, 2.47 GB), whose token should cost
// little more than reading its weights once.
//
//   llama_bench          both
//   llama_bench tiny     the tiny one alone
//   llama_bench 1b [L] [N]   the large one alone, with L layers of its 16, and N tokens instead of 5
#include <cblas.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/llama/model.hpp"
#include "openblas.hpp"
#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/tcp.hpp"

using namespace tcp;

namespace {

struct Shape {
  std::int64_t vocabulary, hidden, intermediate, layers, heads, kv_heads, head_dim;
  bool tied;
};
constexpr Shape tiny{256, 64, 160, 2, 4, 2, 16, false};
constexpr Shape one_b{128256, 2048, 8192, 16, 32, 8, 64, true};

std::string config_of(const Shape& s) {
  auto const number = [](const char* name, std::int64_t n) { return ",\"" + std::string(name) + "\":" + std::to_string(n); };
  return "{\"model_type\":\"llama\",\"architectures\":[\"LlamaForCausalLM\"],\"hidden_act\":\"silu\",\"rms_norm_eps\":1e-05,"
         "\"rope_theta\":500000.0" +
         number("max_position_embeddings", 2048) + number("vocab_size", s.vocabulary) + number("hidden_size", s.hidden) +
         number("intermediate_size", s.intermediate) + number("num_hidden_layers", s.layers) + number("num_attention_heads", s.heads) +
         number("num_key_value_heads", s.kv_heads) + number("head_dim", s.head_dim) + number("eos_token_id", s.vocabulary - 1) +
         ",\"tie_word_embeddings\":" + (s.tied ? "true" : "false") + "}";
}

/// A folder with config.json and model.safetensors, which goes with it.
class RandomCheckpoint {
 public:
  explicit RandomCheckpoint(const Shape& s)
      : folder_((std::filesystem::temp_directory_path() / ("tcp_llama_bench_" + std::to_string(getpid()))).string()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/config.json") << config_of(s);
    add("model.embed_tokens.weight", s.vocabulary, s.hidden);
    for (std::int64_t layer = 0; layer < s.layers; ++layer) {
      std::string const in = "model.layers." + std::to_string(layer) + ".";
      std::int64_t const queries = s.heads * s.head_dim, keys = s.kv_heads * s.head_dim;
      add(in + "input_layernorm.weight", 0, s.hidden);
      add(in + "self_attn.q_proj.weight", queries, s.hidden);
      add(in + "self_attn.k_proj.weight", keys, s.hidden);
      add(in + "self_attn.v_proj.weight", keys, s.hidden);
      add(in + "self_attn.o_proj.weight", s.hidden, queries);
      add(in + "post_attention_layernorm.weight", 0, s.hidden);
      add(in + "mlp.gate_proj.weight", s.intermediate, s.hidden);
      add(in + "mlp.up_proj.weight", s.intermediate, s.hidden);
      add(in + "mlp.down_proj.weight", s.hidden, s.intermediate);
    }
    add("model.norm.weight", 0, s.hidden);
    if (!s.tied) add("lm_head.weight", s.vocabulary, s.hidden);
    header_ += "}";
    header_ += std::string((8 - header_.size() % 8) % 8, ' ');
    write();
  }
  ~RandomCheckpoint() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  RandomCheckpoint(const RandomCheckpoint&) = delete;
  RandomCheckpoint& operator=(const RandomCheckpoint&) = delete;

  const std::string& folder() const { return folder_; }
  std::string weights() const { return folder_ + "/model.safetensors"; }
  std::size_t bytes() const { return at_; }

 private:
  void add(const std::string& name, std::int64_t rows, std::int64_t columns) {
    std::size_t const bytes = 2 * static_cast<std::size_t>((rows == 0 ? 1 : rows) * columns);
    header_ += (header_.size() > 1 ? ",\"" : "\"") + name + R"(":{"dtype":"BF16","shape":[)" +
               (rows == 0 ? "" : std::to_string(rows) + ",") + std::to_string(columns) + R"(],"data_offsets":[)" + std::to_string(at_) +
               "," + std::to_string(at_ + bytes) + "]}";
    at_ += bytes;
  }
  /// Numbers around 0 with a spread of about 1/40: random signs and digits, exponents of 2^-9 to 2^-6.
  void write() const {
    std::ofstream file(weights(), std::ios::binary);
    for (std::uint64_t i = 0, n = header_.size(); i < 8; ++i) file.put(static_cast<char>(n >> (8 * i) & 0xff));
    file << header_;
    std::vector<std::uint16_t> some(1 << 20);
    std::uint64_t state = 88172645463325252ull;
    for (std::size_t left = at_ / 2; left > 0;) {
      std::size_t const here = std::min(left, some.size());
      for (std::size_t i = 0; i < here; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        some[i] = static_cast<std::uint16_t>((state & 0x807f) | (118 + (state >> 20) % 4) << 7);
      }
      file.write(reinterpret_cast<const char*>(some.data()), static_cast<std::streamsize>(2 * here));
      left -= here;
    }
    if (!file.flush()) {
      std::fprintf(stderr, "%s cannot be written\n", weights().c_str());
      std::exit(1);
    }
  }

  std::string folder_, header_ = "{";
  std::size_t at_ = 0;
};

ContextOptions on_vector(int threads) {
  ContextOptions options;
  options.threads = threads;
  return options;
}

/// Reads a file as a program that wants its bytes would.
void read_file(const std::string& path, std::vector<std::byte>& into) {
  int const file = open(path.c_str(), O_RDONLY);
  std::size_t at = 0;
  for (ssize_t got = 1; got > 0 && at < into.size(); at += static_cast<std::size_t>(got > 0 ? got : 0))
    got = read(file, into.data() + at, std::min(into.size() - at, std::size_t{1} << 24));
  close(file);
}

std::uint64_t sum_of(const std::vector<std::byte>& bytes) {
  auto const* const words = reinterpret_cast<const std::uint64_t*>(bytes.data());
  std::uint64_t sums[16] = {};
  for (std::size_t i = 0; i + 16 <= bytes.size() / 8; i += 16)
    for (std::size_t k = 0; k < 16; ++k) sums[k] += words[i + k];
  std::uint64_t all = 0;
  for (std::uint64_t s : sums) all += s;
  return all;
}

std::vector<std::int64_t> prompt_of(const Shape& s, std::int64_t tokens) {
  std::vector<std::int64_t> ids;
  for (std::int64_t i = 0; i < tokens; ++i) ids.push_back((7 + 31 * i) % s.vocabulary);
  return ids;
}

double least(const std::vector<double>& v) { return *std::min_element(v.begin(), v.end()); }

void measure_tiny() {
  RandomCheckpoint const files(tiny);
  auto const config = value_or_throw(kernels::read_llama_config(files.folder() + "/config.json"));
  auto const weights = value_or_throw(kernels::Checkpoint::open(files.folder(), config));
  auto ctx = Context::acquire(on_vector(0));
  kernels::Llama llama(ctx, rngd, config, weights, {.context = 128});
  llama.prefill(prompt_of(tiny, 8));
  std::vector<double> took;
  for (int i = 0; i < 100; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    llama.decode(i);
    took.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
  }
  std::printf("figure llama_tiny_ms_per_token %.2f ms\n", bench::median(took));
  std::fflush(stdout);
}

/// The products of a prefill, f32, as OpenBLAS does them.
double blas_seconds(const Shape& s, std::int64_t tokens, int threads) {
  std::int64_t const queries = s.heads * s.head_dim, keys = s.kv_heads * s.head_dim;
  auto const product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    auto const cells = [](std::int64_t count) { return std::vector<float>(static_cast<std::size_t>(count), 0.5f); };
    auto const a = cells(m * k), b = cells(n * k);
    auto c = cells(m * n);
    double best = 1e9;
    for (int i = 0; i < 3; ++i)
      best = std::min(best, bench::seconds(
                                [&] {
                                  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(m), static_cast<int>(n),
                                              static_cast<int>(k), 1, a.data(), static_cast<int>(k), b.data(), static_cast<int>(k), 0,
                                              c.data(), static_cast<int>(n));
                                },
                                threads));
    return best;
  };
  double const layer = product(tokens, queries + 2 * keys, s.hidden) + product(tokens, s.hidden, queries) +
                       product(tokens, 2 * s.intermediate, s.hidden) + product(tokens, s.hidden, s.intermediate);
  return static_cast<double>(s.layers) * layer + product(1, s.vocabulary, s.hidden);
}

void measure_one_b(const Shape& shape, int rounds) {
  constexpr int threads = 1;  // timed by what the process has of the processor, whatever else runs
  openblas_set_num_threads(threads);
  RandomCheckpoint const files(shape);
  auto const config = value_or_throw(kernels::read_llama_config(files.folder() + "/config.json"));
  std::vector<std::byte> buffer(files.bytes());
  std::vector<double> reads, streams;
  for (int i = 0; i < 3; ++i) {
    std::vector<std::byte> fresh;
    reads.push_back(bench::seconds(
        [&] {
          fresh.resize(files.bytes());
          read_file(files.weights(), fresh);
        },
        threads));
  }
  read_file(files.weights(), buffer);
  std::uint64_t sum = 0;
  auto const stream = [&] { streams.push_back(bench::seconds([&] { sum += sum_of(buffer); }, threads)); };

  auto ctx = Context::acquire(on_vector(threads));
  std::optional<kernels::Checkpoint> weights;
  std::optional<kernels::Llama> llama;
  double const load = bench::seconds(
      [&] {
        weights.emplace(value_or_throw(kernels::Checkpoint::open(files.folder(), config)));
        llama.emplace(ctx, rngd, config, *weights, kernels::LlamaOptions{.context = 512});
      },
      threads);
  std::fprintf(stderr, "read %.3f s, load %.3f s\n", least(reads), load);
  constexpr std::int64_t tokens = 256;
  auto const prompt = prompt_of(shape, tokens);
  llama->prefill(prompt);  // plans, and pages that are touched for the first time
  std::vector<double> prefills, decodes;
  double const blas = blas_seconds(shape, tokens, threads);
  for (int i = 0; i < 2; ++i) prefills.push_back(bench::seconds([&] { llama->prefill(prompt); }, threads));
  llama->decode(1);
  for (int i = 0; i < rounds; ++i) {
    stream();
    decodes.push_back(bench::seconds([&] { llama->decode(i); }, threads));
  }
  std::fprintf(stderr, "stream %.3f s, decode %.3f s, prefill %.3f s, OpenBLAS %.3f s (%llu)\n", least(streams), bench::median(decodes),
               least(prefills), blas, static_cast<unsigned long long>(sum % 10));
  bench::print_ratio("load_vs_read", least(reads) / load);
  bench::print_ratio("decode_vs_stream", least(streams) / bench::median(decodes));
  bench::print_ratio("prefill_vs_blas", blas / least(prefills));
}

}  // namespace

int main(int count, char** arguments) try {
  bench::with_best_openblas(arguments);
  std::string_view const which = count > 1 ? arguments[1] : "";
  if (which.empty() || which == "tiny") measure_tiny();
  Shape large = one_b;
  if (count > 2) large.layers = std::atoll(arguments[2]);
  if (which.empty() || which == "1b") measure_one_b(large, count > 3 ? std::atoi(arguments[3]) : 5);
  return 0;
} catch (const Refused& refused) {
  std::fprintf(stderr, "%s\n", refused.what());
  return 1;
}
