// A matrix times a vector: y[i] = sum over j of a[i, j] * x[j]. Each of 256 slices makes one element of y.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(I = 256, J = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<I>;

auto gemv(Context& ctx, const HbmTensor<bf16, Chip, m<I, J>>& matrix, const HbmTensor<bf16, Chip, m<J>>& vector)
    -> HbmTensor<bf16, Chip, m<I, one.pad(4)>> {
  auto matrix_dm = matrix.to_dm<Cluster, Slice, m<J>>(ctx.tdma, 0);        // row i to slice i
  auto vector_dm = vector.to_dm<Cluster, Slice, m<J>>(ctx.tdma, 1 << 12);  // the vector has no I: every slice gets all of it

  auto weights =
      ctx.sub.begin(vector_dm.view()).fetch<bf16, m<1>, m<J>>().collect<m<J / 16>, m<J % 16>>().to_trf<m<1>, m<J>>(TrfAddress::Full);

  auto out_dm = ctx.main.begin(matrix_dm.view())
                    .fetch<bf16, m<1>, m<J>>()
                    .collect<m<J / 16>, m<J % 16>>()
                    .align<m<J / 32>, m<J % 32>>(weights)
                    .contract<m<1>>()
                    .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved)
                    .cast<bf16, m<one.pad(16)>>()
                    .commit<m<one.pad(4)>>(1 << 13);  // one element and padding: the smallest write is 8 bytes
  return out_dm.to_hbm<m<I, one.pad(4)>>(ctx.tdma, 2 << 28);
}

float expected(const bf16* row, const HostTensor<bf16, m<J>>& x) {
  float total = 0;
  for (std::size_t packet = 0; packet < 64; ++packet) {
    float tree[32];
    for (std::size_t j = 0; j < 32; ++j) tree[j] = row[32 * packet + j].to_float() * x[32 * packet + j].to_float();
    for (int width = 32; width > 1; width /= 2)
      for (int j = 0; j < width / 2; ++j) tree[j] = tree[2 * j] + tree[2 * j + 1];
    total = packet == 0 ? tree[0] : total + tree[0];
  }
  return total;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(5);
  auto const a = HostTensor<bf16, m<I, J>>::rand(random);
  auto const x = HostTensor<bf16, m<J>>::rand(random);

  auto const a_hbm = a.to_hbm<Chip, m<I, J>>(ctx.pdma, 0);
  auto const x_hbm = x.to_hbm<Chip, m<J>>(ctx.pdma, 1 << 28);
  auto const y = launch(gemv, ctx, a_hbm, x_hbm).get().to_host<m<I>>(ctx.pdma);  // without the padding

  int wrong = 0;
  for (std::size_t i = 0; i < 256; ++i) wrong += y[i] != bf16::from_float(expected(a.data() + 2048 * i, x));
  std::printf("y[0] = %g, y[255] = %g\n", double{y[0].to_float()}, double{y[255].to_float()});
  std::printf("%d wrong of %d\n", wrong, 256);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
