// The Vector Engine as a pipeline of stages: ReLU, a chain through integer and float, five float operations in one pass, and a leaky ReLU with a stash.
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
template <Scalar D>
using Hbm = HbmTensor<D, Chip, m<A>>;

// max(x, 0), in the last stage that computes.
auto relu(Context& ctx, const Hbm<f32>& in) -> Hbm<f32> {
  auto dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<f32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_clip(ClipBinaryOpF32::Max, 0.0f)
      .vector_final()
      .commit<m<A % 8>>(1 << 12)
      .to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

// From one end of the engine to the other: integers, conversion, float, back, clip.
auto sigmoid_of_integers(Context& ctx, const Hbm<i32>& in) -> Hbm<i32> {
  auto dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<i32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 100)
      .vector_fxp_to_fp(21)                    // fixed point with 21 bits before the point: x / 2^10
      .vector_split<m<A / 4 % 2>, m<A % 4>>()  // float works on four lanes: the packet of eight takes two steps
      .vector_fp_unary(FpUnaryOp::Sigmoid)
      .vector_concat<m<1>, m<A % 8>>()
      .vector_fp_to_fxp(21)
      .vector_clip(ClipBinaryOpI32::Max, 512)
      .vector_final()
      .commit<m<A % 8>>(1 << 12)
      .to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

// exp(sqrt((x + 1) * 2 * 3)): five operations, and five ALUs, each once.
auto five_alus(Context& ctx, const Hbm<f32>& in) -> Hbm<f32> {
  auto dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<f32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_split<m<A / 4 % 2>, m<A % 4>>()
      .vector_fp_binary(FpBinaryOp::AddF, 1.0f)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2.0f)
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), 3.0f)
      .vector_fp_unary(FpUnaryOp::Sqrt)
      .vector_fp_unary(FpUnaryOp::Exp)
      .vector_concat<m<1>, m<A % 8>>()
      .vector_final()
      .commit<m<A % 8>>(1 << 12)
      .to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

// max(x / 4, x): the stash keeps x beside the stream while it is divided.
auto leaky_relu(Context& ctx, const Hbm<f32>& in) -> Hbm<f32> {
  auto dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<f32, m<1>, m<A % 8>>()
      .collect<m<1>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_stash()
      .vector_split<m<A / 4 % 2>, m<A % 4>>()
      .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 0.25f)
      .vector_concat<m<1>, m<A % 8>>()
      .vector_clip(ClipBinaryOpF32::Max, Stash)
      .vector_final()
      .commit<m<A % 8>>(1 << 12)
      .to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

// The chip's functions are correctly rounded: computed in double, then rounded once.
float rounded(double exact) { return static_cast<float>(exact); }

int sigmoid_expected(i32 in) {
  float const x = rounded(static_cast<double>(static_cast<std::int32_t>(in.bits + 100)) / 1024);
  float const s = rounded(1 / (1 + std::exp(-double{x})));
  int const fixed = static_cast<int>(std::lround(double{s} * 1024));
  return fixed > 512 ? fixed : 512;
}

int report(const char* name, int wrong) {
  std::printf("%s: %d wrong of %d\n", name, wrong, 2048);
  return wrong;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(8);
  auto const x = HostTensor<f32, m<A>>::rand(random);
  auto n = HostTensor<i32, m<A>>();
  for (i32& each : n) each = i32::from_int(random.between(-5000, 5000));
  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const n_hbm = n.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 20);

  int wrong[4] = {};
  auto const y0 = launch(relu, ctx, x_hbm).get().to_host<m<A>>(ctx.pdma);
  auto const y1 = launch(sigmoid_of_integers, ctx, n_hbm).get().to_host<m<A>>(ctx.pdma);
  auto const y2 = launch(five_alus, ctx, x_hbm).get().to_host<m<A>>(ctx.pdma);
  auto const y3 = launch(leaky_relu, ctx, x_hbm).get().to_host<m<A>>(ctx.pdma);
  for (std::size_t a = 0; a < 2048; ++a) {
    float const v = x[a].to_float();
    wrong[0] += y0[a].to_float() != (v > 0 ? v : 0);
    wrong[1] += y1[a].to_int() != sigmoid_expected(n[a]);
    wrong[2] += y2[a].to_float() != rounded(std::exp(double{std::sqrt((v + 1) * 2 * 3)}));
    wrong[3] += y3[a].to_float() != (v / 4 > v ? v / 4 : v);
  }
  int all = report("relu", wrong[0]);
  all += report("sigmoid of integers", wrong[1]);
  all += report("five ALUs", wrong[2]);
  all += report("leaky relu", wrong[3]);
  return all == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
