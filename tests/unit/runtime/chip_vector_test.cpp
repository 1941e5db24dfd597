// What chips do with the Vector Engine and the register files beyond the vendor's book, in both front ends and on every backend, against loops of the host; and what
// the schedule makes of it. The numbers are those of docs/claims/chip.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/ir/place.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

TCP_AXES(H = 4096, S = 256, T = 4, K = 64, P = 4, R = 8, W = 8);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Ints = std::vector<std::int32_t>;

Ints numbered(std::size_t count) {
  Ints all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<std::int32_t>(i * 2654435761u >> 20) - 2000);
  return all;
}
template <MapType Element>
HostTensor<i32, Element> on_host(const Ints& numbers) {
  HostTensor<i32, Element> t;
  for (std::size_t i = 0; i < numbers.size(); ++i) t.data()[i] = i32::from_bits(static_cast<std::uint32_t>(numbers[i]));
  return t;
}
template <class D, MapType Element>
auto to_hbm(const HostTensor<D, Element>& in, Context& ctx) {
  return in.template to_hbm<Chip, Element>(ctx.pdma);
}
constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

/// What a kernel makes of its arguments, the same on every backend.
template <MapType Out, class Kernel, class... In>
Ints made_by(Kernel kernel, const In&... in) {
  Ints first;
  for (BackendKind backend : backends) {
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    auto const out = launch(kernel, ctx, to_hbm(in, ctx)...).get().template to_host<Out>(ctx.pdma);
    Ints got;
    for (std::size_t i = 0; i < out.size(); ++i) got.push_back(static_cast<std::int32_t>(out.data()[i].bits));
    if (backend == backends[0]) first = got;
    EXPECT_EQ(got, first) << name_of(backend);
  }
  return first;
}

// CHIP-04: the greatest of each slice, taken from every element of it.

auto less_the_greatest(Context& ctx, const HbmTensor<i32, Chip, m<H>>& in) {
  auto x = in.to_dm<Cluster, m<H / 16>, m<H % 16>>(ctx.tdma);
  auto most = ctx.main.begin(x.view())
                  .fetch<i32, m<H / 8 % 2>, m<H % 8>>()
                  .collect<m<H / 8 % 2>, m<H % 8>>()
                  .vector_init()
                  .vector_intra_slice_branch(BranchMode::Unconditional)
                  .vector_split<m<H / 4 % 4>, m<H % 4>>()
                  .vector_intra_slice_reduce<H, m<1>, m<one.pad(4)>>(IntraSliceReduceOpI32::Max)
                  .vector_pad_way8<m<one.pad(8)>>()
                  .vector_final()
                  .commit<m<one.pad(8)>>();
  auto v = ctx.sub.begin(most.view()).fetch<i32, m<1>, m<one.pad(8)>>().collect<m<1>, m<one.pad(8)>>().to_vrf<m<one.pad(8)>>();
  return ctx.main.begin(x.view())
      .fetch<i32, m<H / 8 % 2>, m<H % 8>>()
      .collect<m<H / 8 % 2>, m<H % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::SubFxp, v)
      .vector_final()
      .commit<m<H % 16>>()
      .to_hbm<m<H>>(ctx.tdma);
}
TEST(Chip, CHIP_04_constant_in_the_slice) {
  Ints const x = numbered(4096), got = made_by<m<H>>(less_the_greatest, on_host<m<H>>(x));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(got[i], x[i] - *std::max_element(x.begin() + static_cast<std::ptrdiff_t>(i / 16 * 16),
                                               x.begin() + static_cast<std::ptrdiff_t>(i / 16 * 16 + 16)));
}

// CHIP-05: a number for each block of sixteen, and one for each pair of rows; typed, and with mappings that are known at run time.

auto coarse(Context& ctx, const HbmTensor<i32, Chip, m<S, T, K>>& in, const HbmTensor<i32, Chip, m<S, K / 16>>& blocks,
            const HbmTensor<i32, Chip, m<S, T / 2, K>>& pairs) {
  auto x = in.to_dm<Cluster, m<S>, m<T, K>>(ctx.tdma);
  auto b = blocks.to_dm<Cluster, m<S>, m<K / 16>>(ctx.tdma);
  auto p = pairs.to_dm<Cluster, m<S>, m<T / 2, K>>(ctx.tdma);
  auto by_block =
      ctx.sub.begin(b.view()).fetch<i32, m<1>, m<(K / 16).pad(8)>>().collect<m<1>, m<(K / 16).pad(8)>>().to_vrf<m<(K / 16).pad(8)>>();
  auto by_pair = ctx.sub.begin(p.view()).fetch<i32, m<T / 2>, m<K>>().collect<m<T / 2, K / 8>, m<K % 8>>().to_vrf<m<T / 2, K>>();
  return ctx.main.begin(x.view())
      .fetch<i32, m<T>, m<K>>()
      .collect<m<T, K / 8>, m<K % 8>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::SubFxp, by_block)
      .vector_clip(ClipBinaryOpI32::Max, by_pair)
      .vector_final()
      .commit<m<T, K>>()
      .to_hbm<m<S, T, K>>(ctx.tdma);
}
dyn::Tensor coarse_dyn(Context& ctx, const dyn::Tensor& in, const dyn::Tensor& blocks, const dyn::Tensor& pairs) {
  using dyn::map;
  Mapping const s = dyn::axis("S", 256), t = dyn::axis("T", 4), k = dyn::axis("K", 64), idle = dyn::one.pad(2);
  auto const x = in.to_dm(ctx.tdma, idle, s, map(t, k)), b = blocks.to_dm(ctx.tdma, idle, s, k / 16),
             p = pairs.to_dm(ctx.tdma, idle, s, map(t / 2, k));
  auto const by_block =
      dyn::sub(ctx).begin(b).fetch(ScalarType::i32, dyn::one, (k / 16).pad(8)).collect(dyn::one, (k / 16).pad(8)).to_vrf((k / 16).pad(8));
  auto const by_pair = dyn::sub(ctx).begin(p).fetch(ScalarType::i32, t / 2, k).collect(map(t / 2, k / 8), k % 8).to_vrf(map(t / 2, k));
  return dyn::main(ctx)
      .begin(x)
      .fetch(ScalarType::i32, t, k)
      .collect(map(t, k / 8), k % 8)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::SubFxp, by_block)
      .vector_clip(ClipBinaryOpI32::Max, by_pair)
      .vector_final()
      .commit(map(t, k))
      .to_hbm(ctx.tdma, map(s, t, k));
}
Ints coarse_on_host(const Ints& x, const Ints& blocks, const Ints& pairs) {
  Ints all;
  for (std::size_t s = 0; s < 256; ++s)
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t k = 0; k < 64; ++k)
        all.push_back(std::max(x[(s * 4 + t) * 64 + k] - blocks[s * 4 + k / 16], pairs[(s * 2 + t / 2) * 64 + k]));
  return all;
}
TEST(Chip, CHIP_05_coarse_operands) {
  Ints const x = numbered(256 * 4 * 64), blocks = numbered(256 * 4), pairs = numbered(256 * 2 * 64),
             expected = coarse_on_host(x, blocks, pairs);
  EXPECT_EQ((made_by<m<S, T, K>>(coarse, on_host<m<S, T, K>>(x), on_host<m<S, K / 16>>(blocks), on_host<m<S, T / 2, K>>(pairs))), expected);
  auto ctx = Context::acquire();
  auto const hbm = [&](const Ints& numbers, const Mapping& element) {
    dyn::HostTensor t(ScalarType::i32, element);
    for (std::size_t i = 0; i < numbers.size(); ++i) t.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(numbers[i]));
    return t.to_hbm(ctx.pdma, dyn::one, element);
  };
  Mapping const s = dyn::axis("S", 256), t = dyn::axis("T", 4), k = dyn::axis("K", 64);
  auto const out = launch(coarse_dyn, ctx, hbm(x, dyn::map(s, t, k)), hbm(blocks, dyn::map(s, k / 16)), hbm(pairs, dyn::map(s, t / 2, k)))
                       .get()
                       .to_host(ctx.pdma, dyn::map(s, t, k));
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(static_cast<std::int32_t>(out.data<i32>()[i].bits), expected[i]) << i;
}

// CHIP-06 and CHIP-07: the sub context computes and commits; main stores what it computed in the VRF.

auto in_sub(Context& ctx, const HbmTensor<i32, Chip, m<S, T, W>>& in) {
  auto x = in.to_dm<Cluster, m<S>, m<T, W>>(ctx.tdma);
  return ctx.sub.begin(x.view())
      .fetch<i32, m<T>, m<W>>()
      .collect<m<T>, m<W>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 7)
      .vector_final()
      .commit<m<T, W>>()
      .to_hbm<m<S, T, W>>(ctx.tdma);
}
auto through_vrf(Context& ctx, const HbmTensor<i32, Chip, m<S, T, W>>& in) {
  auto x = in.to_dm<Cluster, m<S>, m<T, W>>(ctx.tdma);
  auto v = ctx.main.begin(x.view())
               .fetch<i32, m<T>, m<W>>()
               .collect<m<T>, m<W>>()
               .vector_init()
               .vector_intra_slice_branch(BranchMode::Unconditional)
               .vector_fxp(FxpBinaryOp::MulInt, 3)
               .vector_final()
               .to_vrf<m<T, W>>();
  return ctx.main.begin(x.view())
      .fetch<i32, m<T>, m<W>>()
      .collect<m<T>, m<W>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::SubFxp, v)
      .vector_final()
      .commit<m<T, W>>()
      .to_hbm<m<S, T, W>>(ctx.tdma);
}
TEST(Chip, CHIP_06_sub_computes_and_commits) {
  Ints const x = numbered(256 * 4 * 8), got = made_by<m<S, T, W>>(in_sub, on_host<m<S, T, W>>(x));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], x[i] + 7);
}
TEST(Chip, CHIP_07_main_stores_in_the_vrf) {
  Ints const x = numbered(256 * 4 * 8), got = made_by<m<S, T, W>>(through_vrf, on_host<m<S, T, W>>(x));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(got[i], x[i] - 3 * x[i]);
}

// CHIP-12: sums of rows 2 to 4 into these rows of a tensor with one value in each; the others keep theirs.

auto some_sums(Context& ctx, const HbmTensor<i32, Chip, m<S, R, P>>& in) {
  auto x = in.to_dm<Cluster, m<S>, m<R, P>>(ctx.tdma);
  auto out = ctx.sub.memset<DmTensor<i32, Chip, Cluster, m<S>, m<R, one.pad(8)>>>(5);
  ctx.main.begin(x.view().tile<m<R>, 3>(2))
      .fetch<i32, m<R.resize(3)>, m<P.pad(8)>>()
      .collect<m<R.resize(3)>, m<P.pad(8)>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_trim_way4<m<P>>()
      .vector_intra_slice_reduce<P, m<R.resize(3)>, m<one.pad(4)>>(IntraSliceReduceOpI32::AddSat)
      .vector_pad_way8<m<one.pad(8)>>()
      .vector_final()
      .commit_view(out.view_mut().tile<m<R>, 3>(2));
  return out.to_hbm<m<S, R, one.pad(8)>>(ctx.tdma);
}
TEST(Chip, CHIP_12_single_values_into_a_tile) {
  Ints const x = numbered(256 * 8 * 4), got = made_by<m<S, R>>(some_sums, on_host<m<S, R, P>>(x));
  for (std::size_t i = 0; i < got.size(); ++i) {
    std::int32_t sum = 0;
    for (std::size_t p = 0; p < 4; ++p) sum += x[i * 4 + p];
    ASSERT_EQ(got[i], i % 8 >= 2 && i % 8 < 5 ? sum : 5) << i;
  }
}

// What the schedule makes of it.

program::Program lowered(const std::string& passes) {
  std::string const head = R"(module two
axes A = 256, T = 512, P = 8
dm x: i32 Cluster[1 # 2] Slice[A] Element[T, P]
dm y: i32 Cluster[1 # 2] Slice[A] Element[T, P]
dm z: i32 Cluster[1 # 2] Slice[A] Element[T, P]
dm w: i32 Cluster[1 # 2] Slice[A] Element[P]
vrf v: i32 Cluster[1 # 2] Slice[A] Element[P]
memset w = 1
)";
  auto module = ir::parse(head + passes, "test");
  EXPECT_TRUE(module) << module.refusal().sentence().view();
  auto verified = ir::verify(*std::move(module), rngd);
  EXPECT_TRUE(verified) << verified.refusal().sentence().view();
  auto program = lower::lower(*verified);
  EXPECT_TRUE(program) << program.refusal().sentence().view();
  return *std::move(program);
}
std::string pass(const std::string& context, bool computes, const std::string& from, const std::string& time, const std::string& sink) {
  std::string const vector = "  .vector_init\n  .vector_intra_slice_branch(Unconditional)\n  .vector_fxp(AddFxp, 1)\n  .vector_final\n";
  return context + ".begin(" + from + ")\n  .fetch i32 Time[" + time + "] Packet[P]\n  .collect\n" + (computes ? vector : "") + "  ." +
         sink + "\n";
}
program::Schedule scheduled(const program::Program& p) {
  auto const book = sched::duration_named("book", rngd);
  return sched::schedule(p, rngd, **book).value();
}
bool side_by_side(const program::Schedule& s, std::size_t a, std::size_t b) {
  return s.commands[a].start < s.commands[b].end && s.commands[b].start < s.commands[a].end;
}

TEST(Chip, CHIP_06_contexts_share_one_vector_engine) {
  auto const meet = [](bool main_computes, bool sub_computes) {
    auto const p = lowered(pass("main", main_computes, "x", "T", "commit(y)") + pass("sub", sub_computes, "x", "T", "commit(z)"));
    std::size_t const n = p.commands.size();
    return side_by_side(scheduled(p), n - 2, n - 1);
  };
  EXPECT_FALSE(meet(true, true)) << "two passes through one engine never overlap";
  EXPECT_TRUE(meet(true, false));
  EXPECT_TRUE(meet(false, true));
}
TEST(Chip, CHIP_06_sub_moves_eight_bytes_in_a_cycle) {
  auto const p = lowered(pass("sub", true, "x", "T", "commit(y)"));
  auto const s = scheduled(p);
  std::int64_t const taken = (s.commands.back().end - s.commands.back().start).value;
  EXPECT_GE(taken, 512 * 4) << "512 flits of 32 bytes";
  EXPECT_LT(taken, 512 * 4 + 64);
}
TEST(Chip, CHIP_07_a_store_from_main_takes_both_contexts) {
  for (bool computes : {false, true}) {
    auto const p = lowered(pass("main", computes, "w", "1", "to_vrf(v)") + pass("sub", false, "x", "T", "commit(z)"));
    std::size_t const n = p.commands.size();
    EXPECT_NE(p.commands[n - 2].resources & bit(program::Resource::Main), 0u);
    EXPECT_NE(p.commands[n - 2].resources & bit(program::Resource::Sub), 0u);
    EXPECT_FALSE(side_by_side(scheduled(p), n - 2, n - 1)) << computes;
  }
}

// CHIP-20: the exponent of a number, by its bits.

auto exponents(Context& ctx, const HbmTensor<i32, Chip, m<S, T, W>>& in) {
  auto x = in.to_dm<Cluster, m<S>, m<T, W>>(ctx.tdma);
  return ctx.main.begin(x.view())
      .fetch<i32, m<T>, m<W>>()
      .collect<m<T>, m<W>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp_to_fp(31)
      .vector_reinterpret<i32>()
      .vector_clip(ClipBinaryOpI32::AddFxp, 1 << 23)  // twice the number
      .vector_reinterpret<f32>()
      .vector_clip(ClipBinaryOpF32::Max, -100.0f)
      .vector_reinterpret<i32>()
      .vector_final()
      .commit<m<T, W>>()
      .to_hbm<m<S, T, W>>(ctx.tdma);
}
Ints doubled_numbers(const Ints& x) {
  Ints all;
  for (std::int32_t each : x) {
    float const number = std::max(2.0f * static_cast<float>(each), -100.0f);
    std::int32_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    all.push_back(bits);
  }
  return all;
}
Ints without_zeros(Ints x) {
  std::replace(x.begin(), x.end(), 0, 1);  // of which no exponent can be raised
  return x;
}
TEST(Chip, CHIP_20_the_same_bits_as_another_type) {
  Ints const x = without_zeros(numbered(256 * 4 * 8)), got = made_by<m<S, T, W>>(exponents, on_host<m<S, T, W>>(x));
  EXPECT_EQ(got, doubled_numbers(x));
}
dyn::Tensor exponents_dyn(Context& ctx, const dyn::Tensor& in) {
  using dyn::map;
  Mapping const s = dyn::axis("S", 256), t = dyn::axis("T", 4), w = dyn::axis("W", 8);
  return dyn::main(ctx)
      .begin(in.to_dm(ctx.tdma, dyn::one.pad(2), s, map(t, w)))
      .fetch(ScalarType::i32, t, w)
      .collect(t, w)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp_to_fp(31)
      .vector_reinterpret(ScalarType::i32)
      .vector_clip(ClipBinaryOpI32::AddFxp, 1 << 23)
      .vector_reinterpret(ScalarType::f32)
      .vector_clip(ClipBinaryOpF32::Max, -100.0f)
      .vector_reinterpret(ScalarType::i32)
      .vector_final()
      .commit(map(t, w))
      .to_hbm(ctx.tdma, map(s, t, w));
}
TEST(Chip, CHIP_20_with_mappings_that_are_known_at_run_time) {
  Ints const x = without_zeros(numbered(256 * 4 * 8)), expected = doubled_numbers(x);
  auto ctx = Context::acquire();
  Mapping const all = dyn::map(dyn::axis("S", 256), dyn::axis("T", 4), dyn::axis("W", 8));
  dyn::HostTensor in(ScalarType::i32, all);
  for (std::size_t i = 0; i < x.size(); ++i) in.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(x[i]));
  auto const out = launch(exponents_dyn, ctx, in.to_hbm(ctx.pdma, dyn::one, all)).get().to_host(ctx.pdma, all);
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(static_cast<std::int32_t>(out.data<i32>()[i].bits), expected[i]) << i;
}
TEST(Chip, CHIP_20_costs_nothing) {
  auto const taken = [](const std::string& more) {
    std::string const from = ".vector_intra_slice_branch(Unconditional)\n";
    std::string text = pass("main", true, "x", "T", "commit(y)");
    text.insert(text.find(from) + from.size(), more);
    auto const s = scheduled(lowered(text));
    return (s.commands.back().end - s.commands.back().start).value;
  };
  EXPECT_EQ(taken("  .vector_reinterpret(f32)\n  .vector_reinterpret(i32)\n"), taken(""));
}

// CHIP-21: sums that are narrowed on their way into DM; with relu, and after a transpose.

auto narrowed(Context& ctx, const HbmTensor<i32, Chip, m<S, T, W>>& in) {
  auto x = in.to_dm<Cluster, m<S>, m<T, W>>(ctx.tdma);
  auto low = ctx.main.begin(x.view())
                 .fetch<i32, m<T>, m<W>>()
                 .collect<m<T>, m<W>>()
                 .vector_init()
                 .vector_intra_slice_branch(BranchMode::Unconditional)
                 .vector_fxp(FxpBinaryOp::AddFxp, 7)
                 .vector_final()
                 .commit_cast<i16>()
                 .commit<m<T, W>>();
  return ctx.main.begin(low.view())
      .fetch<i32, m<T>, m<W>>()
      .collect<m<T>, m<W>>()
      .transpose<m<T / 2, W>, m<(T % 2).pad(8)>>()
      .commit_cast_relu<i16>()
      .commit<m<T / 2, W, (T % 2).pad(4)>>()
      .to_hbm<m<S, T / 2, W, (T % 2).pad(4)>>(ctx.tdma);
}
DmTensor<i16, Chip, Cluster, m<S>, m<T, W>> into(Context& ctx, const DmTensor<i32, Chip, Cluster, m<S>, m<T, W>>& x) {
  return ctx.sub.begin(x.view()).fetch<i32, m<T>, m<W>>().collect<m<T>, m<W>>().commit_cast_relu<i16>().commit();
}
auto narrowed_in_sub(Context& ctx, const HbmTensor<i32, Chip, m<S, T, W>>& in) {
  return into(ctx, in.to_dm<Cluster, m<S>, m<T, W>>(ctx.tdma)).to_hbm<m<S, T, W>>(ctx.tdma);
}
dyn::Tensor narrowed_dyn(Context& ctx, const dyn::Tensor& in) {
  using dyn::map;
  Mapping const s = dyn::axis("S", 256), t = dyn::axis("T", 4), w = dyn::axis("W", 8);
  auto const low = dyn::main(ctx)
                       .begin(in.to_dm(ctx.tdma, dyn::one.pad(2), s, map(t, w)))
                       .fetch(ScalarType::i32, t, w)
                       .collect(t, w)
                       .vector_init()
                       .vector_intra_slice_branch(BranchMode::Unconditional)
                       .vector_fxp(FxpBinaryOp::AddFxp, 7)
                       .vector_final()
                       .commit_cast(ScalarType::i16)
                       .commit(map(t, w));
  return dyn::main(ctx)
      .begin(low)
      .fetch(ScalarType::i32, t, w)
      .collect(t, w)
      .transpose(map(t / 2, w), (t % 2).pad(8))
      .commit_cast_relu(ScalarType::i16)
      .commit(map(t / 2, w, (t % 2).pad(4)))
      .to_hbm(ctx.tdma, map(s, t / 2, w, (t % 2).pad(4)));
}
/// The number x + 7 as i16, and 0 for what is negative then.
std::int32_t clamped(std::int32_t x) { return std::max<std::int32_t>(static_cast<std::int16_t>(x + 7), 0); }
Ints large(std::size_t count) {
  Ints all = numbered(count);
  for (std::int32_t& each : all) each *= 50;  // beyond 16 bits, so that the cast drops something
  return all;
}
TEST(Chip, CHIP_21_commit_cast_and_relu) {
  Ints const x = large(256 * 4 * 8), got = made_by<m<S, T / 2, W, T % 2>>(narrowed, on_host<m<S, T, W>>(x));
  ASSERT_EQ(got.size(), x.size());
  for (std::size_t s = 0; s < 256; ++s)
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t w = 0; w < 8; ++w)
        ASSERT_EQ(static_cast<std::int16_t>(got[((s * 2 + t / 2) * 8 + w) * 2 + t % 2]), clamped(x[(s * 4 + t) * 8 + w]));
}
TEST(Chip, CHIP_21_in_sub_the_numbers_are_clamped_before_they_are_cast) {
  Ints const x = large(256 * 4 * 8), got = made_by<m<S, T, W>>(narrowed_in_sub, on_host<m<S, T, W>>(x));
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(static_cast<std::int16_t>(got[i]), static_cast<std::int16_t>(std::max<std::int32_t>(x[i], 0)));
}
TEST(Chip, CHIP_21_with_mappings_that_are_known_at_run_time) {
  Ints const x = large(256 * 4 * 8);
  auto ctx = Context::acquire();
  Mapping const s = dyn::axis("S", 256), t = dyn::axis("T", 4), w = dyn::axis("W", 8);
  dyn::HostTensor in(ScalarType::i32, dyn::map(s, t, w));
  for (std::size_t i = 0; i < x.size(); ++i) in.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(x[i]));
  auto const out = launch(narrowed_dyn, ctx, in.to_hbm(ctx.pdma, dyn::one, dyn::map(s, t, w))).get().to_host(ctx.pdma, dyn::map(s, t, w));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(static_cast<std::int16_t>(out.data<i16>()[i].bits), clamped(x[i])) << i;
}

// CHIP-22: sixteen elements of 16 bits in each packet of a transpose.

auto packed_transpose(Context& ctx, const HbmTensor<i16, Chip, m<S, T, K>>& in) {
  auto x = in.to_dm<Cluster, m<S>, m<T, K>>(ctx.tdma);
  return ctx.main.begin(x.view())
      .fetch<i16, m<K / 16, T>, m<K % 16>>()
      .collect<m<K / 16, T>, m<K % 16>>()
      .transpose<m<K>, m<T.pad(16)>>()
      .commit<m<K, T>>()
      .to_hbm<m<S, K, T>>(ctx.tdma);
}
TEST(Chip, CHIP_22_packed_transposes) {
  HostTensor<i16, m<S, T, K>> x;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = i16::from_bits(static_cast<std::uint32_t>(i * 40503u >> 3) & 0xffff);
  Ints const got = made_by<m<S, K, T>>(packed_transpose, x);
  for (std::size_t s = 0; s < 256; ++s)
    for (std::size_t t = 0; t < 4; ++t)
      for (std::size_t k = 0; k < 64; ++k)
        ASSERT_EQ(static_cast<std::uint32_t>(got[(s * 64 + k) * 4 + t]), x.data()[(s * 4 + t) * 64 + k].bits);
}

// The stash is kept in the VRF, beside what is alive.

/// A pass that stashes between two that fill a VRF tensor with `time` steps.
std::string with_stash(const std::string& address, const std::string& time) {
  std::string const element = time == "1" ? "P" : time + ", P";
  std::string const fill = "sub.begin(w)\n  .fetch i32 Time[" + time + "] Packet[P]\n  .collect\n  .to_vrf(v)\n";
  return "axes A = 256, T = 224, U = 225, P = 8\ndm x: i32 Cluster[1 # 2] Slice[A] Element[P] at 0\n"
         "dm y: i32 Cluster[1 # 2] Slice[A] Element[P] at 65536\ndm w: i32 Cluster[1 # 2] Slice[A] Element[" +
         element + "] at 4096\nvrf v: i32 Cluster[1 # 2] Slice[A] Element[" + element + "]" + address + "\n" + fill +
         "main.begin(x)\n  .fetch i32 Time[1] Packet[P]\n  .collect\n  .vector_init\n  .vector_intra_slice_branch(Unconditional)\n"
         "  .vector_stash\n  .vector_fxp(AddFxp, 1)\n  .vector_clip(Max, stash)\n  .vector_final\n  .commit(y)\n" +
         fill;
}
std::string verdict_of(const std::string& text) {
  auto module = ir::parse(text, "test");
  if (!module) return module.refusal().code;
  auto verified = ir::verify(*std::move(module), rngd);
  if (!verified) return verified.refusal().code;
  auto const placed = ir::placed(*verified);
  return placed ? "accepted" : placed.refusal().code;
}
TEST(Chip, CHIP_19_a_stash_takes_a_KiB_of_the_VRF) {
  EXPECT_EQ(verdict_of(with_stash(" at 0", "T")), "accepted") << "7168 bytes, as many as are left";
  EXPECT_EQ(verdict_of(with_stash(" at 1024", "T")), "accepted") << "the stash before them";
  EXPECT_EQ(verdict_of(with_stash(" at 32", "T")), "vector-stash-room")
      << "no 1,024 bytes in a row; alive, though the pass does not read it";
  EXPECT_EQ(verdict_of(with_stash(" at 0", "U")), "vector-stash-room");
  EXPECT_EQ(verdict_of(with_stash("", "T")), "accepted");
  EXPECT_EQ(verdict_of(with_stash("", "U")), "ir-memory-full");
}

}  // namespace
}  // namespace tcp
