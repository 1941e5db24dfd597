// Data that changes places inside the chip: the Switch Engine moves it between slices, the Transpose Engine between Time and Packet.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

using Chip = m<1>;
using Cluster = m<one.pad(2)>;

// y[i] = sum over j of a[i, j] * x[j]. Each slice holds 16 elements of x; the switch lets every slice see all of them, one slice's after the other.
namespace broadcast {
TCP_AXES(I = 256, J = 4096);

auto gemv(Context& ctx, const HbmTensor<bf16, Chip, m<I, J>>& matrix, const HbmTensor<bf16, Chip, m<J>>& vector)
    -> HbmTensor<bf16, Chip, m<I, one.pad(4)>> {
  auto matrix_dm = matrix.to_dm<Cluster, m<I>, m<J>>(ctx.tdma, 0);
  auto vector_dm = vector.to_dm<Cluster, m<J / 16>, m<J % 16>>(ctx.tdma, 1 << 13);
  auto weights = ctx.sub.begin(vector_dm.view())
                     .fetch<bf16, m<1>, m<J % 16>>()
                     .switch_to<SwitchConfig::Broadcast01{.slice1 = 256, .slice0 = 1, .time0 = 1}, m<I>, m<J / 16>>()
                     .collect<m<J / 16>, m<J % 16>>()
                     .to_trf<m<1>, m<J>>(TrfAddress::Full);
  return ctx.main.begin(matrix_dm.view())
      .fetch<bf16, m<1>, m<J>>()
      .collect<m<J / 16>, m<J % 16>>()
      .align<m<J / 32>, m<J % 32>>(weights)
      .contract<m<1>>()
      .accumulate<m<1>, m<one.pad(8)>>(AccumulationKind::Interleaved)
      .cast<bf16, m<one.pad(16)>>()
      .commit<m<one.pad(4)>>(1 << 14)
      .to_hbm<m<I, one.pad(4)>>(ctx.tdma, 2 << 28);
}
}  // namespace broadcast

// Rows lie in slices and columns in time; afterwards columns lie in slices and rows in time. The elements of a packet stay together.
namespace across_slices {
TCP_AXES(R = 256, C = 256, P = 8);

auto transpose(Context& ctx, const HbmTensor<i32, Chip, m<R, C, P>>& in) -> HbmTensor<i32, Chip, m<C, R, P>> {
  auto dm = in.to_dm<Cluster, m<R>, m<C, P>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<i32, m<C>, m<P>>()
      .switch_to<SwitchConfig::InterTranspose{.slice1 = 256, .slice0 = 1, .time0 = 1}, m<C>, m<R>>()
      .collect<m<R>, m<P>>()
      .commit<m<R, P>>(1 << 14)
      .to_hbm<m<C, R, P>>(ctx.tdma, 1 << 28);
}
}  // namespace across_slices

// Within a slice: 4 rows of 8 elements become 8 rows of 4.
namespace within_a_slice {
TCP_AXES(S = 256, C = 8, D = 4, E = 8);

auto transpose(Context& ctx, const HbmTensor<bf16, Chip, m<S, C, D, E>>& in) -> HbmTensor<bf16, Chip, m<S, C, E, D>> {
  auto dm = in.to_dm<Cluster, m<S>, m<C, D, E>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch<bf16, m<C, D>, m<E>>()
      .collect<m<C, D>, m<E.pad(16)>>()
      .transpose<m<C, E>, m<D.pad(16)>>()
      .commit<m<C, E, D>>(1 << 12)
      .to_hbm<m<S, C, E, D>>(ctx.tdma, 1 << 28);
}
}  // namespace within_a_slice

int report(const char* name, int wrong, int of) {
  std::printf("%s: %d wrong of %d\n", name, wrong, of);
  return wrong;
}

int check_broadcast(Context& ctx, Random& random) {
  using namespace broadcast;
  auto const a = HostTensor<bf16, m<I, J>>::rand(random);
  auto const x = HostTensor<bf16, m<J>>::rand(random);
  auto const a_hbm = a.to_hbm<Chip, m<I, J>>(ctx.pdma, 0);
  auto const x_hbm = x.to_hbm<Chip, m<J>>(ctx.pdma, 1 << 28);
  auto const y = launch(gemv, ctx, a_hbm, x_hbm).get().to_host<m<I>>(ctx.pdma);
  int wrong = 0;
  for (std::size_t i = 0; i < 256; ++i) {
    float total = 0;
    for (std::size_t packet = 0; packet < 4096; packet += 32) {
      float tree[32];
      for (std::size_t j = 0; j < 32; ++j) tree[j] = a[4096 * i + packet + j].to_float() * x[packet + j].to_float();
      for (int width = 32; width > 1; width /= 2)
        for (int j = 0; j < width / 2; ++j) tree[j] = tree[2 * j] + tree[2 * j + 1];
      total = packet == 0 ? tree[0] : total + tree[0];
    }
    wrong += y[i] != bf16::from_float(total);
  }
  return report("matrix times broadcast vector", wrong, 256);
}

int check_across_slices(Context& ctx, Random& random) {
  using namespace across_slices;
  auto const x = HostTensor<i32, m<R, C, P>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<R, C, P>>(ctx.pdma, 0);
  auto const y = launch(across_slices::transpose, ctx, x_hbm).get().to_host<m<C, R, P>>(ctx.pdma);
  int wrong = 0;
  for (std::size_t r = 0; r < 256; ++r)
    for (std::size_t c = 0; c < 256; ++c)
      for (std::size_t p = 0; p < 8; ++p) wrong += y[(256 * c + r) * 8 + p] != x[(256 * r + c) * 8 + p];
  return report("transposed across slices", wrong, 256 * 256 * 8);
}

int check_within_a_slice(Context& ctx, Random& random) {
  using namespace within_a_slice;
  auto const x = HostTensor<bf16, m<S, C, D, E>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<S, C, D, E>>(ctx.pdma, 0);
  auto const y = launch(within_a_slice::transpose, ctx, x_hbm).get().to_host<m<S, C, E, D>>(ctx.pdma);
  int wrong = 0;
  for (std::size_t sc = 0; sc < 256 * 8; ++sc)
    for (std::size_t d = 0; d < 4; ++d)
      for (std::size_t e = 0; e < 8; ++e) wrong += y[sc * 32 + e * 4 + d] != x[sc * 32 + d * 8 + e];
  return report("transposed within slices", wrong, 256 * 8 * 4 * 8);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(19);
  int wrong = check_broadcast(ctx, random);
  wrong += check_across_slices(ctx, random);
  wrong += check_within_a_slice(ctx, random);
  return wrong == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
