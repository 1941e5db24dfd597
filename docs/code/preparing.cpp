// One kernel, prepared once and launched with other tensors: what a launch costs then is its data.
#include <cstdio>
#include <tcp/runtime/prepare.hpp>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048);
using Chip = m<1>;
using In = HbmTensor<i32, Chip, m<A>>;

auto add_one(Context& ctx, const In& in) -> In {
  auto x = in.to_dm<m<one.pad(2)>, m<(A / 8).pad(256)>, m<A % 8>>(ctx.tdma, 0);
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

In counted(Context& ctx, int first) {
  HostTensor<i32, m<A>> x;
  for (std::int32_t a = 0; a < 2048; ++a) x[static_cast<std::size_t>(a)] = i32::from_int(first + a);
  return x.to_hbm<Chip, m<A>>(ctx.pdma);
}

int main() try {
  auto ctx = Context::acquire();
  auto const sum = prepare(add_one, ctx, counted(ctx, 0));  // calls add_one once
  for (int first : {0, 10, 20}) {
    auto const y = sum.launch(counted(ctx, first)).get().to_host<m<A>>(ctx.pdma);  // another tensor of the same layout
    std::printf("y[0] = %d\n", y[0].to_int());
    if (y[0].to_int() != first + 1) return 1;
  }
  return 0;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
