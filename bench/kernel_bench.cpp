// Whole kernels, written in the DSL, from HBM to HBM, in the vector interpreter: matrix products against OpenBLAS, and
// small kernels against the reference interpreter. OpenBLAS multiplies f32 in the order that suits it; the kernels
// multiply bf16 in the chip's.
#include <cblas.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <tcp/tcp.hpp>
#include <tuple>
#include <vector>

#include "openblas.hpp"
#include "pairs.hpp"

using namespace tcp;

namespace {

TCP_AXES(I = 2048, J = 2048, K = 2048);
TCP_AXES(H = 1024, L = 1024, M = 1024);
TCP_AXES(P = 512, Q = 512, D = 64);
TCP_AXES(N = 256, R = 4096);
using Chip = m<1>;

/// C = A B^T in tiles of 512 x 512, each on all slices of both clusters; every slice has 32 x 16 of a tile, and all of
/// the summed axis.
template <auto X, auto Y, auto Z, std::int64_t Tiles>
auto gemm(Context& ctx, const HbmTensor<bf16, Chip, m<X, Z>>& a, const HbmTensor<bf16, Chip, m<Y, Z>>& b)
    -> HbmTensor<bf16, Chip, m<X, Y>> {
  using Cluster = m<Y / 256 % 2>;
  using Slice = m<X / 32 % 16, Y / 16 % 16>;
  auto c = HbmTensor<bf16, Chip, m<X, Y>>::from_addr(std::int64_t{2} << 28);
  for (std::int64_t x = 0; x < Tiles; ++x) {
    auto a_dm = a.template tile<m<X / 512>, 1>(x).template to_dm<Cluster, Slice, m<X % 32, Z>>(ctx.tdma, 0);
    for (std::int64_t y = 0; y < Tiles; ++y) {
      auto b_dm = b.template tile<m<Y / 512>, 1>(y).template to_dm<Cluster, Slice, m<Y % 16, Z>>(ctx.tdma, 1 << 17);
      auto weights = ctx.sub.begin(b_dm.view())
                         .template fetch<bf16, m<Y % 8, Y / 8 % 2, Z / 16>, m<Z % 16>>()
                         .template collect<m<Y % 8, Y / 8 % 2, Z / 16>, m<Z % 16>>()
                         .template to_trf<m<Y % 8>, m<Y / 8 % 2, Z>>(TrfAddress::Full);
      auto c_dm = ctx.main.begin(a_dm.view())
                      .template fetch<bf16, m<X % 32, Y / 8 % 2, Z / 16>, m<Z % 16>>()
                      .template collect<m<X % 32, Y / 8 % 2, Z / 16>, m<Z % 16>>()
                      .template align<m<X % 32, Y / 8 % 2, Z / 32>, m<Z % 32>>(weights)
                      .template contract<m<1>>()
                      .template accumulate<m<X % 32, Y / 8 % 2>, m<Y % 8>>(AccumulationKind::Interleaved)
                      .template cast<bf16, m<(Y % 8).pad(16)>>()
                      .template commit<m<X % 32, Y % 16>>(1 << 18);
      ctx.tdma.dma(c_dm, c.view_mut().template tile<m<X / 512>, 1>(x).template tile<m<Y / 512>, 1>(y));
    }
  }
  return c;
}

/// The product of lesson 06.
auto small_gemm(Context& ctx, const HbmTensor<bf16, Chip, m<P, D>>& a, const HbmTensor<bf16, Chip, m<Q, D>>& b)
    -> HbmTensor<bf16, Chip, m<P, Q>> {
  using Cluster = m<one.pad(2)>;
  using Slice = m<P / 32, Q / 32>;
  auto a_dm = a.to_dm<Cluster, Slice, m<P % 32, D>>(ctx.tdma, 0);
  auto b_dm = b.to_dm<Cluster, Slice, m<Q % 32, D>>(ctx.tdma, 1 << 12);
  auto weights = ctx.sub.begin(b_dm.view())
                     .fetch<bf16, m<Q % 8, Q / 8 % 4>, m<D>>()
                     .collect<m<Q % 8, Q / 8 % 4, D / 16>, m<D % 16>>()
                     .to_trf<m<Q % 8>, m<Q / 8 % 4, D>>(TrfAddress::Full);
  auto c_dm = ctx.main.begin(a_dm.view())
                  .fetch<bf16, m<P % 32, Q / 8 % 4>, m<D>>()
                  .collect<m<P % 32, Q / 8 % 4, D / 16>, m<D % 16>>()
                  .align<m<P % 32, Q / 8 % 4, D / 32>, m<D % 32>>(weights)
                  .contract<m<1>>()
                  .accumulate<m<P % 32, Q / 8 % 4>, m<Q % 8>>(AccumulationKind::Interleaved)
                  .cast<bf16, m<(Q % 8).pad(16)>>()
                  .commit<m<P % 32, Q % 32>>(1 << 13);
  return c_dm.to_hbm<m<P, Q>>(ctx.tdma, 2 << 28);
}

/// The softmax of lesson 10, of longer rows.
auto softmax(Context& ctx, const HbmTensor<bf16, Chip, m<N, R>>& in) -> HbmTensor<bf16, Chip, m<N, R>> {
  using Cluster = m<one.pad(2)>;
  using One = m<one.pad(8)>;
  auto x = in.to_dm<Cluster, m<N>, m<R>>(ctx.tdma, 0);
  auto greatest_dm = ctx.main.begin(x.view())
                         .fetch<f32, m<R / 8>, m<R % 8>>()
                         .collect<m<R / 8>, m<R % 8>>()
                         .vector_init()
                         .vector_intra_slice_branch(BranchMode::Unconditional)
                         .vector_split<m<R / 4>, m<R % 4>>()
                         .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Max)
                         .vector_pad_way8<One>()
                         .vector_final()
                         .commit<One>(0x2000);
  auto greatest = ctx.sub.begin(greatest_dm.view()).fetch<f32, m<1>, One>().collect<m<1>, One>().to_vrf<One>(0);
  auto sum_dm = ctx.main.begin(x.view())
                    .fetch<f32, m<R / 8>, m<R % 8>>()
                    .collect<m<R / 8>, m<R % 8>>()
                    .vector_init()
                    .vector_intra_slice_branch(BranchMode::Unconditional)
                    .vector_split<m<R / 4>, m<R % 4>>()
                    .vector_fp_binary(FpBinaryOp::SubF, greatest)
                    .vector_fp_unary(FpUnaryOp::Exp)
                    .vector_intra_slice_reduce<R, m<1>, m<one.pad(4)>>(IntraSliceReduceOpF32::Add)
                    .vector_pad_way8<One>()
                    .vector_final()
                    .commit<One>(0x2020);
  auto sum = ctx.sub.begin(sum_dm.view()).fetch<f32, m<1>, One>().collect<m<1>, One>().to_vrf<One>(32);
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
               .commit<m<R>>(0x4000);
  return y.to_hbm<m<N, R>>(ctx.tdma, 1 << 28);
}

ContextOptions on(BackendKind backend, int threads) {
  ContextOptions options;
  options.backend = backend;
  options.threads = threads;
  return options;
}

/// Runs a kernel once with random arguments and says how long the launch took; the arguments are uploaded before.
template <class Kernel, class... Host>
class Timed {
 public:
  Timed(ContextOptions options, Kernel kernel, const Host&... host) : options_(options), kernel_(kernel), host_(host...) {}

  template <class... Element>
  double seconds() const {
    auto ctx = Context::acquire(options_);
    return std::apply(
        [&](const auto&... host) {
          auto const arguments = std::tuple(host.template to_hbm<Chip, Element>(ctx.pdma)...);
          return std::apply(
              [&](const auto&... hbm) { return bench::seconds([&] { (void)launch(kernel_, ctx, hbm...).get(); }, options_.threads); },
              arguments);
        },
        host_);
  }

 private:
  ContextOptions options_;
  Kernel kernel_;
  std::tuple<const Host&...> host_;
};

struct Blas {
  int n;
  std::vector<float> a, b, c;
  explicit Blas(int size) : n(size), a(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 0.5f), b(a), c(a) {}
  double seconds(int threads) {
    return bench::seconds(
        [&] { cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1, a.data(), n, b.data(), n, 0, c.data(), n); }, threads);
  }
};

/// Memory that the process has in use, in MB.
double resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

constexpr int pairs = 5;

template <class Ours, class Theirs>
void compare(const char* name, Ours ours, Theirs theirs) {
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    double const their_time = theirs();
    ratios.push_back(their_time / ours());
  }
  bench::print_ratio(name, bench::median(ratios));
}

}  // namespace

int main(int, char** arguments) try {
  bench::with_best_openblas(arguments);
  Random random(6);
  {
    double const before = resident();
    auto const a = HostTensor<bf16, m<I, K>>::rand(random);
    auto const b = HostTensor<bf16, m<J, K>>::rand(random);
    auto const big = [&](int threads) {
      return Timed(on(BackendKind::vector, threads), gemm<I, J, K, 4>, a, b).template seconds<m<I, K>, m<J, K>>();
    };
    big(1);
    std::printf("figure rss_gemm_2048 %.0f MB\n", resident() - before);
    Blas blas(2048);
    for (int threads : {1, 2}) {
      openblas_set_num_threads(threads);
      compare(
          threads == 1 ? "kernel_gemm_2048_vs_openblas" : "kernel_gemm_2048_2_threads_vs_openblas", [&] { return big(threads); },
          [&] { return blas.seconds(threads); });
    }
    auto const c = HostTensor<bf16, m<H, M>>::rand(random);
    auto const d = HostTensor<bf16, m<L, M>>::rand(random);
    auto const half = [&] { return Timed(on(BackendKind::vector, 1), gemm<H, L, M, 2>, c, d).template seconds<m<H, M>, m<L, M>>(); };
    half();
    std::vector<double> growth;
    for (int i = 0; i < pairs; ++i) {
      double const small = half();
      growth.push_back(big(1) / small);
    }
    std::printf("figure kernel_gemm_growth %.2f times\n", bench::median(growth));
  }
  auto const a = HostTensor<bf16, m<P, D>>::rand(random);
  auto const b = HostTensor<bf16, m<Q, D>>::rand(random);
  auto const product = [&](BackendKind backend) { return Timed(on(backend, 1), small_gemm, a, b).seconds<m<P, D>, m<Q, D>>(); };
  compare("gemm_512_vs_reference", [&] { return product(BackendKind::vector); }, [&] { return product(BackendKind::reference); });
  auto const x = HostTensor<bf16, m<N, R>>::rand(random);
  auto const rows = [&](BackendKind backend) { return Timed(on(backend, 1), softmax, x).seconds<m<N, R>>(); };
  compare("softmax_256x4096_vs_reference", [&] { return rows(BackendKind::vector); }, [&] { return rows(BackendKind::reference); });
  return 0;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
