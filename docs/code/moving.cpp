// Four ways to move a matrix between HBM and the slices, and what each costs on the simulated chip.
#include <cstdio>
#include <tcp/runtime/options.hpp>
#include <tcp/tcp.hpp>
#include <tcp/trace/trace.hpp>

using namespace tcp;

TCP_AXES(I = 256, J = 512);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Matrix = HbmTensor<bf16, Chip, m<I, J>>;

// One row per slice: one run of 1,024 bytes for each.
auto rows(Context& ctx, const Matrix& in) -> Matrix {
  auto dm = in.to_dm<Cluster, m<I>, m<J>>(ctx.tdma, 0);
  return dm.to_hbm<m<I, J>>(ctx.tdma, 1 << 28);
}

// Four columns per slice: runs of four elements, 8 bytes, and half of the slices idle.
auto columns(Context& ctx, const Matrix& in) -> Matrix {
  auto dm = in.to_dm<Cluster, m<(J / 4).pad(256)>, m<I, J % 4>>(ctx.tdma, 0);
  return dm.to_hbm<m<I, J>>(ctx.tdma, 1 << 28);
}

// What a mapping does not name is copied: the one row there is, for every slice.
auto spread(Context& ctx, const HbmTensor<bf16, Chip, m<J>>& in) -> Matrix {
  auto dm = in.to_dm<Cluster, m<I>, m<J>>(ctx.tdma, 0);
  return dm.to_hbm<m<I, J>>(ctx.tdma, 1 << 28);
}

// A part of a tensor is a view, for reading or for writing: no byte moves until it is told to. This turns the four quarters of each row around.
auto quarters(Context& ctx, const Matrix& in, Matrix& out) {
  for (int t = 0; t < 4; ++t) {
    auto dm = in.tile<m<J / 128>, 1>(t).to_dm<Cluster, m<I>, m<J % 128>>(ctx.tdma, (t % 2) << 12);
    ctx.tdma.dma(dm.view().reshape<m<J / 128 % 1, J % 128>>(), out.view_mut().tile<m<J / 128>, 1>(3 - t));
  }
}

long long cycles = 0;

void remember(void*, const trace::Trace& t) { cycles = t.makespan.value; }

int main() try {
  ContextOptions options;
  options.backend = BackendKind::device;
  options.on_trace = remember;
  auto ctx = Context::acquire(options);
  Random random(3);
  auto const x = HostTensor<bf16, m<I, J>>::rand(random);
  auto const row = HostTensor<bf16, m<J>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<I, J>>(ctx.pdma, 0);
  auto const row_hbm = row.to_hbm<Chip, m<J>>(ctx.pdma, 1 << 24);

  int wrong = 0;
  auto const by_rows = launch(rows, ctx, x_hbm).get().to_host<m<I, J>>(ctx.pdma);
  std::printf("rows      %7lld cycles\n", cycles);
  auto const by_columns = launch(columns, ctx, x_hbm).get().to_host<m<I, J>>(ctx.pdma);
  std::printf("columns   %7lld cycles\n", cycles);
  auto const copied = launch(spread, ctx, row_hbm).get().to_host<m<I, J>>(ctx.pdma);
  std::printf("spread    %7lld cycles\n", cycles);
  auto out = x.to_hbm<Chip, m<I, J>>(ctx.pdma, 2 << 24);
  launch(quarters, ctx, x_hbm, out).get();
  auto const turned = out.to_host<m<I, J>>(ctx.pdma);
  std::printf("quarters  %7lld cycles\n", cycles);
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t j = 0; j < 512; ++j) {
      std::size_t const at = 512 * i + j;
      wrong += by_rows[at] != x[at] || by_columns[at] != x[at] || copied[at] != row[j];
      wrong += turned[at] != x[512 * i + (3 - j / 128) * 128 + j % 128];
    }
  std::printf("%d wrong of %d\n", wrong, 2 * 256 * 512);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
