// One matrix product, C[i, j] = sum over k of A[i, k] * B[j, k], with its mappings left open: ./tuning rows, tiles, clusters.
#include <cstdio>
#include <string_view>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(I = 512, J = 512, K = 64);
using Chip = m<1>;
template <class Element>
using Hbm = HbmTensor<bf16, Chip, Element>;

// Who works, which rows of A each slice has, and how C is stored in HBM.
struct Rows {
  using Cluster = m<one.pad(2)>;
  using Slice = m<I / 32, J / 32>;
  using Mine = m<I % 32>;
  using Result = m<I, J>;
};
struct Tiles : Rows {
  using Result = m<I / 32, J / 32, I % 32, J % 32>;
};
struct Clusters {
  using Cluster = m<I / 256>;
  using Slice = m<I / 16 % 16, J / 32>;
  using Mine = m<I % 16>;
  using Result = m<I / 16, J / 32, I % 16, J % 32>;
};

template <class W>
auto gemm(Context& ctx, const Hbm<m<I, K>>& a, const Hbm<m<J, K>>& b) -> Hbm<typename W::Result> {
  using Cluster = typename W::Cluster;
  using Slice = typename W::Slice;
  using Mine = typename W::Mine;  // spliced into other mappings as Mine{}
  auto a_dm = a.to_dm<Cluster, Slice, m<Mine{}, K>>(ctx.tdma, 0);
  auto b_dm = b.to_dm<Cluster, Slice, m<J % 32, K>>(ctx.tdma, 1 << 12);
  auto weights = ctx.sub.begin(b_dm.view())
                     .template fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()
                     .template collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()
                     .template to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);
  return ctx.main.begin(a_dm.view())
      .template fetch<bf16, m<Mine{}, J / 8 % 4>, m<K>>()
      .template collect<m<Mine{}, J / 8 % 4, K / 16>, m<K % 16>>()
      .template align<m<Mine{}, J / 8 % 4, K / 32>, m<K % 32>>(weights)
      .template contract<m<1>>()
      .template accumulate<m<Mine{}, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)
      .template cast<bf16, m<(J % 8).pad(16)>>()
      .template commit<m<Mine{}, J % 32>>(1 << 13)
      .template to_hbm<typename W::Result>(ctx.tdma, 2 << 28);
}

// The same on the host, in the chip's order: 32 products in a tree, then the next 32.
bf16 expected(const bf16* a, const bf16* b) {
  float total = 0;
  for (int packet = 0; packet < 2; ++packet) {
    float tree[32];
    for (int k = 0; k < 32; ++k) tree[k] = a[32 * packet + k].to_float() * b[32 * packet + k].to_float();
    for (int width = 32; width > 1; width /= 2)
      for (int k = 0; k < width / 2; ++k) tree[k] = tree[2 * k] + tree[2 * k + 1];
    total = packet == 0 ? tree[0] : total + tree[0];
  }
  return bf16::from_float(total);
}

template <class W>
int run() {
  auto ctx = Context::acquire();
  Random random(6);
  auto const a = HostTensor<bf16, m<I, K>>::rand(random);
  auto const b = HostTensor<bf16, m<J, K>>::rand(random);
  auto const c = launch(gemm<W>, ctx, a.to_hbm<Chip, m<I, K>>(ctx.pdma, 0), b.to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28))
                     .get()
                     .template to_host<m<I, J>>(ctx.pdma);
  int wrong = 0;
  for (std::size_t i = 0; i < 512; ++i)
    for (std::size_t j = 0; j < 512; ++j) wrong += c[512 * i + j] != expected(&a[64 * i], &b[64 * j]);
  std::printf("%d wrong of %d\n", wrong, 512 * 512);
  return wrong == 0 ? 0 : 1;
}

int main(int argc, char** argv) try {
  std::string_view const way = argc == 2 ? argv[1] : "rows";
  return way == "clusters" ? run<Clusters>() : way == "tiles" ? run<Tiles>() : run<Rows>();
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
