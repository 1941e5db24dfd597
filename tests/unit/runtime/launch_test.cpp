// Launching: what kernels give back, in which order they run, and how refusals and exceptions come out.
#include "tcp/runtime/launch.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>
#include <vector>

#include "recorder.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

using build::code_of;

TCP_AXES(A = 2048, D = 4);
using Chip = m<1>;
using Cluster = m<one.pad(2)>;
using Slice = m<A / 8>;
using Eight = m<A % 8>;
using Hbm = HbmTensor<i32, Chip, m<A>>;
using Host = HostTensor<i32, m<A>>;

Hbm plus(Context& ctx, const Hbm& in, int n, Address out = {}) {
  auto const dm = in.to_dm<Cluster, Slice, Eight>(ctx.tdma);
  auto const sum = ctx.main.begin(dm.view())
                       .fetch<i32, m<1>, Eight>()
                       .collect<m<1>, Eight>()
                       .vector_init()
                       .vector_intra_slice_branch(BranchMode::Unconditional)
                       .vector_fxp(FxpBinaryOp::AddFxp, n)
                       .vector_final()
                       .commit<Eight>();
  return sum.to_hbm<m<A>>(ctx.tdma, out);
}
Host counted(int from = 0) {
  Host t;
  for (std::size_t i = 0; i < t.size(); ++i) t[i] = i32::from_int(from + static_cast<std::int64_t>(i));
  return t;
}
void expect_counted(const Host& t, int from) {
  for (std::size_t i = 0; i < t.size(); ++i) ASSERT_EQ(t[i].to_int(), from + static_cast<int>(i)) << i;
}

TEST(Launch, gives_a_tensor) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma);
  auto launched = launch([](Context& c, const Hbm& in) { return plus(c, in, 5); }, ctx, x);
  expect_counted(launched.get().to_host<m<A>>(ctx.pdma), 5);
  expect_counted(launched.get().to_host<m<A>>(ctx.pdma), 5);  // asked again
  EXPECT_TRUE(launched.done());
}
/// The padding of Cluster and Slice is no part of a stream.
Hbm moved_in_shape(Context& ctx, const Hbm& in) {
  auto dm = DmTensor<i32, Chip, Cluster, m<one.pad(256)>, m<A>>::from_addr(0);
  ctx.tdma.dma<m<A / 16>, m<A % 16>>(in.view(), dm.view_mut());
  return dm.to_hbm<m<A>>(ctx.tdma);
}
TEST(Launch, moves_by_dma_in_the_shape_that_the_author_insists_on) {
  auto ctx = Context::acquire();
  auto const x = counted(3).to_hbm<Chip, m<A>>(ctx.pdma);
  expect_counted(launch(moved_in_shape, ctx, x).get().to_host<m<A>>(ctx.pdma), 3);
}
Hbm by_name(Context& ctx, const Hbm& in) { return plus(ctx, in, 1); }
struct AsClass {
  int n;
  Hbm operator()(Context& ctx, const Hbm& in) const { return plus(ctx, in, n); }
};
TEST(Launch, takes_functions_classes_and_lambdas_with_captures) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma);
  expect_counted(launch(by_name, ctx, x).get().to_host<m<A>>(ctx.pdma), 1);
  expect_counted(launch(AsClass{7}, ctx, x).get().to_host<m<A>>(ctx.pdma), 7);
  int const n = 9;
  expect_counted(launch([&](Context& c) { return plus(c, x, n); }, ctx).get().to_host<m<A>>(ctx.pdma), 9);
}
TEST(Launch, gives_pairs_tuples_structs_and_vectors) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma);
  auto const [a, b] = launch([&](Context& c) { return std::pair(plus(c, x, 1), plus(c, x, 2)); }, ctx).get();
  expect_counted(a.to_host<m<A>>(ctx.pdma), 1);
  expect_counted(b.to_host<m<A>>(ctx.pdma), 2);
  auto const t = launch([&](Context& c) { return std::tuple(plus(c, x, 3), 42, plus(c, x, 4)); }, ctx).get();
  expect_counted(std::get<2>(t).to_host<m<A>>(ctx.pdma), 4);
  EXPECT_EQ(std::get<1>(t), 42);
  struct Both {
    Hbm first, second;
  };
  auto const both = launch([&](Context& c) { return Both{plus(c, x, 5), plus(c, x, 6)}; }, ctx).get();
  expect_counted(both.second.to_host<m<A>>(ctx.pdma), 6);
  auto const many = launch(
                        [&](Context& c) {
                          std::vector<Hbm> all;
                          for (int i = 0; i < 3; ++i) all.push_back(plus(c, x, i));
                          return all;
                        },
                        ctx)
                        .get();
  for (int i = 0; i < 3; ++i) expect_counted(many[static_cast<std::size_t>(i)].to_host<m<A>>(ctx.pdma), i);
}
TEST(Launch, gives_back_its_argument) {
  auto ctx = Context::acquire();
  auto const x = counted(3).to_hbm<Chip, m<A>>(ctx.pdma);
  expect_counted(launch([](Context&, const Hbm& in) -> const Hbm& { return in; }, ctx, x).get().to_host<m<A>>(ctx.pdma), 3);
}
TEST(Launch, gives_nothing_and_writes_into_its_arguments) {
  auto ctx = Context::acquire();
  auto x = counted().to_hbm<Chip, m<A>>(ctx.pdma), y = Host().to_hbm<Chip, m<A>>(ctx.pdma);
  launch([](Context& c, const Hbm& in, Hbm& out) { c.tdma.dma(in.slice<A, 0, 1024>(), out.view_mut().slice<A, 1024, 2048>()); }, ctx, x, y)
      .get();
  auto const back = y.to_host<m<A>>(ctx.pdma);
  for (std::size_t i = 0; i < 2048; ++i) ASSERT_EQ(back[i].to_int(), i < 1024 ? 0 : static_cast<int>(i) - 1024);
  expect_counted(x.to_host<m<A>>(ctx.pdma), 0);
}
TEST(Launch, kernels_run_in_order_without_being_waited_for) {
  auto ctx = Context::acquire();
  auto x = counted().to_hbm<Chip, m<A>>(ctx.pdma);
  std::vector<Launch<Hbm>> launched;
  for (int i = 0; i < 6; ++i) launched.push_back(launch([&](Context& c) { return plus(c, x, i); }, ctx));
  for (int i = 0; i < 6; ++i)
    (void)launch([&](Context& c) { c.tdma.dma(plus(c, x, 1), x.view_mut()); }, ctx);  // in place, and the caller does not wait
  for (int i = 0; i < 6; ++i) expect_counted(launched[static_cast<std::size_t>(i)].get().to_host<m<A>>(ctx.pdma), i);
  expect_counted(x.to_host<m<A>>(ctx.pdma), 6);
}
TEST(Launch, a_result_is_the_next_argument_before_it_is_there) {
  auto ctx = Context::acquire();
  Hbm kept = counted().to_hbm<Chip, m<A>>(ctx.pdma);
  for (int i = 0; i < 5; ++i) (void)launch([&](Context& c) { kept = plus(c, kept, 2); }, ctx);
  expect_counted(kept.to_host<m<A>>(ctx.pdma), 10);
}
TEST(Launch, the_order_of_the_host_decides_what_a_kernel_reads) {
  auto ctx = Context::acquire();
  auto x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto first = launch([&](Context& c) { return plus(c, x, 1, 1 << 20); }, ctx);
  auto const y = counted(100).to_hbm<Chip, m<A>>(ctx.pdma, 0);  // over x, while the kernel may not have run yet
  expect_counted(first.get().to_host<m<A>>(ctx.pdma), 1);
  expect_counted(y.to_host<m<A>>(ctx.pdma), 100);
  EXPECT_EQ(code_of([&] { (void)x.to_host<m<A>>(ctx.pdma); }), "dsl-tensor-overwritten");
  auto second = launch([&](Context& c) { return plus(c, y, 2, 1 << 20); }, ctx);  // over the result of the first
  auto const z = counted(200).to_hbm<Chip, m<A>>(ctx.pdma, 1 << 20);              // and over that of the second, before it is there
  EXPECT_EQ(code_of([&] { (void)second.get().to_host<m<A>>(ctx.pdma); }), "dsl-tensor-overwritten");
  expect_counted(z.to_host<m<A>>(ctx.pdma), 200);
}
TEST(Launch, tensors_without_an_address_leave_the_host_s_alone) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma), y = counted(50).to_hbm<Chip, m<A>>(ctx.pdma);
  auto sum = launch([&](Context& c) { return plus(c, plus(c, x, 1), 1); }, ctx);  // with a temporary in HBM
  auto const z = counted(70).to_hbm<Chip, m<A>>(ctx.pdma);                        // before the kernel has run
  expect_counted(sum.get().to_host<m<A>>(ctx.pdma), 2);
  expect_counted(x.to_host<m<A>>(ctx.pdma), 0);
  expect_counted(y.to_host<m<A>>(ctx.pdma), 50);
  expect_counted(z.to_host<m<A>>(ctx.pdma), 70);
}
TEST(Launch, a_temporary_in_hbm_overwrites_too) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0), y = counted(50).to_hbm<Chip, m<A>>(ctx.pdma, 1 << 20);
  launch([&](Context& c) { (void)plus(c, x, 1, 1 << 20); }, ctx).get();
  EXPECT_EQ(code_of([&] { (void)y.to_host<m<A>>(ctx.pdma); }), "dsl-tensor-overwritten");
}

// What goes wrong.

TEST(Launch, an_exception_of_the_kernel_comes_out_of_get) {
  auto ctx = Context::acquire();
  Hbm never;
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma);
  auto launched = launch(
      [&](Context& c) {
        never = plus(c, x, 1);
        throw std::runtime_error("the kernel's own");
      },
      ctx);
  launched.wait();
  EXPECT_TRUE(launched.done());
  EXPECT_THROW(launched.get(), std::runtime_error);
  EXPECT_THROW(launched.get(), std::runtime_error);
  EXPECT_EQ(code_of([&] { (void)never.to_host<m<A>>(ctx.pdma); }), "runtime-kernel-threw");
  EXPECT_EQ(code_of([&] { (void)launch([&](Context& c) { return plus(c, never, 1); }, ctx).get(); }), "runtime-kernel-threw");
  expect_counted(launch([&](Context& c) { return plus(c, x, 1); }, ctx).get().to_host<m<A>>(ctx.pdma), 1);  // the device goes on
}
TEST(Launch, whatever_a_kernel_throws) {
  auto ctx = Context::acquire();
  Hbm never;
  auto launched = launch(
      [&](Context&) {
        never = Hbm::from_addr(0);
        throw 42;
      },
      ctx);
  EXPECT_THROW(launched.get(), int);
  EXPECT_EQ(code_of([&] { (void)never.to_host<m<A>>(ctx.pdma); }), "runtime-kernel-threw");
}
TEST(Launch, a_refusal_of_the_verifier_comes_out_of_get) {
  auto ctx = Context::acquire();
  Hbm out;
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto launched = launch([&](Context& c) { out = plus(c, x, 1, 4); }, ctx);  // over its own argument
  EXPECT_EQ(code_of([&] { launched.get(); }), "ir-tensors-overlap");
  EXPECT_EQ(code_of([&] { (void)out.to_host<m<A>>(ctx.pdma); }), "ir-tensors-overlap");
  expect_counted(x.to_host<m<A>>(ctx.pdma), 0);
}
TEST(Launch, a_refusal_while_it_runs_comes_out_of_get_and_reaches_what_depends_on_it) {
  auto ctx = Context::acquire();
  auto undefined = launch([](Context& c) { return plus(c, Hbm::from_addr(0), 1, 1 << 20); }, ctx);
  std::string const code = code_of([&] { (void)undefined.get(); });
  EXPECT_TRUE(code.starts_with("exec-")) << code;
  Hbm bad;
  auto first = launch([&](Context& c) { bad = plus(c, Hbm::from_addr(0), 1, 1 << 20); }, ctx);
  auto second = launch([&](Context& c) { return plus(c, bad, 1, 1 << 21); }, ctx);  // recorded before the first has failed, or after
  EXPECT_EQ(code_of([&] { (void)second.get(); }), code);
  EXPECT_EQ(code_of([&] { (void)bad.to_host<m<A>>(ctx.pdma); }), code);
}
TEST(Launch, without_checks_what_undefined_values_decide_is_zero) {
  ContextOptions options;
  options.check = false;
  auto ctx = Context::acquire(options);
  auto const y = launch([](Context& c) { return plus(c, Hbm::from_addr(0), 1, 1 << 20); }, ctx).get().to_host<m<A>>(ctx.pdma);
  for (i32 v : y) ASSERT_EQ(v.to_int(), 0);
}
TEST(Launch, an_argument_that_a_failed_kernel_was_writing_is_lost) {
  auto ctx = Context::acquire();
  auto x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto failed = launch([&](Context& c) { c.tdma.dma(plus(c, Hbm::from_addr(1 << 22), 1, 1 << 20), x.view_mut()); }, ctx);
  std::string const code = code_of([&] { failed.get(); });
  EXPECT_NE(code, "accepted");
  EXPECT_EQ(code_of([&] { (void)x.to_host<m<A>>(ctx.pdma); }), code);
}
TEST(Launch, inside_of_a_kernel) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto outer = launch([&](Context& c) { (void)launch(by_name, c, x); }, ctx);
  EXPECT_EQ(code_of([&] { outer.get(); }), "dsl-launch-inside-kernel");
  expect_counted(launch([&](Context& c) { return by_name(c, x); }, ctx).get().to_host<m<A>>(ctx.pdma), 1);
}
TEST(Launch, streams_without_a_sink) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto last = launch(
      [&](Context& c) {
        auto const dm = x.to_dm<Cluster, Slice, Eight>(c.tdma);
        (void)c.main.begin(dm.view()).fetch<i32, m<1>, Eight>();
      },
      ctx);
  EXPECT_EQ(code_of([&] { last.get(); }), "dsl-stream-without-sink");
  auto before_another = launch(
      [&](Context& c) {
        auto const dm = x.to_dm<Cluster, Slice, Eight>(c.tdma);
        (void)c.main.begin(dm.view());
        (void)c.main.begin(dm.view());
      },
      ctx);
  EXPECT_EQ(code_of([&] { before_another.get(); }), "dsl-stream-without-sink");
}
TEST(Launch, streams_used_twice) {
  auto ctx = Context::acquire();
  auto const x = counted().to_hbm<Chip, m<A>>(ctx.pdma, 0);
  auto twice = launch(
      [&](Context& c) {
        auto const dm = x.to_dm<Cluster, Slice, Eight>(c.tdma);
        auto stream = c.main.begin(dm.view()).fetch<i32, m<1>, Eight>();
        auto copy = stream;
        auto const one = std::move(copy).collect<m<1>, Eight>().commit<Eight>();
        auto const two = std::move(stream).collect<m<1>, Eight>().commit<Eight>();
      },
      ctx);
  EXPECT_EQ(code_of([&] { twice.get(); }), "dsl-stream-used-twice");
}

// Chips.

using OnFour = HbmTensor<i32, m<D>, m<A>>;
TEST(Launch, on_several_chips) {
  auto ctx = Context::acquire();
  HostTensor<i32, m<D, A>> host;
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = i32::from_int(static_cast<std::int64_t>(i));
  auto const x = host.to_hbm<m<D>, m<A>>(ctx.pdma);
  auto const y = launch<4>(
                     [](Context& c, const OnFour& in) {
                       auto const dm = in.to_dm<Cluster, Slice, Eight>(c.tdma);
                       return dm.chip_shuffle(c.tdma, {1, 2, 3, 0}).to_hbm<m<A>>(c.tdma);
                     },
                     ctx, x)
                     .get()
                     .to_host<m<D, A>>(ctx.pdma);
  for (std::size_t i = 0; i < host.size(); ++i) ASSERT_EQ(y[i].bits, host[(i + 2048) % host.size()].bits) << i;
}
TEST(Launch, for_more_chips_than_there_are) {
  ContextOptions options;
  options.chips = 3;
  auto ctx = Context::acquire(options);
  bool called = false;
  auto launched = launch<4>([&](Context&) { called = true; }, ctx);
  EXPECT_EQ(code_of([&] { launched.get(); }), "runtime-too-few-chips");
  EXPECT_FALSE(called);
}
TEST(Launch, tensors_for_another_number_of_chips) {
  auto ctx = Context::acquire();
  auto const x = HostTensor<i32, m<D, A>>().to_hbm<m<D>, m<A>>(ctx.pdma);
  auto launched = launch([&](Context& c) { return x.to_hbm<m<A>>(c.tdma, 1 << 20); }, ctx);
  EXPECT_NE(code_of([&] { (void)launched.get(); }), "accepted");
}

// Tensors in DM that live across launches (CHIP-28): on every backend they hold what their kernel left in them, no tensor is placed on top of them, and
// a kernel that overwrites them by an address of its own is told when they are used next.
namespace between_kernels {

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

}  // namespace between_kernels

}  // namespace
}  // namespace tcp
