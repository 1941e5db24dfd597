// The rows of the ledger on the Fetch Engine, as the compiler configures it. The book's last loops over elements are folded into accesses.
#include <gtest/gtest.h>

#include "one_pass.hpp"

namespace tcp::lower {
namespace {

using Loops = std::vector<program::Loop>;
using Counts = std::vector<std::int64_t>;

/// The numbers of the elements that the registers replace, as the book says what these do.
Counts masked(const program::Mask& m) {
  std::int64_t all = 1;
  for (std::int64_t size : m.loops) all *= size;
  Counts numbers;
  for (std::int64_t n = 0; n < all; ++n) {
    Counts at(m.loops.size());
    std::int64_t rest = n;
    for (std::size_t k = at.size(); k-- > 0; rest /= m.loops[k]) at[k] = rest % m.loops[k];
    std::int64_t const last = at[static_cast<std::size_t>(m.last_dim)], rounds = m.loops[static_cast<std::size_t>(m.last_dim)];
    std::int64_t const valid =
        m.valid_count[m.valid_count_dim < 0 ? 0 : static_cast<std::size_t>(at[static_cast<std::size_t>(m.valid_count_dim)])];
    if ((last == 0 && at.back() < m.left_pad) || (last == rounds - 1 && at.back() >= valid)) numbers.push_back(n);
  }
  return numbers;
}

const char* const image = "N = 4, C = 3, H = 4, W = 8";

TEST(Fetch, FET_03_config) {
  Mover m{"A = 512, B = 32", "A, B", "A", "B", "A, B / 8", "B % 8"};
  m.type = ScalarType::i32;
  program::Fetch const f = m.exec().fetch;
  EXPECT_EQ(f.read.loops, (Loops{{512, 32}, {4, 8}}));
  EXPECT_EQ(f.read.access_bytes, 8) << "as many as a flit of i32 takes";
  EXPECT_EQ(f.read.accesses_per_packet, 4);
  EXPECT_EQ(f.read.packets, 512);
  EXPECT_EQ(f.packet_elements, 32);
  EXPECT_EQ(f.stored, ScalarType::i8);
  EXPECT_EQ(f.type, ScalarType::i32);
}

TEST(Fetch, FET_12_config) {
  program::Fetch const f = Mover{image, "N, C, H, W", "N, C, H", "W", "N, C, H", "W # 32", "N, C, H, W"}.exec().fetch;
  EXPECT_EQ(f.read.loops, (Loops{{4, 96}, {3, 32}, {4, 8}}));
  EXPECT_EQ(f.read.access_bytes, 8);
  EXPECT_EQ(f.read.accesses_per_packet, 1);
  EXPECT_EQ(f.read.packets, 48);
}

TEST(Fetch, FET_13_config) {
  program::Fetch const f = Mover{image, "N, C, H, W", "C", "N, H, W", "C, N", "H, W", "C, N, H, W"}.exec().fetch;
  EXPECT_EQ(f.read.loops, (Loops{{3, 32}, {4, 96}}));
  EXPECT_EQ(f.read.access_bytes, 32);
  EXPECT_EQ(f.read.accesses_per_packet, 4);
  EXPECT_EQ(f.read.packets, 3);
}

TEST(Fetch, FET_15_config) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A, B", "C # 8", "A, B", "C # 32", "A, B, C # 8"};
  m.stored = m.type = ScalarType::f8e4m3;
  program::Fetch const f = m.exec().fetch;
  EXPECT_EQ(f.read.loops, (Loops{{3, 10}, {5, 2}}));
  EXPECT_EQ(f.read.access_bytes, 8);
  EXPECT_EQ(f.read.packets, 15);
}

/// The address of every packet's first byte and of its last: a walk, whatever its loops.
void expect_walk(const program::Sequencer& s, std::int64_t packets, std::int64_t apart, std::int64_t bytes) {
  EXPECT_EQ(s.packets, packets);
  EXPECT_EQ(s.access_bytes, bytes);
  EXPECT_EQ(s.accesses_per_packet, 1);
  for (std::int64_t n = 0; n < packets; ++n) {
    std::int64_t rest = n, at = s.base;
    for (std::size_t k = s.loops.size(); k-- > 0; rest /= s.loops[k].size) at += rest % s.loops[k].size * s.loops[k].stride;
    EXPECT_EQ(at, n * apart);
  }
}

TEST(Fetch, FET_16_config) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A", "[B, C] # 16", "A", "[B, C] # 32", "A, [B, C] # 16"};
  m.stored = m.type = ScalarType::f8e4m3;
  expect_walk(m.exec().fetch.read, 3, 10, 16);
}

TEST(Fetch, FET_17_config) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "1", "[A, B, C] # 32"};
  m.stored = m.type = ScalarType::f8e4m3;
  expect_walk(m.exec().fetch.read, 1, 0, 32);
}

/// Two tensors of 512 rows that take turns, in each of so many passes.
program::Program interleaved(int passes) {
  build::ModuleBuilder b("A = 512, B = 32, I = 2");
  for (int n = 0; n < passes; ++n) {
    ir::TensorId const lhs = b.dm("lhs", ScalarType::i8, "1 # 256", "A, B", n * 131072);
    ir::TensorId const rhs = b.dm("rhs", ScalarType::i8, "1 # 256", "A, B", n * 131072 + 40960);
    ir::TensorId const to = b.dm("to", ScalarType::i8, "1 # 256", "A, I, B", n * 131072 + 81920);
    auto pass = b.main(lhs);
    pass.time("A, I").packet("B").stage(ir::Fetch{}).stage(ir::Collect{});
    pass.into(ir::Commit{to, {}, false});
    ir::Pass& p = std::get<ir::Pass>(b.module.commands.back().what);
    p.source.push_back(rhs);
    p.turns = Name("I");
  }
  return lowered(b.module);
}

TEST(Fetch, FET_19_config) {
  program::Program const program = interleaved(1);
  program::Fetch const& f = exec_at(program, 0).fetch;
  EXPECT_EQ(f.read.loops, (Loops{{512, 32}, {2, 40960}})) << "the turn is a loop from one address to the other";
  EXPECT_EQ(f.turn_loop, 1);
  EXPECT_EQ(f.read.packets, 1024);
  EXPECT_EQ(f.read.access_bytes, 32);
}

TEST(Fetch, KER_20_config) {
  auto const bytes_read = [](const program::Program& p) {
    std::int64_t sum = 0;
    for (const program::Command& c : p.commands) {
      program::Sequencer const& s = std::get<program::Exec>(c.what).fetch.read;
      sum += s.packets * s.accesses_per_packet * s.access_bytes;
    }
    return sum;
  };
  EXPECT_EQ(bytes_read(interleaved(1)), 2 * 512 * 32);
  EXPECT_EQ(bytes_read(interleaved(2)), 4 * 512 * 32);
}

TEST(Fetch, FET_21_config) {
  Mover const m{"A = 63", "A # 64", "1", "A #z 64", "A #z 64 / 32", "A #z 64 % 32", "A #z 64"};
  program::Fetch const f = m.exec().fetch;
  ASSERT_TRUE(f.mask.has_value());
  program::Mask const& mask = *f.mask;
  EXPECT_EQ(mask.pad_value, 0u);
  EXPECT_EQ(mask.left_pad, 0);
  EXPECT_EQ(masked(mask), (Counts{63})) << "the 64th alone";
}

TEST(Fetch, FET_21_unasked) {
  EXPECT_FALSE((Mover{"A = 63", "A # 64", "1", "A # 64", "A # 64 / 32", "A # 64 % 32", "A # 64"}.exec().fetch.mask.has_value()));
}

TEST(Fetch, FET_26_config) {
  Mover m{"A = 32, B = 90", "A, B # 96", "A, B #< 2 #z 96 / 32", "B #< 2 #z 96 % 32"};
  m.to = "A, B #< 2 #z 96";
  m.address = 64;
  program::Fetch const f = m.exec().fetch;
  EXPECT_EQ(f.read.base, 62) << "two elements in front of the tensor";
  EXPECT_EQ(f.read.loops, (Loops{{32, 96}, {3, 32}}));
  EXPECT_EQ(f.read.access_bytes, 32);
  EXPECT_EQ(f.read.packets, 96);
  ASSERT_TRUE(f.mask.has_value());
  program::Mask const& mask = *f.mask;
  EXPECT_EQ(mask.loops, (Counts{32, 3, 32}));
  EXPECT_EQ(mask.last_dim, 1);
  EXPECT_EQ(mask.left_pad, 2);
  EXPECT_EQ(mask.valid_count_dim, -1);
  EXPECT_EQ(mask.valid_count, (Counts{28}));
  EXPECT_EQ(mask.pad_value, 0u);
}

TEST(Fetch, FET_28_config) {
  Mover m{"A = 32, B = 90", "A, B # 96", "A, B #< 2 #z 96 / 32", "B #< 2 #z 96 % 32"};
  m.to = "A, B #< 2 #z 96";
  m.address = 64;
  Counts valid(3, 32);
  for (std::int64_t n : masked(m.exec().fetch.mask.value()))
    if (n < 96) --valid[static_cast<std::size_t>(n / 32)];
  EXPECT_EQ(valid, (Counts{30, 32, 28}));
}

TEST(Fetch, FET_27_config) {
  Mover m{"A = 32, B = 90", "A, B # 96", "B #< 2 #z 96 / 32, A", "B #< 2 #z 96 % 32"};
  m.address = 64;
  program::Fetch const f = m.exec().fetch;
  EXPECT_EQ(f.read.base, 62);
  EXPECT_EQ(f.read.loops, (Loops{{3, 32}, {32, 96}}));
  ASSERT_TRUE(f.mask.has_value());
  EXPECT_EQ(f.mask->loops, (Counts{3, 32, 32}));
  EXPECT_EQ(f.mask->last_dim, 0);
  EXPECT_EQ(f.mask->left_pad, 2);
  EXPECT_EQ(f.mask->valid_count, (Counts{28}));
}

TEST(Fetch, FET_29_config) {
  Mover m{"A = 32, B = 97", "A, B # 128", "A, B #z 128 / 16", "B #z 128 % 16", "A, B #z 128 / 8", "B #z 128 % 8", "A, B #z 128"};
  m.stored = m.type = ScalarType::f32;
  program::Fetch const f = m.exec().fetch;
  EXPECT_EQ(f.read.base, 0);
  EXPECT_EQ(f.read.packets, 256);
  EXPECT_EQ(f.read.packets * f.read.accesses_per_packet, 512);
  ASSERT_TRUE(f.mask.has_value());
  program::Mask const& mask = *f.mask;
  ASSERT_GE(mask.valid_count_dim, 0);
  EXPECT_EQ(mask.loops[static_cast<std::size_t>(mask.valid_count_dim)], 8);
  EXPECT_EQ(mask.valid_count, (Counts{16, 16, 16, 16, 16, 16, 1, 0}));
  EXPECT_EQ(mask.loops[static_cast<std::size_t>(mask.last_dim)], 1) << "every round is its last";
  EXPECT_EQ(masked(mask).size(), 32u * 31);
}

TEST(Fetch, FET_41_config) {
  build::ModuleBuilder b("A = 8, I = 2");
  ir::TensorId const one = b.dm("one", ScalarType::i8, "1 # 256", "A", 0), two = b.dm("two", ScalarType::i8, "1 # 256", "A", 64);
  ir::TensorId const to = b.dm("to", ScalarType::i32, "1 # 256", "I, A", 4096);
  auto pass = b.main(one);
  pass.type(ScalarType::i32).time("I").packet("A").stage(ir::Fetch{-1, {100, -100}}).stage(ir::Collect{});
  pass.into(ir::Commit{to, {}, false});
  ir::Pass& p = std::get<ir::Pass>(b.module.commands.back().what);
  p.source.push_back(two);
  p.turns = Name("I");
  program::Program const program = lowered(b.module);
  program::Fetch const& f = exec_at(program, 0).fetch;
  EXPECT_EQ(f.zero_points, (Counts{100, -100}));
  EXPECT_EQ(f.turn_loop, 0);
  EXPECT_EQ(f.read.loops, (Loops{{2, 64}}));
}

struct Batch {
  const char *time, *packet, *collected_time, *collected_packet;
  std::int64_t access, per_packet, packets;
  Loops loops;
};
void expect_batch(const Batch& b) {
  program::Sequencer const s =
      Mover{image, "N, C, H, W", b.time, b.packet, b.collected_time, b.collected_packet, "N, C, H, W"}.exec().fetch.read;
  EXPECT_EQ(s.access_bytes, b.access);
  EXPECT_EQ(s.accesses_per_packet, b.per_packet);
  EXPECT_EQ(s.packets, b.packets);
  EXPECT_EQ(s.loops, b.loops);
}
TEST(Fetch, FET_45_config) { expect_batch({"N, C, H", "W", "N, C, H", "W # 32", 8, 1, 48, {{4, 96}, {3, 32}, {4, 8}}}); }
TEST(Fetch, FET_46_config) {
  expect_batch({"N, C, H / 2", "H % 2, W", "N, C, H / 2", "[H % 2, W] # 32", 16, 1, 24, {{4, 96}, {3, 32}, {2, 16}}});
}
TEST(Fetch, FET_47_config) { expect_batch({"N, C", "H, W", "N, C", "H, W", 32, 1, 12, {{4, 96}, {3, 32}}}); }
TEST(Fetch, FET_48_config) { expect_batch({"N", "C, H, W", "N, C", "H, W", 32, 3, 4, {{4, 96}, {3, 32}}}); }

TEST(Fetch, FET_49_config) {
  Mover m{"N = 4, C = 3, H = 4, W = 16", "N, C, H, W", "N", "C, H, W", "N, C", "H, W", "N, C, H, W"};
  m.stored = m.type = ScalarType::i4;
  program::Sequencer const s = m.exec().fetch.read;
  EXPECT_EQ(s.loops, (Loops{{4, 96}, {3, 32}})) << "192 and 64 elements of half a byte";
  EXPECT_EQ(s.access_bytes, 32);
  EXPECT_EQ(s.accesses_per_packet, 3);
}

TEST(Fetch, FET_51_config) {
  Mover m{"A = 4, B = 40", "A, B", "A", "B", "A, B # 64 / 32", "B # 64 % 32", "A, B # 64"};
  program::Exec const e = m.exec();
  EXPECT_EQ(e.fetch.read.access_bytes, 8);
  EXPECT_EQ(e.fetch.read.accesses_per_packet, 5);
  EXPECT_EQ(e.collect.value().packet_bytes, 40);
  EXPECT_EQ(e.collect.value().flits_per_packet, 2);
}

}  // namespace
}  // namespace tcp::lower
