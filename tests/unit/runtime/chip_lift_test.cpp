// Fetch lifts (CHIP-26), in both front ends and on every backend, against loops of the host; and what the schedule makes of them.
#include <gtest/gtest.h>

#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/print.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

TCP_AXES(A = 8, H = 2, P = 64, W = 8);
using Chip = m<1>;
using Ints = std::vector<std::int32_t>;

Ints numbered(std::size_t count) {
  Ints all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<std::int32_t>(i * 2654435761u >> 20) - 2000);
  return all;
}

// Both clusters and every fourth of their slices hold the same rows; each takes two of the eight, a cluster one of the halves. Table and zero points
// stand behind a lift as they do without one.
HbmTensor<i32, Chip, m<A, H, P, W>> rows_apart(Context& ctx, const HbmTensor<i32, Chip, m<P, A, H, W>>& in) {
  auto x = in.to_dm<m<2>, m<4, P>, m<A, H, W>>(ctx.tdma);
  return ctx.main.begin(x.view())
      .fetch_cluster_lift<m<H>>()
      .fetch_slice_lift<m<A / 2, P>>()
      .fetch<i32, m<A % 2>, m<W>>()
      .collect<m<A % 2>, m<W>>()
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 3)
      .vector_final()
      .commit<m<A % 2, W>>()
      .to_hbm<m<A, H, P, W>>(ctx.tdma);
}
dyn::Tensor rows_apart_dyn(Context& ctx, const dyn::Tensor& in) {
  using dyn::map;
  Mapping const a = dyn::axis("A", 8), h = dyn::axis("H", 2), p = dyn::axis("P", 64), w = dyn::axis("W", 8);
  auto const x = in.to_dm(ctx.tdma, copies(2), map(copies(4), p), map(a, h, w));
  return dyn::main(ctx)
      .begin(x)
      .fetch_cluster_lift(h)
      .fetch_slice_lift(map(a / 2, p))
      .fetch(ScalarType::i32, a % 2, w)
      .collect(a % 2, w)
      .vector_init()
      .vector_intra_slice_branch(BranchMode::Unconditional)
      .vector_fxp(FxpBinaryOp::AddFxp, 3)
      .vector_final()
      .commit(map(a % 2, w))
      .to_hbm(ctx.tdma, map(a, h, p, w));
}
Ints on_the_host(const Ints& x) {
  Ints all;
  for (std::size_t a = 0; a < 8; ++a)
    for (std::size_t h = 0; h < 2; ++h)
      for (std::size_t p = 0; p < 64; ++p)
        for (std::size_t w = 0; w < 8; ++w) all.push_back(x[((p * 8 + a) * 2 + h) * 8 + w] + 3);
  return all;
}

constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

TEST(Chip, CHIP_26_copies_read_parts_of_their_own) {
  Ints const x = numbered(64 * 8 * 2 * 8), expected = on_the_host(x);
  HostTensor<i32, m<P, A, H, W>> in;
  for (std::size_t i = 0; i < x.size(); ++i) in.data()[i] = i32::from_bits(static_cast<std::uint32_t>(x[i]));
  for (BackendKind backend : backends) {
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    auto const out = launch(rows_apart, ctx, in.to_hbm<Chip, m<P, A, H, W>>(ctx.pdma)).get().to_host<m<A, H, P, W>>(ctx.pdma);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(static_cast<std::int32_t>(out.data()[i].bits), expected[i]) << name_of(backend) << " " << i;
  }
}
TEST(Chip, CHIP_26_with_mappings_that_are_known_at_run_time) {
  Ints const x = numbered(64 * 8 * 2 * 8), expected = on_the_host(x);
  Mapping const a = dyn::axis("A", 8), h = dyn::axis("H", 2), p = dyn::axis("P", 64), w = dyn::axis("W", 8);
  for (BackendKind backend : backends) {
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    dyn::HostTensor in(ScalarType::i32, dyn::map(p, a, h, w));
    for (std::size_t i = 0; i < x.size(); ++i) in.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(x[i]));
    auto const out =
        launch(rows_apart_dyn, ctx, in.to_hbm(ctx.pdma, dyn::one, dyn::map(p, a, h, w))).get().to_host(ctx.pdma, dyn::map(a, h, p, w));
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(static_cast<std::int32_t>(out.data<i32>()[i].bits), expected[i]) << name_of(backend) << " " << i;
  }
}
dyn::Tensor not_copies_dyn(Context& ctx, const dyn::Tensor& in) {
  using dyn::map;
  Mapping const a = dyn::axis("A", 8), h = dyn::axis("H", 2), p = dyn::axis("P", 64), w = dyn::axis("W", 8);
  auto const x = in.to_dm(ctx.tdma, dyn::one.pad(2), map(dyn::one.pad(4), p), map(a, h, w));
  return dyn::main(ctx).begin(x).fetch_slice_lift(map(a / 2, p)).fetch(ScalarType::i32, map(a % 2, h), w).commit(map(a % 2, h, w));
}
TEST(Chip, CHIP_26_a_lift_of_what_is_no_copy_is_refused_on_the_spot) {
  auto ctx = Context::acquire();
  Mapping const all = dyn::map(dyn::axis("P", 64), dyn::axis("A", 8), dyn::axis("H", 2), dyn::axis("W", 8));
  dyn::HostTensor in(ScalarType::i32, all);
  try {
    (void)launch(not_copies_dyn, ctx, in.to_hbm(ctx.pdma, dyn::one, all)).get();
    FAIL() << "accepted";
  } catch (const Refused& r) {
    EXPECT_EQ(r.refusal().code, std::string_view("fetch-lift-not-copies"));
  }
}

// The text form, what is lowered of it, and what it costs.

std::string kernel(const std::string& copies, const std::string& fetch) {
  return "module rows\naxes A = 4, P = 64, W = 8\nargument hbm x: i32 Element[P, A, W]\nresult hbm y: i32 Element[A, P, W]\n"
         "dm x_dm: i32 Cluster[1 # 2] Slice[" +
         copies +
         ", P] Element[A, W]\n"
         "dm y_dm: i32 Cluster[1 # 2] Slice[A, P] Element[W]\n"
         "move x -> x_dm\nmain.begin(x_dm)\n  .fetch i32 " +
         fetch + " Packet[W]\n  .collect\n  .commit(y_dm)\nmove y_dm -> y\n";
}
Expected<program::Program> lowered(const std::string& text) {
  auto module = ir::parse(text, "lift.tcp");
  if (!module) return module.refusal();
  auto const verified = ir::verify(*module, rngd);
  if (!verified) return verified.refusal();
  return lower::lower(*verified, {});
}
TEST(Chip, CHIP_26_costs_a_table_that_a_DMA_brings) {
  auto const made = lowered(kernel("4", "Slice[A, P] Time[1]"));
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  const program::Command& pass = made->commands[1];
  const auto& fetch = std::get<program::Exec>(pass.what).fetch;
  ASSERT_EQ(fetch.offsets.size(), 1u);
  EXPECT_EQ(fetch.offsets[0], (program::UnitOffset{program::UnitOffset::Of::Slice, 64, 4, 32}));
  EXPECT_NE(pass.resources & program::bit(program::Resource::TensorDma), 0u);
  ASSERT_EQ(pass.reads.size(), 1u);
  EXPECT_EQ(pass.reads[0].end - pass.reads[0].begin, 4 * 32);
  EXPECT_NE(program::settings_of(pass)[0].configuration.find("further on by Slice / 64 % 4 * 32"), std::string::npos);
  program::Exec same = std::get<program::Exec>(pass.what);
  same.fetch.offsets.clear();
  EXPECT_EQ(sched::book::pass_cost(rngd, std::get<program::Exec>(pass.what)).total() - sched::book::pass_cost(rngd, same).total(),
            rngd.fetch.lift_table);
}
TEST(Chip, CHIP_26_the_short_store_into_the_TRF_has_no_table) {
  auto const stored = [](const char* copies, const char* fetch) {
    std::string const text = std::string(
                                 "module w\naxes A = 4, P = 64, K = 8, W = 32\nargument hbm x: i8 Element[P, A, K, W]\n"
                                 "dm x_dm: i8 Cluster[1 # 2] Slice[") +
                             copies +
                             ", P] Element[A, K, W]\n"
                             "trf w: i8 Cluster[1 # 2] Slice[A, P] Row[K] Element[W]\nmove x -> x_dm\nsub.begin(x_dm)\n  .fetch i8 " +
                             fetch + " Packet[W]\n  .collect\n  .to_trf(w)\n";
    return lowered(text);
  };
  auto const made = stored("4", "Slice[A, P] Time[K]");
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_FALSE(std::get<program::TrfStore>(std::get<program::Exec>(made->commands[1].what).sink).short_command);
}
TEST(Chip, CHIP_26_is_a_change_of_Slice_in_the_text_form) {
  auto const code = [](const std::string& copies, const std::string& fetch) {
    auto const made = lowered(kernel(copies, fetch));
    return made ? std::string("accepted") : std::string(made.refusal().code);
  };
  EXPECT_EQ(code("4", "Slice[A, P] Time[1]"), "accepted");
  EXPECT_EQ(code("1 # 4", "Slice[A, P] Time[1]"), "fetch-lift-not-copies");
  EXPECT_EQ(code("4", "Slice[P, A] Time[1]"), "fetch-lift-not-copies");
  EXPECT_EQ(code("4", "Slice[A, P # 128] Time[1]"), "fetch-lift-size");
  EXPECT_EQ(code("4", "Slice[A, P] Time[A]"), "levels-axis-twice");
}

}  // namespace
}  // namespace tcp
