// The rows of the ledger on the Commit Engine, as the compiler configures it; and those on single words.
#include <gtest/gtest.h>

#include "lower_module.hpp"
#include "one_pass.hpp"
#include "tcp/program/print.hpp"

namespace tcp::lower {
namespace {

using Loops = std::vector<program::Loop>;

const char* const shape = "M = 4, K = 2, W = 8, N = 16, J = 64";

struct Written {
  std::int64_t in_size, access, per_packet;
  Loops loops;
};
void expect_written(const program::Commit& c, const Written& w) {
  EXPECT_EQ(c.commit_in_size, w.in_size);
  EXPECT_EQ(c.write.access_bytes, w.access);
  EXPECT_EQ(c.write.accesses_per_packet, w.per_packet);
  EXPECT_EQ(c.write.loops, w.loops);
  EXPECT_EQ(c.write.base, 1 << 18);
  EXPECT_FALSE(c.pack_valid);
}
Mover mover(ScalarType type, std::string element, std::string time, std::string packet, std::string collected, std::string to) {
  Mover m{shape, std::move(element), std::move(time), std::move(packet), "", std::move(collected), std::move(to)};
  m.stored = m.type = type;
  return m;
}

TEST(Commit, COM_02_config) {
  Mover m{"P = 256, M = 16, N = 8", "M, N", "M", "N", "", "", "M, N # 16"};
  m.stored = m.type = ScalarType::f32;
  m.slice = "P";
  m.cast = ScalarType::bf16;
  m.cast_packet = "N # 16";
  program::Exec const e = m.exec();
  program::Commit const& c = std::get<program::Commit>(e.sink);
  expect_written(c, {32, 32, 1, {{16, 32}}});
  EXPECT_EQ(c.write.packets, 16) << "16 writes";
  EXPECT_EQ(c.type, ScalarType::bf16);
  EXPECT_EQ(e.cast.value(), (program::Cast{ScalarType::f32, ScalarType::bf16}));
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_TRUE(e.writing.contains(s));
}

TEST(Commit, COM_05_config) { EXPECT_EQ(mover(ScalarType::i8, "M, K, W", "M, K", "W", "W # 32", "M, K, W").commit().commit_in_size, 8); }
TEST(Commit, COM_06_config) {
  expect_written(mover(ScalarType::f32, "M, K, W", "M, K", "W", "", "M, K, W = 4").commit(), {16, 16, 1, {{4, 32}, {2, 16}}});
}
TEST(Commit, COM_07_config) {
  expect_written(mover(ScalarType::bf16, "M, K, N", "M, K", "N", "", "K, M, N = 8").commit(), {16, 16, 1, {{4, 16}, {2, 64}}});
}
TEST(Commit, COM_08_config) {
  expect_written(mover(ScalarType::i4, "M, K, J", "M, K", "J", "", "K, M, J").commit(), {32, 32, 1, {{4, 32}, {2, 128}}});
}
TEST(Commit, COM_11_config) {
  program::Commit const c = mover(ScalarType::i8, "M, K, W", "M, K", "W", "W # 32", "M, K, W").commit();
  expect_written(c, {8, 8, 1, {{4, 16}, {2, 8}}});
  EXPECT_EQ(c.write.packets, 8);
}
TEST(Commit, COM_12_config) {
  expect_written(mover(ScalarType::f32, "M, K, W", "M, K", "W", "", "K, M, W").commit(), {32, 32, 1, {{4, 32}, {2, 128}}});
}
TEST(Commit, COM_13_config) {
  program::Commit const c = mover(ScalarType::bf16, "M, K, N", "M, K", "N", "", "K, M, N = 8").commit();
  EXPECT_EQ(c.commit_in_size, 16);
  EXPECT_EQ(c.write.access_bytes, 16);
}
TEST(Commit, COM_14_config) {
  program::Commit const c = mover(ScalarType::i8, "K, M, W", "K", "M, W", "", "K, M, W # 16").commit();
  expect_written(c, {32, 8, 4, {{2, 64}, {4, 16}}});
  std::vector<std::int64_t> at;
  for (std::int64_t n = 0; n < 8; ++n) at.push_back(n / 4 * c.write.loops[0].stride + n % 4 * c.write.loops[1].stride);
  EXPECT_EQ(at, (std::vector<std::int64_t>{0, 16, 32, 48, 64, 80, 96, 112}));
}

TEST(Commit, COM_15_config) {
  Mover m{"P = 256, W = 32", "W", "1", "W"};
  m.slice = "P";
  SliceMask only_first;
  only_first.word[0] = 1;
  m.writers = only_first;
  program::Exec const first = m.exec();
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(first.writing.contains(s), s == 0) << s;
  EXPECT_TRUE(first.units.slices.contains(255)) << "those that do not write work all the same";
  SliceMask others;
  for (auto& word : others.word) word = ~std::uint64_t{0};
  others.word[0] ^= 1;
  m.writers = others;
  program::Exec const rest = m.exec();
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(rest.writing.contains(s), s != 0) << s;
}

TEST(Commit, COM_16_config) {
  Mover m{"P = 100, W = 32", "W", "1", "W"};
  m.slice = "P # 256";
  program::Exec const e = m.exec();
  for (std::int64_t s = 0; s < 256; ++s) EXPECT_EQ(e.writing.contains(s), s < 100) << s;
  EXPECT_EQ(e.writing, e.units.slices);
}

/// The addresses that the writes of a program's Itos commands touch, byte by byte.
std::vector<std::int64_t> filled_bytes(const program::Program& p) {
  std::vector<std::int64_t> all;
  for (const program::Command& c : p.commands) {
    program::Itos const& fill = std::get<program::Itos>(c.what);
    std::vector<std::int64_t> at{fill.address};
    for (const program::Loop& l : fill.loops) {
      std::vector<std::int64_t> next;
      for (std::int64_t from : at)
        for (std::int64_t round = 0; round < l.size; ++round) next.push_back(from + round * l.stride);
      at = std::move(next);
    }
    for (std::int64_t from : at)
      for (std::int64_t b = 0; b < fill.bytes; ++b) all.push_back(from + b);
  }
  return all;
}

TEST(Commit, COM_21_config) {
  build::ModuleBuilder b("W = 3");
  ir::TensorId const t = b.dm("t", ScalarType::i32, "1 # 256", "W", 128);
  b.module.commands.emplace_back().what = ir::Memset{t, 0xcafe0001};
  program::Program const p = lowered(b.module);
  ASSERT_EQ(p.commands.size(), 1u) << "CHIP-09: one command for all words";
  program::Itos const& fill = std::get<program::Itos>(p.commands[0].what);
  EXPECT_EQ(fill.address, 128);
  EXPECT_EQ(fill.word, 0xcafe0001u);
  EXPECT_EQ(fill.bytes, 4);
  EXPECT_EQ(fill.loops, (Loops{{3, 4}}));
  EXPECT_TRUE(fill.units.slices.contains(0) && !fill.units.slices.contains(1));
  EXPECT_EQ(p.commands[0].resources, program::bit(program::Resource::Sub));
  ASSERT_EQ(p.commands[0].writes.size(), 1u);
  EXPECT_EQ(p.commands[0].writes[0].begin, 128);
  EXPECT_EQ(p.commands[0].writes[0].end, 140);
}

TEST(Commit, COM_21_words_of_a_tile) {
  // Rows 1 and 2 of every block: the words of these rows and no others, wherever the tile begins.
  build::ModuleBuilder b("H = 2, A = 4, B = 3");
  ir::TensorId const t = b.dm("t", ScalarType::i32, "1 # 256", "H, A, B # 4", 64);
  ir::Tensor view = b.module.tensor(t);
  view.address.reset();
  view.view = ir::ViewOf{t, ir::ViewOf::Kind::tile, b.map("A"), 2, 1};
  view.element = b.map("H, A = 2 # 4, B # 4");
  ir::TensorId const seen = b.module.tensors.add(view);
  b.module.commands.emplace_back().what = ir::Memset{seen, 7};
  program::Program const p = lowered(b.module);
  std::vector<std::int64_t> want;
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t a : {1, 2})
      for (std::int64_t c = 0; c < 12; ++c) want.push_back(64 + 4 * (16 * h + 4 * a) + c);
  EXPECT_EQ(filled_bytes(p), want);
}

TEST(Commit, CHIP_09_padding_is_left_alone) {
  build::ModuleBuilder b("A = 3, B = 5");
  ir::TensorId const t = b.dm("t", ScalarType::i8, "1 # 256", "A, B # 8", 64);
  b.module.commands.emplace_back().what = ir::Memset{t, 0x01020304};
  program::Program const p = lowered(b.module);
  std::vector<std::int64_t> want;
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t c = 0; c < 5; ++c) want.push_back(64 + 8 * a + c);
  EXPECT_EQ(filled_bytes(p), want);
}

TEST(Commit, CHIP_09_a_whole_slice_is_filled_within_the_limits_of_a_sequencer) {
  build::ModuleBuilder b("A = 131071");
  ir::TensorId const t = b.dm("t", ScalarType::i32, "1 # 256", "A", 0);
  b.module.commands.emplace_back().what = ir::Memset{t, 1};
  program::Program const p = lowered(b.module);
  EXPECT_EQ(p.commands.size(), 2u) << "an entry counts to 65,536";
  std::vector<std::int64_t> const got = filled_bytes(p);
  ASSERT_EQ(got.size(), 4u * 131071);
  for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], static_cast<std::int64_t>(i));
}

TEST(Commit, COM_20_config) {
  // Nothing in a program could hold the count, so no program asks for it: the module is refused by name.
  build::ModuleBuilder b(shape);
  ir::TensorId const in = b.dm("in", ScalarType::i8, "1 # 256", "M, J = 32", 0),
                     out = b.dm("out", ScalarType::i8, "1 # 256", "M, J = 32", 4096);
  b.sub(in).time("M").packet("J = 32").stage(ir::Fetch{}).into(ir::Commit{out, {}, true});
  auto const refused = build::lower_module(b.module, rngd);
  ASSERT_FALSE(refused);
  EXPECT_EQ(std::string(refused.refusal().code), "commit-valid-count-unknown");
}

TEST(Commit, KER_48_config) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A, B", "C # 8", "A, B", "C # 32", "B, A, C # 8"};
  m.stored = m.type = ScalarType::f8e4m3;
  m.to_address = 1024;
  program::Commit const c = m.commit();
  EXPECT_EQ(c.write.base, 1024);
  EXPECT_EQ(c.write.loops, (Loops{{3, 8}, {5, 24}}));
  EXPECT_EQ(c.write.access_bytes, 8);
  EXPECT_EQ(c.commit_in_size, 8);
  EXPECT_EQ(c.write.packets, 15);
}

TEST(Commit, KER_57_config) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A", "[B, C] # 32"};
  m.stored = m.type = ScalarType::f8e4m3;
  m.to_address = 1024;
  program::Commit const c = m.commit();
  EXPECT_EQ(c.write.base, 1024);
  EXPECT_EQ(c.write.access_bytes, 32);
  EXPECT_EQ(c.commit_in_size, 32);
  EXPECT_EQ(c.write.packets, 3);
  EXPECT_EQ(c.write.loops, (Loops{{3, 32}}));
}
TEST(Commit, KER_53_notation) {
  // Two loops, A outside: nothing of them is contiguous in the result.
  Mover m{"A = 3, B = 5, C = 2", "A, B, C # 8", "A, B", "C # 8", "", "C # 32", "B, A, C # 8"};
  m.stored = m.type = ScalarType::f8e4m3;
  m.to_address = 1024;
  EXPECT_EQ(program::print(m.commit().write), "[3 : 8, 5 : 24] @ 1024 / 8");
}

/// Rows of 65 elements with tails of padding: B outside, then the row in pieces.
void expect_tail(std::int64_t row, std::int64_t piece, std::int64_t fetch) {
  std::string const n = std::to_string(row), p = std::to_string(piece);
  Mover m{"A = 65, B = 2", "B, A # " + n, "B, A # " + n + " / " + p, "A # " + n + " % " + p, "", "", "B, A # " + n};
  if (piece < 32) m.collected_packet = "A # " + n + " % " + p + " # 32";
  m.stored = m.type = ScalarType::f8e4m3;
  m.to_address = 1024;
  program::Exec const e = m.exec();
  program::Commit const& c = std::get<program::Commit>(e.sink);
  EXPECT_EQ(c.write.base, 1024);
  EXPECT_EQ(c.commit_in_size, piece);
  EXPECT_EQ(c.write.access_bytes, piece);
  EXPECT_EQ(c.write.loops, (Loops{{2, row}, {row / piece, piece}}));
  EXPECT_EQ(e.fetch.read.access_bytes, fetch);
  EXPECT_EQ(e.fetch.read.packets * e.fetch.read.accesses_per_packet, 2 * row / fetch);
}
TEST(Commit, KER_62_config) { expect_tail(72, 24, 8); }
TEST(Commit, KER_63_config) { expect_tail(80, 16, 16); }
TEST(Commit, KER_64_config) { expect_tail(88, 8, 8); }
TEST(Commit, KER_65_config) { expect_tail(96, 32, 32); }

}  // namespace
}  // namespace tcp::lower
