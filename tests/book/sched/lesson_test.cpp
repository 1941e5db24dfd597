// Whole kernels of the book, lowered and scheduled: who waits for whom, and for how long.
#include <gtest/gtest.h>

#include "book/lower/one_pass.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::EdgeKind;
using enum ScalarType;

/// 512 x 512 x 64 on a grid of 16 x 16 slices, as in the lesson.
program::Program gemm() {
  build::ModuleBuilder b("I = 512, J = 512, K = 64");
  const char* const grid = "I / 32, J / 32";
  auto const a = b.hbm("a", bf16, "I, K", 0, ir::Role::argument), w = b.hbm("b", bf16, "J, K", 1 << 28, ir::Role::argument);
  auto const a_dm = b.dm("a_dm", bf16, grid, "I % 32, K", 0), w_dm = b.dm("b_dm", bf16, grid, "J % 32, K", 1 << 12);
  auto const trf = b.trf("weights", bf16, grid, "J % 8", "J / 8 % 4, K");
  auto const c_dm = b.dm("c_dm", bf16, grid, "I % 32, J % 32", 1 << 13);
  auto const c = b.hbm("c", bf16, "I, J", 2 << 28, ir::Role::result);
  b.move(a, a_dm);
  b.move(w, w_dm);
  b.sub(w_dm)
      .type(bf16)
      .time("J % 8, J / 8 % 4")
      .packet("K")
      .stage(ir::Fetch{})
      .time("J % 8, J / 8 % 4, K / 16")
      .packet("K % 16")
      .stage(ir::Collect{})
      .into(ir::ToTrf{trf});
  auto main = b.main(a_dm);
  main.type(bf16)
      .time("I % 32, J / 8 % 4")
      .packet("K")
      .stage(ir::Fetch{})
      .time("I % 32, J / 8 % 4, K / 16")
      .packet("K % 16")
      .stage(ir::Collect{});
  main.time("I % 32, J / 8 % 4, K / 32").packet("K % 32").stage(ir::Align{trf});
  main.type(f32).packet("1").stage(ir::Contract{}).time("I % 32, J / 8 % 4").packet("J % 8").stage(ir::Accumulate{});
  main.type(bf16).packet("J % 8 # 16").stage(ir::Cast{}).into(ir::Commit{c_dm, {}, false});
  b.move(c_dm, c);
  return lower::lowered(b.module, rngd);
}

TEST(Lesson, gemm) {
  program::Program const p = gemm();
  ASSERT_EQ(p.commands.size(), 5u);
  program::Schedule const s = scheduled(p, BookDuration(rngd));
  EXPECT_EQ(start(s, 1), end(s, 0)) << "one queue of tensor DMA";
  EXPECT_EQ(s.commands[2].binding.kind, EdgeKind::Raw);
  EXPECT_EQ(end(s, 2) - start(s, 2), 32 * 16) << "4,096 bytes of weights, 8 a cycle";
  EXPECT_EQ(s.commands[3].binding.from, 2);
  EXPECT_EQ(s.commands[3].binding.memory, Memory::Trf) << "main waits for the weights";
  // 128 packets of 128 bytes; 5 cycles of the tree.
  EXPECT_EQ(end(s, 3) - start(s, 3), 128 * 4 + 5);
  EXPECT_EQ(cycles_of(s.commands[3].cost, Engine::Contraction), 256);
  EXPECT_EQ(cycles_of(s.commands[3].cost, Engine::Reducer), 128);
  EXPECT_EQ(s.commands[4].binding.from, 3);
  EXPECT_EQ(s.bounds.multiplies.value, 512 * 512 * 64 / (512 * 8 * 32));
  EXPECT_EQ(s.bounds.chain, s.makespan - (s.commands[0].end - s.commands[0].start)) << "but for the first load all is one chain";
  for (Cycles bound : {s.bounds.hbm, s.bounds.dm, s.bounds.multiplies}) EXPECT_LE(bound, s.makespan);
}

}  // namespace
}  // namespace tcp::sched
