// One decoder layer, against the host's: one token and many, several sequences at once, one chip and two.
#include "kernels/llama/layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
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

using host::Rows;
using kernels::LayerTensor;
using kernels::LlamaStep;

constexpr ScalarType bf = ScalarType::bf16;
constexpr std::int64_t capacity = 16;

Rows random_rows(std::uint64_t seed, std::int64_t rows, std::int64_t columns) {
  Random random(seed);
  Rows out(static_cast<std::size_t>(rows), host::Row(static_cast<std::size_t>(columns)));
  for (auto& row : out)
    for (float& v : row) v = bf16::from_double(static_cast<double>(random.between(-1000, 1000)) / 500).to_float();
  return out;
}
/// A layer has about 13 roundings one behind the other: 0.16 percent of a row's length each, 0.6 together; scores double some of them.
void expect_near(const Rows& found, const Rows& expected) {
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_LE(host::distance(found, expected), 0.015);
}

/// The first layer of a tiny checkpoint, on a device and on the host.
class Layer {
 public:
  explicit Layer(std::int64_t chips = 1, BackendKind backend = BackendKind::vector)
      : ctx(Context::acquire(on(backend))),
        checkpoint_(chips <= 2 ? "--size tiny --seed 4" : "--size heads --seed 4"),
        config_(value_or_throw(kernels::read_llama_config(checkpoint_.path("config.json")))),
        weights_(value_or_throw(kernels::Checkpoint::open(checkpoint_.path(), config_))),
        host_(checkpoint_.path()),
        chips_(chips) {}

  Rows on_host(const Rows& x) const { return host_.after_layer(x, "model.layers.0."); }
  std::int64_t hidden() const { return config_.hidden; }

  kernels::KvCache empty_cache(std::int64_t sequences) {
    kernels::DecoderLayer const layer(rngd, config_, {.capacity = capacity, .sequences = sequences, .chips = chips_});
    dyn::HostTensor const zeros(bf, layer.cache_layout());
    return {zeros.to_hbm(ctx.pdma, layer.chip(), layer.cache_layout()), zeros.to_hbm(ctx.pdma, layer.chip(), layer.cache_layout())};
  }
  Rows run(const LlamaStep& step, const Rows& x, const kernels::KvCache& cache) {
    kernels::DecoderLayer const layer(rngd, config_, step);
    kernels::LayerTensors tensors;
    for (LayerTensor which : kernels::layer_tensors)
      tensors[which] = up(weights_.read(which, 0, chips_), layer.weight_axes(which), layer.chip(), layer.weight_layout(which));
    auto const in = up(flat(x), dyn::map(layer.attention().norm().row(), layer.attention().norm().column()), layer.chip(), layer.layout());
    return down(launched(layer, in, tensors, cache, rotations(layer, step)), step);
  }

  Context ctx;

 private:
  static ContextOptions on(BackendKind backend) {
    ContextOptions options;
    options.backend = backend;
    return options;
  }
  template <class... Args>
  dyn::Tensor launched(const kernels::DecoderLayer& layer, const Args&... args) {
    switch (chips_) {
      case 1: return launch(layer, ctx, args...).get();
      case 2: return launch<2>(layer, ctx, args...).get();
      case 4: return launch<4>(layer, ctx, args...).get();
      default: return launch<8>(layer, ctx, args...).get();
    }
  }
  static std::vector<bf16> flat(const Rows& rows) {
    std::vector<bf16> out;
    for (auto const& row : rows)
      for (float v : row) out.push_back(bf16::from_float(v));
    return out;
  }
  dyn::Tensor up(const std::vector<bf16>& values, const Mapping& axes, const Mapping& chip, const Mapping& layout) {
    dyn::HostTensor host(bf, axes);
    EXPECT_EQ(host.size(), values.size());
    std::copy(values.begin(), values.end(), host.data<bf16>());
    return host.to_hbm(ctx.pdma, chip, layout);
  }
  /// The whole table; of several sequences, each its own row.
  dyn::Tensor rotations(const kernels::DecoderLayer& layer, const LlamaStep& step) {
    kernels::Rope const& rope = layer.attention().rope();
    auto const all = kernels::rotation_table(capacity, kernels::rope_frequencies(config_));
    if (step.sequences == 1) return all.to_hbm(ctx.pdma, layer.chip(), rope.table_layout());
    dyn::HostTensor rows(bf, dyn::map(rope.position(), rope.pair(), rope.from(), rope.to()));
    std::int64_t const columns = config_.head_dim * 2;
    for (std::int64_t i = 0; i < step.sequences; ++i)
      std::copy_n(all.data<bf16>() + step.past * columns, columns, rows.data<bf16>() + i * columns);
    return rows.to_hbm(ctx.pdma, layer.chip(), rope.table_layout());
  }
  /// What the first chip has; all have the same.
  Rows down(const dyn::Tensor& t, const LlamaStep& step) {
    Mapping const element = t.levels()[Level::element];
    auto const host = t.to_host(ctx.pdma, dyn::map(step.chip(), element));
    Rows out;
    std::int64_t const columns = element.size / step.rows();
    for (std::int64_t r = 0; r < step.rows(); ++r) {
      auto& row = out.emplace_back();
      for (std::int64_t c = 0; c < config_.hidden; ++c) row.push_back(host.data<bf16>()[r * columns + c].to_float());
      for (std::int64_t chip = 1; chip < chips_; ++chip)
        for (std::int64_t c = 0; c < config_.hidden; ++c)
          EXPECT_EQ(host.data<bf16>()[(chip * step.rows() + r) * columns + c].bits, host.data<bf16>()[r * columns + c].bits);
    }
    return out;
  }

  kernels_test::TinyCheckpoint checkpoint_;
  kernels::LlamaConfig config_;
  kernels::Checkpoint weights_;
  host::Llama host_;
  std::int64_t chips_;
};

Rows first_of(const Rows& rows, std::size_t n) { return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(n)}; }

void check_prefill_and_decode(std::int64_t chips, BackendKind backend = BackendKind::vector) {
  Layer layer(chips, backend);
  Rows const x = random_rows(1, 7, layer.hidden()), expected = layer.on_host(x);
  auto const cache = layer.empty_cache(1);
  expect_near(layer.run({.tokens = 5, .capacity = capacity, .chips = chips}, first_of(x, 5), cache), first_of(expected, 5));
  expect_near(layer.run({.past = 5, .capacity = capacity, .chips = chips}, {x[5]}, cache), {expected[5]});
  expect_near(layer.run({.past = 6, .capacity = capacity, .chips = chips}, {x[6]}, cache), {expected[6]});
}
TEST(LlamaLayer, prefill_and_decode) { check_prefill_and_decode(1); }
TEST(LlamaLayer, prefill_and_decode_on_several_chips) {
  for (std::int64_t chips : {2, 4, 8}) check_prefill_and_decode(chips);
}
TEST(LlamaLayer, prefill_and_decode_on_simulated_chips) {
  for (std::int64_t chips : {1, 2, 8}) check_prefill_and_decode(chips, BackendKind::device);
}
TEST(LlamaLayer, one_token_on_every_backend) {
  std::vector<Rows> found;
  for (BackendKind backend : {BackendKind::vector, BackendKind::reference, BackendKind::device}) {
    Layer layer(1, backend);
    auto const cache = layer.empty_cache(1);
    found.push_back(layer.run({.tokens = 1, .capacity = capacity}, random_rows(2, 1, layer.hidden()), cache));
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}
/// A sequence with a NaN, or an infinity, in a token: its own rows are none any more, and its neighbours' are what they are without it.
TEST(LlamaLayer, numbers_that_are_none_stay_in_their_sequence) {
  for (float none : {NAN, INFINITY}) {
    Layer layer;
    Rows good = random_rows(20, 3, layer.hidden());
    auto const without = layer.run({.capacity = capacity, .sequences = 3}, good, layer.empty_cache(3));
    good[1][17] = none;
    auto const with = layer.run({.capacity = capacity, .sequences = 3}, good, layer.empty_cache(3));
    EXPECT_EQ(with[0], without[0]);
    EXPECT_EQ(with[2], without[2]);
    for (float v : with[1]) EXPECT_TRUE(std::isnan(v));
  }
}
TEST(LlamaLayer, several_sequences_at_once) {
  // From the first token on: each step appends one token to each of three sequences.
  constexpr std::int64_t sequences = 3;
  Layer layer;
  auto const cache = layer.empty_cache(sequences);
  std::vector<Rows> x, expected;
  for (std::uint64_t i = 0; i < sequences; ++i) {
    x.push_back(random_rows(10 + i, 3, layer.hidden()));
    expected.push_back(layer.on_host(x.back()));
  }
  for (std::int64_t s = 0; s < 3; ++s) {
    Rows in, out;
    for (std::size_t i = 0; i < sequences; ++i) {
      in.push_back(x[i][static_cast<std::size_t>(s)]);
      out.push_back(expected[i][static_cast<std::size_t>(s)]);
    }
    expect_near(layer.run({.past = s, .capacity = capacity, .sequences = sequences}, in, cache), out);
  }
}

TEST(LlamaLayer, any_sizes_are_a_program) {
  Random random(8);
  for (int i = 0; i < nightly::cases(30); ++i) {
    kernels::LlamaConfig c;
    std::int64_t const chips = std::int64_t{1} << random.between(0, 3);
    c.hidden = random.between(1, 700);
    c.intermediate = chips * random.between(1, 300);
    c.kv_heads = chips * random.between(1, 2);
    c.heads = c.kv_heads * random.between(1, 5);
    c.head_dim = 8 * random.between(2, 17);
    c.positions = 1024;
    LlamaStep step{.past = random.between(0, 300), .capacity = 700, .chips = chips};
    (i % 2 == 0 ? step.tokens : step.sequences) = random.between(1, i % 2 == 0 ? 300 : 20);
    SCOPED_TRACE(testing::Message() << "D " << c.hidden << ", F " << c.intermediate << ", heads " << c.heads << " and " << c.kv_heads
                                    << " of " << c.head_dim << "; " << step.sequences << " x " << step.tokens << " behind " << step.past
                                    << " on " << chips);
    EXPECT_EQ(build::code_of([&] {
                kernels::DecoderLayer const layer(rngd, c, step);
                figures::Case record{.kernel = "", .size = "", .chips = chips};
                record.record = [&](Context& ctx, figures::Arguments& a) {
                  kernels::LayerTensors weights;
                  for (LayerTensor which : kernels::layer_tensors) weights[which] = a(bf, layer.chip(), layer.weight_layout(which));
                  kernels::KvCache const cache{a(bf, layer.chip(), layer.cache_layout()), a(bf, layer.chip(), layer.cache_layout())};
                  (void)layer(ctx, a(bf, layer.chip(), layer.layout()), weights, cache,
                              a(bf, layer.chip(), layer.attention().rope().table_layout()));
                };
                (void)figures::program_of(record);
              }),
              "accepted");
  }
}

}  // namespace
}  // namespace tcp
