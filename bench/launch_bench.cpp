// How long a launch takes, from the call to the result: a small kernel, recorded, checked, placed and run, on the fast
// interpreter. bench/launch_python.py compares it with the same kernel in Python.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

#include "tcp/dyn.hpp"

using namespace tcp;

namespace {

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

}  // namespace

int main() {
  ContextOptions options;
  options.threads = 1;
  auto ctx = Context::acquire(options);
  dyn::HostTensor const x(ScalarType::i32, dyn::axis("A", 2048));
  auto const x_hbm = x.to_hbm(ctx.pdma, dyn::one, x.element());
  std::vector<double> took;
  std::clock_t const before = std::clock();  // of all threads of this process
  for (int i = 0; i < 400; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    auto const y = launch(add_one, ctx, x_hbm).get();
    took.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  double const processor = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC * 1e6 / static_cast<double>(took.size());
  std::sort(took.begin(), took.end());
  std::printf("figure launch_from_cpp %.1f us\n", took[took.size() / 2]);
  std::printf("figure launch_from_cpp_cpu %.1f us\n", processor);
}
