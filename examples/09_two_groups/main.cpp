// Two tensors in one stream: the fetch takes them in turns, and the Vector Engine treats them as two groups until an operation makes one of them.
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048, I = 2);  // I: which of the two
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
template <Scalar D>
using Hbm = HbmTensor<D, Chip, m<A>>;

// 10 x + y. Group 0 is multiplied, `skip` leaves group 1 alone; the zip adds them.
auto ten_x_plus_y(Context& ctx, const Hbm<i32>& x, const Hbm<i32>& y) -> Hbm<i32> {
  auto x_dm = x.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto y_dm = y.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 1 << 12);
  return ctx.main.begin_interleaved<I>(x_dm.view(), y_dm.view())
      .fetch<i32, m<I>, m<A % 8>>()
      .collect<m<I>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>()  // Time m<I> becomes two streams of Time m<1>
      .vector_fxp(FxpBinaryOp::MulInt, 10, skip)
      .vector_clip_zip(ClipBinaryOpI32::AddFxp)
      .vector_final()
      .commit<m<A % 8>>(1 << 13)
      .to_hbm<m<A>>(ctx.tdma, 2 << 28);
}

// y - x: Mode10 takes group 1 first.
auto y_minus_x(Context& ctx, const Hbm<f32>& x, const Hbm<f32>& y) -> Hbm<f32> {
  auto x_dm = x.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto y_dm = y.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 1 << 12);
  return ctx.main.begin_interleaved<I>(x_dm.view(), y_dm.view())
      .fetch<f32, m<I>, m<A % 8>>()
      .collect<m<I>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>()
      .vector_split<m<A / 4 % 2>, m<A % 4>>()  // both groups together
      .vector_fp_zip_with_mode(FpBinaryOp::SubF, BinaryArgMode::Mode10)
      .vector_concat<m<1>, m<A % 8>>()
      .vector_final()
      .commit<m<A % 8>>(1 << 13)
      .to_hbm<m<A>>(ctx.tdma, 2 << 28);
}

// exp(x) * y: a function for group 0 only.
auto exp_x_times_y(Context& ctx, const Hbm<f32>& x, const Hbm<f32>& y) -> Hbm<f32> {
  auto x_dm = x.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto y_dm = y.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 1 << 12);
  return ctx.main.begin_interleaved<I>(x_dm.view(), y_dm.view())
      .fetch<f32, m<I>, m<A % 8>>()
      .collect<m<I>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>()
      .vector_split<m<A / 4 % 2>, m<A % 4>>()
      .vector_fp_unary(FpUnaryOp::Exp, true, false)
      .vector_fp_zip(FpBinaryOp::MulF(FpMulAlu::Mul0))
      .vector_concat<m<1>, m<A % 8>>()
      .vector_final()
      .commit<m<A % 8>>(1 << 13)
      .to_hbm<m<A>>(ctx.tdma, 2 << 28);
}

int report(const char* name, int wrong) {
  std::printf("%s: %d wrong of %d\n", name, wrong, 2048);
  return wrong;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(9);
  auto const m0 = HostTensor<i32, m<A>>::rand(random), m1 = HostTensor<i32, m<A>>::rand(random);
  auto const x = HostTensor<f32, m<A>>::rand(random), y = HostTensor<f32, m<A>>::rand(random);
  auto const m0_hbm = m0.to_hbm<Chip, m<A>>(ctx.pdma, 0), m1_hbm = m1.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 20);
  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 2 << 20), y_hbm = y.to_hbm<Chip, m<A>>(ctx.pdma, 3 << 20);

  int wrong[3] = {};
  auto const z0 = launch(ten_x_plus_y, ctx, m0_hbm, m1_hbm).get().to_host<m<A>>(ctx.pdma);
  auto const z1 = launch(y_minus_x, ctx, x_hbm, y_hbm).get().to_host<m<A>>(ctx.pdma);
  auto const z2 = launch(exp_x_times_y, ctx, x_hbm, y_hbm).get().to_host<m<A>>(ctx.pdma);
  for (std::size_t a = 0; a < 2048; ++a) {
    wrong[0] += z0[a].bits != 10 * m0[a].bits + m1[a].bits;
    wrong[1] += z1[a].to_float() != y[a].to_float() - x[a].to_float();
    wrong[2] += z2[a].to_float() != static_cast<float>(std::exp(double{x[a].to_float()})) * y[a].to_float();
  }
  int all = report("10 x + y", wrong[0]);
  all += report("y - x", wrong[1]);
  all += report("exp(x) * y", wrong[2]);
  return all == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
