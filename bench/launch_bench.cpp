// What a launch costs beside its arithmetic, on the fast interpreter. The smallest GEMM lesson is prepared once; a
// later launch, from the call to the result, is compared with the interpreter's own time for the same module, and with
// a launch that records the kernel again. bench/launch_python.py compares a small kernel with the same one in Python.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "tcp/dyn.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/runtime/prepare.hpp"

using namespace tcp;

namespace {

TCP_AXES(I = 512, J = 512, K = 64);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<I / 32, J / 32>;

/// The kernel of examples/06_gemm.
auto gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b)
    -> HbmTensor<bf16, Chip, m<I, J>> {
  auto a_dm = a.to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma, 0);
  auto b_dm = b.to_dm<Cluster, Slice, m<J % 32, K>>(ctx.tdma, 1 << 12);
  auto weights = ctx.sub.begin(b_dm.view())
                     .fetch<bf16, m<J % 8, J / 8 % 4>, m<K>>()
                     .collect<m<J % 8, J / 8 % 4, K / 16>, m<K % 16>>()
                     .to_trf<m<J % 8>, m<J / 8 % 4, K>>(TrfAddress::Full);
  auto c_dm = ctx.main.begin(a_dm.view())
                  .fetch<bf16, m<I % 32, J / 8 % 4>, m<K>>()
                  .collect<m<I % 32, J / 8 % 4, K / 16>, m<K % 16>>()
                  .align<m<I % 32, J / 8 % 4, K / 32>, m<K % 32>>(weights)
                  .contract<m<1>>()
                  .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved)
                  .cast<bf16, m<(J % 8).pad(16)>>()
                  .commit<m<I % 32, J % 32>>(1 << 13);
  return c_dm.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);
}

dyn::Tensor add_one(Context& ctx, const dyn::Tensor& in) {
  Mapping const a = dyn::axis("A", 2048);
  auto const dm = in.to_dm(ctx.tdma, dyn::one.pad(2), (a / 8).pad(256), a % 8);
  auto const sum = dyn::main(ctx)
                       .begin(dm)
                       .fetch(ScalarType::i32, dyn::one, a % 8)
                       .collect(dyn::one, a % 8)
                       .vector_init()
                       .vector_intra_slice_branch(BranchMode::Unconditional)
                       .vector_fxp(FxpBinaryOp::AddFxp, 1)
                       .vector_final()
                       .commit(a % 8);
  return sum.to_hbm(ctx.tdma, a);
}

using Clock = std::chrono::steady_clock;

/// The medians of what several calls take, in turn, so that all see the same machine.
std::vector<double> microseconds_of(const std::vector<std::function<void()>>& calls, int rounds = 400) {
  std::vector<std::vector<double>> took(calls.size());
  for (int i = 0; i < rounds; ++i)
    for (std::size_t c = 0; c < calls.size(); ++c) {
      auto const begin = Clock::now();
      calls[c]();
      took[c].push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  std::vector<double> medians;
  for (std::vector<double>& t : took) {
    std::nth_element(t.begin(), t.begin() + rounds / 2, t.end());
    medians.push_back(t[static_cast<std::size_t>(rounds / 2)]);
  }
  return medians;
}

}  // namespace

int main() {
  ContextOptions options;
  options.threads = 1;
  auto ctx = Context::acquire(options);
  Random random(6);
  auto const a = HostTensor<bf16, m<I, K>>::rand(random).to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
  auto const b = HostTensor<bf16, m<J, K>>::rand(random).to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28);
  auto const product = prepare(gemm, ctx, a, b);
  // What the interpreter takes by itself for this module.
  Recorded const recorded = record(gemm, ctx, a, b);
  auto const module = ir::verify(recorded.module(), rngd);
  Images const zeros(2, std::make_shared<const Image>(512 * 64 * 2));
  vector::Options how;
  how.threads = 1;
  std::vector<double> const gemm_us = microseconds_of({
      [&] { (void)product.launch(a, b).get(); },
      [&] { (void)vector::run(*module, zeros, how); },
      [&] { (void)launch(gemm, ctx, a, b).get(); },
  });
  std::printf("figure launch_overhead_us %.1f us\n", gemm_us[0] - gemm_us[1]);
  std::printf("figure launch_recorded_overhead_us %.1f us\n", gemm_us[2] - gemm_us[1]);

  dyn::HostTensor const x(ScalarType::i32, dyn::axis("A", 2048));
  auto const x_hbm = x.to_hbm(ctx.pdma, dyn::one, x.element());
  auto const sum = prepare(add_one, ctx, x_hbm);
  std::vector<double> const add_us = microseconds_of({
      [&] { (void)launch(add_one, ctx, x_hbm).get(); },
      [&] { (void)sum.launch(x_hbm).get(); },
  });
  // Other programs lengthen the wall's time, not the processor's, which is that of all threads of this process.
  constexpr int rounds = 400;
  std::clock_t const before = std::clock();
  for (int i = 0; i < rounds; ++i) (void)launch(add_one, ctx, x_hbm).get();
  double const processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC * 1e6 / rounds;
  std::printf("figure launch_from_cpp %.1f us\n", add_us[0]);
  std::printf("figure launch_from_cpp_cpu %.1f us\n", processor);
  std::printf("figure launch_prepared_from_cpp %.1f us\n", add_us[1]);
}
