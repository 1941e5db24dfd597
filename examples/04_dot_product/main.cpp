// A dot product: the Contraction Engine multiplies and adds up, within packets and over time.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<one.pad(256)>;  // one slice does it all
using Hbm = HbmTensor<bf16, Chip, m<A>>;

auto dot(Context& ctx, const Hbm& lhs, const Hbm& rhs) -> HbmTensor<bf16, Chip, m<one.pad(8)>> {
  auto lhs_dm = lhs.to_dm<Cluster, Slice, m<A>>(ctx.tdma, 0);
  auto rhs_dm = rhs.to_dm<Cluster, Slice, m<A>>(ctx.tdma, 1 << 12);

  // One side waits in the tensor register file (TRF), the other streams by.
  auto weights =
      ctx.sub.begin(rhs_dm.view()).fetch<bf16, m<1>, m<A>>().collect<m<A / 16>, m<A % 16>>().to_trf<m<1>, m<A>>(TrfAddress::Full);

  auto out_dm = ctx.main.begin(lhs_dm.view())
                    .fetch<bf16, m<1>, m<A>>()
                    .collect<m<A / 16>, m<A % 16>>()                                 // flits of 32 bytes
                    .align<m<A / 32>, m<A % 32>>(weights)                            // two make a packet of 32 elements
                    .contract<m<1>>()                                                // 32 products become one sum, by a tree of adders
                    .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved)  // 64 sums become one, step by step
                    .cast<bf16, m<one.pad(16)>>()
                    .commit<m<one.pad(8)>>(1 << 13);
  return out_dm.to_hbm<m<one.pad(8)>>(ctx.tdma, 2 << 28);
}

// In the order of the chip. Another order gives another rounding: see what the program prints.
float expected(const HostTensor<bf16, m<A>>& x, const HostTensor<bf16, m<A>>& y) {
  float total = 0;
  for (std::size_t packet = 0; packet < 64; ++packet) {
    float tree[32];
    for (std::size_t i = 0; i < 32; ++i) tree[i] = x[32 * packet + i].to_float() * y[32 * packet + i].to_float();
    for (int width = 32; width > 1; width /= 2)
      for (int i = 0; i < width / 2; ++i) tree[i] = tree[2 * i] + tree[2 * i + 1];
    total = packet == 0 ? tree[0] : total + tree[0];
  }
  return total;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(4);
  auto const x = HostTensor<bf16, m<A>>::rand(random);
  auto const y = HostTensor<bf16, m<A>>::rand(random);

  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const y_hbm = y.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 28);
  auto const z = launch(dot, ctx, x_hbm, y_hbm).get().to_host<m<1>>(ctx.pdma);

  float one_by_one = 0;
  for (std::size_t a = 0; a < 2048; ++a) one_by_one += x[a].to_float() * y[a].to_float();
  float const sum = expected(x, y);
  std::printf("in the chip's order %.8g, one by one %.8g, the chip %.8g (bf16)\n", double{sum}, double{one_by_one},
              double{z[0].to_float()});
  int const wrong = z[0] != bf16::from_float(sum);
  std::printf("%d wrong of %d\n", wrong, 1);
  return wrong;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
