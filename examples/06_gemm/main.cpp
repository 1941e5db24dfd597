// A matrix product: C[i, j] = sum over k of A[i, k] * B[j, k], 512 x 512 x 64, on all 256 slices and all eight rows of each.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(I = 512, J = 512, K = 64);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<I / 32, J / 32>;  // a grid of 16 x 16 slices, each with its own tile of 32 x 32

auto gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b)
    -> HbmTensor<bf16, Chip, m<I, J>> {
  // Each slice takes the 32 rows of A and the 32 rows of B that its tile needs: what Slice does not name is copied.
  auto a_dm = a.to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma, 0);
  auto b_dm = b.to_dm<Cluster, Slice, m<J % 32, K>>(ctx.tdma, 1 << 12);

  // B stays: J % 8 picks the row of the multiplier array, the rest is in that row, one after the other.
  auto weights = ctx.sub.begin(b_dm.view())
                     .fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()
                     .collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()
                     .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);

  // A streams by: every row of it four times, once for each group of eight columns.
  auto c_dm = ctx.main.begin(a_dm.view())
                  .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()
                  .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()
                  .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights)
                  .contract<m<1>>()
                  .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)
                  .cast<bf16, m<(J % 8).pad(16)>>()
                  .commit<m<I % 32, J % 32>>(1 << 13);
  return c_dm.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);
}

// The sum as the chip takes it: a tree over each packet of 32 products, then packet after packet.
float sum_of_products(const bf16* a, const bf16* b) {
  float total = 0;
  for (int packet = 0; packet < 64; packet += 32) {
    float tree[32];
    for (int k = 0; k < 32; ++k) tree[k] = a[packet + k].to_float() * b[packet + k].to_float();
    for (int width = 32; width > 1; width /= 2)
      for (int k = 0; k < width / 2; ++k) tree[k] = tree[2 * k] + tree[2 * k + 1];
    total = packet == 0 ? tree[0] : total + tree[0];
  }
  return total;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(6);
  auto const a = HostTensor<bf16, m<I, K>>::rand(random);
  auto const b = HostTensor<bf16, m<J, K>>::rand(random);

  auto const a_hbm = a.to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
  auto const b_hbm = b.to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28);
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host<m<I, J>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t i = 0; i < 512; ++i)
    for (std::size_t j = 0; j < 512; ++j)
      wrong += c[512 * i + j] != bf16::from_float(sum_of_products(a.data() + 64 * i, b.data() + 64 * j));
  std::printf("C[0, 0] = %g, C[511, 511] = %g\n", double{c[0].to_float()}, double{c[512 * 512 - 1].to_float()});
  std::printf("%d wrong of %d\n", wrong, 512 * 512);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
