// Eight tiles, each loaded, added to and stored, in three ways: ./scheduling one, two or ahead.
#include <cstdio>
#include <string_view>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(T = 8, S = 256, E = 4096);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Hbm = HbmTensor<i32, Chip, m<T, S, E>>;
using Tile = DmTensor<i32, Chip, Cluster, m<S>, m<E>>;  // 16 KB per slice

Tile load(Context& ctx, const Hbm& in, int t, Address place) { return in.tile<m<T>, 1>(t).to_dm<Cluster, m<S>, m<E>>(ctx.tdma, place); }

Tile add(Context& ctx, const Tile& x, Address place) {
  return ctx.main.begin(x.view())
      .fetch<i32, m<E / 8>, m<E % 8>>()
      .collect<m<E / 8>, m<E % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 1)
      .vector_final()
      .commit<m<E>>(place);
}

void store(Context& ctx, const Tile& y, Hbm& out, int t) { ctx.tdma.dma(y.view(), out.view_mut().tile<m<T>, 1>(t)); }

struct Places {
  bool two;
  Address x(int t) const { return (two ? t % 2 : 0) << 14; }
  Address y(int t) const { return (2 + (two ? t % 2 : 0)) << 14; }
};

// Tile after tile, as one would write it first.
void in_turn(Context& ctx, const Hbm& in, Hbm& out, Places at) {
  for (int t = 0; t < 8; ++t) {
    auto const region = ctx.region("tile", t);
    Tile const x = load(ctx, in, t, at.x(t));
    store(ctx, add(ctx, x, at.y(t)), out, t);
  }
}

// The next tile is asked for before this one is stored.
void ahead(Context& ctx, const Hbm& in, Hbm& out, Places at) {
  Tile x = load(ctx, in, 0, at.x(0));
  for (int t = 0; t < 8; ++t) {
    auto const region = ctx.region("tile", t);
    Tile const y = add(ctx, x, at.y(t));
    if (t + 1 < 8) x = load(ctx, in, t + 1, at.x(t + 1));
    store(ctx, y, out, t);
  }
}

int main(int argc, char** argv) try {
  std::string_view const way = argc == 2 ? argv[1] : "one";
  auto ctx = Context::acquire();
  HostTensor<i32, m<T, S, E>> x;
  for (std::int32_t i = 0; i < 8 * 256 * 4096; ++i) x[static_cast<std::size_t>(i)] = i32::from_int(i);
  auto const in = x.to_hbm<Chip, m<T, S, E>>(ctx.pdma, 0);
  auto out = x.to_hbm<Chip, m<T, S, E>>(ctx.pdma, 1 << 28);
  if (way == "ahead") launch(ahead, ctx, in, out, Places{true}).get();
  else launch(in_turn, ctx, in, out, Places{way == "two"}).get();
  auto const y = out.to_host<m<T, S, E>>(ctx.pdma);
  int wrong = 0;
  for (std::int32_t i = 0; i < 8 * 256 * 4096; ++i) wrong += y[static_cast<std::size_t>(i)].to_int() != i + 1;
  std::printf("%d wrong of %d\n", wrong, 8 * 256 * 4096);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
