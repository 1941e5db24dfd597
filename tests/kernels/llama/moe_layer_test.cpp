// A layer with experts in one launch, against its kernels launched one by one, each of which has a host oracle of its own.
#include "kernels/llama/moe_layer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/llama/rotation.hpp"
#include "recorder.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/support/random.hpp"

namespace tcp {
namespace {

constexpr ScalarType bf = ScalarType::bf16;

kernels::LlamaConfig tiny_config() {
  kernels::LlamaConfig c;
  c.vocabulary = 32;
  c.hidden = 64;
  c.intermediate = 1;
  c.layers = 1;
  c.heads = 4;
  c.kv_heads = 2;
  c.head_dim = 16;
  c.positions = 16;
  return c;
}

class Chip {
 public:
  dyn::Tensor random(const Mapping& axes, const Mapping& layout, double around = 0) {
    dyn::HostTensor host(bf, axes);
    for (std::size_t i = 0; i < host.size(); ++i)
      host.data<bf16>()[i] = bf16::from_double(around + static_cast<double>(random_.between(-1000, 1000)) / 4000);
    return host.to_hbm(ctx.pdma, dyn::one, layout);
  }
  dyn::Tensor random(const kernels::Gemm& gemm) { return random(dyn::map(gemm.n(), gemm.k()), gemm.b_layout()); }
  kernels::KvCache cache(const Mapping& layout) {
    dyn::HostTensor const zeros(bf, layout);
    return {zeros.to_hbm(ctx.pdma, dyn::one, layout), zeros.to_hbm(ctx.pdma, dyn::one, layout)};
  }
  std::vector<std::uint32_t> bits(const dyn::Tensor& t, std::int64_t rows, std::int64_t columns) {
    Mapping const element = t.levels()[Level::element];
    auto const host = t.to_host(ctx.pdma, element);
    std::vector<std::uint32_t> out;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c) out.push_back(host.data<bf16>()[r * (element.size / rows) + c].bits);
    return out;
  }

  Context ctx = Context::acquire(ContextOptions{});

 private:
  Random random_{9};
};

TEST(LlamaMoe, a_layer_with_experts_is_its_kernels) {
  Chip device;
  kernels::LlamaConfig const config = tiny_config();
  kernels::LlamaStep const step{.tokens = 6, .capacity = 16};
  kernels::MoeDecoderLayer const layer(rngd, config, step, {.experts = 8, .chosen = 2, .intermediate = 96});
  kernels::AttentionBlock const& attention = layer.attention();
  kernels::MoeFfn const& experts = layer.experts();
  kernels::RmsNorm const& norm = attention.norm();
  auto const x = device.random(dyn::map(norm.row(), norm.column()), norm.layout());
  kernels::MoeLayerTensors w;
  w.attention_norm = device.random(norm.column(), norm.column_layout(), 1);
  w.qkv = device.random(attention.to_qkv());
  w.output = device.random(attention.to_output());
  w.ffn_norm = device.random(norm.column(), norm.column_layout(), 1);
  w.router = device.random(experts.router());
  w.up = device.random(dyn::map(experts.expert(), experts.up().n(), experts.up().k()), experts.up_layout());
  w.down = device.random(dyn::map(experts.expert(), experts.down().n(), experts.down().k()), experts.down_layout());
  w.numbers = experts.numbers().to_hbm(device.ctx.pdma, dyn::one, experts.numbers_layout());
  auto const rotations = kernels::rotation_table(step.capacity, kernels::rope_frequencies(config))
                             .to_hbm(device.ctx.pdma, dyn::one, attention.rope().table_layout());

  auto const found = launch(layer, device.ctx, x, w, device.cache(attention.cache_layout()), rotations).get();

  auto const attended =
      launch(attention, device.ctx, x, w.attention_norm, w.qkv, w.output, device.cache(attention.cache_layout()), rotations).get();
  auto const normed = launch(norm, device.ctx, attended, w.ffn_norm).get();
  auto const routed = launch(experts, device.ctx, normed, w.router, w.up, w.down, w.numbers).get();
  auto const expected = launch(kernels::Residual(rngd, step.rows(), config.hidden), device.ctx, attended, routed).get();
  EXPECT_EQ(device.bits(found, 6, 64), device.bits(expected, 6, 64));
  EXPECT_NE(device.bits(found, 6, 64), device.bits(attended, 6, 64));  // the experts have added something
}

}  // namespace
}  // namespace tcp
