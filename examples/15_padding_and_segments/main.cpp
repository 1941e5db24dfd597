// Moving bytes that do not fill flits: a permutation, two ways; rows with a tail, padded four ways; and a tensor written in two segments.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<one.pad(256)>;  // one slice is enough to look at

// [A, B, C] becomes [B, A, C]. C is 2 bytes; the smallest piece that is fetched or written has 8.
namespace permutation {
TCP_AXES(A = 3, B = 5, C = 2);
using Abc = HbmTensor<f8e4m3, Chip, m<A.pad(4), B, C>>;

auto permute(Context& ctx, const Abc& in) -> HbmTensor<f8e4m3, Chip, m<B, A, C.pad(8)>> {
  auto dm = in.to_dm<Cluster, Slice, m<A.pad(4), B, C>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<f8e4m3, m<A, B>, m<C.pad(8)>>()  // 15 steps of 8 bytes, of which 2 are elements
      .collect<m<A, B>, m<C.pad(32)>>()
      .commit<m<B, A, C.pad(8)>>(1024)  // step (a, b) is written to 1024 + 24 b + 8 a
      .to_hbm<m<B, A, C.pad(8)>>(ctx.tdma, 1 << 28);
}
auto copy_rows(Context& ctx, const Abc& in) -> HbmTensor<f8e4m3, Chip, m<A, group(B, C).pad(32)>> {
  auto dm = in.to_dm<Cluster, Slice, m<A.pad(4), B, C>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<f8e4m3, m<A>, m<group(B, C).pad(32)>>()  // 3 steps of 32 bytes, of which 10 are elements
      .collect<m<A>, m<group(B, C).pad(32)>>()
      .commit<m<A, group(B, C).pad(32)>>(1024)
      .to_hbm<m<A, group(B, C).pad(32)>>(ctx.tdma, 1 << 28);
}
}  // namespace permutation

// Two rows of 65 bytes. How far a row is padded decides how many bytes a step can move.
namespace tails {
TCP_AXES(A = 65, B = 2);

template <std::int64_t Row, std::int64_t Step>
auto copy(Context& ctx, const HbmTensor<f8e4m3, Chip, m<B, A.pad(Row)>>& in) -> HbmTensor<f8e4m3, Chip, m<B, A.pad(Row)>> {
  auto dm = in.template to_dm<Cluster, Slice, m<B, A.pad(Row)>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .template fetch<f8e4m3, m<B, A.pad(Row) / Step>, m<A.pad(Row) % Step>>()
      .template collect<m<B, A.pad(Row) / Step>, m<(A.pad(Row) % Step).pad(32)>>()
      .template commit<m<B, A.pad(Row)>>(1024)
      .template to_hbm<m<B, A.pad(Row)>>(ctx.tdma, 1 << 28);
}
}  // namespace tails

// 64 KB, moved in two passes: views of the source and of the destination.
namespace segments {
TCP_AXES(A = 2048, B = 32);
using Ab = HbmTensor<f8e4m3, Chip, m<A, B>>;

auto copy(Context& ctx, const Ab& in) -> Ab {
  auto from = in.to_dm<Cluster, Slice, m<A, B>>(ctx.tdma, 0);
  auto to = DmTensor<f8e4m3, Chip, Cluster, Slice, m<A, B>>::from_addr(256 << 10);
  for (int part = 0; part < 2; ++part)
    ctx.main.begin(from.tile<m<A>, 1024>(1024 * part))
        .fetch<f8e4m3, m<A.resize(1024)>, m<B>>()
        .collect<m<A.resize(1024)>, m<B>>()
        .commit_view(to.view_mut().tile<m<A>, 1024>(1024 * part));
  return to.to_hbm<m<A, B>>(ctx.tdma, 1 << 28);
}
}  // namespace segments

int report(const char* name, int wrong, int of) {
  std::printf("%s: %d wrong of %d\n", name, wrong, of);
  return wrong;
}

int check_permutation(Context& ctx, Random& random) {
  using namespace permutation;
  auto const x = HostTensor<f8e4m3, m<A, B, C>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<A.pad(4), B, C>>(ctx.pdma, 0);
  auto const y = launch(permute, ctx, x_hbm).get().to_host<m<B, A, C>>(ctx.pdma);
  auto const z = launch(copy_rows, ctx, x_hbm).get().to_host<m<A, B, C>>(ctx.pdma);
  int permuted = 0, copied = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      for (std::size_t c = 0; c < 2; ++c) {
        permuted += y[(b * 3 + a) * 2 + c] != x[(a * 5 + b) * 2 + c];
        copied += z[(a * 5 + b) * 2 + c] != x[(a * 5 + b) * 2 + c];
      }
  int const wrong = report("permutation", permuted, 30);
  return wrong + report("whole rows", copied, 30);
}

template <std::int64_t Row, std::int64_t Step>
int check_tail(Context& ctx, Random& random) {
  using namespace tails;
  auto const x = HostTensor<f8e4m3, m<B, A>>::rand(random);
  auto const x_hbm = x.template to_hbm<Chip, m<B, A.pad(Row)>>(ctx.pdma, 0);
  auto const y = launch(copy<Row, Step>, ctx, x_hbm).get().template to_host<m<B, A>>(ctx.pdma);
  int wrong = 0;
  for (std::size_t i = 0; i < 2 * 65; ++i) wrong += y[i] != x[i];
  std::printf("rows of %d in steps of %d: ", static_cast<int>(Row), static_cast<int>(Step));
  return report("tail", wrong, 2 * 65);
}

int check_segments(Context& ctx, Random& random) {
  using namespace segments;
  auto const x = HostTensor<f8e4m3, m<A, B>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<A, B>>(ctx.pdma, 0);
  auto const y = launch(segments::copy, ctx, x_hbm).get().to_host<m<A, B>>(ctx.pdma);
  int wrong = 0;
  for (std::size_t i = 0; i < 2048 * 32; ++i) wrong += y[i] != x[i];
  return report("two segments", wrong, 2048 * 32);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(15);
  int wrong = check_permutation(ctx, random);
  wrong += check_tail<72, 24>(ctx, random);
  wrong += check_tail<80, 16>(ctx, random);
  wrong += check_tail<88, 8>(ctx, random);
  wrong += check_tail<96, 32>(ctx, random);
  wrong += check_segments(ctx, random);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
