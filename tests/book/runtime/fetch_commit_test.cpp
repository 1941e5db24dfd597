// The book's fetch and commit kernels on the simulated chip: which byte lies
// where in DM afterwards, against addresses worked out by hand.
#include <gtest/gtest.h>

#include <vector>

#include "book/lower/one_pass.hpp"
#include "run_module.hpp"
#include "tcp/sim/machine.hpp"

namespace tcp {
namespace {

using lower::Mover;

constexpr auto dm = program::Memory::Dm;
constexpr ScalarType f8e4m3_type = ScalarType::f8e4m3;

/// Slice 0 of the chip: bytes in at 0, a program, bytes out. Bytes that nobody
/// wrote are said to be so.
class SliceZero {
 public:
  SliceZero(const program::Program& program, const std::vector<std::uint8_t>& bytes) : machine_(rngd, 1) {
    EXPECT_TRUE(machine_.write(dm, 0, 0, std::as_bytes(std::span(bytes))));
    EXPECT_TRUE(machine_.submit(program).ok());
    while (!machine_.done() && !testing::Test::HasFailure()) EXPECT_TRUE(machine_.step().ok());
  }
  std::uint8_t at(std::int64_t address) const {
    std::uint8_t byte = 0;
    EXPECT_TRUE(machine_.read(dm, 0, address, std::as_writable_bytes(std::span(&byte, 1)))) << "nobody wrote byte " << address;
    return byte;
  }
  bool written(std::int64_t address) const { return !machine_.any_undefined(dm, 0, address, 1); }

 private:
  sim::Machine machine_;
};

/// Each byte another one, and none of them zero.
std::vector<std::uint8_t> numbered(std::int64_t count) {
  std::vector<std::uint8_t> out;
  for (std::int64_t i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(1 + i % 120));
  return out;
}

Mover moved(const char* time, const char* packet, const char* collected, const char* to) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", time, packet, "", collected, to};
  m.stored = m.type = f8e4m3_type;
  m.to_address = 1024;
  return m;
}

TEST(Book, KER_47_bytes_of_the_permutation) {
  auto const in = numbered(30);
  SliceZero const slice(moved("A, B", "C # 8", "C # 32", "B, A, C # 8").program(rngd), in);
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t b = 0; b < 5; ++b)
      for (std::int64_t c = 0; c < 2; ++c)
        EXPECT_EQ(slice.at(1024 + 8 * a + 24 * b + c), in[static_cast<std::size_t>(10 * a + 2 * b + c)]) << a << b << c;
}
TEST(Book, KER_50_bytes_of_the_output) {
  SliceZero const slice(moved("A, B", "C # 8", "C # 32", "B, A, C # 8").program(rngd), numbered(30));
  EXPECT_FALSE(slice.written(1023));
  EXPECT_FALSE(slice.written(1024 + 120)) << "15 units of 8 bytes";
  auto const in = numbered(30);
  struct Unit {
    std::int64_t address, b, a;
  };
  for (Unit const u : {Unit{1024, 0, 0}, Unit{1032, 0, 1}, Unit{1040, 0, 2}, Unit{1048, 1, 0}, Unit{1072, 2, 0}, Unit{1056, 1, 1}})
    for (std::int64_t c = 0; c < 2; ++c)
      EXPECT_EQ(slice.at(u.address + c), in[static_cast<std::size_t>(10 * u.a + 2 * u.b + c)]) << u.address;
}
TEST(Book, KER_57_bytes_of_full_flits) {
  auto const in = numbered(30);
  SliceZero const slice(moved("A", "[B, C] # 32", "", "A, [B, C] # 32").program(rngd), in);
  for (std::int64_t a = 0; a < 3; ++a)
    for (std::int64_t bc = 0; bc < 10; ++bc) EXPECT_EQ(slice.at(1024 + 32 * a + bc), in[static_cast<std::size_t>(10 * a + bc)]);
  EXPECT_FALSE(slice.written(1024 + 96)) << "slots 1024, 1056 and 1088";
}

/// Rows of 65 bytes with a tail, moved in pieces: nothing is lost, and nothing
/// is written behind the second row.
void expect_tails_moved(std::int64_t row, std::int64_t piece) {
  SCOPED_TRACE(row);
  std::string const padded = "A # " + std::to_string(row), n = std::to_string(piece);
  Mover m{"A = 65, B = 2", "B, " + padded, "B, " + padded + " / " + n, padded + " % " + n, "", "", "B, " + padded};
  if (piece < 32) m.collected_packet = padded + " % " + n + " # 32";
  m.stored = m.type = f8e4m3_type;
  m.to_address = 1024;
  auto const in = numbered(2 * row);
  SliceZero const slice(m.program(rngd), in);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t a = 0; a < 65; ++a)
      EXPECT_EQ(slice.at(1024 + b * row + a), in[static_cast<std::size_t>(b * row + a)]) << b << ", " << a;
  EXPECT_FALSE(slice.written(1024 + 2 * row));
}
/// The share of the bytes that are padding, in tenths of a percent.
std::int64_t overhead(std::int64_t row) {
  build::ModuleBuilder b("A = 65, B = 2");
  Mapping const all = b.module.map(b.map("B, A # " + std::to_string(row)));
  std::int64_t padding = 0;
  for (std::int64_t i = 0; i < all.size; ++i) padding += cell(all, i).kind == CellKind::padding;
  EXPECT_EQ(padding, 2 * (row - 65));
  return (1000 * padding + all.size / 2) / all.size;
}
TEST(Book, KER_62_bytes_of_rows_of_72) {
  expect_tails_moved(72, 24);
  EXPECT_EQ(overhead(72), 97);
}
TEST(Book, KER_63_bytes_of_rows_of_80) {
  expect_tails_moved(80, 16);
  EXPECT_EQ(overhead(80), 188);
}
TEST(Book, KER_64_bytes_of_rows_of_88) {
  expect_tails_moved(88, 8);
  EXPECT_EQ(overhead(88), 261);
}
TEST(Book, KER_65_bytes_of_rows_of_96) {
  expect_tails_moved(96, 32);
  EXPECT_EQ(overhead(96), 323);
}

TEST(Book, KER_70_bytes_of_two_segments) {
  constexpr std::int64_t to_address = 256 << 10;
  build::ModuleBuilder b("A = 2048, B = 32");
  auto const from = b.dm("from", f8e4m3_type, "1 # 256", "A, B", 0), to = b.dm("to", f8e4m3_type, "1 # 256", "A, B", to_address);
  for (std::int64_t start : {0, 1024})  // A @ 1024 is the view that begins there
    b.main(build::tile_of(b, from, "A", 1024, start))
        .type(f8e4m3_type)
        .time("A = 1024")
        .packet("B")
        .stage(ir::Fetch{})
        .stage(ir::Collect{})
        .into(ir::Commit{build::tile_of(b, to, "A", 1024, start), {}, false});
  program::Program const program = lower::lowered(b.module, rngd);
  ASSERT_EQ(program.commands.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    program::Exec const& e = lower::exec_at(program, i);
    EXPECT_EQ(std::get<program::Commit>(e.sink).write.base, to_address + static_cast<std::int64_t>(i) * 32 * 1024);
    EXPECT_EQ(e.fetch.read.base, static_cast<std::int64_t>(i) * 32 * 1024);
    EXPECT_EQ(e.fetch.read.packets, 1024);
    EXPECT_EQ(std::get<program::Commit>(e.sink).commit_in_size, 32);
  }
  auto const in = numbered(2048 * 32);
  SliceZero const slice(program, in);
  for (std::int64_t i = 0; i < 2048 * 32; ++i) ASSERT_EQ(slice.at(to_address + i), in[static_cast<std::size_t>(i)]) << i;
}

}  // namespace
}  // namespace tcp
