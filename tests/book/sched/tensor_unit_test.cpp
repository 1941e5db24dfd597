// The rows of the ledger on the time that a pass through the Tensor Unit takes, engine by engine and as a whole. Where a row has a kernel, it is lowered and its
// configuration is timed; the other rows have records written by hand.
#include <gtest/gtest.h>

#include "book/lower/one_pass.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using lower::Mover;
using program::Topology;
using enum ScalarType;

program::Cost cost_of(const program::Exec& e, const LiteralBook& literal = {}) { return book::pass_cost(rngd, e, literal); }
std::int64_t cycles(const program::Exec& e, Engine engine, const LiteralBook& literal = {}) {
  return cycles_of(cost_of(e, literal), engine);
}
std::int64_t fetches(const Mover& m) { return cycles(m.exec(), Engine::Fetch); }

// Fetch and commit.

TEST(Book, SEQ_03_cycles) {
  EXPECT_EQ(fetches({"A = 8, B = 512", "A, B", "A, B / 32", "B % 32", "A, B / 16", "B % 16", "A, B", bf16}), 256);
}
TEST(Book, SEQ_12_cycles) {
  EXPECT_EQ(fetches({"A = 8, B = 8, C = 8", "A, B, C # 32", "B, A", "C # 16", "", "C # 32", "B, A, C # 16"}), 64);
}
TEST(Book, FET_03_cycles) {
  Mover m{"A = 512, B = 32", "A, B", "A", "B", "A, B / 8", "B % 8", "A, B"};
  m.type = i32;
  EXPECT_EQ(fetches(m), 2048);
}
TEST(Book, FET_12_cycles) { EXPECT_EQ(fetches({"N = 4, C = 3, H = 4, W = 8", "N, C, H, W", "N, C, H", "W", "", "W # 32"}), 48); }
TEST(Book, FET_13_cycles) { EXPECT_EQ(fetches({"N = 4, C = 3, H = 4, W = 8", "N, C, H, W", "C", "N, H, W", "C, N", "H, W"}), 12); }
program::Exec fetched(std::int64_t packets, std::int64_t access, std::int64_t accesses, ScalarType type = i8) {
  return copy_pass(packets, access, accesses, type);
}

TEST(Book, FET_15_cycles) {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A, B", "C # 8", "", "C # 32", "A, B, C # 8"};
  m.stored = m.type = f8e4m3;
  EXPECT_EQ(fetches(m), 15);
}

TEST(Book, FET_45_to_48_cycles) {
  const char* const axes = "N = 4, C = 3, H = 4, W = 8";
  EXPECT_EQ(fetches({axes, "N, C, H, W", "N, C, H", "W", "", "W # 32"}), 48);
  EXPECT_EQ(fetches({axes, "N, C, H, W", "N, C, H / 2", "H % 2, W", "", "[H % 2, W] # 32"}), 24);
  EXPECT_EQ(fetches({axes, "N, C, H, W", "N, C", "H, W"}), 12);
  EXPECT_EQ(fetches({axes, "N, C, H, W", "N", "C, H, W", "N, C", "H, W"}), 12);
}
TEST(Book, FET_49_cycles) {
  const char* const axes = "N = 4, C = 3, H = 4, W = 16";
  auto const of_i4 = [&](const char* time, const char* packet, const char* collected_time, const char* collected) {
    Mover m{axes, "N, C, H, W", time, packet, collected_time, collected};
    m.stored = m.type = i4;
    return fetches(m);
  };
  EXPECT_EQ(of_i4("N, C, H", "W", "", "W # 64"), 48);
  EXPECT_EQ(of_i4("N, C, H / 2", "H % 2, W", "", "[H % 2, W] # 64"), 24);
  EXPECT_EQ(of_i4("N, C", "H, W", "", ""), 12);
  EXPECT_EQ(of_i4("N", "C, H, W", "N, C", "H, W"), 12);
}

TEST(Book, FET_55_peak_rate) {
  EXPECT_EQ(rngd.dm.dmn_bytes_per_cycle * 2, Bytes{256});
  EXPECT_EQ(cycles(fetched(64, 32, 1), Engine::Fetch) * 32, 64 * 32) << "of which one fetch takes 32 bytes a cycle";
}

// Switch.

Mover switched(std::string axes, ScalarType type, SwitchConfig config, std::string slice, std::string time, std::string to_slice,
               std::string to_time, std::string packet, std::string flits_time, std::string flit) {
  Mover m{axes, time + ", " + packet, time, packet, to_time + flits_time, flit};
  m.stored = m.type = type;
  m.slice = slice;
  m.config = config;
  m.switched_slice = to_slice;
  m.switched_time = to_time;
  return m;
}
std::int64_t switching(const Mover& m) { return cycles(m.exec(), Engine::Switch); }
const char* const abcx = "A = 256, B = 64, C = 64, X = 4";

Mover broadcast01(ScalarType type, std::string flits_time, std::string flit) {
  return switched(abcx, type, SwitchConfig::Broadcast01{.slice1 = 2, .slice0 = 2, .time0 = 4}, "A", "B", "A / 4, X",
                  "B / 4, A / 2 % 2, B % 4, A % 2", "C", flits_time, flit);
}

TEST(Book, SWI_11_forwarding) {
  Mover const m = switched("A = 256, B = 64, C = 32", f32, SwitchConfig::Forwarding{}, "A", "B", "A", "B", "C", ", C / 8", "C % 8");
  EXPECT_EQ(m.exec().switching.value().ring_size, 1);
  EXPECT_EQ(switching(m), 256);
}
TEST(Book, SWI_19_cycles) { EXPECT_EQ(switching(broadcast01(i8, ", C / 32", "C % 32")), 512); }
TEST(Book, SWI_20_cycles) { EXPECT_EQ(switching(broadcast01(f32, ", C / 8", "C % 8")), 2048); }
TEST(Book, SWI_24_cycles) {
  EXPECT_EQ(switching(switched(abcx, i8, SwitchConfig::Broadcast1{.slice1 = 4, .slice0 = 8}, "A", "B", "A / 32, X, A % 8", "B, A / 8 % 4",
                               "C", ", C / 32", "C % 32")),
            4096);
}
TEST(Book, SWI_26_cycles) {
  EXPECT_EQ(switching(switched(abcx, i8, SwitchConfig::Transpose{.slice1 = 32, .slice0 = 2}, "A", "B", "A / 64, A % 2, A / 2 % 32", "B",
                               "C", ", C / 32", "C % 32")),
            8192);
}
TEST(Book, SWI_28_cycles) {
  EXPECT_EQ(switching(switched("A = 8, B = 32, C = 256", i8, SwitchConfig::InterTranspose{.slice1 = 2, .slice0 = 16, .time0 = 2}, "C", "A",
                               "C / 32, A / 2 % 2, C % 16", "A / 4, A % 2, C / 16 % 2", "B", "", "B")),
            256);
}

const char* const custom_axes = "A = 16, B = 16, C = 8, D = 8, E = 8, X = 2, Y = 2";

TEST(Book, SWI_33_cycles) {
  auto const permuted = [](ScalarType type, std::string flits_time, std::string flit) {
    return switched(custom_axes, type, SwitchConfig::CustomBroadcast{.ring_size = 256}, "A, B", "C", "B, A", "C", "D, E", flits_time, flit);
  };
  EXPECT_EQ(switching(permuted(i8, ", D / 4", "D % 4, E")), 4096);
  EXPECT_EQ(switching(permuted(f32, ", D", "E")), 16384);
}
TEST(Book, SWI_35_cycles) {
  EXPECT_EQ(switching(switched(custom_axes, i8, SwitchConfig::CustomBroadcast{.ring_size = 32}, "A, B", "C", "A / 2, X, B / 2, Y",
                               "C, A % 2, B % 2", "D, E", ", D / 4", "D % 4, E")),
            512);
}
TEST(Book, SWI_38_cycles) {
  program::Exec e = copy_pass(8, 32, 2);
  e.switching.emplace();
  e.switching->ring_size = 4;
  e.switching->time_out = 24;
  EXPECT_EQ(cycles(e, Engine::Switch), 64) << "input time counts, not output time";
}
TEST(Book, SUP_01_cycles) {
  EXPECT_EQ(switching(switched("A = 256, B = 16, C = 32, Y = 8", i8, SwitchConfig::TransposedBroadcast1{.slice1 = 8, .slice0 = 8}, "A", "B",
                               "A / 64, Y, A / 8 % 8", "B, A % 8", "C", "", "C")),
            1024);
}

program::Exec ring(std::int64_t size, std::int64_t time, std::int64_t flits) {
  program::Exec e = copy_pass(time, 32, flits);
  e.units = all_slices(256);
  e.switching.emplace();
  e.switching->topology = Topology::CustomBroadcast;
  e.switching->ring_size = size;
  e.switching->time_out = time;
  return e;
}
TEST(Book, PIP_15_dual_channel_doubles_the_switch) {
  program::Exec e = ring(4, 64, 8);
  std::int64_t const single = cycles(e, Engine::Switch);
  e.dual = true;
  EXPECT_EQ(2 * cycles(e, Engine::Switch), single);
}

// Contraction.

program::Contraction contraction(std::int64_t steps, ScalarType type = bf16, std::int32_t rows = 1) {
  program::Contraction c;
  c.type = c.weights = type;
  c.rows = rows;
  c.steps = steps;
  c.loops = {{steps, true}};
  c.trf_read_bytes = 64;
  return c;
}
program::Exec contracting(program::Contraction c) {
  program::Exec e = copy_pass(c.steps, 32, 2, c.type);
  e.dual = true;
  e.contraction = {std::move(c)};
  e.sink = program::VrfStore{0, 32};
  return e;
}

TEST(Book, CTR_023_rows) {
  // The same cycles, eight times the products.
  EXPECT_EQ(cycles(contracting(contraction(64, bf16, 8)), Engine::Contraction),
            cycles(contracting(contraction(64, bf16, 1)), Engine::Contraction));
  program::Program one = program_of({command_of(contracting(contraction(64, bf16, 1)))}),
                   eight = program_of({command_of(contracting(contraction(64, bf16, 8)))});
  EXPECT_EQ(rate_bounds(eight, rngd).multiplies.value, 8 * rate_bounds(one, rngd).multiplies.value);
  EXPECT_EQ(rate_bounds(eight, rngd).multiplies.value, 32) << "one of two clusters works";
}

TEST(Book, CTR_080_full_reduction) {
  program::Exec e = contracting(contraction(8));
  program::InterSliceReduceStep fold;
  fold.group_slices = 256;
  e.vector.emplace();
  e.vector->steps = {{fold, 1}};
  program::Cost const c = cost_of(e);
  EXPECT_EQ(c.total(), Cycles{269});
  EXPECT_EQ(c.startup, Cycles{5 + 256});
  EXPECT_EQ(c.streaming, Cycles{8});
  EXPECT_EQ(cost_of(e, {.tree_not_pipelined = true}).total(), Cycles{296}) << "the book's text";
  e.dual = false;
  EXPECT_EQ(cost_of(e).total(), Cycles{16 + 5 + 256}) << "a single channel brings a packet of 64 bytes in two cycles";
}

TEST(Book, CTR_108_spatial_latency) {
  EXPECT_EQ(book::tree_latency(rngd, i4), Cycles{7});
  EXPECT_EQ(book::tree_latency(rngd, i8), Cycles{6});
  EXPECT_EQ(book::tree_latency(rngd, f8e5m2), Cycles{6});
  EXPECT_EQ(book::tree_latency(rngd, bf16), Cycles{5});
}

// Vector Engine, cast, transpose.

program::VectorStep operation(std::uint8_t alu, std::int64_t time = 1) {
  program::OperateStep o;
  o.alu = alu;
  return {o, time};
}
constexpr std::uint8_t fp_fpu = 11;
program::VectorStep ring_of(std::int64_t slices, std::int64_t time) {
  program::InterSliceReduceStep r;
  r.group_slices = slices;
  return {r, time};
}

TEST(Book, TRA_19_cycles_of_a_matrix) {
  auto const steady = [](program::Transpose t) {
    std::int64_t const n = book::transpose_cycles(t).value;
    ++t.matrices;
    return book::transpose_cycles(t).value - n;
  };
  EXPECT_EQ(steady({8, 8, 1, 8, 1, 4, 3, true}), 8) << "the greater of 8 in and 4 out";
  EXPECT_EQ(steady({8, 32, 4, 8, 4, 8, 3, false}), 64) << "32 in and 32 out";
}
TEST(Book, TRA_20_double_buffered) {
  for (std::int64_t n : {1, 2, 9}) EXPECT_EQ(book::transpose_cycles({4, 8, 1, 8, 1, 8, n, true}).value, 4 + (n - 1) * 8 + 8);
}
TEST(Book, TRA_21_single_buffered) {
  for (std::int64_t n : {1, 2, 9}) EXPECT_EQ(book::transpose_cycles({8, 32, 4, 8, 4, 8, n, false}).value, n * (32 + 32));
}

std::int64_t transposed(ScalarType type, std::string axes, std::string slice, std::string time, std::string packet, std::string flit,
                        std::string to_time, std::string to_packet) {
  Mover m{axes, time + ", " + packet, time, packet, "", flit};
  m.stored = m.type = type;
  m.slice = slice;
  m.transposed_time = to_time;
  m.transposed_packet = to_packet;
  return cycles(m.exec(), Engine::Transpose);
}
TEST(Book, TRA_22_cycles) { EXPECT_EQ(transposed(i8, "P = 256, C = 8, D = 8, E = 8", "P", "C, D", "E", "E # 32", "C, E", "D # 32"), 72); }
TEST(Book, TRA_23_cycles) { EXPECT_EQ(transposed(i8, "P = 64, A = 4, B = 2", "P # 256", "A", "B # 8", "B # 32", "B", "A # 32"), 6); }
TEST(Book, TRA_24_cycles) {
  EXPECT_EQ(transposed(i8, "P = 256, B = 2, C = 8, D = 4, E = 8", "P", "B, C, D", "E", "E # 32", "B, D, E", "C # 32"), 128);
}
TEST(Book, TRA_25_cycles) { EXPECT_EQ(transposed(bf16, "P = 256, C = 8, D = 4, E = 8", "P", "C, D", "E", "E # 16", "C, E", "D # 16"), 68); }
TEST(Book, SUP_17_cycles) {
  EXPECT_EQ(book::transpose_cycles({8, 16, 2, 8, 2, 8, 2, true}).value, 48) << "i8 [8 x 16]";
  EXPECT_EQ(book::transpose_cycles({16, 16, 1, 16, 1, 16, 4, true}).value, 80) << "i4 [16 x 16]";
  EXPECT_EQ(book::transpose_cycles({2, 8, 1, 8, 1, 8, 4, true}).value, 34) << "f32 [2 x 8]";
}

// Kernels.

Mover permutation() {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A, B", "C # 8", "", "C # 32", "B, A, C # 8"};
  m.stored = m.type = f8e4m3;
  return m;
}
Mover full_flits() {
  Mover m{"A = 3, B = 5, C = 2", "A, B, C", "A", "[B, C] # 32", "", "", "A, [B, C] # 32"};
  m.stored = m.type = f8e4m3;
  return m;
}
TEST(Book, KER_47_cycles) { EXPECT_EQ(cost_of(permutation().exec()).total(), Cycles{15}); }
TEST(Book, KER_57_cycles) { EXPECT_EQ(cost_of(full_flits().exec()).total(), Cycles{3}); }
TEST(Book, KER_58_speedup) { EXPECT_EQ(cost_of(permutation().exec()).total(), 5 * cost_of(full_flits().exec()).total()); }

std::int64_t tail(std::int64_t row, std::int64_t packet, const LiteralBook& literal = {}) {
  std::string const padded = "A # " + std::to_string(row), n = std::to_string(packet);
  Mover m{"A = 65, B = 2", "B, " + padded, "B, " + padded + " / " + n, padded + " % " + n, "", padded + " % " + n + " # 32",
          "B, " + padded};
  m.stored = m.type = f8e4m3;
  return cost_of(m.exec(), literal).total().value;
}
TEST(Book, KER_62_cycles) {
  EXPECT_EQ(tail(72, 24), 18);
  EXPECT_EQ(tail(72, 24, {.fetch_of_24_bytes = true}), 6);
}
TEST(Book, KER_63_cycles) { EXPECT_EQ(tail(80, 16), 10); }
TEST(Book, KER_64_cycles) { EXPECT_EQ(tail(88, 8), 22); }
TEST(Book, KER_65_cycles) { EXPECT_EQ(tail(96, 32), 6); }
TEST(Book, KER_66_ranking) {
  EXPECT_LT(tail(96, 32), tail(80, 16));
  EXPECT_LT(tail(80, 16), tail(72, 24));
  EXPECT_LT(tail(72, 24), tail(88, 8));
  LiteralBook const literal{.fetch_of_24_bytes = true};
  EXPECT_EQ(tail(96, 32, literal), tail(72, 24, literal)) << "the book's tie";
}
TEST(Book, KER_70_cycles) { EXPECT_EQ(fetches({"A = 1024, B = 32", "A, B", "A", "B"}), 1024); }

/// Two tensors of so many flits, fetched in turn, and added.
program::Exec split_reduce(std::int64_t flits, std::int64_t splits) {
  program::Exec e = copy_pass(flits * splits, 32, 1, f32);
  program::VectorStep add = operation(fp_fpu, flits);
  e.vector.emplace();
  e.vector->steps = {add};
  std::get<program::Commit>(e.sink).write.packets = flits;
  return e;
}
TEST(Book, KER_20_traffic) {
  auto const bound = [](std::int64_t n) {
    program::Exec e = split_reduce(4096, n);
    e.sink = program::VrfStore{0, 32};
    return rate_bounds(program_of({command_of(e)}), rngd).dm.value;
  };
  EXPECT_EQ(bound(2), 2 * bound(1));
  EXPECT_EQ(bound(4), 4 * bound(1));
}
TEST(Book, KER_21_methods) {
  std::int64_t const flits = 1024, n = 4;
  std::int64_t const interleaved = cost_of(split_reduce(flits, n)).total().value;
  EXPECT_EQ(interleaved, n * flits + 1);
  // One after the other: each instance and what was added so far, n - 1 times.
  std::int64_t const sequential = (n - 1) * cost_of(split_reduce(flits, 2)).total().value;
  EXPECT_GT(sequential, interleaved);
  // Gathered by DMA first: the reduce begins when all is there.
  program::Dma gather;
  for (std::int32_t e = 0; e < 4; ++e)
    gather.descriptors.push_back(descriptor(e, hbm(0), dm(0, 64 * e, 0), {{64, 256, 4 << 20}, {n * flits / 8, 256, 256}}, 256));
  program::Command load = command_of(gather), fold = command_of(split_reduce(flits, n));
  load.writes = fold.reads = {bytes(Memory::Dm, 0, n * flits * 32)};
  EXPECT_EQ(scheduled(program_of({load, fold}), BookDuration(rngd)).makespan.value,
            book::dma_cost(rngd, gather).total().value + interleaved);
}
TEST(Book, KER_26_where_to_reduce) {
  std::int64_t const flits = 1024;
  std::int64_t const one = cost_of(split_reduce(flits, 1)).total().value, split = cost_of(split_reduce(flits, 2)).total().value;
  EXPECT_NEAR(static_cast<double>(split), 2.0 * static_cast<double>(one), 4) << "about twice the fetch";
  program::Exec slices = copy_pass(1, 32, 1, f32);
  slices.vector.emplace();
  slices.vector->steps = {ring_of(256, 1)};
  EXPECT_NEAR(static_cast<double>(cost_of(slices).total().value), 256, 4);
  program::Dma const chips{true, false, {descriptor(0, hbm(0, 0), hbm(0, 1), {{128, 256, 256}}, 256)}};
  EXPECT_GT(book::dma_cost(rngd, chips).total().value, 1000) << "over the interconnect";
}
TEST(Book, KER_43_prefer_slices_to_chips) {
  program::Exec slices = copy_pass(1, 32, 1, f32);
  slices.vector.emplace();
  slices.vector->steps = {ring_of(256, 1)};
  program::Dma const chips{true, false, {descriptor(0, hbm(0, 0), hbm(0, 1), {}, 32)}};
  EXPECT_LT(cost_of(slices).total(), book::dma_cost(rngd, chips).total()) << "even for a single flit";
}

}  // namespace
}  // namespace tcp::sched
