// The DMA chapter as configurations: which engines get which descriptors, and with what loops.
#include <gtest/gtest.h>

#include <map>

#include "lower_module.hpp"
#include "unit/lower/transfer_case.hpp"

namespace tcp::lower {
namespace {

constexpr std::int64_t slice_stride = 4 << 20, dmn_stride = 32 * slice_stride;

std::int64_t packets(const program::DmaDescriptor& d) {
  std::int64_t n = 1;
  for (const program::DmaLoop& l : d.loops) n *= l.size;
  return n;
}
/// Requests of each engine.
std::map<std::int32_t, std::int64_t> requests(const program::Dma& dma) {
  std::map<std::int32_t, std::int64_t> of;
  for (const program::DmaDescriptor& d : dma.descriptors) of[d.engine] += packets(d) * ((d.packet_bytes + 255) / 256);
  return of;
}
program::DmaLoop loop(std::int64_t size, std::int64_t read, std::int64_t write) { return {size, read, write, 0}; }

/// A move whose Time and Packet the author gives.
program::Dma streamed(const char* axes, const InMemory& from, const InMemory& to, const char* time, const char* packet) {
  TransferCase c(axes);
  auto const source = c.add(from, ScalarType::i8);
  c.move(source, c.add(to, ScalarType::i8));
  c.transfer.time = c.builder.map(time);
  c.transfer.packet = c.builder.map(packet);
  return c.dma();
}

TEST(Book, MOV_03_one_loop_nest_reads_and_writes_packets_of_one_size) {
  auto const dma = streamed("A = 8, B = 8, C = 256", in_hbm("A, B, C"), in_hbm("B, A, C", 16384), "A, B", "C");
  ASSERT_EQ(dma.descriptors.size(), 1u);
  std::vector<program::DmaLoop> const both{loop(8, 2048, 256), loop(8, 256, 2048)};
  EXPECT_EQ(dma.descriptors[0].loops, both);
  EXPECT_EQ(dma.descriptors[0].packet_bytes, 256);
  EXPECT_EQ(dma.descriptors[0].read.address, 0);
  EXPECT_EQ(dma.descriptors[0].write.address, 16384);
}

TEST(Book, DMA_04_engines_of_all_chips_work_at_once) {
  TransferCase c("D = 4, A = 2, B = 256, C = 8", 4);
  auto const from = c.add(in_hbm("A, B, C", 0, "D"), ScalarType::i8);
  c.move(from, c.add(in_dm("B", "C", 0, "A", "D"), ScalarType::i8));
  auto const dma = c.dma();
  EXPECT_EQ(requests(dma).size(), 32u) << "8 engines a chip, chips counted through";
  for (const auto& d : dma.descriptors) {
    EXPECT_EQ(d.engine, d.write.chip * 8 + d.write.cluster * 4 + d.write.unit / 64) << "each serves its own DMNs";
    EXPECT_EQ(d.read.chip, d.write.chip);
  }
  EXPECT_EQ(c.moved(), "");
}

TEST(Book, DMA_10_packets_of_the_basic_example) {
  auto const dma = streamed("N = 4, C = 3, H = 8, W = 8", in_hbm("N, C, H, W", 1024), in_hbm("H, C, N, W", 2048), "H, C, N", "W");
  std::vector<program::DmaLoop> const loops{loop(8, 8, 96), loop(3, 64, 32), loop(4, 192, 8)};
  ASSERT_EQ(dma.descriptors.size(), 1u);
  EXPECT_EQ(dma.descriptors[0].loops, loops);
  EXPECT_EQ(packets(dma.descriptors[0]), 96);
}

TEST(Book, DMA_14_4099_bytes_are_4096_and_3) {
  TransferCase c("A = 4099");
  auto const from = c.add(in_hbm("A"), ScalarType::i8);
  c.move(from, c.add(in_hbm("A", 8192), ScalarType::i8));
  auto const dma = c.dma();
  ASSERT_EQ(dma.descriptors.size(), 2u);
  EXPECT_EQ(dma.descriptors[0].packet_bytes, 4096);
  EXPECT_EQ(dma.descriptors[1].packet_bytes, 3);
  EXPECT_EQ(dma.descriptors[1].read.address, 4096);
  EXPECT_EQ(dma.descriptors[1].write.address, 8192 + 4096);
  EXPECT_EQ(c.moved(), "");
}

TEST(Book, DMA_11_a_run_of_4104_is_three_packets) {
  TransferCase c("A = 4104");
  auto const from = c.add(in_hbm("A"), ScalarType::i8);
  c.move(from, c.add(in_dm("1 # 256", "A"), ScalarType::i8));
  auto const dma = c.dma();
  ASSERT_EQ(dma.descriptors.size(), 1u);
  EXPECT_EQ(dma.descriptors[0].packet_bytes, 1368);
  EXPECT_EQ(packets(dma.descriptors[0]), 3);
}

TEST(Book, DMA_18_a_command_is_descriptors_by_DMN_of_one_pair_of_media) {
  TransferCase c("A = 15, B = 32, C = 256, D = 2");
  auto const from = c.add(in_dm("A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C", 0, "D"), ScalarType::i8);
  c.move(from, c.add(in_hbm("D, B, A, C"), ScalarType::i8));
  for (const auto& d : c.dma().descriptors) {
    EXPECT_EQ(d.read.memory, program::Memory::Dm);
    EXPECT_EQ(d.write.memory, program::Memory::Hbm);
    EXPECT_GE(d.packet_bytes, 1);
    EXPECT_LE(d.packet_bytes, 4096);
    EXPECT_LE(d.loops.size(), 8u);
  }
}

TEST(Book, DMA_27_one_descriptor_of_65536_requests) {
  auto const dma = streamed("A = 256, B = 256, C = 256", in_hbm("A, B, C"), in_hbm("B, A, C", 256 * 256 * 256), "A, B", "C");
  ASSERT_EQ(dma.descriptors.size(), 1u);
  std::vector<program::DmaLoop> const loops{loop(256, 65536, 256), loop(256, 256, 65536)};
  EXPECT_EQ(dma.descriptors[0].engine, 0);
  EXPECT_EQ(dma.descriptors[0].loops, loops);
  EXPECT_EQ(dma.descriptors[0].write.address, 256 * 256 * 256);
  EXPECT_EQ(requests(dma).at(0), 256 * 256);
}

TEST(Book, DMA_34_slices_and_DMNs_take_turns_inside) {
  TransferCase c("A = 256, B = 256, C = 256");
  auto const from = c.add(in_hbm("B, A, C"), ScalarType::i8);
  c.move(from, c.add(in_dm("A / 4 # 256", "A % 4, B, C"), ScalarType::i8));
  auto const dma = c.dma();
  ASSERT_EQ(dma.descriptors.size(), 1u) << "64 slices are those of one engine";
  EXPECT_EQ(packets(dma.descriptors[0]), 65536);
  EXPECT_EQ(dma.descriptors[0].packet_bytes, 256);
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> by_write;  // stride: rounds, stride of the read
  for (const auto& l : dma.descriptors[0].loops) by_write[l.write_stride] = {l.size, l.read_stride};
  std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> const book{
      {256, {256, 65536}}, {65536, {4, 256}}, {slice_stride, {32, 1024}}, {dmn_stride, {2, 32768}}};
  EXPECT_EQ(by_write, book);
  EXPECT_EQ(dma.descriptors[0].loops.back().write_stride, dmn_stride) << "the two DMNs alternate";
}

TEST(Book, DMA_40_524288_requests_on_eight_engines) {
  TransferCase c("A = 64, B = 2048, C = 1024");
  auto const from = c.add(in_hbm("A, B, C"), ScalarType::i8);
  c.move(from, c.add(in_dm("B / 256 % 4, A", "B % 256, C", 0, "B / 1024"), ScalarType::i8));
  auto const of = requests(c.dma());
  EXPECT_EQ(of.size(), 8u);
  for (auto [engine, n] : of) EXPECT_EQ(n, 65536) << engine;
}

TEST(Book, DMA_43_512_requests_on_each_of_eight_engines) {
  TransferCase c("A = 8, B = 64, C = 8, D = 512");
  auto const whole = c.add(in_hbm("A, B, C, D"), ScalarType::i8);
  auto const half = c.tile(whole, "D / 256", 1, 0);
  c.move(half, c.add(in_dm("A % 4, B", "C, D % 256", 0, "A / 4"), ScalarType::i8));
  auto const dma = c.dma();
  auto const of = requests(dma);
  EXPECT_EQ(of.size(), 8u);
  for (auto [engine, n] : of) EXPECT_EQ(n, 512) << engine;
  for (const auto& d : dma.descriptors) {
    EXPECT_EQ(d.packet_bytes, 256);
    EXPECT_EQ(d.read.address, d.write.cluster * (1 << 20) + d.write.unit / 64 * (1 << 18)) << "bases of the book";
  }
}

// Example 6: DMNs that hold a full block of A have one descriptor, the last has two, and no sixteenth row is written.
TEST(Book, DMA_46_the_last_engine_has_two_descriptors) {
  TransferCase c("A = 15, B = 32, C = 256, D = 8", 4);
  auto const from = c.add(in_dm("A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C", 0, "D % 2", "D / 2"), ScalarType::i8);
  c.move(from, c.add(in_hbm("D % 2, B, A, C", 0, "D / 2"), ScalarType::i8));
  auto const dma = c.dma();
  std::map<std::int32_t, std::vector<std::int64_t>> by_engine;
  for (const auto& d : dma.descriptors) {
    by_engine[d.engine].push_back(packets(d) * d.packet_bytes / 256);
    EXPECT_EQ(d.write.chip, d.read.chip);
  }
  ASSERT_EQ(by_engine.size(), 32u);
  for (const auto& [engine, counts] : by_engine) {
    if (engine % 4 < 3) EXPECT_EQ(counts, (std::vector<std::int64_t>{128})) << engine;
    else EXPECT_EQ(counts, (std::vector<std::int64_t>{64, 32})) << engine;
  }
  EXPECT_EQ(moved("A = 15, B = 32, C = 8, D = 2", in_dm("A # 16 / 4, A # 16 / 2 % 2, B", "A # 16 % 2, C", 0, "D"), in_hbm("D, B, A, C")),
            "");
}

TEST(Book, DMA_50_HBM_goes_to_DM_directly) {
  TransferCase c("A = 256, B = 64");
  auto const from = c.add(in_hbm("A, B"), ScalarType::i8);
  c.move(from, c.add(in_dm("A", "B"), ScalarType::i8));
  auto const program = c.lowered();
  ASSERT_TRUE(program.ok());
  ASSERT_EQ(program->commands.size(), 1u) << "no tier between them";
  for (const auto& d : std::get<program::Dma>(program->commands[0].what).descriptors) {
    EXPECT_EQ(d.read.memory, program::Memory::Hbm);
    EXPECT_EQ(d.write.memory, program::Memory::Dm);
  }
}

/// Resources of a pass that fetches 8 bytes, `row` bytes apart, `times` times.
program::Resources fetching(std::int64_t times, std::int64_t row) {
  build::ModuleBuilder b("A = " + std::to_string(times) + ", B = 8");
  auto const in = b.dm("in", ScalarType::i8, "1 # 256", "A, B # " + std::to_string(row), 0);
  b.module.tensors[in].role = ir::Role::from_addr;
  auto const out = b.dm("out", ScalarType::i8, "1 # 256", "A, B", 1 << 18);
  auto pass = b.main(in);
  pass.time("A").packet("B").stage(ir::Fetch{}).packet("B # 32").stage(ir::Collect{}).into(ir::Commit{out, {}, false});
  auto const program = build::lower_module(b.module, rngd);
  if (!program) throw std::invalid_argument(render(program.refusal()));
  return program->commands.at(0).resources;
}

TEST(Book, SUP_18_64_accesses_to_one_bank_take_the_DMA_engines) {
  auto const dma = program::bit(program::Resource::TensorDma);
  EXPECT_NE(fetching(64, 128) & dma, 0u);
  EXPECT_EQ(fetching(63, 128) & dma, 0u);
  EXPECT_EQ(fetching(64, 136) & dma, 0u) << "banks rotate";
  EXPECT_EQ(fetching(640, 8) & dma, 0u);
}
TEST(Book, DMA_51_a_pass_that_would_starve_DMA_waits_for_it) {
  EXPECT_EQ(fetching(256, 128), program::bit(program::Resource::Main) | program::bit(program::Resource::TensorDma));
  EXPECT_EQ(fetching(16, 128), program::bit(program::Resource::Main));
}

/// A shuffle of four chips in HBM.
program::Dma shuffled(std::vector<std::int64_t> from) {
  TransferCase c("A = 4, B = 64", 4);
  auto const in = c.add(in_hbm("B", 0, "A"), ScalarType::i8);
  c.builder.chip = "4";
  c.move(in, c.add(in_hbm("B", 4096, "A"), ScalarType::i8));
  c.transfer.kind = ir::Transfer::Kind::chip_shuffle;
  c.transfer.permutation = std::move(from);
  return c.dma();
}
void expect_shuffle(const std::vector<std::int64_t>& from) {
  auto const dma = shuffled(from);
  ASSERT_EQ(dma.descriptors.size(), from.size());
  EXPECT_FALSE(dma.parallel_copy);
  for (const auto& d : dma.descriptors) EXPECT_EQ(d.read.chip, from[static_cast<std::size_t>(d.write.chip)]);
}
TEST(Book, KER_30_a_chip_gets_what_another_held) { expect_shuffle({3, 1, 0, 2}); }
TEST(Book, KER_38_rows_1_2_3_0) { expect_shuffle({1, 2, 3, 0}); }
TEST(Book, KER_39_rows_2_3_0_1) { expect_shuffle({2, 3, 0, 1}); }
TEST(Book, KER_40_rows_3_0_1_2) { expect_shuffle({3, 0, 1, 2}); }
TEST(Book, KER_45_a_shuffle_is_a_DMA_from_HBM_to_HBM) {
  for (const auto& d : shuffled({1, 2, 3, 0}).descriptors) {
    EXPECT_EQ(d.read.memory, program::Memory::Hbm);
    EXPECT_EQ(d.write.memory, program::Memory::Hbm);
    EXPECT_EQ(d.engine / 8, d.read.chip) << "an engine of the chip that holds the data";
  }
}

/// Each chip takes one of four blocks of B.
program::Command sliced(std::vector<std::int64_t> start) {
  TransferCase c("A = 4, B = 4, C = 8, N = 4", 4);
  auto const in = c.add(in_dm("1 # 256", "B, C", 0, "1 # 2", "A"), ScalarType::i8);
  c.move(in, c.add(in_dm("1 # 256", "C", 4096, "1 # 2", "N"), ScalarType::i8));
  c.transfer.kind = ir::Transfer::Kind::chip_slice;
  c.transfer.dimension = c.builder.map("B");
  c.transfer.length = 1;
  c.transfer.permutation = std::move(start);
  return c.command();
}
void expect_sliced(const std::vector<std::int64_t>& start) {
  auto const command = sliced(start);
  const auto& dma = std::get<program::Dma>(command.what);
  ASSERT_EQ(dma.descriptors.size(), 4u);
  for (const auto& d : dma.descriptors) {
    EXPECT_EQ(d.read.chip, d.write.chip);
    EXPECT_EQ(d.read.address, 8 * start[static_cast<std::size_t>(d.read.chip)]);
    EXPECT_EQ(d.write.address, 4096);
  }
}
TEST(Book, KER_31_slice_0_1_2_3) { expect_sliced({0, 1, 2, 3}); }
TEST(Book, KER_32_slice_3_0_1_2) { expect_sliced({3, 0, 1, 2}); }
TEST(Book, KER_33_slice_2_3_0_1) { expect_sliced({2, 3, 0, 1}); }
TEST(Book, KER_34_slice_1_2_3_0) { expect_sliced({1, 2, 3, 0}); }
TEST(Book, KER_44_a_slice_by_chip_is_copied_by_the_sub_context) {
  auto const command = sliced({0, 1, 2, 3});
  EXPECT_TRUE(std::get<program::Dma>(command.what).parallel_copy);
  EXPECT_EQ(command.resources, program::bit(program::Resource::Sub));
}

}  // namespace
}  // namespace tcp::lower
