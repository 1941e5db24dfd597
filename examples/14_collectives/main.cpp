// Sums over four chips. Chip a holds the row x[a, ...]. ReduceScatter: chip b ends with quarter b of the sum of all rows. AllGather: every chip gets all four
// quarters. AllReduce: every chip ends with the whole sum at once.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 4, B = 4, C = 2048, I = 2);  // chips; quarters of a row; the elements of a quarter; which of two tensors
using Cluster = m<one.pad(2)>;
using Slice = m<C / 8>;

template <MapType Chip, MapType Element>
using Dm = DmTensor<i32, Chip, Cluster, Slice, Element>;

// x + y on every chip: the fetch takes the two in turns, told apart by I, and the Vector Engine adds each pair. (`template` is for the compiler: the types of
// the stages depend on the parameters here.)
template <MapType Time, MapType Chip>
auto add(Context& ctx, const Dm<Chip, m<Time{}, C % 8>>& x, const Dm<Chip, m<Time{}, C % 8>>& y) {
  return ctx.main.begin_interleaved<I>(x.view(), y.view())
      .template fetch<i32, m<Time{}, I>, m<C % 8>>()
      .template collect<m<Time{}, I>, m<C % 8>>()
      .vector_init()
      .template vector_intra_slice_unzip<I, m<Time{}, one.pad(2)>, Time>()
      .vector_clip_zip(ClipBinaryOpI32::AddFxp)
      .vector_final()
      .template commit<m<Time{}, C % 8>>();
}

// Chip c keeps one quarter of its own row, another one on every chip, and passes it on to the chip that wants it.
auto reduce_scatter(Context& ctx, const HbmTensor<i32, m<A>, m<B, C>>& in) -> HbmTensor<i32, m<B>, m<C>> {
  using Part = m<C % 8>;
  auto x = in.to_dm<Cluster, Slice, m<B, C % 8>>(ctx.tdma);
  auto t0 = x.chip_slice<m<B>, 1, m<B>, Part>(ctx.tdma, {0, 1, 2, 3});  // chip c: (c, c), in its place already
  auto s1 = x.chip_slice<m<B>, 1, m<A>, Part>(ctx.tdma, {3, 0, 1, 2});  // chip c: (c, c - 1)
  auto s2 = x.chip_slice<m<B>, 1, m<A>, Part>(ctx.tdma, {2, 3, 0, 1});  // chip c: (c, c - 2)
  auto s3 = x.chip_slice<m<B>, 1, m<A>, Part>(ctx.tdma, {1, 2, 3, 0});  // chip c: (c, c - 3)
  auto t1 = s1.chip_shuffle<m<B>>(ctx.tdma, {1, 2, 3, 0});              // chip c gets what chip c + 1 held: (c + 1, c)
  auto t2 = s2.chip_shuffle<m<B>>(ctx.tdma, {2, 3, 0, 1});
  auto t3 = s3.chip_shuffle<m<B>>(ctx.tdma, {3, 0, 1, 2});
  auto sum = add<m<1>>(ctx, add<m<1>>(ctx, add<m<1>>(ctx, t0, t1), t2), t3);
  return sum.to_hbm<m<C>>(ctx.tdma);
}

// B moves from Chip into Element, and four chips hold the same.
auto all_gather(Context& ctx, const HbmTensor<i32, m<B>, m<C>>& parts) -> HbmTensor<i32, m<4>, m<B, C>> {
  return parts.to_hbm<m<B, C>, m<4>>(ctx.tdma);
}

// Three rotations of the whole row. Chip c adds the rows c, c + 1, c + 2, c + 3 in this order.
auto all_reduce(Context& ctx, const HbmTensor<i32, m<A>, m<B, C>>& in) -> HbmTensor<i32, m<A>, m<B, C>> {
  auto t0 = in.to_dm<Cluster, Slice, m<B, C % 8>>(ctx.tdma);
  auto t1 = t0.chip_shuffle(ctx.tdma, {1, 2, 3, 0});
  auto t2 = t0.chip_shuffle(ctx.tdma, {2, 3, 0, 1});
  auto t3 = t0.chip_shuffle(ctx.tdma, {3, 0, 1, 2});
  auto sum = add<m<B>>(ctx, add<m<B>>(ctx, add<m<B>>(ctx, t0, t1), t2), t3);
  return sum.to_hbm<m<B, C>>(ctx.tdma);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(14);
  auto const x = HostTensor<i32, m<A, B, C>>::rand(random);
  auto const x_hbm = x.to_hbm<m<A>, m<B, C>>(ctx.pdma);

  auto const parts = launch<4>(reduce_scatter, ctx, x_hbm).get();
  auto const scattered = parts.to_host<m<B, C>>(ctx.pdma);
  auto const gathered = launch<4>(all_gather, ctx, parts).get().to_host<m<4, B, C>>(ctx.pdma);
  auto const reduced = launch<4>(all_reduce, ctx, x_hbm).get().to_host<m<A, B, C>>(ctx.pdma);

  int wrong[3] = {};
  for (std::size_t i = 0; i < 4 * 2048; ++i) {
    std::uint32_t sum = 0;
    for (std::size_t a = 0; a < 4; ++a) sum += x[a * 4 * 2048 + i].bits;
    wrong[0] += scattered[i].bits != sum;
    for (std::size_t chip = 0; chip < 4; ++chip) {
      wrong[1] += gathered[chip * 4 * 2048 + i].bits != sum;
      wrong[2] += reduced[chip * 4 * 2048 + i].bits != sum;
    }
  }
  std::printf("ReduceScatter: %d wrong of %d\n", wrong[0], 4 * 2048);
  std::printf("AllGather: %d wrong of %d\n", wrong[1], 4 * 4 * 2048);
  std::printf("AllReduce: %d wrong of %d\n", wrong[2], 4 * 4 * 2048);
  return wrong[0] + wrong[1] + wrong[2] == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
