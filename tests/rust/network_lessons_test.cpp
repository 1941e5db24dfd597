// Layers of networks, lessons 25, 26, 29 and 30: lessons/network_lessons.rs goes other ways than the library where the vendor's crate has no call for the library's,
// and gives the same bits.
#include <tcp/kernels/attention/flash.hpp>
#include <tcp/kernels/conv/conv.hpp>
#include <tcp/kernels/gather/gather.hpp>
#include <tcp/kernels/llama/layer.hpp>
#include <tcp/kernels/llama/model.hpp>
#include <tcp/kernels/moe/moe.hpp>

#include <limits>
#include <string>
#include <vector>

#include "recorded.hpp"
#include "same_bits.hpp"

namespace tcp::rust {
namespace {

using Values = std::vector<reference::Value>;

/// What the kernel of this name records; `given` becomes random arguments for it.
ir::Module in_rust(const std::string& name, Values& given) {
  static auto const crate = Crate::open(TCP_SOURCE_DIR "/tests/rust/lessons/network_lessons.rs");
  EXPECT_TRUE(crate.ok()) << render(crate.refusal());
  for (const Kernel& k : crate->kernels()) {
    if (k.name != name) continue;
    KernelReading const reading = crate->read(k, rngd);
    EXPECT_EQ(words_of(reading.errors), "");
    given = random_arguments(*reading.module, 23);
    return *reading.module;
  }
  ADD_FAILURE() << "network_lessons.rs has no kernel " << name;
  return {};
}

/// The weights of a filter as the library keeps them, [filter, weight], from [filter, row, column, channel] with zeros for channels that are not there.
reference::Value filters_of_library(const kernels::Conv2d& conv, reference::Value& in_rust) {
  kernels::ConvSizes const& s = conv.sizes();
  kernels::ConvTiling const& t = conv.tiling();
  std::int64_t const taps = s.filter_rows * s.filter_columns, channels = in_rust.size() / s.filters / taps,
                     weights = t.weights() / t.spacing;
  reference::Value out(ScalarType::bf16, {{Name("Filter"), t.groups * t.filters_of_slice(rngd)}, {Name("Weight"), weights}});
  for (std::int64_t i = 0; i < out.size(); ++i) out[i] = in_rust[0];  // what is behind the weights counts nothing
  for (std::int64_t i = 0; i < in_rust.size(); ++i) {
    std::int64_t const k = i % channels, tap = i / channels % taps, filter = i / channels / taps;
    if (k < s.channels) out[filter * weights + k * taps + tap] = in_rust[i];
    else in_rust[i].bits = 0;
  }
  return out;
}

Given image(const kernels::Conv2d& conv) { return {ScalarType::bf16, conv.image_layout()}; }
Given weights(const kernels::Conv2d& conv) { return {ScalarType::bf16, conv.filter_layout()}; }

/// All numbers are small multiples of 1/8, so that sums are exact in any order.
void expect_convolution(const std::string& name, const kernels::ConvSizes& sizes) {
  SCOPED_TRACE(name);
  kernels::Conv2d const conv(rngd, sizes);
  Values given;
  ir::Module const ours = in_rust(name, given);
  ASSERT_EQ(given.size(), 2u);
  reference::Value const filters = filters_of_library(conv, given[1]);
  emitted::expect_same_results(ours, given, recorded(conv, image(conv), weights(conv)), {given[0], filters});
}
TEST(NetworkLessons, ConvolutionLayers) {
  kernels::ConvSizes layer{.images = 2, .channels = 3, .filters = 16, .rows = 40, .columns = 50, .filter_rows = 7, .filter_columns = 7};
  layer.stride = 2;
  layer.padding = 3;
  expect_convolution("seven_by_seven", layer);
  layer = {.images = 2, .channels = 16, .filters = 24, .rows = 14, .columns = 14, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  expect_convolution("three_by_three", layer);
  layer.dilation = layer.padding = 2;
  expect_convolution("dilated", layer);
  layer.stride = 2;
  expect_convolution("strided_and_dilated", layer);
  layer.filter_rows = layer.filter_columns = layer.dilation = 1;
  layer.padding = 0;
  expect_convolution("pointwise", layer);
}
TEST(NetworkLessons, TwoLayersInOneLaunch) {
  kernels::ConvSizes sizes{
      .images = 2, .channels = 4, .filters = 8, .rows = 14, .columns = 14, .filter_rows = 3, .filter_columns = 3, .padding = 1};
  expect_convolution("first", sizes);
  kernels::Conv2d const first(rngd, sizes);
  sizes.channels = 8;
  expect_convolution("second", sizes);
  kernels::Conv2d const second(rngd, sizes);

  Values given;
  ir::Module const ours = in_rust("two_layers", given);
  ASSERT_EQ(given.size(), 3u);
  auto const both = [&](Context& ctx, const dyn::Tensor& x, const dyn::Tensor& f, const dyn::Tensor& g) {
    return second(ctx, first(ctx, x, f), g);
  };
  reference::Value const f = filters_of_library(first, given[1]), g = filters_of_library(second, given[2]);
  emitted::expect_same_results(ours, given, recorded(both, image(first), weights(first), weights(second)), {given[0], f, g});
}

TEST(NetworkLessons, FlashAttention) {
  constexpr kernels::AttentionSizes sizes{.q_heads = 4, .kv_heads = 2, .head_dim = 32, .capacity = 200};
  constexpr std::int64_t tokens = 150, keys = 256;
  kernels::FlashAttention const attend(rngd, sizes, tokens);
  auto const prefill = [&](Context& ctx, const dyn::Tensor& q, const dyn::Tensor& k, const dyn::Tensor& v, const dyn::Tensor& k_cache,
                           const dyn::Tensor& v_cache) {
    kernels::append_to_cache(ctx, sizes, k, tokens, k_cache, 0, 0);
    kernels::append_to_cache(ctx, sizes, v, tokens, v_cache, 0, 0);
    return attend(ctx, q, k_cache, v_cache);
  };
  Given const token{ScalarType::bf16, kernels::new_keys_layout(rngd, sizes, tokens)}, cache{ScalarType::bf16, kernels::cache_layout(sizes)};

  Values given;
  ir::Module const ours = in_rust("prefill", given);
  ASSERT_EQ(given.size(), 6u);
  ASSERT_EQ(given[5].size(), tokens * keys);
  for (std::int64_t i = 0; i < tokens * keys; ++i)
    given[5][i].bits = f32::from_float(i % keys <= i / keys ? 0 : -std::numeric_limits<float>::infinity()).bits;
  emitted::expect_same_results(ours, given, recorded(prefill, Given{ScalarType::bf16, attend.layout()}, token, token, cache, cache), given);
}

TEST(NetworkLessons, MixtureOfExperts) {
  kernels::MoeFfn const moe(rngd, 6, 32, 48, 8, 2, 4);
  Values given;
  ir::Module const ours = in_rust("moe", given);
  ASSERT_EQ(given.size(), 5u);
  for (std::int64_t i = 0; i < given[4].size(); ++i) given[4][i].bits = static_cast<std::uint32_t>(i);
  Given const x{ScalarType::bf16, moe.rows()}, router{ScalarType::bf16, moe.router_layout()}, up{ScalarType::bf16, moe.up_layout()};
  Given const down{ScalarType::bf16, moe.down_layout()}, numbers{ScalarType::i32, moe.numbers().element()};
  emitted::expect_same_results(ours, given, recorded(moe, x, router, up, down, numbers), given);
}

/// The model of lesson 30.
kernels::LlamaConfig small_model() {
  kernels::LlamaConfig config;
  config.vocabulary = 96;
  config.hidden = 64;
  config.intermediate = 96;
  config.layers = 1;
  config.heads = 4;
  config.kv_heads = 2;
  config.head_dim = 16;
  config.positions = 64;
  config.rope_theta = 500000;
  return config;
}
void expect_decoder_layer(const std::string& name, std::int64_t tokens, std::int64_t past) {
  SCOPED_TRACE(name);
  kernels::DecoderLayer const layer(rngd, small_model(), {.tokens = tokens, .past = past, .capacity = 24});
  auto const run = [&](Context& ctx, const dyn::Tensor& x, const dyn::Tensor& norm, const dyn::Tensor& qkv, const dyn::Tensor& rotations,
                       const dyn::Tensor& keys, const dyn::Tensor& values, const dyn::Tensor& output, const dyn::Tensor& ffn_norm,
                       const dyn::Tensor& gate_up, const dyn::Tensor& down) {
    return layer(ctx, x, {norm, qkv, output, ffn_norm, gate_up, down}, {keys, values}, rotations);
  };
  auto const weight = [&](kernels::LayerTensor which) { return Given{ScalarType::bf16, layer.weight_layout(which)}; };
  using enum kernels::LayerTensor;
  Given const x{ScalarType::bf16, layer.layout()}, rotations{ScalarType::bf16, layer.attention().rope().table_layout()};
  Given const cache{ScalarType::bf16, layer.cache_layout()};

  Values given;
  ir::Module const ours = in_rust(name, given);
  emitted::expect_same_results(ours, given,
                               recorded(run, x, weight(attention_norm), weight(qkv), rotations, cache, cache, weight(output),
                                        weight(ffn_norm), weight(gate_up), weight(down)),
                               given);
}
TEST(NetworkLessons, LlamaDecodes) { expect_decoder_layer("decode_layer", 1, 5); }
TEST(NetworkLessons, LlamaPrefills) { expect_decoder_layer("prefill_layer", 5, 0); }

TEST(NetworkLessons, LlamaFromWordsToLogits) {
  for (std::int64_t const words : {1, 5}) {
    kernels::Embedding const embedding(rngd, words, 96, 64, ScalarType::bf16);
    Values given;
    ir::Module const ours = in_rust(words == 1 ? "embed_word" : "embed_prompt", given);
    emitted::expect_same_results(
        ours, given, recorded(embedding, Given{ScalarType::bf16, embedding.table_layout()}, Given{ScalarType::i32, dyn::axis("T", words)}),
        given);
  }
  kernels::LlamaHead const head(rngd, small_model(), 1, 0);
  Values given;
  ir::Module const ours = in_rust("logits", given);
  Given const row{ScalarType::bf16, head.norm().layout()}, weight{ScalarType::bf16, head.norm().column_layout()};
  emitted::expect_same_results(ours, given, recorded(head, row, weight, Given{ScalarType::bf16, head.product().b_layout()}), given);
}

}  // namespace
}  // namespace tcp::rust
