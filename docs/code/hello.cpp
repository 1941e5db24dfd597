// The first kernel of the book: adds one to 2,048 numbers.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<(A / 8).pad(256)>;

auto add_one(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) -> HbmTensor<i32, Chip, m<A>> {
  auto x = in.to_dm<Cluster, Slice, m<A % 8>>(ctx.tdma, 0);
  auto y = ctx.main.begin(x.view())
               .fetch<i32, m<1>, m<A % 8>>()
               .collect<m<1>, m<A % 8>>()
               .vector_init()
               .vector_intra_slice_branch(BranchMode::Unconditional)
               .vector_fxp(FxpBinaryOp::AddFxp, 1)
               .vector_final()
               .commit<m<A % 8>>(1 << 12);
  return y.to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

int main() try {
  auto ctx = Context::acquire();
  HostTensor<i32, m<A>> x;
  for (std::int32_t a = 0; a < 2048; ++a) x[static_cast<std::size_t>(a)] = i32::from_int(3 * a);

  auto const in = x.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const out = launch(add_one, ctx, in).get();
  auto const y = out.to_host<m<A>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t a = 0; a < 2048; ++a) wrong += y[a].to_int() != x[a].to_int() + 1;
  std::printf("y[0] = %d, y[2047] = %d, %d wrong of 2048\n", y[0].to_int(), y[2047].to_int(), wrong);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
