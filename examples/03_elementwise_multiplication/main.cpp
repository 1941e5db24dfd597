// Multiplies two tensors element by element: one streams by, the other waits in the Vector Engine's register file (VRF).
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<(A / 8).pad(256)>;
using Hbm = HbmTensor<i32, Chip, m<A>>;

auto multiply(Context& ctx, const Hbm& lhs, const Hbm& rhs) -> Hbm {
  auto lhs_dm = lhs.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto rhs_dm = rhs.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 1 << 12);

  // The sub context fills the register file; the main context waits for it by itself.
  auto operand = ctx.sub.begin(rhs_dm.view()).fetch<i32, m<1>, m<A % 8>>().collect<m<1>, m<A % 8>>().to_vrf<m<A % 8>>(0);

  auto out_dm = ctx.main.begin(lhs_dm.view())
                    .fetch<i32, m<1>, m<A % 8>>()
                    .collect<m<1>, m<A % 8>>()
                    .vector_init()
                    .vector_intra_slice_branch(BranchMode::Unconditional)
                    .vector_fxp(FxpBinaryOp::MulInt, operand)
                    .vector_final()
                    .commit<m<A % 8>>(1 << 13);
  return out_dm.to_hbm<m<A>>(ctx.tdma, 2 << 28);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(3);
  auto const x = HostTensor<i32, m<A>>::rand(random);
  auto const y = HostTensor<i32, m<A>>::rand(random);

  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const y_hbm = y.to_hbm<Chip, m<A>>(ctx.pdma, 1 << 28);
  auto const z = launch(multiply, ctx, x_hbm, y_hbm).get().to_host<m<A>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t a = 0; a < 2048; ++a) wrong += z[a].bits != x[a].bits * y[a].bits;
  std::printf("%d wrong of %d\n", wrong, 2048);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
