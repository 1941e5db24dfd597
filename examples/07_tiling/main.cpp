// A matrix product that does not fit at once: K is cut into four tiles, partial sums stay on the chip, and a tile is loaded while the one before it is used.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(I = 128, J = 128, K = 512);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<group(I / 32, J / 32).pad(256)>;  // 16 tiles of the result, 32 x 32 each
constexpr int tiles = 4;                          // of K, 128 each

template <MapType Element>
using DmBf16 = DmTensor<bf16, Chip, Cluster, Slice, Element>;
using Sums = DmTensor<f32, Chip, Cluster, Slice, m<I % 32, J % 32>>;

// Where things lie in each slice's DM. Loads and sums have two places each, used in turns.
constexpr std::int64_t a_at[] = {0x0000, 0x2000};
constexpr std::int64_t b_at[] = {0x4000, 0x6000};
constexpr std::int64_t sums_at[] = {0x8000, 0x9000};

struct Tile {
  DmBf16<m<I % 32, K % 128>> a;
  DmBf16<m<J % 32, K % 128>> b;
};

Tile load(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b, int tile) {
  auto a_part = a.tile<m<K / 128>, 1>(tile);  // a view: no data moves
  auto b_part = b.tile<m<K / 128>, 1>(tile);
  return {a_part.to_dm<Cluster, Slice, m<I % 32, K % 128>>(ctx.tdma, a_at[tile % 2]),
          b_part.to_dm<Cluster, Slice, m<J % 32, K % 128>>(ctx.tdma, b_at[tile % 2])};
}

// The products of one tile: the same pass for every tile, up to the accumulator.
auto products(Context& ctx, const Tile& tile) {
  auto weights = ctx.sub.begin(tile.b.view())
                     .fetch<bf16, m<J % 8, J / 8 % 4>, m<K % 128>>()
                     .collect<m<J % 8, J / 8 % 4, K / 16 % 8>, m<K % 16>>()
                     .to_trf<m<J % 8>, m<J / 8 % 4, K % 128>>(TrfAddress::Full);
  return ctx.main.begin(tile.a.view())
      .fetch<bf16, m<I % 32, J / 8 % 4>, m<K % 128>>()
      .collect<m<I % 32, J / 8 % 4, K / 16 % 8>, m<K % 16>>()
      .align<m<I % 32, J / 8 % 4, K / 32 % 4>, m<K % 32>>(weights)
      .contract<m<1>>()
      .accumulate<m<I % 32, J / 8 % 4>, m<J % 8>>(AccumulationKind::Interleaved);
}

// Adds the sums so far, which wait in VRF, to the products of a tile.
auto add_to(Context& ctx, const Tile& tile, const Sums& sums) {
  auto so_far =
      ctx.sub.begin(sums.view()).fetch<f32, m<I % 32>, m<J % 32>>().collect<m<I % 32, J / 8 % 4>, m<J % 8>>().to_vrf<m<I % 32, J % 32>>(0);
  return products(ctx, tile)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_clip(ClipBinaryOpF32::Add, so_far)
      .vector_final();
}

auto gemm(Context& ctx, const HbmTensor<bf16, Chip, m<I, K>>& a, const HbmTensor<bf16, Chip, m<J, K>>& b)
    -> HbmTensor<bf16, Chip, m<I, J>> {
  Tile now = load(ctx, a, b, 0);
  Sums sums;
  for (int t = 0; t < tiles - 1; ++t) {
    auto const mark = ctx.region("tile", t);  // reports name the iterations
    Tile const next = load(ctx, a, b, t + 1);
    if (t == 0) sums = products(ctx, now).commit<m<I % 32, J % 32>>(sums_at[0]);
    else sums = add_to(ctx, now, sums).commit<m<I % 32, J % 32>>(sums_at[t % 2]);
    now = next;
  }
  auto const mark = ctx.region("tile", tiles - 1);
  auto c = add_to(ctx, now, sums).cast<bf16, m<(J % 8).pad(16)>>().commit<m<I % 32, J % 32>>(0xa000);
  return c.to_hbm<m<I, J>>(ctx.tdma, 2 << 28);
}

// One tile's sum, in the chip's order.
float tile_sum(const bf16* a, const bf16* b) {
  float total = 0;
  for (int packet = 0; packet < 128; packet += 32) {
    float tree[32];
    for (int k = 0; k < 32; ++k) tree[k] = a[packet + k].to_float() * b[packet + k].to_float();
    for (int width = 32; width > 1; width /= 2)
      for (int k = 0; k < width / 2; ++k) tree[k] = tree[2 * k] + tree[2 * k + 1];
    total = packet == 0 ? tree[0] : total + tree[0];
  }
  return total;
}

int main() try {
  auto ctx = Context::acquire();
  Random random(7);
  auto const a = HostTensor<bf16, m<I, K>>::rand(random);
  auto const b = HostTensor<bf16, m<J, K>>::rand(random);

  auto const a_hbm = a.to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
  auto const b_hbm = b.to_hbm<Chip, m<J, K>>(ctx.pdma, 1 << 28);
  auto const c = launch(gemm, ctx, a_hbm, b_hbm).get().to_host<m<I, J>>(ctx.pdma);

  int wrong = 0;
  for (std::size_t i = 0; i < 128; ++i)
    for (std::size_t j = 0; j < 128; ++j) {
      float sum = tile_sum(&a[512 * i], &b[512 * j]);
      for (std::size_t t = 1; t < tiles; ++t) sum = tile_sum(&a[512 * i + 128 * t], &b[512 * j + 128 * t]) + sum;
      wrong += c[128 * i + j] != bf16::from_float(sum);
    }
  std::printf("%d wrong of %d\n", wrong, 128 * 128);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
