// Running sums: y[t, a] = x[0, a] + ... + x[t, a]. What one time step leaves in VRF, the next one reads. On both clusters of the chip.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(T = 64, A = 4096);
using Chip = m<1>;
using Cluster = m<A / 2048>;   // elements 0 to 2047 on one cluster, the others on the second
using Slice = m<A / 8 % 256>;  // then 8 a slice
using Hbm = HbmTensor<i32, Chip, m<T, A>>;

auto running_sum(Context& ctx, const Hbm& in) -> Hbm {
  auto x = in.to_dm<Cluster, Slice, m<T, A % 8>>(ctx.tdma);
  auto zeros = ctx.sub.memset<DmTensor<i32, Chip, Cluster, Slice, m<A % 8>>>(0);
  auto sum = ctx.sub.begin(zeros.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().to_vrf<m<A % 8>>();
  return ctx.main.begin(x.view())
      .fetch<i32, m<T>, m<A % 8>>()
      .collect<m<T>, m<A % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, sum)  // reads what the step before has written
      .vector_write_operand(sum)
      .vector_final()
      .commit<m<T, A % 8>>()
      .to_hbm<m<T, A>>(ctx.tdma);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(20);
  auto const x = HostTensor<i32, m<T, A>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<T, A>>(ctx.pdma);
  auto const y = launch(running_sum, ctx, x_hbm).get().to_host<m<T, A>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t a = 0; a < 4096; ++a) {
    std::uint32_t sum = 0;
    for (std::size_t t = 0; t < 64; ++t) {
      sum += x[4096 * t + a].bits;
      wrong += y[4096 * t + a].bits != sum;
    }
  }
  std::printf("%d wrong of %d\n", wrong, 64 * 4096);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
