// A kernel, and the host program that runs it and checks what it computed.
//
// The kernel adds 1 to 2048 numbers: from HBM into the slices, through the Vector Engine, and back. Change it, and change `expected` with it: that function says in
// plain C++ what the kernel is to compute, and the program compares every element.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;      // one of the two clusters works
using Slice = m<(A / 8).pad(256)>;  // a cluster has 256 slices; each holds eight numbers

auto kernel(Context& ctx, const HbmTensor<i32, Chip, m<A>>& in) -> HbmTensor<i32, Chip, m<A>> {
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

/// What the kernel is to compute. Integers of the chip wrap around, as these do.
i32 expected(i32 x) { return i32::from_int(std::int64_t{x.to_int()} + 1); }

int main() try {
  auto ctx = Context::acquire();
  Random random(1);
  auto const x = HostTensor<i32, m<A>>::rand(random);
  auto const y = launch(kernel, ctx, x.to_hbm<Chip, m<A>>(ctx.pdma, 0)).get().to_host<m<A>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t a = 0; a < y.size(); ++a) {
    if (y[a] == expected(x[a])) continue;
    if (++wrong <= 5) std::printf("at A = %zu: got %d, expected %d (input %d)\n", a, y[a].to_int(), expected(x[a]).to_int(), x[a].to_int());
  }
  if (wrong == 0) std::printf("OK: %zu elements match\n", y.size());
  else std::printf("WRONG: %d of %zu elements\n", wrong, y.size());
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {  // a kernel that breaks a rule of the chip is refused, with the reason
  std::puts(refused.what());
  return 1;
}
