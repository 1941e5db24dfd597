// The library's matrix product taken apart: from the kernel of lesson 06 to the library's, one step at a time, each
// with its cycles.
#include <tcp/kernels/gemm/fixed_gemm.hpp>
#include <tcp/kernels/gemm/gemm.hpp>

#include <algorithm>
#include <cstdio>
#include <tcp/runtime/options.hpp>
#include <tcp/tcp.hpp>
#include <tcp/trace/trace.hpp>
#include <vector>

using namespace tcp;

TCP_AXES(I = 512, J = 2048, K = 128);
using Chip = m<1>;
using A = HbmTensor<bf16, Chip, m<I, K>>;
using B = HbmTensor<bf16, Chip, m<J, K>>;
using C = HbmTensor<bf16, Chip, m<I, J>>;

// Step 1, lesson 06: a grid of 16 x 16 slices. What a slice needs of A and B is copied into it by the transfers.
void one_cluster(Context& ctx, const A& a, const B& b, C& c) {
  using Cluster = m<one.pad(2)>;
  using Slice = m<I / 32, J / 128>;
  auto const a_dm = a.to_dm<Cluster, Slice, m<I % 32, K>>(ctx.tdma);
  auto const b_dm = b.to_dm<Cluster, Slice, m<J % 128, K>>(ctx.tdma);
  auto const weights = ctx.sub.begin(b_dm.view())
                           .fetch<bf16, m<J % 8, J / 8 % 16>, m<K>>()
                           .collect<m<J % 8, J / 8 % 16, K / 16>, m<K % 16>>()
                           .to_trf<m<J % 8>, m<J / 8 % 16, K>>(TrfAddress::Full);
  auto const c_dm = ctx.main.begin(a_dm.view())
                        .fetch<bf16, m<I % 32, J / 8 % 16>, m<K>>()
                        .collect<m<I % 32, J / 8 % 16, K / 16>, m<K % 16>>()
                        .align<m<I % 32, J / 8 % 16, K / 32>, m<K % 32>>(weights)
                        .contract<m<1>>()
                        .accumulate<m<I % 32, J / 8 % 16>, m<J % 8>>(AccumulationKind::Interleaved)
                        .cast<bf16, m<(J % 8).pad(16)>>()
                        .commit<m<I % 32, J % 128>>();
  ctx.tdma.dma(c_dm.view(), c.view_mut());
}

// From here on both clusters work: each has half of the rows.
using Cluster = m<I / 256>;
using Slice = m<I / 16 % 16, J / 128>;

DmTensor<bf16, Chip, Cluster, Slice, m<I % 16, K>> load_rows(Context& ctx, const A& a) {
  return a.to_dm<Cluster, Slice, m<I % 16, K>>(ctx.tdma);
}
TrfTensor<bf16, Chip, Cluster, Slice, m<J % 8>, m<J / 8 % 16, K>> load_weights(Context& ctx, const B& b) {
  auto const b_dm = b.to_dm<Cluster, Slice, m<J % 128, K>>(ctx.tdma);
  return ctx.sub.begin(b_dm.view())
      .fetch<bf16, m<J % 8, J / 8 % 16>, m<K>>()
      .collect<m<J % 8, J / 8 % 16, K / 16>, m<K % 16>>()
      .to_trf<m<J % 8>, m<J / 8 % 16, K>>(TrfAddress::Full);
}

// Step 2: nothing else has changed.
void both_clusters(Context& ctx, const A& a, const B& b, C& c) {
  auto const a_dm = load_rows(ctx, a);
  auto const weights = load_weights(ctx, b);
  auto const c_dm = ctx.main.begin(a_dm.view())
                        .fetch<bf16, m<I % 16, J / 8 % 16>, m<K>>()
                        .collect<m<I % 16, J / 8 % 16, K / 16>, m<K % 16>>()
                        .align<m<I % 16, J / 8 % 16, K / 32>, m<K % 32>>(weights)
                        .contract<m<1>>()
                        .accumulate<m<I % 16, J / 8 % 16>, m<J % 8>>(AccumulationKind::Interleaved)
                        .cast<bf16, m<(J % 8).pad(16)>>()
                        .commit<m<I % 16, J % 128>>();
  ctx.tdma.dma(c_dm.view(), c.view_mut());
}

// Step 3: a packet of A is fetched once, and multiplied with all sixteen groups of columns while it is there.
void packets_reused(Context& ctx, const A& a, const B& b, C& c) {
  auto const a_dm = load_rows(ctx, a);
  auto const weights = load_weights(ctx, b);
  auto const c_dm = ctx.main.begin(a_dm.view())
                        .fetch<bf16, m<I % 16>, m<K>>()
                        .collect<m<I % 16, K / 16>, m<K % 16>>()
                        .align<m<I % 16, K / 32, J / 8 % 16>, m<K % 32>>(weights)
                        .contract<m<1>>()
                        .accumulate<m<I % 16, J / 8 % 16>, m<J % 8>>(AccumulationKind::Interleaved)
                        .cast<bf16, m<(J % 8).pad(16)>>()
                        .commit<m<I % 16, J % 128>>();
  ctx.tdma.dma(c_dm.view(), c.view_mut());
}

// Steps 4 and 5 are the library's typed kernel, which counts N by three axes: tiles, slices of a ring, columns of a
// slice.
using OneTile = kernels::FixedGemm<512, 2048, 128, 128>;
using TwoTiles = kernels::FixedGemm<512, 2048, 128, 64>;

// Small whole numbers, so that every sum is exact in any order, and the host may add as it likes.
struct Numbers {
  std::vector<int> a, b;

  Numbers() {
    Random random(31);
    for (int i = 0; i < 512 * 128; ++i) a.push_back(static_cast<int>(random.between(-2, 2)));
    for (int i = 0; i < 2048 * 128; ++i) b.push_back(static_cast<int>(random.between(-2, 2)));
  }
  bf16 expected(std::size_t i, std::size_t j) const {
    int sum = 0;
    for (std::size_t k = 0; k < 128; ++k) sum += a[128 * i + k] * b[128 * j + k];
    return bf16::from_float(static_cast<float>(sum));
  }
};

template <class Elements>
HostTensor<bf16, Elements> host(const std::vector<int>& numbers) {
  HostTensor<bf16, Elements> t;
  for (std::size_t i = 0; i < numbers.size(); ++i) t[i] = bf16::from_float(static_cast<float>(numbers[i]));
  return t;
}

int all_wrong = 0;

// The cycles of the last launch: all of them, those that transfers, sub and main are busy, and those in which a
// transfer and a pass of main run at the same time.
struct Measured {
  std::int64_t all = 0, dma = 0, sub = 0, main = 0, side_by_side = 0;
} measured;

void measure(void*, const trace::Trace& t) {
  measured = {.all = t.makespan.value};
  for (const trace::Command& c : t.commands) {
    std::int64_t& busy = c.name == "dma" ? measured.dma : c.name == "sub" ? measured.sub : measured.main;
    busy += c.end.value - c.start.value;
    for (const trace::Command& other : t.commands)
      if (c.name == "dma" && other.name == "main")
        measured.side_by_side += std::max<std::int64_t>(0, std::min(c.end, other.end).value - std::max(c.start, other.start).value);
  }
}

template <class Result>
void show(const char* name, const Result& c, const std::vector<bf16>& right) {
  int wrong = 0;
  for (std::size_t i = 0; i < right.size(); ++i) wrong += c[i] != right[i];
  std::printf("%-34s %6d %6d %5d %5d %6d; %d wrong of %d\n", name, static_cast<int>(measured.all), static_cast<int>(measured.dma),
              static_cast<int>(measured.sub), static_cast<int>(measured.main), static_cast<int>(measured.side_by_side), wrong,
              static_cast<int>(right.size()));
  all_wrong += wrong;
}

// A typed kernel, with the layouts that it is written for.
template <class LayoutA, class LayoutB, class LayoutC, class Kernel>
void run(Context& ctx, const char* name, const Kernel& kernel, const Numbers& numbers, const std::vector<bf16>& right) {
  auto const a = host<LayoutA>(numbers.a).template to_hbm<Chip, LayoutA>(ctx.pdma, 0);
  auto const b = host<LayoutB>(numbers.b).template to_hbm<Chip, LayoutB>(ctx.pdma, 1 << 28);
  auto c = HostTensor<bf16, LayoutC>().template to_hbm<Chip, LayoutC>(ctx.pdma, 2 << 28);
  launch(kernel, ctx, a, b, c).get();
  show(name, c.template to_host<LayoutC>(ctx.pdma), right);
}

// The library's kernel for any size.
void run_library(Context& ctx, const Numbers& numbers, const std::vector<bf16>& right) {
  kernels::Gemm const gemm(rngd, ScalarType::bf16, 512, 2048, 128);
  dyn::HostTensor a(ScalarType::bf16, dyn::map(gemm.m(), gemm.k())), b(ScalarType::bf16, dyn::map(gemm.n(), gemm.k()));
  for (std::size_t i = 0; i < numbers.a.size(); ++i) a.data<bf16>()[i] = bf16::from_float(static_cast<float>(numbers.a[i]));
  for (std::size_t i = 0; i < numbers.b.size(); ++i) b.data<bf16>()[i] = bf16::from_float(static_cast<float>(numbers.b[i]));
  auto const a_hbm = a.to_hbm(ctx.pdma, dyn::one, gemm.a_layout());
  auto const b_hbm = b.to_hbm(ctx.pdma, dyn::one, gemm.b_layout());
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host(ctx.pdma, dyn::map(gemm.m(), gemm.n()));
  show("6. kernels::Gemm", c.data<bf16>(), right);
  auto const bound = kernels::cycles_of(gemm.work(), rngd);
  std::printf("at the least, for %s: %lld cycles\n\n%s", bound.bound_by(), static_cast<long long>(bound.bound().value),
              text_of(gemm.tiling()).c_str());
}

const char* name_of(kernels::GemmStrategy strategy) {
  switch (strategy) {
    case kernels::GemmStrategy::stream_rows: return "stream_rows";
    case kernels::GemmStrategy::keep_rows: return "keep_rows";
    case kernels::GemmStrategy::share_rows: return "share_rows";
    case kernels::GemmStrategy::spread_rows: return "spread_rows";
  }
  return "";
}
void show_strategy(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  auto const tiling = kernels::Gemm(rngd, ScalarType::bf16, rows, columns, depth).tiling();
  std::printf("%5lld x %5lld x %4lld: %-11s about %lld cycles\n", static_cast<long long>(rows), static_cast<long long>(columns),
              static_cast<long long>(depth), name_of(tiling.strategy), static_cast<long long>(tiling.cycles));
}

int main() try {
  ContextOptions options = value_or_throw(options_from_environment());
  options.backend = BackendKind::device;
  options.on_trace = measure;
  auto ctx = Context::acquire(options);

  Numbers const numbers;
  std::vector<bf16> right;
  for (std::size_t i = 0; i < 512; ++i)
    for (std::size_t j = 0; j < 2048; ++j) right.push_back(numbers.expected(i, j));

  std::printf("cycles of                             all    DMA   sub  main  both\n");
  run<m<I, K>, m<J, K>, m<I, J>>(ctx, "1. lesson 06, one cluster", one_cluster, numbers, right);
  run<m<I, K>, m<J, K>, m<I, J>>(ctx, "2. both clusters", both_clusters, numbers, right);
  run<m<I, K>, m<J, K>, m<I, J>>(ctx, "3. a packet of A is used 16 times", packets_reused, numbers, right);
  run<OneTile::LayoutA, OneTile::LayoutB, OneTile::LayoutC>(ctx, "4. shares of A go round rings", OneTile(), numbers, right);
  run<TwoTiles::LayoutA, TwoTiles::LayoutB, TwoTiles::LayoutC>(ctx, "5. and N is cut into two tiles", TwoTiles(), numbers, right);
  run_library(ctx, numbers, right);

  std::printf("\n");
  show_strategy(4096, 4096, 4096);
  show_strategy(512, 1024, 256);
  show_strategy(32, 4096, 4096);
  show_strategy(1, 4096, 4096);
  return all_wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
