// Sums and maxima over axes whose size fits nothing: 19 elements in packets of 8, 17 elements over slices and time. Padding is skipped, never added.
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(X = 256, A = 8, R = 19, Y = 32, B = 4, Q = 17);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;

// The sum of exp(x) over R: rows of 19, padded to 24. No value could stand in for the padding, for no exp(p) is 0; the valid count masks it instead.
auto sum_of_exp(Context& ctx, const HbmTensor<f32, Chip, m<X, A, R.pad(24)>>& in) -> HbmTensor<f32, Chip, m<X, A>> {
  auto dm = in.to_dm<Cluster, m<X>, m<A, R.pad(24)>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<f32, m<A, R.pad(24) / 8>, m<R.pad(24) % 8>>()
      .collect<m<A, R.pad(24) / 8>, m<R.pad(24) % 8>>()  // valid counts 8, 8, 3
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<A, R.pad(24) / 4>, m<R.pad(24) % 4>>()  // 4, 4, 4, 4, 3, 0
      .vector_fp_unary(FpUnaryOp::Exp)
      .vector_intra_slice_reduce<R, m<A>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
      .vector_pad_way8<m<one.pad(8)>>()
      .vector_final()
      .commit<m<A, one.pad(2)>>(1 << 12)
      .to_hbm<m<X, A>>(ctx.tdma, 1 << 28);
}

// The maximum over Q, which is in Slice and in Time: slice s has Q = 3 s, 3 s + 1, 3 s + 2. Each slice reduces its three, then the slices reduce each other's.
auto greatest(Context& ctx, const HbmTensor<i32, Chip, m<Y, Q, B>>& in) -> HbmTensor<i32, Chip, m<Y, B>> {
  auto dm = in.to_dm<Cluster, m<Y, Q.pad(24) / 3>, m<Q.pad(24) % 3, B>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<i32, m<Q.pad(24) % 3>, m<B>>()
      .collect<m<Q.pad(24) % 3>, m<B.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<B>>()
      .vector_intra_slice_reduce<Q, m<1>, m<B>>(IntraSliceReduceOpI32::Max)
      .vector_pad_way8<m<B.pad(8)>>()
      .vector_inter_slice_reduce<m<Y, one.pad(8)>, m<1>>(InterSliceReduceOpI32::Max)
      .vector_final()
      .commit<m<B>>(1 << 12)
      .to_hbm<m<Y, B>>(ctx.tdma, 1 << 28);
}

// The elements that exist: four neighbours as two pairs, the last three as a pair and one, then packet after packet.
float exp_sum(const f32* x) {
  float e[19];
  for (int r = 0; r < 19; ++r) e[r] = static_cast<float>(std::exp(double{x[r].to_float()}));
  float sum = (e[0] + e[1]) + (e[2] + e[3]);
  for (int r = 4; r < 16; r += 4) sum = sum + ((e[r] + e[r + 1]) + (e[r + 2] + e[r + 3]));
  return sum + ((e[16] + e[17]) + e[18]);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(11);
  auto const x = HostTensor<f32, m<X, A, R>>::rand(random);
  auto q = HostTensor<i32, m<Y, Q, B>>();
  for (i32& each : q) each = i32::from_int(random.between(-1000000, -1));  // all negative: a zero that slipped in would win

  auto const x_hbm = x.to_hbm<Chip, m<X, A, R.pad(24)>>(ctx.pdma, 0);
  auto const sums = launch(sum_of_exp, ctx, x_hbm).get().to_host<m<X, A>>(ctx.pdma);
  auto const q_hbm = q.to_hbm<Chip, m<Y, Q, B>>(ctx.pdma, 0);
  auto const maxima = launch(greatest, ctx, q_hbm).get().to_host<m<Y, B>>(ctx.pdma);

  int wrong_sums = 0, wrong_maxima = 0;
  for (std::size_t row = 0; row < 256 * 8; ++row) wrong_sums += sums[row].to_float() != exp_sum(&x[19 * row]);
  for (std::size_t y = 0; y < 32; ++y)
    for (std::size_t b = 0; b < 4; ++b) {
      int most = q[17 * 4 * y + b].to_int();
      for (std::size_t r = 1; r < 17; ++r) most = std::max(most, q[(17 * y + r) * 4 + b].to_int());
      wrong_maxima += maxima[4 * y + b].to_int() != most;
    }
  std::printf("sums: %d wrong of %d\n", wrong_sums, 256 * 8);
  std::printf("maxima: %d wrong of %d\n", wrong_maxima, 32 * 4);
  return wrong_sums + wrong_maxima == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
