// Convolutions: y[n, c, h, w] = sum over k, fh, fw of x[n, k, s h + d fh, s w + d fw] * f[c, k, fh, fw], with stride s and dilation d.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(N = 4, K = 4, C = 16);  // images, their channels, channels of the result
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<group(N, C / 8).pad(256)>;  // a slice has one image and makes eight channels of the result

// 3 x 3. A row of the image, 30 + 3 - 1 = 32 columns, is just the packet of 64 bytes that the Reducer takes.
namespace plain {
TCP_AXES(H = 30, W = 30, Fh = 3, Fw = 3);
using Image = m<K, slide(H, Fh), slide(W, Fw)>;
using Filter = m<K, Fh.pad(4), Fw.pad(4)>;

auto convolution(Context& ctx, const HbmTensor<bf16, Chip, m<N, Image{}>>& x, const HbmTensor<bf16, Chip, m<C, Filter{}>>& f)
    -> HbmTensor<bf16, Chip, m<N, C, H, W.pad(32)>> {
  auto x_dm = x.to_dm<Cluster, Slice, Image>(ctx.tdma);
  auto f_dm = f.to_dm<Cluster, Slice, m<C % 8, Filter{}>>(ctx.tdma);
  auto filter = ctx.sub.begin(f_dm.view())
                    .fetch<bf16, m<C % 8, K>, m<Fh.pad(4), Fw.pad(4)>>()
                    .collect<m<C % 8, K>, m<Fh.pad(4), Fw.pad(4)>>()
                    .to_trf<m<C % 8>, Filter>(TrfAddress::Full);
  return ctx.main.begin(x_dm.view())
      .fetch<bf16, m<H, K, Fh>, m<slide(W, Fw)>>()  // row h + fh, read again for each of its three h
      .collect<m<H, K, Fh>, m<slide(W, Fw)>>()
      .align<m<H, K, Fh, Fw>, m<W.pad(32)>>(filter)  // three times, shifted by 0, 1 and 2 columns
      .contract<m<W.pad(32)>>()                      // nothing to add inside the packet
      .accumulate<m<H, C % 8, W.pad(32) / 8>, m<W.pad(32) % 8>>(AccumulationKind::Sequential)
      .cast<bf16, m<(W.pad(32) % 8).pad(16)>>()
      .commit<m<H, C % 8, W.pad(32)>>()
      .to_hbm<m<N, C, H, W.pad(32)>>(ctx.tdma, 2 << 28);
}
}  // namespace plain

// 4 x 4 with stride 2: results lie two columns apart, so the two weights of Fw % 2 lie side by side in the packet and are added there.
namespace strided {
TCP_AXES(H = 15, W = 15, Fh = 4, Fw = 4);
using Image = m<K, slide(H.by(2), Fh), slide(W.by(2), Fw)>;
using Filter = m<K, Fh, Fw>;

auto convolution(Context& ctx, const HbmTensor<bf16, Chip, m<N, Image{}>>& x, const HbmTensor<bf16, Chip, m<C, Filter{}>>& f)
    -> HbmTensor<bf16, Chip, m<N, C, H, W.pad(16)>> {
  auto x_dm = x.to_dm<Cluster, Slice, Image>(ctx.tdma);
  auto f_dm = f.to_dm<Cluster, Slice, m<C % 8, Filter{}>>(ctx.tdma);
  auto filter = ctx.sub.begin(f_dm.view())
                    .fetch<bf16, m<C % 8, K>, m<Fh, Fw>>()
                    .collect<m<C % 8, K>, m<Fh, Fw>>()
                    .to_trf<m<C % 8>, Filter>(TrfAddress::Full);
  return ctx.main.begin(x_dm.view())
      .fetch<bf16, m<H, K, Fh>, m<slide(W.by(2), Fw)>>()
      .collect<m<H, K, Fh>, m<slide(W.by(2), Fw)>>()
      .align<m<H, K, Fh, Fw / 2>, m<W.pad(16), Fw % 2>>(filter)
      .contract<m<W.pad(16)>>()
      .accumulate<m<H, C % 8, W.pad(16) / 8>, m<W.pad(16) % 8>>(AccumulationKind::Sequential)
      .cast<bf16, m<(W.pad(16) % 8).pad(16)>>()
      .commit<m<H, C % 8, W.pad(16)>>()
      .to_hbm<m<N, C, H, W.pad(16)>>(ctx.tdma, 2 << 28);
}
}  // namespace strided

// 3 x 3 with dilation 2: the weights lie two columns apart, so the adapter shifts by two.
namespace dilated {
TCP_AXES(H = 28, W = 28, Fh = 3, Fw = 3);
using Image = m<K, slide(H, Fh.by(2)), slide(W, Fw.by(2))>;
using Filter = m<K, Fh.pad(4), Fw.pad(4)>;

auto convolution(Context& ctx, const HbmTensor<bf16, Chip, m<N, Image{}>>& x, const HbmTensor<bf16, Chip, m<C, Filter{}>>& f)
    -> HbmTensor<bf16, Chip, m<N, C, H, W.pad(32)>> {
  auto x_dm = x.to_dm<Cluster, Slice, Image>(ctx.tdma);
  auto f_dm = f.to_dm<Cluster, Slice, m<C % 8, Filter{}>>(ctx.tdma);
  auto filter = ctx.sub.begin(f_dm.view())
                    .fetch<bf16, m<C % 8, K>, m<Fh.pad(4), Fw.pad(4)>>()
                    .collect<m<C % 8, K>, m<Fh.pad(4), Fw.pad(4)>>()
                    .to_trf<m<C % 8>, Filter>(TrfAddress::Full);
  return ctx.main.begin(x_dm.view())
      .fetch<bf16, m<H, K, Fh>, m<slide(W, Fw.by(2))>>()
      .collect<m<H, K, Fh>, m<slide(W, Fw.by(2))>>()
      .align<m<H, K, Fh, Fw>, m<W.pad(32)>>(filter)
      .contract<m<W.pad(32)>>()
      .accumulate<m<H, C % 8, W.pad(32) / 8>, m<W.pad(32) % 8>>(AccumulationKind::Sequential)
      .cast<bf16, m<(W.pad(32) % 8).pad(16)>>()
      .commit<m<H, C % 8, W.pad(32)>>()
      .to_hbm<m<N, C, H, W.pad(32)>>(ctx.tdma, 2 << 28);
}
}  // namespace dilated

// One element of the result, added as the chip adds: `together` neighbouring weights in the packet, then over time: k, fh, fw.
struct Case {
  int outputs, filter, stride, dilation, together;
};
float expected(const Case& is, const bf16* image, const bf16* weights, int h, int w) {
  float sum = 0;
  bool first = true;
  for (int k = 0; k < 4; ++k)
    for (int fh = 0; fh < is.filter; ++fh)
      for (int fw = 0; fw < is.filter; fw += is.together) {
        float product[2];
        for (int t = 0; t < is.together; ++t) {
          int const row = is.stride * h + is.dilation * fh, column = is.stride * w + is.dilation * (fw + t);
          product[t] = image[(k * 32 + row) * 32 + column].to_float() * weights[(k * is.filter + fh) * is.filter + fw + t].to_float();
        }
        float const packet = is.together == 2 ? product[0] + product[1] : product[0];
        sum = first ? packet : sum + packet;
        first = false;
      }
  return sum;
}

int check(const char* name, const Case& is, const bf16* x, const bf16* f, const bf16* y) {
  int wrong = 0, checked = 0;
  for (int n = 0; n < 4; ++n)
    for (int c = 0; c < 16; ++c)
      for (int h = 0; h < is.outputs; ++h)
        for (int w = 0; w < is.outputs; ++w, ++checked) {
          bf16 const wanted = bf16::from_float(expected(is, x + n * 4 * 32 * 32, f + c * 4 * is.filter * is.filter, h, w));
          wrong += y[((n * 16 + c) * is.outputs + h) * is.outputs + w] != wanted;
        }
  std::printf("%s: %d wrong of %d\n", name, wrong, checked);
  return wrong;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(13);
  int wrong = 0;
  {
    using namespace plain;
    auto const x = HostTensor<bf16, m<N, Image{}>>::rand(random);
    auto const f = HostTensor<bf16, m<C, K, Fh, Fw>>::rand(random);
    auto const x_hbm = x.to_hbm<Chip, m<N, Image{}>>(ctx.pdma, 0);
    auto const f_hbm = f.to_hbm<Chip, m<C, Filter{}>>(ctx.pdma, 1 << 28);
    auto const y = launch(convolution, ctx, x_hbm, f_hbm).get().to_host<m<N, C, H, W>>(ctx.pdma);
    wrong += check("3 x 3", {30, 3, 1, 1, 1}, x.data(), f.data(), y.data());
  }
  {
    using namespace strided;
    auto const x = HostTensor<bf16, m<N, Image{}>>::rand(random);
    auto const f = HostTensor<bf16, m<C, K, Fh, Fw>>::rand(random);
    auto const x_hbm = x.to_hbm<Chip, m<N, Image{}>>(ctx.pdma, 0);
    auto const f_hbm = f.to_hbm<Chip, m<C, Filter{}>>(ctx.pdma, 1 << 28);
    auto const y = launch(convolution, ctx, x_hbm, f_hbm).get().to_host<m<N, C, H, W>>(ctx.pdma);
    wrong += check("4 x 4, stride 2", {15, 4, 2, 1, 2}, x.data(), f.data(), y.data());
  }
  {
    using namespace dilated;
    auto const x = HostTensor<bf16, m<N, Image{}>>::rand(random);
    auto const f = HostTensor<bf16, m<C, K, Fh, Fw>>::rand(random);
    auto const x_hbm = x.to_hbm<Chip, m<N, Image{}>>(ctx.pdma, 0);
    auto const f_hbm = f.to_hbm<Chip, m<C, Filter{}>>(ctx.pdma, 1 << 28);
    auto const y = launch(convolution, ctx, x_hbm, f_hbm).get().to_host<m<N, C, H, W>>(ctx.pdma);
    wrong += check("3 x 3, dilation 2", {28, 3, 1, 2, 1}, x.data(), f.data(), y.data());
  }
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
