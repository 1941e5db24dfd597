// The mapper against the kernel library, in cycles of the model `book`: products of 200 random sizes from 1 to 5,000,
// with and without main.dual, and in the model `calibrated`; how near 1000 x 1000 x 1000, and a convolution, come to
// their bounds; what bias and GELU cost; and what a search takes.
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
mapper::Product product_in(const std::string& text) { return value_or_throw(mapper::product_of(value_or_throw(formula::parse(text)))); }
mapper::Product product(const Sizes& s, const std::string& steps = "sum[k] A[m,k] * B[n,k]{any}") {
  return product_in("C[m,n] = " + steps + " where m = " + std::to_string(s.m) + ", n = " + std::to_string(s.n) +
                    ", k = " + std::to_string(s.k));
}
mapper::Product convolution() {
  return product_in(
      "y[h,w,f] = sum[r,s,c] x[h+r-1 : 56, w+s-1 : 56, c]{any} * W[f,r,s,c]{any} where h = 56, w = 56, f = 64, r = 3, s = 3, c = 64");
}
mapper::Tried mapped(const mapper::Product& p, bool dual) {
  mapper::SearchOptions options;
  options.dual = dual;
  return value_or_throw(mapper::search(rngd, p, options)).best;
}
struct TwoModels {
  std::int64_t book, calibrated;
};
TwoModels of_library(const Sizes& s) {
  kernels::Gemm const gemm(rngd, ScalarType::bf16, s.m, s.n, s.k);
  auto const program = build::lowered(build::module_of([&](Context& ctx) {
    auto const a = dyn::Tensor::hbm_at(0, ScalarType::bf16, dyn::one, gemm.a_layout());
    auto const b = dyn::Tensor::hbm_at(std::int64_t{1} << 30, ScalarType::bf16, dyn::one, gemm.b_layout());
    return gemm(ctx, a, b);
  }));
  return {value_or_throw(plan(program, rngd)).schedule.makespan.value,
          value_or_throw(plan(program, rngd, {.model = "calibrated"})).schedule.makespan.value};
}
double ratio(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }
double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

}  // namespace

int main() try {
  Random random(23);
  std::vector<double> with_dual, without, calibrated, seconds;
  Sizes worst{};
  for (int i = 0; i < 200; ++i) {
    Sizes const s{random.between(1, 5000), random.between(1, 5000), random.between(1, 5000)};
    TwoModels const library = of_library(s);
    auto const begin = std::chrono::steady_clock::now();
    mapper::Tried const found = mapped(product(s), true);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    with_dual.push_back(ratio(found.book, library.book));
    calibrated.push_back(ratio(found.calibrated, library.calibrated));
    if (*std::max_element(with_dual.begin(), with_dual.end()) == with_dual.back()) worst = s;
    if (i % 5 == 0) without.push_back(ratio(mapped(product(s), false).book, library.book));
  }
  std::printf("ratio mapper_vs_library_median %.3f\n", median(with_dual));
  std::printf("ratio mapper_vs_library_worst %.3f\n", *std::max_element(with_dual.begin(), with_dual.end()));
  std::printf("  of %lld x %lld x %lld\n", static_cast<long long>(worst.m), static_cast<long long>(worst.n),
              static_cast<long long>(worst.k));
  std::printf("ratio mapper_vs_library_worst_calibrated %.3f\n", *std::max_element(calibrated.begin(), calibrated.end()));
  std::printf("ratio mapper_vs_library_median_without_dual %.3f\n", median(without));
  for (bool dual : {true, false}) {
    const char* const name = dual ? "" : "_without_dual";
    mapper::Product const cube = product({1000, 1000, 1000});
    std::printf("ratio bound_gemm_1000%s %.3f\n", name, ratio(mapper::bounds_of(rngd, cube).rates, mapped(cube, dual).book));
    std::printf("ratio bound_conv_56%s %.3f\n", name,
                ratio(mapper::bounds_of(rngd, convolution()).rates, mapped(convolution(), dual).book));
  }
  for (std::int64_t n : {512, 1000, 2048})
    std::printf(
        "ratio bias_and_gelu_%lld %.3f\n", static_cast<long long>(n),
        ratio(mapped(product({n, n, n}, "gelu(sum[k] A[m,k] * B[n,k]{any} + bias[n])"), true).book, mapped(product({n, n, n}), true).book));
  auto const begin = std::chrono::steady_clock::now();
  (void)mapped(convolution(), true);
  std::printf("figure map_conv_s %.2f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  std::printf("figure map_gemm_s %.2f s\n", median(seconds));
  std::printf("figure map_gemm_worst_s %.2f s\n", *std::max_element(seconds.begin(), seconds.end()));
  return 0;
} catch (const tcp::Refused& refused) {
  std::puts(refused.what());
  return 1;
}
