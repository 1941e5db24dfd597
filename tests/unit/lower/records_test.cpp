// What a lowered command says besides its registers: the bytes that it touches, and the line of the kernel that it comes from.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/ir/verify.hpp"
#include "tcp/lower/lower.hpp"

namespace tcp::lower {
namespace {

program::Program lowered(const char* text) {
  auto const module = ir::parse(text, "test.tcp");
  EXPECT_TRUE(module.ok());
  auto const verified = ir::verify(*module, rngd);
  EXPECT_TRUE(verified.ok());
  return *lower(*verified);
}

// A store of whose rows of 64 bytes every engine writes 32: eight engines, and between their parts are bytes that none of them touches.
TEST(Records, RangesLeaveOutWhatLiesBetweenTheEngines) {
  program::Program const p = lowered(R"(axes A = 2048
dm a: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
hbm y: i32 Element[A / 8, A % 8 # 16] at 0
move a -> y
)");
  ASSERT_EQ(p.commands.size(), 1u);
  std::vector<program::Range> const& writes = p.commands[0].writes;
  ASSERT_GT(writes.size(), 1u);
  std::int64_t end = -1, bytes = 0;
  for (const program::Range& r : writes) {
    EXPECT_EQ(r.memory, program::Memory::Hbm);
    EXPECT_GT(r.begin, end) << "in order, and apart";
    end = r.end;
    bytes += r.end - r.begin;
  }
  EXPECT_EQ(writes.front().begin, 0);
  EXPECT_EQ(end, 255 * 64 + 32) << "the last row's padding is left alone";
  EXPECT_EQ(bytes, 256 * 64 - 32 * static_cast<std::int64_t>(writes.size()));
}

TEST(Records, ACommandKnowsItsLine) {
  program::Program const p = lowered(R"(axes A = 2048
dm a: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8] at 0
hbm y: i32 Element[A] at 0

move a -> y
)");
  ASSERT_EQ(p.commands.size(), 1u);
  const program::DebugCommand& move = p.debug.commands.at(static_cast<std::size_t>(p.commands[0].debug));
  ASSERT_GE(move.at, 0);
  const program::SourceLine& line = p.debug.lines.at(static_cast<std::size_t>(move.at));
  EXPECT_EQ(line.file, "test.tcp");
  EXPECT_EQ(line.line, 5u);
  ASSERT_EQ(p.debug.tensors.size(), 2u);
  for (const program::DebugTensor& t : p.debug.tensors)
    EXPECT_EQ(p.debug.lines.at(static_cast<std::size_t>(t.at)).line, t.name == "a" ? 2u : 3u) << t.name;
}

}  // namespace
}  // namespace tcp::lower
