// Many products, and one over many chips: a batch in which every product has matrices of its own, and the two matrices of an MLP over four chips.
#include <tcp/kernels/gemm/gemm_on_chips.hpp>

#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

dyn::HostTensor drawn(Random& random, const Mapping& elements) {
  dyn::HostTensor t(ScalarType::i8, elements);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<i8>()[i] = i8::from_int(random.between(-128, 127));
  return t;
}

// A row of A times a column of B.
int dot(const dyn::HostTensor& a, std::int64_t row, const dyn::HostTensor& b, std::int64_t column, std::int64_t k) {
  int sum = 0;
  for (std::int64_t x = 0; x < k; ++x) sum += a.data<i8>()[row * k + x].to_int() * b.data<i8>()[column * k + x].to_int();
  return sum;
}

// C[g] = A[g] B[g], as attention has it for every head.
int wrong_in_batch(Context& ctx) {
  constexpr std::int64_t batch = 6, m = 20, n = 33, k = 64;
  auto const gemm = kernels::Gemm::batched(rngd, ScalarType::i8, batch, m, n, k);
  Random random(23);
  auto const a = drawn(random, dyn::map(gemm.batch(), gemm.m(), gemm.k())), b = drawn(random, dyn::map(gemm.batch(), gemm.n(), gemm.k()));
  auto const a_hbm = a.to_hbm(ctx.pdma, dyn::one, gemm.a_layout());
  auto const b_hbm = b.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.batch(), gemm.m(), gemm.n()));
  int bad = 0;
  for (std::int64_t g = 0; g < batch; ++g)
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) bad += c.data<i32>()[(g * m + i) * n + j].to_int() != dot(a, g * m + i, b, g * n + j, k);
  return bad;
}

constexpr std::int64_t chips = 4, tokens = 12, hidden = 64, wide = 256;

// Every chip has all tokens and a quarter of the columns, and gets a quarter of every row of C.
int wrong_over_n(Context& ctx) {
  kernels::GemmOnChips const up(rngd, ScalarType::i8, tokens, wide, hidden, chips, kernels::GemmSplit::n);
  Random random(24);
  auto const a = drawn(random, up.host_a()), b = drawn(random, up.host_b());
  auto const a_hbm = a.to_hbm(ctx.pdma, up.chip(), up.a_layout());
  auto const b_hbm = b.to_hbm(ctx.pdma, up.chip(), up.b_layout());
  auto const c = launch<chips>(up, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, up.host_c());
  int bad = 0;
  for (std::int64_t i = 0; i < tokens; ++i)
    for (std::int64_t j = 0; j < wide; ++j) bad += c.data<i32>()[i * wide + j].to_int() != dot(a, i, b, j, hidden);
  return bad;
}

// Every chip has a quarter of every row of A and what belongs to it, and gets a part of every sum.
int wrong_over_k(Context& ctx) {
  kernels::GemmOnChips const down(rngd, ScalarType::i8, tokens, hidden, wide, chips, kernels::GemmSplit::k);
  Random random(25);
  auto const a = drawn(random, down.host_a()), b = drawn(random, down.host_b());
  auto const a_hbm = a.to_hbm(ctx.pdma, down.chip(), down.a_layout());
  auto const b_hbm = b.to_hbm(ctx.pdma, down.chip(), down.b_layout());
  auto const c = launch<chips>(down, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, down.host_c());
  int bad = 0;
  for (std::int64_t i = 0; i < tokens; ++i)
    for (std::int64_t j = 0; j < hidden; ++j) {
      int sum = 0;  // that an AllReduce would make
      for (std::int64_t chip = 0; chip < chips; ++chip) sum += c.data<i32>()[(chip * tokens + i) * hidden + j].to_int();
      bad += sum != dot(a, i, b, j, wide);
    }
  return bad;
}

int main() try {
  auto ctx = Context::acquire();
  int const batch = wrong_in_batch(ctx), over_n = wrong_over_n(ctx), over_k = wrong_over_k(ctx);
  std::printf("a batch of 6 products: %d wrong of %d\n", batch, 6 * 20 * 33);
  std::printf("N over four chips: %d wrong of %lld\n", over_n, static_cast<long long>(tokens * wide));
  std::printf("K over four chips: %d wrong of %lld\n", over_k, static_cast<long long>(tokens * hidden));
  return batch + over_n + over_k == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
