// Tiles of Slice and Cluster as sides of a transfer (CHIP-27), in both front ends and on every backend, against loops of the host.
#include <gtest/gtest.h>

#include <vector>

#include "tcp/device/chips.hpp"
#include "tcp/dsl/dynamic.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/launch.hpp"
#include "tcp/tcp.hpp"

namespace tcp {
namespace {

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

}  // namespace
}  // namespace tcp
