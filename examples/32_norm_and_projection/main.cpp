// One token of a language model: an RMS norm and a product with 8-bit weights whose blocks of 32 have a scale each, typed and untyped.
#include <cmath>
#include <cstdio>
#include <tcp/dsl/dynamic.hpp>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(H = 512, N = 256);  // what a token holds; what comes out of the product
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Parts = m<(H / 8).pad(256)>;  // eight elements of the token in each of 64 slices
using First = m<one.pad(256)>;      // one slice of all
using Each = m<256>;                // a copy in every slice
using Number = m<one.pad(8)>;       // one number a slice
using Row = m<N>;                   // a row of the weights in each slice

constexpr float epsilon = 1e-5f;
constexpr float share = 1.0f / 512;

using Token = HbmTensor<bf16, Chip, m<H>>;
using Weights = HbmTensor<f8e4m3, Chip, m<N, H>>;
using Scales = HbmTensor<f32, Chip, m<N, H / 32>>;

// The squares of eight elements, added up in each slice.
auto squares(Context& ctx, const DmTensor<bf16, Chip, Cluster, Parts, m<H % 8>>& x) {
  return ctx.main.begin(x.view())
      .fetch<f32, m<1>, m<H % 8>>()
      .collect<m<1>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<H / 4 % 2>, m<H % 4>>()
      .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
      .vector_intra_slice_reduce<H, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
      .vector_pad_way8<Number>()
      .vector_final()
      .commit<Number>();
}

// The 64 sums meet in the first slice, one after the other, and are added up there.
auto in_first_slice(Context& ctx, const DmTensor<f32, Chip, Cluster, Parts, Number>& sums) {
  return ctx.main.begin(sums.view())
      .fetch<f32, m<1>, Number>()
      .switch_to<SwitchConfig::Broadcast1{.slice1 = 64, .slice0 = 1}, First, m<H / 8>>()
      .collect<m<H / 8>, Number>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      .vector_intra_slice_reduce<H, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
      .vector_pad_way8<Number>()
      .vector_final()
      .commit<Number>();
}

// 1 / sqrt(mean + epsilon): a pass of the sub context through the Vector Engine.
auto one_over_root(Context& ctx, const DmTensor<f32, Chip, Cluster, First, Number>& sum) {
  return ctx.sub.begin(sum.view())
      .fetch<f32, m<1>, Number>()
      .collect<m<1>, Number>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      .vector_fp_ternary(FpTernaryOp::FmaF, share, epsilon)
      .vector_fp_unary(FpUnaryOp::Sqrt)
      .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0f)
      .vector_pad_way8<Number>()
      .vector_final()
      .commit<Number>();
}

auto normalised(Context& ctx, const Token& in, const Token& gain) {
  auto x = in.to_dm<Cluster, Parts, m<H % 8>>(ctx.tdma);
  auto scale = one_over_root(ctx, in_first_slice(ctx, squares(ctx, x))).to_dm<Cluster, Each, Number>(ctx.tdma);
  auto kept = ctx.sub.begin(scale.view()).fetch<f32, m<1>, Number>().collect<m<1>, Number>().to_vrf<Number>();
  auto gains = ctx.sub.begin(gain.to_dm<Cluster, Parts, m<H % 8>>(ctx.tdma).view())
                   .fetch<f32, m<1>, m<H % 8>>()
                   .collect<m<1>, m<H % 8>>()
                   .to_vrf<m<H % 8>>();
  return ctx.main.begin(x.view())
      .fetch<f32, m<1>, m<H % 8>>()
      .collect<m<1>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<H / 4 % 2>, m<H % 4>>()
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), kept)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), gains)
      .vector_concat<m<1>, m<H % 8>>()
      .vector_final()
      .cast<bf16, m<(H % 8).pad(16)>>()
      .commit<m<H % 8>>();
}

// The weights as bf16, each block of 32 times its scale: a coarse operand, and again a pass of the sub context.
auto scaled(Context& ctx, const Weights& weights, const Scales& scales) {
  auto w = weights.to_dm<Cluster, Row, m<H>>(ctx.tdma);
  auto kept = ctx.sub.begin(scales.to_dm<Cluster, Row, m<H / 32>>(ctx.tdma).view())
                  .fetch<f32, m<H / 256>, m<H / 32 % 8>>()
                  .collect<m<H / 256>, m<H / 32 % 8>>()
                  .to_vrf<m<H / 32>>();
  return ctx.sub.begin(w.view())
      .fetch<f32, m<H / 8>, m<H % 8>>()
      .collect<m<H / 8>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<H / 4>, m<H % 4>>()
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), kept)
      .vector_concat<m<H / 8>, m<H % 8>>()
      .vector_final()
      .cast<bf16, m<(H % 8).pad(16)>>()
      .commit<m<H>>();
}

auto project(Context& ctx, const Token& in, const Token& gain, const Weights& weights, const Scales& scales) {
  auto w = scaled(ctx, weights, scales);
  // A copy of the token in every slice; named by the rows that lie there, the copies are the other side of the product.
  auto x = normalised(ctx, in, gain).to_dm<Cluster, Each, m<H>>(ctx.tdma).relabel<Chip, Cluster, Row, m<H>>();
  auto held =
      ctx.sub.begin(x.view()).fetch<bf16, m<H / 16>, m<H % 16>>().collect<m<H / 16>, m<H % 16>>().to_trf<m<1>, m<H>>(TrfAddress::Full);
  return ctx.main.begin(w.view())
      .fetch<bf16, m<H / 16>, m<H % 16>>()
      .collect<m<H / 16>, m<H % 16>>()
      .align<m<H / 32>, m<H % 32>>(held)
      .contract<m<1>>()
      .accumulate<m<1>, Number>(AccumulationKind::Interleaved)
      .commit<Number>()
      .to_hbm<m<N>>(ctx.tdma);
}

// The same untyped: sizes and mappings are values, so that a program may make them up. H is any multiple of 256 that 256 slices can hold, N is 256.
namespace untyped {

using dyn::map;

struct Projection {
  Mapping h, n, cluster = dyn::one.pad(2), first = dyn::one.pad(256), each = copies(256), number = dyn::one.pad(8), way4 = dyn::one.pad(4);
  Mapping parts = (h / 8).pad(256), lanes = h % 8;

  static dyn::Stream vector(dyn::Stream stream) {
    return std::move(stream).vector_init().vector_intra_slice_branch(BranchMode::Unconditional);
  }
  dyn::Stream numbers(dyn::Stream stream, const Mapping& time) const {
    return vector(std::move(stream).collect(time, number)).vector_trim_way4(way4);
  }
  dyn::Stream elements(dyn::Stream stream, const Mapping& time) const {
    Mapping const narrow = time.size == 1 ? h / 4 % 2 : h / 4;
    return vector(std::move(stream).collect(time, lanes)).vector_split(narrow, h % 4);
  }
  dyn::Tensor stored(dyn::Stream stream) const { return std::move(stream).vector_pad_way8(number).vector_final().commit(number); }
  dyn::Tensor stored(dyn::Stream stream, const Mapping& time, const Mapping& element) const {
    return std::move(stream).vector_concat(time, lanes).vector_final().cast(ScalarType::bf16, lanes.pad(16)).commit(element);
  }
  dyn::Tensor kept(Context& ctx, const dyn::Tensor& t, const Mapping& time, const Mapping& packet) const {
    return dyn::sub(ctx)
        .begin(t)
        .fetch(ScalarType::f32, time, packet)
        .collect(time, packet)
        .to_vrf(time.size == 1 ? packet : map(time, packet));
  }

  dyn::Tensor normalised(Context& ctx, const dyn::Tensor& in, const dyn::Tensor& gain) const {
    auto const x = in.to_dm(ctx.tdma, cluster, parts, lanes);
    auto const sums = stored(elements(dyn::main(ctx).begin(x).fetch(ScalarType::f32, dyn::one, lanes), dyn::one)
                                 .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)
                                 .vector_intra_slice_reduce("H", ReduceOp::Add, dyn::one, way4));
    auto const sum = stored(numbers(dyn::main(ctx)
                                        .begin(sums)
                                        .fetch(ScalarType::f32, dyn::one, number)
                                        .switch_to(SwitchConfig::Broadcast1{.slice1 = h.size / 8, .slice0 = 1}, first, h / 8),
                                    h / 8)
                                .vector_intra_slice_reduce("H", ReduceOp::Add, dyn::one, way4));
    auto const scale = stored(numbers(dyn::sub(ctx).begin(sum).fetch(ScalarType::f32, dyn::one, number), dyn::one)
                                  .vector_fp_ternary(FpTernaryOp::FmaF, 1.0f / static_cast<float>(h.size), epsilon)
                                  .vector_fp_unary(FpUnaryOp::Sqrt)
                                  .vector_fp_div_with_mode(FpDivBinaryOp::DivF, BinaryArgMode::Mode10, 1.0f));
    auto const scales = kept(ctx, scale.to_dm(ctx.tdma, cluster, each, number), dyn::one, number);
    auto const gains = kept(ctx, gain.to_dm(ctx.tdma, cluster, parts, lanes), dyn::one, lanes);
    return stored(elements(dyn::main(ctx).begin(x).fetch(ScalarType::f32, dyn::one, lanes), dyn::one)
                      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), scales)
                      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), gains),
                  dyn::one, lanes);
  }

  dyn::Tensor operator()(Context& ctx, const dyn::Tensor& in, const dyn::Tensor& gain, const dyn::Tensor& weights,
                         const dyn::Tensor& scales) const {
    auto const blocks = kept(ctx, scales.to_dm(ctx.tdma, cluster, n, h / 32), h / 256, h / 32 % 8);
    auto const w = stored(elements(dyn::sub(ctx).begin(weights.to_dm(ctx.tdma, cluster, n, h)).fetch(ScalarType::f32, h / 8, lanes), h / 8)
                              .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), blocks),
                          h / 8, h);
    auto const x = normalised(ctx, in, gain).to_dm(ctx.tdma, cluster, each, h).relabel(dyn::one, cluster, n, h);
    auto const held =
        dyn::sub(ctx).begin(x).fetch(ScalarType::bf16, h / 16, h % 16).collect(h / 16, h % 16).to_trf(dyn::one, h, TrfAddress::Full);
    return dyn::main(ctx)
        .begin(w)
        .fetch(ScalarType::bf16, h / 16, h % 16)
        .collect(h / 16, h % 16)
        .align(held, h / 32, h % 32)
        .contract(dyn::one)
        .accumulate(AccumulationKind::Interleaved, dyn::one, number)
        .commit(number)
        .to_hbm(ctx.tdma, n);
  }
};

}  // namespace untyped

int main() try {
  auto ctx = Context::acquire();
  Random random(32);
  HostTensor<bf16, m<H>> x, gain;
  HostTensor<f8e4m3, m<N, H>> w;
  HostTensor<f32, m<N, H / 32>> s;
  for (std::size_t i = 0; i < 512; ++i)
    x[i] = bf16::from_float(static_cast<float>(random.between(-100, 100)) / 32),
    gain[i] = bf16::from_float(1 + static_cast<float>(random.between(-8, 8)) / 64);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = f8e4m3::from_float(static_cast<float>(random.between(-14, 14)) / 4);
  for (std::size_t i = 0; i < s.size(); ++i) s[i] = f32::from_float(std::ldexp(1.0f, static_cast<int>(random.between(-6, -2))));
  auto const x_hbm = x.to_hbm<Chip, m<H>>(ctx.pdma), gain_hbm = gain.to_hbm<Chip, m<H>>(ctx.pdma);
  auto const w_hbm = w.to_hbm<Chip, m<N, H>>(ctx.pdma);
  auto const s_hbm = s.to_hbm<Chip, m<N, H / 32>>(ctx.pdma);
  auto const y = launch(project, ctx, x_hbm, gain_hbm, w_hbm, s_hbm).get().to_host<m<N>>(ctx.pdma);
  untyped::Projection const projection{m<H>::mapping, m<N>::mapping};
  auto const again =
      launch(projection, ctx, dyn::Tensor::of(x_hbm), dyn::Tensor::of(gain_hbm), dyn::Tensor::of(w_hbm), dyn::Tensor::of(s_hbm))
          .get()
          .to_host(ctx.pdma, m<N>::mapping);

  double mean = 0, worst = 0;
  for (std::size_t i = 0; i < 512; ++i) mean += std::pow(x[i].to_float(), 2) / 512;
  for (std::size_t n = 0; n < 256; ++n) {
    double sum = 0, size = 0;
    for (std::size_t h = 0; h < 512; ++h) {
      double const v =
          x[h].to_float() / std::sqrt(mean + epsilon) * gain[h].to_float() * w[512 * n + h].to_float() * s[16 * n + h / 32].to_float();
      sum += v;
      size += std::abs(v);
    }
    worst = std::fmax(worst, std::abs(sum - y[n].to_float()) / size);
  }
  int differ = 0;
  for (std::size_t n = 0; n < 256; ++n) differ += again.data<f32>()[n].bits != y[n].bits;
  std::printf("worst error %.5f of the sum of magnitudes\n", worst);
  std::printf("typed against untyped: %d wrong of 256\n", differ);
  return worst < 0.004 && differ == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
