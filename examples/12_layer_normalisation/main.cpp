// Layer normalisation of rows that come in two halves: (x - mean) / sqrt(variance + epsilon). Each half is reduced alone, the halves' sums are then added.
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(T = 256, H = 1024, I = 2);  // tokens; half of what a token holds; which half
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<T>;  // a token a slice
using Half = HbmTensor<bf16, Chip, m<T, H>>;
using HalfDm = DmTensor<bf16, Chip, Cluster, Slice, m<H>>;
using Number = DmTensor<f32, Chip, Cluster, Slice, m<one.pad(8)>>;  // one per token
using Kept = VrfTensor<f32, Chip, Cluster, Slice, m<one.pad(8)>>;

constexpr float epsilon = 1e-5f;
constexpr float share = 1.0f / 2048;  // of one element in the mean

struct Rows {
  Half left, right;
};

auto sum(Context& ctx, const HalfDm& x) -> Number {
  return ctx.main.begin(x.view())
      .fetch<f32, m<H / 8>, m<H % 8>>()
      .collect<m<H / 8>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<H / 4>, m<H % 4>>()
      .vector_intra_slice_reduce<H, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
      .vector_pad_way8<m<one.pad(8)>>()
      .vector_final()
      .commit<m<one.pad(8)>>();
}

auto sum_of_squares(Context& ctx, const HalfDm& x, const Kept& mean) -> Number {
  return ctx.main.begin(x.view())
      .fetch<f32, m<H / 8>, m<H % 8>>()
      .collect<m<H / 8>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<H / 4>, m<H % 4>>()
      .vector_fp_binary(FpBinaryOp::SubF, mean)
      .vector_fp_binary_with_mode(FpBinaryOp::MulF(FpMulAlu::Mul0), BinaryArgMode::Mode00)  // the stream times itself
      .vector_intra_slice_reduce<H, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
      .vector_pad_way8<m<one.pad(8)>>()
      .vector_final()
      .commit<m<one.pad(8)>>();
}

// The split reduce: (left + right) * share + more. The float stage has one adder, which the zip takes; `more` is added by the clip stage's.
auto share_of_both(Context& ctx, const Number& left, const Number& right, float more) -> Number {
  return ctx.main.begin_interleaved<I>(left.view(), right.view())
      .fetch<f32, m<I>, m<one.pad(8)>>()
      .collect<m<I>, m<one.pad(8)>>()
      .vector_init()
      .vector_intra_slice_unzip<I, m<one.pad(2)>, m<1>>()
      .vector_split<m<one.pad(2)>, m<one.pad(4)>>()
      .vector_fp_zip(FpBinaryOp::AddF)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), share)
      .vector_concat<m<1>, m<one.pad(8)>>()
      .vector_clip(ClipBinaryOpF32::Add, more)
      .vector_final()
      .commit<m<one.pad(8)>>();
}

auto square_root(Context& ctx, const Number& x) -> Number {
  return ctx.main.begin(x.view())
      .fetch<f32, m<1>, m<one.pad(8)>>()
      .collect<m<1>, m<one.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<one.pad(4)>>()
      .vector_fp_unary(FpUnaryOp::Sqrt)
      .vector_pad_way8<m<one.pad(8)>>()
      .vector_final()
      .commit<m<one.pad(8)>>();
}

auto keep(Context& ctx, const Number& x) -> Kept {
  return ctx.sub.begin(x.view()).fetch<f32, m<1>, m<one.pad(8)>>().collect<m<1>, m<one.pad(8)>>().to_vrf<m<one.pad(8)>>();
}

auto normalised(Context& ctx, const HalfDm& x, const Kept& mean, const Kept& deviation, std::int64_t hbm_address) -> Half {
  return ctx.main.begin(x.view())
      .fetch<f32, m<H / 8>, m<H % 8>>()
      .collect<m<H / 8>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<H / 4>, m<H % 4>>()
      .vector_fp_binary(FpBinaryOp::SubF, mean)
      .vector_fp_div(FpDivBinaryOp::DivF, deviation)
      .vector_concat<m<H / 8>, m<H % 8>>()
      .vector_final()
      .cast<bf16, m<(H % 8).pad(16)>>()
      .commit<m<H>>()
      .to_hbm<m<T, H>>(ctx.tdma, hbm_address);
}

auto layer_norm(Context& ctx, const Rows& x) -> Rows {
  auto left = x.left.to_dm<Cluster, Slice, m<H>>(ctx.tdma);
  auto right = x.right.to_dm<Cluster, Slice, m<H>>(ctx.tdma);
  auto mean = keep(ctx, share_of_both(ctx, sum(ctx, left), sum(ctx, right), 0));
  auto variance = share_of_both(ctx, sum_of_squares(ctx, left, mean), sum_of_squares(ctx, right, mean), epsilon);
  auto deviation = keep(ctx, square_root(ctx, variance));
  return {normalised(ctx, left, mean, deviation, 2 << 28), normalised(ctx, right, mean, deviation, 3 << 28)};
}

// A sum of 1024 as the chip takes it: four neighbours as two pairs, then packet after packet.
float sum_of(const float* x) {
  float total = 0;
  for (int h = 0; h < 1024; h += 4) {
    float const packet = (x[h] + x[h + 1]) + (x[h + 2] + x[h + 3]);
    total = h == 0 ? packet : total + packet;
  }
  return total;
}

int wrong_of_token(const bf16* left, const bf16* right, const bf16* left_out, const bf16* right_out) {
  float x[2048], squares[2048];
  for (int h = 0; h < 1024; ++h) {
    x[h] = left[h].to_float();
    x[1024 + h] = right[h].to_float();
  }
  float const mean = (sum_of(x) + sum_of(x + 1024)) * share + 0;
  for (int h = 0; h < 2048; ++h) squares[h] = (x[h] - mean) * (x[h] - mean);
  float const deviation = std::sqrt((sum_of(squares) + sum_of(squares + 1024)) * share + epsilon);
  int wrong = 0;
  for (int h = 0; h < 1024; ++h) {
    wrong += left_out[h] != bf16::from_float((x[h] - mean) / deviation);
    wrong += right_out[h] != bf16::from_float((x[1024 + h] - mean) / deviation);
  }
  return wrong;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(12);
  auto const left = HostTensor<bf16, m<T, H>>::rand(random), right = HostTensor<bf16, m<T, H>>::rand(random);
  Rows const x{left.to_hbm<Chip, m<T, H>>(ctx.pdma, 0), right.to_hbm<Chip, m<T, H>>(ctx.pdma, 1 << 28)};

  Rows const y = launch(layer_norm, ctx, x).get();
  auto const left_out = y.left.to_host<m<T, H>>(ctx.pdma), right_out = y.right.to_host<m<T, H>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t t = 0; t < 256; ++t)
    wrong += wrong_of_token(&left[1024 * t], &right[1024 * t], &left_out[1024 * t], &right_out[1024 * t]);
  std::printf("%d wrong of %d\n", wrong, 2 * 256 * 1024);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
