// Tensors in DM that live across launches (CHIP-28): on every backend they hold what their kernel left in them, nobody is placed on top of them, and
// who overwrites them by an address of his own is told when they are used next.
#include <gtest/gtest.h>

#include "recorder.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

using build::code_of;

TCP_AXES(A = 2048, B = 16, K = 2, S = 256, E = 300 * 1024);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Rows = m<A % 8>;
using Hbm = HbmTensor<i32, Chip, m<A>>;
using Dm = DmTensor<i32, Chip, Cluster, Slice, Rows>;
constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

Context on(BackendKind backend) {
  ContextOptions options;
  options.backend = backend;
  return Context::acquire(options);
}
template <class Element>
HostTensor<i32, Element> numbered(int step) {
  HostTensor<i32, Element> t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = i32(static_cast<std::int32_t>(i) * step + 1);
  return t;
}

std::int32_t int_of(i32 x) { return static_cast<std::int32_t>(x.bits); }

Dm loaded(Context& ctx, const Hbm& x) { return x.to_dm<Cluster, Slice, Rows>(ctx.tdma); }
Hbm stored(Context& ctx, const Dm& x) { return x.to_hbm<m<A>>(ctx.tdma); }
/// What the kernel is given stays where it is; what it makes is placed beside it.
Dm sum(Context& ctx, const Dm& x, const Dm& y) {
  auto const added = ctx.sub.begin(y.view()).fetch<i32, m<1>, Rows>().collect<m<1>, Rows>().to_vrf<Rows>();
  return ctx.main.begin(x.view())
      .fetch<i32, m<1>, Rows>()
      .collect<m<1>, Rows>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, added)
      .vector_final()
      .commit<Rows>();
}

TEST(BetweenKernels, CHIP_28_a_tensor_in_DM_lives_across_launches) {
  auto const a = numbered<m<A>>(3), b = numbered<m<A>>(5);
  for (BackendKind backend : backends) {
    auto ctx = on(backend);
    Dm const x = launch(loaded, ctx, a.to_hbm<Chip, m<A>>(ctx.pdma)).get();
    Dm const y = launch(loaded, ctx, b.to_hbm<Chip, m<A>>(ctx.pdma)).get();
    Dm total = launch(sum, ctx, x, y).get();
    for (int round = 0; round < 3; ++round) total = launch(sum, ctx, total, x).get();
    auto const out = launch(stored, ctx, total).get().to_host<m<A>>(ctx.pdma);
    auto const again = launch(stored, ctx, y).get().to_host<m<A>>(ctx.pdma);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(int_of(out[i]), 4 * int_of(a[i]) + int_of(b[i])) << name_of(backend) << " " << i;
      ASSERT_EQ(int_of(again[i]), int_of(b[i])) << name_of(backend) << " " << i;
    }
  }
}

TEST(BetweenKernels, CHIP_28_a_kernel_writes_into_what_it_is_given) {
  auto const a = numbered<m<A>>(3), b = numbered<m<A>>(5);
  for (BackendKind backend : backends) {
    auto ctx = on(backend);
    Dm x = launch(loaded, ctx, a.to_hbm<Chip, m<A>>(ctx.pdma)).get();
    auto const replace = [](Context& c, const Hbm& from, Dm& to) { c.tdma.dma(from, to.view_mut()); };
    launch(replace, ctx, b.to_hbm<Chip, m<A>>(ctx.pdma), x).get();
    auto const out = launch(stored, ctx, x).get().to_host<m<A>>(ctx.pdma);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(int_of(out[i]), int_of(b[i])) << name_of(backend) << " " << i;
  }
}

// Copies in slices, an axis over clusters, padding of every kind, elements of four bits.
TEST(BetweenKernels, CHIP_28_every_level_comes_back) {
  HostTensor<i4, m<K, B>> in;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i4::from_bits(static_cast<std::uint32_t>(i * 5 + 3) & 15u);
  for (BackendKind backend : backends) {
    auto ctx = on(backend);
    auto const kept = launch(
                          [](Context& c, const HbmTensor<i4, Chip, m<K, B.pad_zero(32)>>& x) {
                            return x.to_dm<m<K>, m<2, one.pad(128)>, m<B.pad_zero(32)>>(c.tdma);
                          },
                          ctx, in.to_hbm<Chip, m<K, B.pad_zero(32)>>(ctx.pdma))
                          .get();
    auto const out = launch([](Context& c, const auto& x) { return x.template to_hbm<m<K, B>>(c.tdma); }, ctx, kept)
                         .get()
                         .template to_host<m<K, B>>(ctx.pdma);
    for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].bits, in[i].bits) << name_of(backend) << " " << i;
  }
}

TEST(BetweenKernels, CHIP_28_in_the_untyped_front_end) {
  auto const a = numbered<m<A>>(3);
  Mapping const all = m<A>::mapping, cluster = dyn::one.pad(2), slice = m<A / 8>::mapping, rows = m<A % 8>::mapping;
  for (BackendKind backend : backends) {
    auto ctx = on(backend);
    dyn::HostTensor host(ScalarType::i32, all);
    for (std::size_t i = 0; i < a.size(); ++i) host.data<i32>()[i] = a[i];
    dyn::Tensor const x = launch([&](Context& c, const dyn::Tensor& t) { return t.to_dm(c.tdma, cluster, slice, rows); }, ctx,
                                 host.to_hbm(ctx.pdma, dyn::one, all))
                              .get();
    auto const out = launch([&](Context& c, const dyn::Tensor& t) { return t.to_hbm(c.tdma, all); }, ctx, x).get().to_host(ctx.pdma, all);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(out.data<i32>()[i].bits, a[i].bits) << name_of(backend) << " " << i;
  }
}

TEST(BetweenKernels, CHIP_28_what_is_overwritten_is_lost) {
  auto ctx = on(BackendKind::vector);
  auto const a = numbered<m<A>>(3).to_hbm<Chip, m<A>>(ctx.pdma);
  auto const at = [](Context& c, const Hbm& x) { return x.to_dm<Cluster, Slice, Rows>(c.tdma, 4096); };
  Dm const x = launch(at, ctx, a).get();
  Dm const y = launch(at, ctx, a).get();
  EXPECT_EQ(code_of([&] { (void)launch(stored, ctx, x).get(); }), "dsl-tensor-overwritten");
  (void)launch(stored, ctx, y).get();
  // A tensor of the kernel alone, too.
  (void)launch([](Context& c, const Hbm& in) { return in.to_dm<Cluster, Slice, Rows>(c.tdma, 4096).to_hbm<m<A>>(c.tdma); }, ctx, a).get();
  EXPECT_EQ(code_of([&] { (void)launch(stored, ctx, y).get(); }), "dsl-tensor-overwritten");
}

TEST(BetweenKernels, CHIP_28_they_take_room_until_they_are_let_go) {
  using Large = m<E>;
  auto ctx = on(BackendKind::vector);
  auto const fill = [](Context& c) { return c.sub.memset<DmTensor<i8, Chip, Cluster, m<S>, Large>>(i8(1)); };
  auto first = std::make_optional(launch(fill, ctx).get());
  EXPECT_EQ(code_of([&] { (void)launch(fill, ctx).get(); }), "ir-memory-full") << "two of 300 KiB are more than a slice has";
  first.reset();
  (void)launch(fill, ctx).get();
}

}  // namespace
}  // namespace tcp
