// A layer with experts against the host: the attention of the tiny checkpoint's first layer, and behind it experts token by token in double precision.
//
// Which experts a token goes to is a choice: where two scores are closer than bf16 can tell, it is no test of anything, so the seeds are such that they are not.
#include "kernels/llama/moe_layer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "host_llama.hpp"
#include "kernels/figures/figures.hpp"
#include "kernels/llama/configuration.hpp"
#include "kernels/nightly.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/random.hpp"
#include "tiny_checkpoint.hpp"

namespace tcp {
namespace {

constexpr ScalarType bf = ScalarType::bf16;
constexpr std::int64_t capacity = 16;

using host::Rows;
using kernels::LayerTensor;
using kernels::LlamaStep;

/// Numbers of bf16, one behind the other.
std::vector<float> random_numbers(Random& random, std::int64_t count, double size) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < count; ++i)
    out.push_back(bf16::from_double(size * static_cast<double>(random.between(-1000, 1000)) / 1000).to_float());
  return out;
}
Rows random_rows(std::uint64_t seed, std::int64_t rows, std::int64_t columns) {
  Random random(seed);
  Rows out;
  for (std::int64_t r = 0; r < rows; ++r) out.push_back(random_numbers(random, columns, 2));
  return out;
}

class Layer {
 public:
  Layer(const kernels::MoeSizes& sizes, bool gated, BackendKind backend = BackendKind::vector)
      : ctx(Context::acquire(on(backend))),
        sizes_(sizes),
        gated_(gated),
        config_(value_or_throw(kernels::read_llama_config(checkpoint_.path("config.json")))),
        weights_(value_or_throw(kernels::Checkpoint::open(checkpoint_.path(), config_))),
        host_(checkpoint_.path()) {
    Random random(77);
    std::int64_t const matrix = sizes.intermediate * config_.hidden;
    router_ = random_numbers(random, sizes.experts * config_.hidden, 0.5);
    up_ = random_numbers(random, sizes.experts * matrix, 0.2);
    gate_ = random_numbers(random, sizes.experts * matrix, 0.2);
    down_ = random_numbers(random, sizes.experts * matrix, 0.2);
  }

  std::int64_t hidden() const { return config_.hidden; }

  /// Whether each token's last choice is ahead of what it leaves by more than the scores' errors: bf16's last place of them, and what attention has rounded.
  bool chooses_clearly(const Rows& in) const {
    auto const chosen = static_cast<std::size_t>(sizes_.chosen);
    for (auto const& row : host_.normed(host_.after_attention(in, "model.layers.0."), "model.layers.0.post_attention_layernorm.weight")) {
      auto const scores = scores_of({row.begin(), row.end()});
      auto const order = order_of(scores);
      if (scores[order[chosen - 1]] - scores[order[chosen]] < 0.03 * std::abs(scores[order[0]])) return false;
    }
    return true;
  }
  /// The first of these.
  Rows clear_rows(std::int64_t rows) const {
    for (std::uint64_t seed = 1;; ++seed)
      if (Rows const x = random_rows(seed, rows, config_.hidden); chooses_clearly(x)) return x;
  }
  Rows on_host(const Rows& in) const {
    Rows x = host_.after_attention(in, "model.layers.0.");
    Rows const normed = host_.normed(x, "model.layers.0.post_attention_layernorm.weight");
    for (std::size_t t = 0; t < x.size(); ++t) {
      std::vector<double> const y = of_experts(normed[t]);
      for (std::size_t d = 0; d < y.size(); ++d) x[t][d] += static_cast<float>(y[d]);
    }
    return x;
  }

  kernels::KvCache empty_cache(std::int64_t sequences = 1) {
    kernels::MoeDecoderLayer const layer(rngd, config_, {.capacity = capacity, .sequences = sequences}, sizes_);
    Mapping const layout = layer.attention().cache_layout();
    dyn::HostTensor const zeros(bf, layout);
    return {zeros.to_hbm(ctx.pdma, dyn::one, layout), zeros.to_hbm(ctx.pdma, dyn::one, layout)};
  }
  Rows run(const LlamaStep& step, const Rows& x, const kernels::KvCache& cache) {
    kernels::MoeDecoderLayer const layer(rngd, config_, step, sizes_);
    kernels::AttentionBlock const& attention = layer.attention();
    kernels::MoeFfn const& experts = layer.experts();
    kernels::RmsNorm const& norm = attention.norm();
    auto const read = [&](LayerTensor which, const Mapping& axes, const Mapping& layout) {
      auto const bits = weights_.read(which, 0);
      dyn::HostTensor host(bf, axes);
      std::copy(bits.begin(), bits.end(), host.data<bf16>());
      return host.to_hbm(ctx.pdma, dyn::one, layout);
    };
    auto const of_gemm = [&](LayerTensor which, const kernels::Gemm& gemm) {
      return read(which, dyn::map(gemm.n(), gemm.k()), gemm.b_layout());
    };
    Mapping const ups = dyn::map(experts.expert(), experts.up().n(), experts.up().k());
    kernels::MoeLayerTensors w;
    w.attention_norm = read(LayerTensor::attention_norm, norm.column(), norm.column_layout());
    w.qkv = of_gemm(LayerTensor::qkv, attention.to_qkv());
    w.output = of_gemm(LayerTensor::output, attention.to_output());
    w.ffn_norm = read(LayerTensor::ffn_norm, norm.column(), norm.column_layout());
    w.router = up(router_, dyn::map(experts.router().n(), experts.router().k()), experts.router_layout());
    w.up = up(up_, ups, experts.up_layout());
    if (gated_) w.gate = up(gate_, ups, experts.up_layout());
    w.down = up(down_, dyn::map(experts.expert(), experts.down().n(), experts.down().k()), experts.down_layout());
    w.numbers = experts.numbers().to_hbm(ctx.pdma, dyn::one, experts.numbers_layout());
    // Each of several sequences has its own row of the table; here they all begin, and the first position turns nothing.
    auto const rotations = kernels::rotation_table(step.sequences == 1 ? capacity : 1, kernels::rope_frequencies(config_));
    kernels::Rope const& rope = attention.rope();
    dyn::HostTensor table(bf, dyn::map(rope.position(), rope.pair(), rope.from(), rope.to()));
    for (std::size_t i = 0; i < table.size(); ++i) table.data<bf16>()[i] = rotations.data<bf16>()[i % rotations.size()];
    std::vector<float> flat;
    for (auto const& row : x) flat.insert(flat.end(), row.begin(), row.end());
    return down(launch(layer, ctx, up(flat, dyn::map(norm.row(), norm.column()), norm.layout()), w, cache,
                       table.to_hbm(ctx.pdma, dyn::one, rope.table_layout()))
                    .get(),
                step);
  }

  Context ctx;

 private:
  static ContextOptions on(BackendKind backend) {
    ContextOptions options;
    options.backend = backend;
    return options;
  }
  dyn::Tensor up(const std::vector<float>& values, const Mapping& axes, const Mapping& layout) {
    dyn::HostTensor host(bf, axes);
    EXPECT_EQ(host.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) host.data<bf16>()[i] = bf16::from_float(values[i]);
    return host.to_hbm(ctx.pdma, dyn::one, layout);
  }
  Rows down(const dyn::Tensor& t, const LlamaStep& step) {
    Mapping const element = t.levels()[Level::element];
    auto const host = t.to_host(ctx.pdma, element);
    Rows out;
    for (std::int64_t r = 0; r < step.rows(); ++r) {
      auto& row = out.emplace_back();
      for (std::int64_t c = 0; c < config_.hidden; ++c) row.push_back(host.data<bf16>()[r * (element.size / step.rows()) + c].to_float());
    }
    return out;
  }

  static double dot(const float* w, const std::vector<double>& x) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(w[i]) * x[i];
    return sum;
  }
  std::vector<double> of_expert(std::int64_t expert, const std::vector<double>& x) const {
    std::int64_t const d = config_.hidden, f = sizes_.intermediate, first = expert * d * f;
    std::vector<double> inner, out;
    for (std::int64_t i = 0; i < f; ++i) {
      double const up = dot(up_.data() + first + i * d, x), gate = dot(gate_.data() + first + i * d, x);
      inner.push_back(gated_ ? gate / (1 + std::exp(-gate)) * up : up);
    }
    for (std::int64_t i = 0; i < d; ++i) out.push_back(dot(down_.data() + first + i * f, inner));
    return out;
  }
  std::vector<double> scores_of(const std::vector<double>& x) const {
    std::vector<double> scores;
    for (std::int64_t e = 0; e < sizes_.experts; ++e) scores.push_back(dot(router_.data() + e * config_.hidden, x));
    return scores;
  }
  /// Experts, the best first.
  static std::vector<std::size_t> order_of(const std::vector<double>& scores) {
    std::vector<std::size_t> order(scores.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return scores[x] > scores[y]; });
    return order;
  }
  std::vector<double> of_experts(const host::Row& row) const {
    std::vector<double> const x(row.begin(), row.end()), scores = scores_of(x);
    std::vector<std::size_t> const order = order_of(scores);
    auto const chosen = static_cast<std::size_t>(sizes_.chosen);
    double total = 0;
    for (std::size_t k = 0; k < chosen; ++k) total += std::exp(scores[order[k]]);
    std::vector<double> out(x.size(), 0.0);
    for (std::size_t k = 0; k < chosen; ++k) {
      auto const y = of_expert(static_cast<std::int64_t>(order[k]), x);
      for (std::size_t d = 0; d < y.size(); ++d) out[d] += std::exp(scores[order[k]]) / total * y[d];
    }
    return out;
  }

  kernels::MoeSizes sizes_;
  bool gated_;
  kernels_test::TinyCheckpoint checkpoint_{"--size tiny --seed 4"};
  kernels::LlamaConfig config_;
  kernels::Checkpoint weights_;
  host::Llama host_;
  std::vector<float> router_, up_, gate_, down_;
};

/// As many roundings as a layer of Llama has, and those of scores that are exponents.
void expect_near(const Rows& found, const Rows& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE(host::distance(found, expected), 0.02);
}
double size_of(const Rows& rows) {
  double squares = 0;
  for (auto const& row : rows)
    for (float v : row) squares += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(squares);
}

struct Case {
  kernels::MoeSizes sizes;
  bool gated;
};
TEST(LlamaMoe, prefill_and_decode_with_experts) {
  for (Case const& c :
       {Case{{.experts = 8, .chosen = 2, .intermediate = 96}, false}, Case{{.experts = 16, .chosen = 4, .intermediate = 40}, true},
        Case{{.experts = 8, .chosen = 1, .intermediate = 33}, true}}) {
    SCOPED_TRACE(testing::Message() << c.sizes.chosen << " of " << c.sizes.experts);
    Layer layer(c.sizes, c.gated);
    Rows const x = layer.clear_rows(7), expected = layer.on_host(x);
    auto const cache = layer.empty_cache();
    Rows const first(x.begin(), x.begin() + 5), right(expected.begin(), expected.begin() + 5);
    expect_near(layer.run({.tokens = 5, .capacity = capacity}, first, cache), right);
    expect_near(layer.run({.past = 5, .capacity = capacity}, {x[5]}, cache), {expected[5]});
    expect_near(layer.run({.past = 6, .capacity = capacity}, {x[6]}, cache), {expected[6]});
  }
}
TEST(LlamaMoe, the_experts_are_much_of_it) {
  // So that the tolerance cannot hide them: without experts the error is as large as what they add.
  Layer layer({.experts = 8, .chosen = 2, .intermediate = 96}, false);
  Rows const x = layer.clear_rows(5), expected = layer.on_host(x);
  Rows const found = layer.run({.tokens = 5, .capacity = capacity}, x, layer.empty_cache());
  Rows rest = host::Llama(kernels_test::TinyCheckpoint("--size tiny --seed 4").path()).after_attention(x, "model.layers.0.");
  for (std::size_t r = 0; r < rest.size(); ++r)
    for (std::size_t c = 0; c < rest[r].size(); ++c) rest[r][c] -= found[r][c];
  EXPECT_GT(size_of(rest), 0.2 * size_of(expected));
}
TEST(LlamaMoe, the_same_bits_on_every_backend) {
  Rows const x = random_rows(5, 1, 64);
  std::vector<Rows> found;
  for (BackendKind backend : {BackendKind::vector, BackendKind::device, BackendKind::reference}) {
    Layer layer({.experts = 8, .chosen = 2, .intermediate = 16}, true, backend);
    found.push_back(layer.run({.capacity = capacity}, x, layer.empty_cache()));
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}
TEST(LlamaMoe, a_sequence_that_is_no_number_is_alone) {
  Layer layer({.experts = 8, .chosen = 2, .intermediate = 24}, false);
  LlamaStep const step{.capacity = capacity, .sequences = 4};
  Rows x = random_rows(6, 4, layer.hidden());
  Rows const without = layer.run(step, x, layer.empty_cache(4));
  x[1][5] = NAN;
  Rows const with = layer.run(step, x, layer.empty_cache(4));
  for (std::size_t t : {0u, 2u, 3u}) EXPECT_EQ(with[t], without[t]) << t;
  for (float v : with[1]) EXPECT_TRUE(std::isnan(v));
}
TEST(LlamaMoe, any_sizes_are_a_program) {
  Random random(12);
  for (int i = 0; i < nightly::cases(10); ++i) {
    kernels::LlamaConfig c;
    c.hidden = random.between(1, 300);
    c.kv_heads = random.between(1, 3);
    c.heads = c.kv_heads * random.between(1, 4);
    c.head_dim = 8 * random.between(2, 9);
    c.positions = 512;
    kernels::MoeSizes const sizes{
        .experts = 8 * random.between(1, 4), .chosen = random.between(1, 8), .intermediate = random.between(1, 150)};
    LlamaStep const step{.tokens = random.between(1, 60), .past = random.between(0, 100), .capacity = 200};
    SCOPED_TRACE(testing::Message() << "D " << c.hidden << ", " << sizes.chosen << " of " << sizes.experts << " of " << sizes.intermediate
                                    << ", " << step.tokens << " tokens behind " << step.past);
    EXPECT_EQ(build::code_of([&] {
                kernels::MoeDecoderLayer const layer(rngd, c, step, sizes);
                figures::Case record{.kernel = "", .size = ""};
                record.record = [&](Context& ctx, figures::Arguments& a) {
                  kernels::AttentionBlock const& attention = layer.attention();
                  kernels::MoeFfn const& experts = layer.experts();
                  auto const vector = [&] { return a(bf, attention.norm().column_layout()); };
                  kernels::MoeLayerTensors w;
                  w.attention_norm = vector();
                  w.qkv = a(bf, attention.to_qkv().b_layout());
                  w.output = a(bf, attention.to_output().b_layout());
                  w.ffn_norm = vector();
                  w.router = a(bf, experts.router_layout());
                  w.up = a(bf, experts.up_layout());
                  w.gate = i % 2 == 0 ? a(bf, experts.up_layout()) : dyn::Tensor();
                  w.down = a(bf, experts.down_layout());
                  w.numbers = a(ScalarType::i32, experts.numbers_layout());
                  kernels::KvCache const cache{a(bf, attention.cache_layout()), a(bf, attention.cache_layout())};
                  (void)layer(ctx, a(bf, attention.norm().layout()), w, cache, a(bf, attention.rope().table_layout()));
                };
                (void)figures::program_of(record);
              }),
              "accepted");
  }
}

}  // namespace
}  // namespace tcp
