// Decisions per element: comparisons give every element an execution id, operands are for some ids only, a log keeps the ids, a filter keeps some elements.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 16384, K = 32);  // 256 slices of 64 elements; K counts what the filter keeps in each
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 64>;
using Hbm = HbmTensor<i32, Chip, m<A>>;

constexpr auto negative = OperandGuard::bit(0);
constexpr auto large = OperandGuard::bit(1);

struct Decided {
  Hbm scaled, shifted;
};

// x < 0: -2 x. x > 100: 3 x. Else x. And y + 1000 wherever *x* was negative: the second pass goes by the ids that the first one logged.
auto decide(Context& ctx, const Hbm& x, const Hbm& y) -> Decided {
  auto x_dm = x.to_dm<Cluster, Slice, m<A % 64>>(ctx.tdma, 0);
  auto y_dm = y.to_dm<Cluster, Slice, m<A % 64>>(ctx.tdma, 1 << 12);
  VrfTensor<i32, Chip, Cluster, Slice, m<A % 64>> ids;
  auto scaled = ctx.main.begin(x_dm.view())
                    .fetch<i32, m<A / 8 % 8>, m<A % 8>>()
                    .collect<m<A / 8 % 8>, m<A % 8>>()
                    .vector_init()
                    .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0), InputCmp::Greater(100)})
                    .vector_branch_log(0, ids)
                    .vector_fxp(FxpBinaryOp::MulInt, VeBranchOperand::when(-2, negative), VeBranchOperand::when(3, large))
                    .vector_final()
                    .commit<m<A % 64>>(2 << 12);
  auto shifted = ctx.main.begin(y_dm.view())
                     .fetch<i32, m<A / 8 % 8>, m<A % 8>>()
                     .collect<m<A / 8 % 8>, m<A % 8>>()
                     .vector_init()
                     .vector_intra_slice_branch(BranchMode::Vrf, ids)
                     .vector_fxp(FxpBinaryOp::AddFxp, VeBranchOperand::when(1000, negative))
                     .vector_final()
                     .commit<m<A % 64>>(3 << 12);
  return {scaled.to_hbm<m<A>>(ctx.tdma, 2 << 28), shifted.to_hbm<m<A>>(ctx.tdma, 3 << 28)};
}

struct Kept {
  HbmTensor<i32, Chip, m<A / 64, K>> values;
  HbmTensor<i32, Chip, m<A / 64, one.pad(2)>> count;
};

auto keep_negative(Context& ctx, const Hbm& x) -> Kept {
  auto x_dm = x.to_dm<Cluster, Slice, m<A % 64>>(ctx.tdma, 0);
  VrfTensor<i32, Chip, Cluster, Slice, m<1>> count;
  auto values = ctx.main.begin(x_dm.view())
                    .fetch<i32, m<A / 8 % 8>, m<A % 8>>()
                    .collect<m<A / 8 % 8>, m<A % 8>>()
                    .vector_init()
                    .vector_intra_slice_branch(BranchMode::Comparison{InputCmp::Less(0)})
                    .vector_filter<m<K / 8>, m<K % 8>>(negative, 0, count)
                    .vector_final()
                    .commit<m<K>>(1 << 12);
  // VRF has no way out but through an operation: 0 + count.
  auto zero = ctx.sub.memset<DmTensor<i32, Chip, Cluster, Slice, m<one.pad(8)>>>(0, 2 << 12);
  auto counted = ctx.main.begin(zero.view())
                     .fetch<i32, m<1>, m<one.pad(8)>>()
                     .collect<m<1>, m<one.pad(8)>>()
                     .vector_init()
                     .vector_intra_slice_branch(BranchMode::Unconditional)
                     .vector_fxp(FxpBinaryOp::AddFxp, count)
                     .vector_final()
                     .commit<m<one.pad(2)>>(3 << 12);
  return {values.to_hbm<m<A / 64, K>>(ctx.tdma, 2 << 28), counted.to_hbm<m<A / 64, one.pad(2)>>(ctx.tdma, 3 << 28)};
}

int report(const char* name, int wrong, int of) {
  std::printf("%s: %d wrong of %d\n", name, wrong, of);
  return wrong;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(16);
  auto x = HostTensor<i32, m<A>>(), y = HostTensor<i32, m<A>>();
  for (std::size_t a = 0; a < 16384; a += 2) {  // of each pair one is negative, so every slice keeps 32
    bool const first = random.below(2) == 0;
    x[a] = i32::from_int(first ? random.between(-200, -1) : random.between(0, 200));
    x[a + 1] = i32::from_int(first ? random.between(0, 200) : random.between(-200, -1));
  }
  for (i32& each : y) each = i32::from_int(random.between(-200, 200));
  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0), y_hbm = y.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 28);

  Decided const decided = launch(decide, ctx, x_hbm, y_hbm).get();
  auto const scaled = decided.scaled.to_host<m<A>>(ctx.pdma), shifted = decided.shifted.to_host<m<A>>(ctx.pdma);
  Kept const kept = launch(keep_negative, ctx, x_hbm).get();
  auto const values = kept.values.to_host<m<A / 64, K>>(ctx.pdma);
  auto const count = kept.count.to_host<m<A / 64>>(ctx.pdma);

  int wrong_scaled = 0, wrong_shifted = 0, wrong_values = 0, wrong_counts = 0;
  for (std::size_t a = 0; a < 16384; ++a) {
    int const v = x[a].to_int(), w = y[a].to_int();
    wrong_scaled += scaled[a].to_int() != (v < 0 ? -2 * v : v > 100 ? 3 * v : v);
    wrong_shifted += shifted[a].to_int() != (v < 0 ? w + 1000 : w);
  }
  for (std::size_t slice = 0; slice < 256; ++slice) {
    std::size_t n = 0;
    for (std::size_t a = 64 * slice; a < 64 * slice + 64; ++a)
      if (x[a].to_int() < 0) wrong_values += values[32 * slice + n++] != x[a];
    wrong_counts += count[slice].to_int() != static_cast<int>(n);
  }
  int all = report("scaled", wrong_scaled, 16384);
  all += report("shifted by the log", wrong_shifted, 16384);
  all += report("kept", wrong_values, 256 * 32);
  all += report("counts", wrong_counts, 256);
  return all == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
