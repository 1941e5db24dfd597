// Adds 1 to every element: a first visit to the Vector Engine.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<(A / 8).pad(256)>;

auto add_one(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) -> HbmTensor<i32, Chip, m<A>> {
  auto in_dm = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto out_dm = ctx.main.begin(in_dm.view())
                    .fetch<i32, m<1>, m<A % 8>>()
                    .collect<m<1>, m<A % 8>>()
                    .vector_init()
                    .vector_intra_slice_branch(BranchMode::Unconditional)  // every element takes part
                    .vector_fxp(FxpBinaryOp::AddFxp, 1)                    // y = x + 1; wraps around, as the chip does
                    .vector_final()
                    .commit<m<A % 8>>(1 << 12);
  return out_dm.to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(2);
  auto x = HostTensor<i32, m<A>>::rand(random);
  x[0] = i32::greatest();

  auto const x_hbm = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const y = launch(add_one, ctx, x_hbm).get().to_host<m<A>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t a = 0; a < 2048; ++a) wrong += y[a].bits != x[a].bits + 1;
  for (std::size_t a : {0u, 1u}) std::printf("%d + 1 = %d\n", x[a].to_int(), y[a].to_int());
  std::printf("%d wrong of %d\n", wrong, 2048);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
