// A dense layer with all engines of one pass: y[i] = max(sum over j of w[i, j] * x[j] + bias[i], 0).
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(I = 2048, J = 512);  // outputs, inputs
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<I / 8>;  // each of 256 slices makes 8 of the outputs

template <class Element>
using Hbm = HbmTensor<bf16, Chip, Element>;

auto layer(Context& ctx, const Hbm<m<I, J>>& w, const Hbm<m<J>>& x, const HbmTensor<f32, Chip, m<I>>& bias) -> Hbm<m<I>> {
  auto w_dm = w.to_dm<Cluster, Slice, m<I % 8, J>>(ctx.tdma, 0);           // 8 rows of 1,024 bytes
  auto x_dm = x.to_dm<Cluster, Slice, m<J>>(ctx.tdma, 1 << 13);            // no I: all of x for every slice
  auto bias_dm = bias.to_dm<Cluster, Slice, m<I % 8>>(ctx.tdma, 1 << 14);  // 8 numbers of 4 bytes

  // Operands that wait: weights in the eight rows of TRF, the bias in VRF.
  auto weights = ctx.sub.begin(w_dm.view())
                     .fetch<bf16, m<I % 8>, m<J>>()
                     .collect<m<I % 8, J / 16>, m<J % 16>>()
                     .to_trf<m<I % 8>, m<J>>(TrfAddress::Full);
  auto offsets = ctx.sub.begin(bias_dm.view()).fetch<f32, m<1>, m<I % 8>>().collect<m<1>, m<I % 8>>().to_vrf<m<I % 8>>(0);

  return ctx.main.begin(x_dm.view())
      .fetch<bf16, m<1>, m<J>>()
      .collect<m<J / 16>, m<J % 16>>()
      .align<m<J / 32>, m<J % 32>>(weights)
      .contract<m<1>>()
      .accumulate<m<1>, m<I % 8>>(AccumulationKind::Interleaved)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<I / 4 % 2>, m<I % 4>>()
      .vector_fp_binary(FpBinaryOp::AddF, offsets)
      .vector_concat<m<1>, m<I % 8>>()
      .vector_clip(ClipBinaryOpF32::Max, 0.0f)
      .vector_final()
      .cast<bf16, m<(I % 8).pad(16)>>()
      .commit<m<I % 8>>(1 << 15)
      .to_hbm<m<I>>(ctx.tdma, 3 << 28);
}

// The same on the host, added in the chip's order: 32 products in a tree, then packet after packet.
bf16 expected(const bf16* w, const HostTensor<bf16, m<J>>& x, float bias) {
  float total = 0;
  for (std::size_t packet = 0; packet < 16; ++packet) {
    float tree[32];
    for (std::size_t j = 0; j < 32; ++j) tree[j] = w[32 * packet + j].to_float() * x[32 * packet + j].to_float();
    for (int width = 32; width > 1; width /= 2)
      for (int j = 0; j < width / 2; ++j) tree[j] = tree[2 * j] + tree[2 * j + 1];
    total = packet == 0 ? tree[0] : total + tree[0];
  }
  return bf16::from_float(std::fmax(total + bias, 0.0f));
}

int main() try {
  auto ctx = Context::acquire();
  Random random(4);
  auto const w = HostTensor<bf16, m<I, J>>::rand(random);
  auto const x = HostTensor<bf16, m<J>>::rand(random);
  auto const bias = HostTensor<f32, m<I>>::rand(random);
  auto const y = launch(layer, ctx, w.to_hbm<Chip, m<I, J>>(ctx.pdma, 0), x.to_hbm<Chip, m<J>>(ctx.pdma, 1 << 28),
                        bias.to_hbm<Chip, m<I>>(ctx.pdma, 2 << 28))
                     .get()
                     .to_host<m<I>>(ctx.pdma);
  int wrong = 0, zeros = 0;
  for (std::size_t i = 0; i < 2048; ++i) {
    wrong += y[i] != expected(&w[512 * i], x, bias[i].to_float());
    zeros += y[i].to_float() == 0;
  }
  std::printf("%d of 2048 outputs are cut off at zero; %d wrong\n", zeros, wrong);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
