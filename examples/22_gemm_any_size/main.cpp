// C = A B for sizes that divide by nothing: the library's kernel, what its planner decides for a few sizes, and how near to the chip's limits it comes.
#include <tcp/kernels/gemm/gemm.hpp>

#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

dyn::HostTensor drawn(Random& random, const Mapping& elements) {
  dyn::HostTensor t(ScalarType::i8, elements);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<i8>()[i] = i8::from_int(random.between(-128, 127));
  return t;
}

struct Size {
  std::int64_t m, n, k;
};

// Integers, so that the host may add in any order.
int wrong(Context& ctx, const Size& s) {
  kernels::Gemm const gemm(rngd, ScalarType::i8, s.m, s.n, s.k);
  Random random(22);
  auto const a = drawn(random, dyn::map(gemm.m(), gemm.k())), b = drawn(random, dyn::map(gemm.n(), gemm.k()));  // columns of B: [N, K]
  auto const a_hbm = a.to_hbm(ctx.pdma, dyn::one, gemm.a_layout());
  auto const b_hbm = b.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
  int bad = 0;
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t j = 0; j < s.n; ++j) {
      int sum = 0;
      for (std::int64_t x = 0; x < s.k; ++x) sum += a.data<i8>()[i * s.k + x].to_int() * b.data<i8>()[j * s.k + x].to_int();
      bad += c.data<i32>()[i * s.n + j].to_int() != sum;
    }
  return bad;
}

int main() try {
  for (Size s : {Size{4096, 4096, 4096}, {1, 14336, 4096}, {1000, 1000, 1000}}) {
    kernels::Gemm const gemm(rngd, ScalarType::bf16, s.m, s.n, s.k);
    auto const bound = kernels::cycles_of(gemm.work(), rngd);
    std::printf("%lld x %lld x %lld; at the least %lld cycles, for %s\n%s\n", static_cast<long long>(s.m), static_cast<long long>(s.n),
                static_cast<long long>(s.k), static_cast<long long>(bound.bound().value), bound.bound_by(), text_of(gemm.tiling()).c_str());
  }

  auto ctx = Context::acquire();
  int bad = 0;
  for (Size s : {Size{1, 1, 1}, {7, 5, 3}, {33, 20, 65}, {1, 140, 520}, {60, 77, 90}}) {
    int const found = wrong(ctx, s);
    std::printf("%2lld x %3lld x %3lld: %d wrong of %lld\n", static_cast<long long>(s.m), static_cast<long long>(s.n),
                static_cast<long long>(s.k), found, static_cast<long long>(s.m * s.n));
    bad += found;
  }
  return bad == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
