// Quantised numbers: a product of 8-bit integers with a zero point, and 4-bit weights that a table makes numbers of while they are fetched.
#include <cstdio>
#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(I = 256, N = 8, K = 256, A = 8192);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;

constexpr std::int64_t zero = 11;  // what stands for 0 in x

// y[i, n] = sum over k of (x[i, k] - 11) * w[n, k] in 32 bits, then scaled back to 8: y * 3 / 2^12, rounded, between -128 and 127.
auto linear(Context& ctx, const HbmTensor<i8, Chip, m<I, K>>& x, const HbmTensor<i8, Chip, m<N, K>>& w) -> HbmTensor<i8, Chip, m<I, N>> {
  using Slice = m<I>;
  auto x_dm = x.to_dm<Cluster, Slice, m<K>>(ctx.tdma, 0);
  auto w_dm = w.to_dm<Cluster, Slice, m<N, K>>(ctx.tdma, 1 << 12);
  auto weights = ctx.sub.begin(w_dm.view()).fetch<i8, m<N>, m<K>>().collect<m<N, K / 32>, m<K % 32>>().to_trf<m<N>, m<K>>(TrfAddress::Full);
  return ctx.main.begin(x_dm.view())
      .fetch_with_zero_point<i9, m<1>, m<K>>(zero)  // x - 11 needs nine bits, and has them up to the multipliers
      .collect<m<K / 32>, m<K % 32>>()
      .align<m<K / 64>, m<K % 64>>(weights)
      .contract<m<1>>()
      .accumulate<m<1>, m<N>>(AccumulationKind::Interleaved)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::MulInt, 3)
      .vector_fxp(FxpBinaryOp::ArithRightShiftRound, 12)
      .vector_clip(ClipBinaryOpI32::Min, 127)
      .vector_clip(ClipBinaryOpI32::Max, -128)
      .vector_final()
      .cast<i8, m<N.pad(32)>>()
      .commit<m<N>>(1 << 13)
      .to_hbm<m<I, N>>(ctx.tdma, 2 << 28);
}

// The sixteen numbers that four bits of f4e2m1 stand for.
constexpr float four_bit[16] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};

auto decode(Context& ctx, const HbmTensor<i4, Chip, m<A>>& in) -> HbmTensor<f8e4m3, Chip, m<A>> {
  using Slice = m<A / 32>;
  auto table = LookupTable<i4, f8e4m3>("f4e2m1");
  for (int i = 0; i < 16; ++i) table[i] = f8e4m3::from_float(four_bit[i]);
  auto dm = in.to_dm<Cluster, Slice, m<A % 32>>(ctx.tdma, 0);
  return ctx.main.begin(dm.view())
      .fetch_with_table<f8e4m3, m<1>, m<A % 32>>(table)
      .collect<m<1>, m<A % 32>>()
      .commit<m<A % 32>>(1 << 12)
      .to_hbm<m<A>>(ctx.tdma, 1 << 28);
}

int main() try {
  auto ctx = Context::acquire();
  Random random(18);
  auto const x = HostTensor<i8, m<I, K>>::rand(random);
  auto const w = HostTensor<i8, m<N, K>>::rand(random);
  auto const x_hbm = x.to_hbm<Chip, m<I, K>>(ctx.pdma, 0);
  auto const w_hbm = w.to_hbm<Chip, m<N, K>>(ctx.pdma, 1 << 28);
  auto const y = launch(linear, ctx, x_hbm, w_hbm).get().to_host<m<I, N>>(ctx.pdma);

  auto const packed = HostTensor<i4, m<A>>::rand(random);
  auto const packed_hbm = packed.to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto const decoded = launch(decode, ctx, packed_hbm).get().to_host<m<A>>(ctx.pdma);

  int wrong_products = 0, wrong_decoded = 0, clipped = 0;
  for (std::size_t i = 0; i < 256; ++i)
    for (std::size_t n = 0; n < 8; ++n) {
      long sum = 0;
      for (std::size_t k = 0; k < 256; ++k) sum += (x[256 * i + k].to_int() - zero) * w[256 * n + k].to_int();
      long const scaled = (3 * sum + 2048) >> 12;
      long const expected = scaled > 127 ? 127 : scaled < -128 ? -128 : scaled;
      clipped += expected != scaled;
      wrong_products += y[8 * i + n].to_int() != expected;
    }
  for (std::size_t a = 0; a < 8192; ++a) wrong_decoded += decoded[a] != f8e4m3::from_float(four_bit[packed[a].bits & 15]);
  std::printf("products: %d wrong of %d; %d results were clipped\n", wrong_products, 256 * 8, clipped);
  std::printf("decoded: %d wrong of %d\n", wrong_decoded, 8192);
  return wrong_products + wrong_decoded == 0 ? 0 : 1;
} catch (const Refused& refused) {
  std::puts(refused.what());
  return 1;
}
