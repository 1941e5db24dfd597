// Looks at parts of tensors, as chips do them: fetch lifts, tiles of units, windows.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/program/print.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/sched/book.hpp"
#include "tcp/support/refused.hpp"
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

// Tiles of Slice and Cluster as sides of a transfer (CHIP-27), in both front ends and on every backend, against loops of the host.

namespace chip_tile {

TCP_AXES(A = 64, H = 2, P = 4, W = 8);
using Chip = m<1>;
using All = m<H, A, P, W>;
using Some = m<A, P, W>;
using Ints = std::vector<std::int32_t>;
constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

Ints numbered(std::size_t count, std::int32_t from) {
  Ints all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(from + static_cast<std::int32_t>(i));
  return all;
}

// Rows 7 and 8 of `more` go to rows 15 and 16 of the second cluster: slices 60 to 67, which two DMA engines serve. Then rows 40 and 41 go to 42 and 43, in
// both clusters.
HbmTensor<i32, Chip, All> in_part(Context& ctx, const HbmTensor<i32, Chip, All>& in, const HbmTensor<i32, Chip, Some>& more) {
  auto x = in.to_dm<m<H>, m<A, P>, m<W>>(ctx.tdma);
  ctx.tdma.dma(more.view().tile<m<A>, 2>(7), x.view_mut().tile<m<H>, 1>(1).tile<m<A>, 2>(15));
  ctx.tdma.dma(x.view().tile<m<A>, 2>(40), x.view_mut().tile<m<A>, 2>(42));
  return x.to_hbm<All>(ctx.tdma);
}
dyn::Tensor in_part_dyn(Context& ctx, const dyn::Tensor& in, const dyn::Tensor& more) {
  using dyn::map;
  Mapping const a = dyn::axis("A", 64), h = dyn::axis("H", 2), p = dyn::axis("P", 4), w = dyn::axis("W", 8);
  auto const x = in.to_dm(ctx.tdma, h, map(a, p), w);
  dyn::dma(ctx.tdma, more.tile(a, 2, 7), x.view_mut().tile(h, 1, 1).tile(a, 2, 15));
  dyn::dma(ctx.tdma, x.tile(a, 2, 40), x.view_mut().tile(a, 2, 42));
  return x.to_hbm(ctx.tdma, map(h, a, p, w));
}
Ints on_the_host(Ints x, const Ints& more) {
  auto const row = [](std::size_t h, std::size_t a) { return (h * 64 + a) * 32; };
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t i = 0; i < 32; ++i) {
      x[row(1, 15 + a) + i] = more[row(0, 7 + a) + i];
      for (std::size_t h = 0; h < 2; ++h) x[row(h, 42 + a) + i] = x[row(h, 40 + a) + i];
    }
  return x;
}

TEST(Chip, CHIP_27_a_transfer_into_some_slices_leaves_the_others_alone) {
  Ints const x = numbered(2 * 64 * 32, 0), more = numbered(64 * 32, 100000), expected = on_the_host(x, more);
  HostTensor<i32, All> in;
  HostTensor<i32, Some> other;
  for (std::size_t i = 0; i < x.size(); ++i) in.data()[i] = i32::from_bits(static_cast<std::uint32_t>(x[i]));
  for (std::size_t i = 0; i < more.size(); ++i) other.data()[i] = i32::from_bits(static_cast<std::uint32_t>(more[i]));
  for (BackendKind backend : backends) {
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    auto const out = launch(in_part, ctx, in.to_hbm<Chip, All>(ctx.pdma), other.to_hbm<Chip, Some>(ctx.pdma)).get().to_host<All>(ctx.pdma);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(static_cast<std::int32_t>(out.data()[i].bits), expected[i]) << name_of(backend) << " " << i;
  }
}
TEST(Chip, CHIP_27_with_mappings_that_are_known_at_run_time) {
  Ints const x = numbered(2 * 64 * 32, 0), more = numbered(64 * 32, 100000), expected = on_the_host(x, more);
  Mapping const all = All::mapping, some = Some::mapping;
  for (BackendKind backend : backends) {
    ContextOptions options;
    options.backend = backend;
    auto ctx = Context::acquire(options);
    dyn::HostTensor in(ScalarType::i32, all), other(ScalarType::i32, some);
    for (std::size_t i = 0; i < x.size(); ++i) in.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(x[i]));
    for (std::size_t i = 0; i < more.size(); ++i) other.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(more[i]));
    auto const out =
        launch(in_part_dyn, ctx, in.to_hbm(ctx.pdma, dyn::one, all), other.to_hbm(ctx.pdma, dyn::one, some)).get().to_host(ctx.pdma, all);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(static_cast<std::int32_t>(out.data<i32>()[i].bits), expected[i]) << name_of(backend) << " " << i;
  }
}

// The text form, and what is lowered of it.

std::string kernel(const std::string& views, const std::string& commands) {
  return "module part\naxes A = 256, B = 8, W = 8\nargument hbm x: i32 Element[A, W]\nresult hbm y: i32 Element[A, W]\n"
         "dm x_dm: i32 Cluster[1 # 2] Slice[A] Element[W]\ndm few: i32 Cluster[1 # 2] Slice[A = 4 # 256] Element[W]\n" +
         views + "move x -> x_dm\n" + commands + "move x_dm -> y\n";
}
Expected<program::Program> lowered(const std::string& text) {
  auto module = ir::parse(text, "part.tcp");
  if (!module) return module.refusal();
  auto const verified = ir::verify(*module, rngd);
  if (!verified) return verified.refusal();
  return lower::lower(*verified, {});
}
std::string tile(const std::string& name, std::int64_t length, std::int64_t start) {
  return "dm " + name + ": i32 Cluster[1 # 2] Slice[A = " + std::to_string(length) +
         " # 256] Element[W] = x_dm.tile([A], length: " + std::to_string(length) + ", start: " + std::to_string(start) + ")\n";
}
TEST(Chip, CHIP_27_engines_reach_their_own_slices_alone) {
  std::int64_t const an_engine = rngd.levels.slices_per_cluster * rngd.levels.clusters_per_chip / rngd.dma.engines_per_chip;
  for (std::int64_t start : {0, 1, 60, 62, 64, 126, 248, 252}) {
    auto const made = lowered(kernel(tile("there", 4, start) + "hbm some: i32 Element[A = 4 # 256, W] = x.tile([A], length: 4, start: 8)\n",
                                     "move some -> there\n"));
    ASSERT_TRUE(made) << made.refusal().sentence().s;
    std::vector<int> written(256, 0);
    for (const program::DmaDescriptor& d : std::get<program::Dma>(made->commands[1].what).descriptors) {
      std::int64_t slices = 1;
      for (const program::DmaLoop& l : d.loops)
        if (l.write_stride >= rngd.dm.dma_slice_stride.value) slices *= l.size;
      for (std::int64_t s = d.write.unit; s < d.write.unit + slices; ++s) {
        ASSERT_LT(s, 256);
        ++written[static_cast<std::size_t>(s)];
        EXPECT_EQ(d.engine, s / an_engine) << start;
      }
    }
    for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(written[static_cast<std::size_t>(s)], s >= start && s < start + 4 ? 1 : 0) << start;
  }
}
TEST(Chip, CHIP_27_to_the_last_slice_and_not_beyond) {
  auto const code = [](const std::string& views, const std::string& commands) {
    auto const made = lowered(kernel(views, commands));
    return made ? std::string("accepted") : std::string(made.refusal().code);
  };
  EXPECT_EQ(code(tile("there", 4, 252), "move few -> there\n"), "accepted");
  EXPECT_EQ(code(tile("there", 4, 253), "move few -> there\n"), "tile-out-of-range");
  EXPECT_EQ(code(tile("there", 4, 0) + tile("here", 4, 4), "move here -> there\n"), "accepted");
  EXPECT_EQ(code(tile("there", 4, 0) + tile("here", 4, 3), "move here -> there\n"), "ir-transfer-overwrites-source");
  std::string const pass = "main.begin(part)\n  .fetch i32 Time[1] Packet[W]\n  .collect\n  .commit(few)\n";
  EXPECT_EQ(code(tile("part", 4, 0), pass), "accepted");
  EXPECT_EQ(code(tile("part", 4, 1), pass), "ir-view-units");
  EXPECT_EQ(code(tile("part", 4, 1), "memset part = 0x1\n"), "ir-view-units");
  EXPECT_EQ(code(tile("part", 4, 0), "memset part = 0x1\n"), "accepted");
  EXPECT_EQ(code("dm part: i32 Cluster[1 # 2] Slice[A] Element[1 # 8] = x_dm.tile([A], length: 4, start: 0)\n", ""), "ir-view-levels");
  EXPECT_EQ(code("dm part: i32 Cluster[1 # 2] Slice[A = 5 # 256] Element[W] = x_dm.tile([A], length: 4, start: 0)\n", ""),
            "tile-wrong-result");
}

}  // namespace chip_tile

// Tensors with plain axes, read as windows and with names for their zeros, on every backend; against the numbers that the host put there.

namespace window_view {

using dyn::map;
using Kernel = std::function<dyn::Tensor(Context&, const dyn::Tensor&)>;

/// The number at a place of [K, X]: distinct ones.
dyn::HostTensor numbered(const Mapping& element) {
  dyn::HostTensor t(ScalarType::i32, element);
  for (std::size_t i = 0; i < t.size(); ++i) t.data<i32>()[i] = i32::from_bits(static_cast<std::uint32_t>(i + 1));
  return t;
}
Mapping window(const Mapping& outer, std::int64_t step, const Mapping& inner, std::int64_t inner_step = 1) {
  Slide const members[] = {{outer, step}, {inner, inner_step}};
  return slide_over(members);
}

/// What a kernel makes of [K, X] on a backend, as [K, W, F] of the host.
dyn::HostTensor made(BackendKind backend, const Mapping& plain, const Mapping& in_hbm, const Kernel& kernel, const Mapping& host) {
  ContextOptions options;
  options.backend = backend;
  auto ctx = Context::acquire(options);
  auto const x = numbered(plain).to_hbm(ctx.pdma, dyn::one, in_hbm);
  return launch(kernel, ctx, x).get().to_host(ctx.pdma, host);
}
constexpr BackendKind backends[] = {BackendKind::vector, BackendKind::reference, BackendKind::device};

Mapping const k = dyn::axis("K", 3), x = dyn::axis("X", 16), w = dyn::axis("W", 5), f = dyn::axis("F", 4);
Mapping const sliding = window(w, 3, f), idle = dyn::one.pad(2), slices = k.pad(256);  // 3 * 4 + 3 + 1 = 16 places

int wrong_in(const dyn::HostTensor& y) {
  int wrong = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int l = 0; l < 4; ++l) wrong += static_cast<int>(y.data<i32>()[(i * 5 + j) * 4 + l].bits) != i * 16 + 3 * j + l + 1;
  return wrong;
}

TEST(WindowView, is_unfolded_by_a_transfer) {
  for (BackendKind b : backends) {
    auto const from_hbm = [](Context& c, const dyn::Tensor& t) { return t.reshape(map(k, sliding)).to_hbm(c.tdma, map(w, k, f)); };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), from_hbm, map(k, w, f))), 0) << name_of(b);
    auto const from_dm = [](Context& c, const dyn::Tensor& t) {
      return t.to_dm(c.tdma, idle, slices, x).reshape(sliding).to_dm(c.tdma, idle, w.pad(256), map(k, f)).to_hbm(c.tdma, map(w, k, f));
    };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), from_dm, map(k, w, f))), 0) << name_of(b);
  }
}
TEST(WindowView, is_moved_as_it_is_and_unfolded_by_the_host) {
  for (BackendKind b : backends) {
    auto const kernel = [](Context& c, const dyn::Tensor& t) { return t.reshape(map(k, sliding)).to_hbm(c.tdma, map(k, sliding)); };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), kernel, map(k, w, f))), 0) << name_of(b);
  }
}
TEST(WindowView, is_fetched_by_a_pass) {
  for (BackendKind b : backends) {
    auto const kernel = [](Context& c, const dyn::Tensor& t) {
      return dyn::main(c)
          .begin(t.to_dm(c.tdma, idle, slices, x).reshape(sliding))
          .fetch(ScalarType::i32, w, f)
          .collect(w, f.pad(8))
          .commit(map(w, f))
          .to_hbm(c.tdma, map(k, w, f));
    };
    EXPECT_EQ(wrong_in(made(b, map(k, x), map(k, x), kernel, map(k, w, f))), 0) << name_of(b);
  }
}
/// Steps that leave places out, and one that begins in the middle of the tensor.
TEST(WindowView, of_a_tile) {
  Mapping const two = dyn::axis("T", 2), three = dyn::axis("U", 3);
  for (BackendKind b : backends) {
    auto const kernel = [&](Context& c, const dyn::Tensor& t) {
      return t.tile(x, 10, 5).reshape(map(k, window(two, 5, three, 2).pad(16))).to_hbm(c.tdma, map(k, two, three));
    };
    dyn::HostTensor const y = made(b, map(k, x), map(k, x), kernel, map(k, two, three));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 2; ++j)
        for (int l = 0; l < 3; ++l)
          EXPECT_EQ(static_cast<int>(y.data<i32>()[(i * 2 + j) * 3 + l].bits), i * 16 + 5 + 5 * j + 2 * l + 1) << name_of(b);
  }
}
TEST(NamedZeros, are_read_as_elements) {
  Mapping const five = dyn::axis("V", 5), eight = dyn::axis("E", 8);
  for (BackendKind b : backends) {
    auto const kernel = [&](Context& c, const dyn::Tensor& t) {
      return t.to_dm(c.tdma, idle, slices, five.pad_zero(8)).reshape(eight).to_hbm(c.tdma, map(k, eight));
    };
    dyn::HostTensor const y = made(b, map(k, five), map(k, five.pad_zero(8)), kernel, map(k, eight));
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 8; ++j) EXPECT_EQ(static_cast<int>(y.data<i32>()[i * 8 + j].bits), j < 5 ? i * 5 + j + 1 : 0) << name_of(b);
  }
}

std::string code_of(const Kernel& kernel) {
  try {
    (void)made(BackendKind::vector, map(k, x), map(k, x), kernel, map(k, x));
  } catch (const Refused& r) {
    return r.refusal().code;
  }
  return "accepted";
}
TEST(WindowView, is_not_written) {
  auto const by_transfer = [](Context& c, const dyn::Tensor& t) {
    auto const to = dyn::Tensor::hbm(c, ScalarType::i32, dyn::one, map(k, x));
    dyn::dma(c.tdma, t.reshape(map(k, sliding)), to.reshape(map(k, sliding)));
    return to;
  };
  EXPECT_EQ(code_of(by_transfer), "ir-view-read-only");
  auto const by_commit = [](Context& c, const dyn::Tensor& t) {
    auto const in = t.to_dm(c.tdma, idle, slices, x), to = dyn::Tensor::dm(c, ScalarType::i32, dyn::one, idle, slices, x);
    dyn::main(c).begin(in.reshape(sliding)).fetch(ScalarType::i32, w, f).collect(w, f.pad(8)).commit_view(to.reshape(sliding));
    return to.to_hbm(c.tdma, map(k, x));
  };
  EXPECT_EQ(code_of(by_commit), "sequence-write-window");
  auto const by_memset = [](Context& c, const dyn::Tensor& t) {
    auto const in = t.to_dm(c.tdma, idle, slices, x);
    dyn::memset(c, in.reshape(sliding), 0);
    return in.to_hbm(c.tdma, map(k, x));
  };
  EXPECT_EQ(code_of(by_memset), "ir-view-read-only");
}

}  // namespace window_view

}  // namespace
}  // namespace tcp
