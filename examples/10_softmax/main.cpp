// Softmax of 256 rows of 1024: y[n, r] = exp(x[n, r] - max over r) / sum over r of exp(x[n, r] - max), in three passes.
#include <cmath>
#include <cstdio>
#include <tcp/tcp.hpp>
#include <vector>

using namespace tcp;

TCP_AXES(N = 256, R = 1024);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<N>;  // one row per slice
using Hbm = HbmTensor<bf16, Chip, m<N, R>>;

// One number a slice, from DM into VRF, to be used with every element of the row.
auto keep(Context& ctx, const DmTensor<f32, Chip, Cluster, Slice, m<one.pad(8)>>& number, Address address) {
  return ctx.sub.begin(number.view()).fetch<f32, m<1>, m<one.pad(8)>>().collect<m<1>, m<one.pad(8)>>().to_vrf<m<one.pad(8)>>(address);
}

auto softmax(Context& ctx, const Hbm& in) -> Hbm {
  auto x = in.to_dm<Cluster, Slice, m<R>>(ctx.tdma, 0);

  auto greatest_dm = ctx.main.begin(x.view())
                         .fetch<f32, m<R / 8>, m<R % 8>>()  // bf16 in memory, f32 in the stream
                         .collect<m<R / 8>, m<R % 8>>()
                         .vector_init()
                         .vector_intra_slice_branch(BranchMode::Unconditional)
                         .vector_split<m<R / 4>, m<R % 4>>()
                         .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Max)
                         .vector_pad_way8<m<one.pad(8)>>()
                         .vector_final()
                         .commit<m<one.pad(8)>>(0x1000);
  auto greatest = keep(ctx, greatest_dm, 0);

  auto sum_dm = ctx.main.begin(x.view())
                    .fetch<f32, m<R / 8>, m<R % 8>>()
                    .collect<m<R / 8>, m<R % 8>>()
                    .vector_init()
                    .vector_intra_slice_branch(BranchMode::Unconditional)
                    .vector_split<m<R / 4>, m<R % 4>>()
                    .vector_fp_binary(FpBinaryOp::SubF, greatest)
                    .vector_fp_unary(FpUnaryOp::Exp)
                    .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
                    .vector_pad_way8<m<one.pad(8)>>()
                    .vector_final()
                    .commit<m<one.pad(8)>>(0x1020);
  auto sum = keep(ctx, sum_dm, 32);

  // The exponentials once more, now divided: cheaper than to write them out and read them again.
  auto y = ctx.main.begin(x.view())
               .fetch<f32, m<R / 8>, m<R % 8>>()
               .collect<m<R / 8>, m<R % 8>>()
               .vector_init()
               .vector_intra_slice_branch(BranchMode::Unconditional)
               .vector_split<m<R / 4>, m<R % 4>>()
               .vector_fp_binary(FpBinaryOp::SubF, greatest)
               .vector_fp_unary(FpUnaryOp::Exp)
               .vector_fp_div(FpDivBinaryOp::DivF, sum)
               .vector_concat<m<R / 8>, m<R % 8>>()
               .vector_final()
               .cast<bf16, m<(R % 8).pad(16)>>()
               .commit<m<R>>(0x2000);
  return y.to_hbm<m<N, R>>(ctx.tdma, 1 << 28);
}

// One row, added as the chip adds: four neighbours as two pairs, then packet after packet.
std::vector<float> expected(const bf16* x) {
  float greatest = x[0].to_float();
  for (std::size_t r = 1; r < 1024; ++r) greatest = std::fmax(greatest, x[r].to_float());
  std::vector<float> e(1024);
  for (std::size_t r = 0; r < 1024; ++r) e[r] = static_cast<float>(std::exp(double{x[r].to_float() - greatest}));
  float sum = 0;
  for (std::size_t r = 0; r < 1024; r += 4) {
    float const packet = (e[r] + e[r + 1]) + (e[r + 2] + e[r + 3]);
    sum = r == 0 ? packet : sum + packet;
  }
  for (float& each : e) each /= sum;
  return e;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(10);
  auto x = HostTensor<bf16, m<N, R>>();
  for (bf16& each : x) each = bf16::from_double(static_cast<double>(random.between(-8000, 8000)) / 1000);

  auto const x_hbm = x.to_hbm<Chip, m<N, R>>(ctx.pdma, 0);
  auto const y = launch(softmax, ctx, x_hbm).get().to_host<m<N, R>>(ctx.pdma);

  int wrong = 0;
  double total = 0;
  for (std::size_t n = 0; n < 256; ++n) {
    auto const row = expected(&x[1024 * n]);
    for (std::size_t r = 0; r < 1024; ++r) wrong += y[1024 * n + r] != bf16::from_float(row[r]);
    for (std::size_t r = 0; r < 1024; ++r) total += double{y[1024 * n + r].to_float()};
  }
  std::printf("a row adds up to %.3f on average\n", total / 256);
  std::printf("%d wrong of %d\n", wrong, 256 * 1024);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
