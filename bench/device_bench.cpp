// The simulated chip with values against the vector interpreter: the second launch of the same kernel on either, one
// thread each, in turns. The chip is run in the `book` model of time.
#include <cstdint>
#include <cstdio>
#include <string>
#include <tcp/tcp.hpp>
#include <vector>

#include "kernels/llama/layer.hpp"
#include "pairs.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/runtime/prepare.hpp"
#include "tcp/support/random.hpp"

using namespace tcp;

namespace {

TCP_AXES(I = 2048, J = 2048, K = 2048);
using Chip = m<1>;

/// The product of kernel_bench.
auto gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b)
    -> HbmTensor<bf16, Chip, m<I, J>> {
  using Cluster = m<J / 256 % 2>;
  using Slice = m<I / 32 % 16, J / 16 % 16>;
  auto c = HbmTensor<bf16, Chip, m<I, J>>::from_addr(std::int64_t{2} << 28);
  for (std::int64_t x = 0; x < 4; ++x) {
    auto a_dm = a.tile<m<I / 512>, 1>(x).to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma, 0);
    for (std::int64_t y = 0; y < 4; ++y) {
      auto b_dm = b.tile<m<J / 512>, 1>(y).to_dm<Cluster, Slice, m<J % 16, K>>(ctx.tdma, 1 << 17);
      auto weights = ctx.sub.begin(b_dm.view())
                         .fetch<bf16, m<J % 8, J / 8 % 2, K / 16>, m<K % 16>>()
                         .collect<m<J % 8, J / 8 % 2, K / 16>, m<K % 16>>()
                         .to_trf<m<J % 8>, m<J / 8 % 2, K>>(TrfAddress::Full);
      auto c_dm = ctx.main.begin(a_dm.view())
                      .fetch<bf16, m<I % 32, J / 8 % 2, K / 16>, m<K % 16>>()
                      .collect<m<I % 32, J / 8 % 2, K / 16>, m<K % 16>>()
                      .align<m<I % 32, J / 8 % 2, K / 32>, m<K % 32>>(weights)
                      .contract<m<1>>()
                      .accumulate<m<I % 32, J / 8 % 2>, m<J % 8>>(AccumulationKind::Interleaved)
                      .cast<bf16, m<(J % 8).pad(16)>>()
                      .commit<m<I % 32, J % 16>>(1 << 18);
      ctx.tdma.dma(c_dm, c.view_mut().tile<m<I / 512>, 1>(x).tile<m<J / 512>, 1>(y));
    }
  }
  return c;
}

Context on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  options.threads = 1;
  return Context::acquire(options);
}

/// Seconds of the second launch.
double gemm_seconds(BackendKind backend) {
  auto ctx = on(backend);
  Random random(6);
  auto const a = HostTensor<bf16, m<I, K>>::rand(random).to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
  auto const b = HostTensor<bf16, m<J, K>>::rand(random).to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28);
  (void)launch(gemm, ctx, a, b).get();
  return bench::seconds([&] { launch(gemm, ctx, a, b).wait(); });
}

/// A layer of a model 512 wide over a prompt of 32 tokens.
double layer_seconds(BackendKind backend) {
  auto ctx = on(backend);
  kernels::LlamaConfig c;
  c.vocabulary = 1024;
  c.hidden = 512;
  c.intermediate = 1408;
  c.layers = 1;
  c.heads = 8;
  c.kv_heads = 2;
  c.head_dim = 64;
  c.positions = 128;
  kernels::DecoderLayer const layer(rngd, c, {.tokens = 32, .capacity = 128});
  Random random(3);
  auto const tensor = [&](const Mapping& layout) {
    dyn::HostTensor host(ScalarType::bf16, layout);
    for (std::size_t i = 0; i < host.size(); ++i)
      host.data<bf16>()[i] = bf16::from_double(static_cast<double>(random.next() % 2001) / 20000.0 - 0.05);
    return host.to_hbm(ctx.pdma, dyn::one, layout);
  };
  kernels::LayerTensors weights;
  for (kernels::LayerTensor which : kernels::layer_tensors) weights[which] = tensor(layer.weight_layout(which));
  kernels::KvCache const cache{tensor(layer.cache_layout()), tensor(layer.cache_layout())};
  auto const x = tensor(layer.layout()), rotations = tensor(layer.attention().rope().table_layout());
  (void)launch(layer, ctx, x, weights, cache, rotations).get();
  return bench::seconds([&] { launch(layer, ctx, x, weights, cache, rotations).wait(); });
}

void print(const char* name, double (*seconds)(BackendKind)) {
  std::vector<double> vector;
  for (int i = 0; i < 3; ++i) vector.push_back(seconds(BackendKind::vector));
  double const device = seconds(BackendKind::device);
  std::fprintf(stderr, "%s: vector %.3f s, device %.3f s\n", name, bench::median(vector), device);
  std::printf("ratio %s %.4f\n", name, bench::median(vector) / device);
  std::fflush(stdout);
}

}  // namespace

int main() {
  print("device_vs_vector_layer", layer_seconds);
  print("device_vs_vector_gemm", gemm_seconds);
}
