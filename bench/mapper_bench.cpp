// The mapper against the kernel library, in cycles of the model `book`: products of 200 random sizes from 1 to 5,000,
// with and without main.dual; how near 1000 x 1000 x 1000 comes to its bound; and what a search takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/gemm/gemm.hpp"
#include "kernels/lowered.hpp"
#include "recorder.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/mapper/search.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/support/random.hpp"

namespace {

using namespace tcp;

struct Sizes {
  std::int64_t m, n, k;
};
mapper::Product product(const Sizes& s) {
  auto const f = value_or_throw(formula::parse("C[m,n] = sum[k] A[m,k] * B[n,k]{any} where m = " + std::to_string(s.m) +
                                               ", n = " + std::to_string(s.n) + ", k = " + std::to_string(s.k)));
  return value_or_throw(mapper::product_of(f));
}
std::int64_t mapped(const Sizes& s, bool dual) {
  mapper::SearchOptions options;
  options.dual = dual;
  return value_or_throw(mapper::search(rngd, product(s), options)).best.book;
}
std::int64_t of_library(const Sizes& s) {
  kernels::Gemm const gemm(rngd, ScalarType::bf16, s.m, s.n, s.k);
  auto const program = build::lowered(build::module_of([&](Context& ctx) {
    auto const a = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, gemm.a_layout());
    auto const b = dyn::Tensor::hbm_at(std::int64_t{1} << 30, ScalarType::bf16, dyn::one, gemm.b_layout());
    return gemm(ctx, a, b);
  }));
  return value_or_throw(plan(program, rngd)).schedule.makespan.value;
}
double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

int main() try {
  Random random(23);
  std::vector<double> with_dual, without;
  std::vector<double> seconds;
  for (int i = 0; i < 200; ++i) {
    Sizes const s{random.between(1, 5000), random.between(1, 5000), random.between(1, 5000)};
    auto const library = static_cast<double>(of_library(s));
    auto const begin = std::chrono::steady_clock::now();
    with_dual.push_back(static_cast<double>(mapped(s, true)) / library);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (i % 5 == 0) without.push_back(static_cast<double>(mapped(s, false)) / library);
  }
  std::printf("ratio mapper_vs_library_median %.3f\n", median(with_dual));
  std::printf("ratio mapper_vs_library_worst %.3f\n", *std::max_element(with_dual.begin(), with_dual.end()));
  std::printf("ratio mapper_vs_library_median_without_dual %.3f\n", median(without));
  for (bool dual : {true, false})
    std::printf("ratio bound_gemm_1000%s %.3f\n", dual ? "" : "_without_dual",
                static_cast<double>(mapper::bounds_of(rngd, product({1000, 1000, 1000})).rates) /
                    static_cast<double>(mapped({1000, 1000, 1000}, dual)));
  std::printf("figure map_gemm_s %.2f s\n", median(seconds));
  return 0;
} catch (const tcp::Refused& refused) {
  std::puts(refused.what());
  return 1;
}
