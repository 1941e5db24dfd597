// The rows of the ledger on the time that DMA takes: the six worked examples, and the rules behind them.
#include <gtest/gtest.h>

#include "tcp/device/derived.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::Dma;
using program::DmaLoop;
using program::Stall;

constexpr std::int64_t slice_stride = 4 << 20, dmn_stride = 32 * slice_stride;

std::int64_t cycles(const Dma& d, const LiteralBook& literal = {}) { return book::dma_cost(rngd, d, literal).total().value; }
std::vector<book::ChannelLoad> loads_of(const Dma& d) { return book::channel_loads(rngd, d).at(0); }
Dma one(program::DmaDescriptor d) { return {false, false, {std::move(d)}}; }

/// A = 8, B = 8, C = 256: m![A, B, C] to m![B, A, C].
program::DmaDescriptor example_1(std::int32_t engine, std::int64_t at) {
  return descriptor(engine, hbm(at), hbm(at + 16384), {{8, 2048, 256}, {8, 256, 2048}}, 256);
}
/// A = B = C = 256 from HBM to the slices of a PE; the two DMNs take turns.
Dma example_2() {
  return one(
      descriptor(0, hbm(0), dm(0, 0, 0), {{256, 65536, 256}, {4, 256, 65536}, {32, 1024, slice_stride}, {2, 32768, dmn_stride}}, 256));
}
Dma example_3() {
  return one(descriptor(0, dm(0, 0, 0), dm(0, 0, 4 * 256 * 256),
                        {{256, 256, 1024}, {4, 65536, 256}, {32, slice_stride, slice_stride}, {2, dmn_stride, dmn_stride}}, 256));
}
/// Eight engines whose rounds step over rows of the same banks.
Dma example_4() {
  Dma d;
  for (std::int32_t i = 0; i < 2; ++i)
    for (std::int32_t j = 0; j < 4; ++j)
      d.descriptors.push_back(descriptor(4 * i + j, hbm((std::int64_t{i} << 20) + (std::int64_t{j} << 18)), dm(i, 64 * j, 0),
                                         {{256, 1024, 1024}, {4, 256, 256}, {32, 1 << 21, slice_stride}, {2, 1 << 26, dmn_stride}}, 256));
  return d;
}
/// Eight engines that read every other unit: one stack alone.
Dma example_5() {
  Dma d;
  for (std::int32_t i = 0; i < 2; ++i)
    for (std::int32_t j = 0; j < 4; ++j)
      d.descriptors.push_back(descriptor(4 * i + j, hbm((std::int64_t{i} << 20) + (std::int64_t{j} << 18)), dm(i, 64 * j, 0),
                                         {{8, 512, 256}, {32, 4096, slice_stride}, {2, 131072, dmn_stride}}, 256));
  return d;
}
/// One cluster of one chip: engines k = 0 to 2 have 16 rows, the last has 15 and takes two descriptors.
Dma example_6(bool uneven) {
  Dma d;
  for (std::int32_t k = 0; k < 3; ++k)
    d.descriptors.push_back(
        descriptor(k, dm(0, 64 * k, 0), hbm(1024 * k), {{2, 256, 256}, {32, slice_stride, 15 * 256}, {2, dmn_stride, 512}}, 256));
  if (!uneven) return d;
  d.descriptors.push_back(descriptor(3, dm(0, 192, 0), hbm(3072), {{2, 256, 256}, {32, slice_stride, 15 * 256}}, 256));
  d.descriptors.push_back(descriptor(3, dm(0, 224, 0), hbm(3072 + 512), {{32, slice_stride, 15 * 256}}, 256));
  return d;
}

TEST(Book, DMA_02_between_chips) {
  Dma const d = one(descriptor(0, hbm(0, 0), hbm(0, 1), {{64, 256, 256}}, 256));
  EXPECT_EQ(cycles(d), 500 + 64 * 9);
  program::Cost const c = book::dma_cost(rngd, d);
  EXPECT_EQ(c.slowest, Engine::Pcie);
  EXPECT_EQ(stall_of(c, Stall::Pcie), 64 * 8);
}

TEST(Book, DMA_04_engines_side_by_side) {
  auto const part = [](std::int32_t engine) {
    return descriptor(engine, hbm(engine * 0x10000), dm(engine / 4, 64 * (engine % 4), 0), {{32, 512, slice_stride}, {2, 256, dmn_stride}},
                      256);
  };
  Dma all, same;
  for (std::int32_t e = 0; e < 8; ++e) {
    all.descriptors.push_back(part(e));
    same.descriptors.push_back(part(e));
    same.descriptors.back().engine = 0;
  }
  EXPECT_EQ(cycles(one(part(0))), 500 + 64);
  EXPECT_EQ(cycles(all), 500 + 8 * 64 / 32 * 16 / 3) << "the channels of HBM carry 1.5 TB/s, eight engines ask for 2";
  EXPECT_EQ(cycles_of(book::dma_cost(rngd, all), Engine::Dma), 64) << "each engine has its own part to do";
  EXPECT_EQ(cycles(same), 8 * (500 + 64)) << "one engine does its descriptors in order";
}

TEST(Book, DMA_12_startup) {
  program::Cost const c = book::dma_cost(rngd, one(example_1(0, 0)));
  EXPECT_EQ(c.startup, Cycles{500});
}

TEST(Book, DMA_14_two_commands_or_single_bytes) {
  // Copies inside HBM: 4099 requests of a byte, or 16 and one.
  EXPECT_EQ(cycles_of(book::dma_cost(rngd, one(descriptor(0, hbm(0), hbm(1 << 20, 1), {{4099, 1, 1}}, 1))), Engine::Dma), 4099);
  Dma const two{
      false, false, {descriptor(0, hbm(0), hbm(1 << 20, 1), {}, 4096), descriptor(0, hbm(4096), hbm((1 << 20) + 4096, 1), {}, 3)}};
  program::Cost const c = book::dma_cost(rngd, two);
  EXPECT_EQ(cycles_of(c, Engine::Dma), 16 + 1);
}

TEST(Book, DMA_15_partial_writes) {
  Dma const whole = one(descriptor(0, dm(0, 0, 0), hbm(0), {{64, 256, 256}}, 256)),
            part = one(descriptor(0, dm(0, 0, 0), hbm(0), {{64, 256, 256}}, 240));
  EXPECT_EQ(stall_of(book::dma_cost(rngd, whole), Stall::PartialWrite), 0);
  // Two writes a channel; each takes 50 times what a whole one does.
  EXPECT_EQ(cycles_of(book::dma_cost(rngd, part), Engine::Hbm), 11 + 49 * 11);
  Dma const read = one(descriptor(0, hbm(0), dm(0, 0, 0), {{64, 256, 256}}, 240));
  EXPECT_EQ(cycles(read), cycles(one(descriptor(0, hbm(0), dm(0, 0, 0), {{64, 256, 256}}, 256)))) << "reads pay for requests alone";
}

TEST(Book, DMA_27_a_copy_of_256_cubed) {
  Dma const d = one(descriptor(0, hbm(0), hbm(1 << 24), {{256, 65536, 256}, {256, 256, 65536}}, 256));
  EXPECT_EQ(cycles(d, {.same_medium_overlaps = true}), 500 + 256 * 256);
  EXPECT_EQ(cycles(d, {.same_medium_overlaps = true}), 66036);
  program::Cost const by_rule = book::dma_cost(rngd, d);
  EXPECT_EQ(cycles_of(by_rule, Engine::Dma), 2 * 65536) << "by the rule of example 1 reads and writes of one medium take turns";
  EXPECT_EQ(by_rule.total(), Cycles{500 + 40 * 65536 * 2 / 32}) << "and by that of example 4 writes that step over rows switch them";
}

TEST(Book, DMA_30_example_1) {
  program::Cost const c = book::dma_cost(rngd, one(example_1(0, 0)));
  EXPECT_EQ(c.total(), Cycles{628});
  EXPECT_EQ(c.streaming, Cycles{64});
  EXPECT_EQ(stall_of(c, Stall::SharedMedium), 64);
}

TEST(Book, DMA_32_example_1_channels) {
  for (const book::ChannelLoad& c : loads_of(one(example_1(0, 0)))) EXPECT_EQ(c.requests, 2 + 2);
}

TEST(Book, DMA_33_four_engines_share_hbm) {
  Dma d;
  for (std::int32_t e = 0; e < 4; ++e) d.descriptors.push_back(example_1(e, e * 32768));
  program::Cost const c = book::dma_cost(rngd, d);
  // 0.75 TB/s of reads over four engines: 64 requests of 256 bytes each take 64 * 256 / 187.5 = 87 cycles nominally, 85 at the rate of the channels.
  EXPECT_EQ(cycles_of(c, Engine::Hbm), 85);
  EXPECT_GT(cycles_of(c, Engine::Hbm), 64) << "below one request a cycle";
  EXPECT_NEAR(64.0 * 256 / static_cast<double>(cycles_of(c, Engine::Hbm)), 187.5, 187.5 * 0.03);
}

TEST(Book, DMA_34_example_2) {
  EXPECT_EQ(cycles(example_2()), 66036);
  EXPECT_EQ(book::dma_cost(rngd, example_2()).slowest, Engine::Dma);
}

TEST(Book, DMA_35_example_2_channels) {
  std::int64_t switches = 0;
  for (const book::ChannelLoad& c : loads_of(example_2())) {
    EXPECT_EQ(c.requests, 2048);
    switches += c.row_switches;
  }
  EXPECT_EQ(switches, 7168);
}

TEST(Book, DMA_36_example_3) { EXPECT_EQ(cycles(example_3()), 131572); }

TEST(Book, DMA_38_short_packets_cost_a_request) {
  auto const copy = [](std::int64_t packet) {
    return cycles(
        one(descriptor(0, dm(0, 0, 0), dm(0, 0, 1 << 18), {{32, slice_stride, slice_stride}, {2, dmn_stride, dmn_stride}}, packet)));
  };
  EXPECT_EQ(copy(8), copy(256));
  EXPECT_EQ(copy(248), copy(256));
  EXPECT_EQ(copy(264) - 500, 2 * (copy(256) - 500));
  EXPECT_EQ(copy(512 + 8) - 500, 3 * (copy(256) - 500));
}

TEST(Book, DMA_40_example_4) {
  program::Cost const c = book::dma_cost(rngd, example_4());
  EXPECT_EQ(c.total(), Cycles{655860});
  EXPECT_EQ(c.slowest, Engine::Hbm);
  EXPECT_EQ(c.streaming, Cycles{65536});
  EXPECT_GT(stall_of(c, Stall::HbmRow), 500000);
  EXPECT_NEAR(static_cast<double>(c.total().value) / static_cast<double>(cycles(example_2())), 10, 0.1)
      << "ten times the well-interleaved case";
}

TEST(Book, DMA_41_example_4_rows) {
  for (const book::ChannelLoad& c : loads_of(example_4())) EXPECT_EQ(c.requests, 16384);
  Dma first = example_4();
  first.descriptors.resize(1);
  std::int64_t switches = 0, requests = 0;
  for (const book::ChannelLoad& c : loads_of(first)) {
    switches += c.row_switches;
    requests += c.requests;
  }
  EXPECT_EQ(requests, 65536);
  EXPECT_EQ(switches, 65408);
}

TEST(Book, DMA_43_example_5) {
  program::Cost const c = book::dma_cost(rngd, example_5());
  EXPECT_EQ(c.total(), Cycles{1865});
  EXPECT_EQ(stall_of(c, Stall::HbmChannel), 1365 - 512);
  EXPECT_EQ(cycles(example_5(), {.channel_rate_rounded = true}), 1857);
  std::int64_t used = 0;
  for (const book::ChannelLoad& load : loads_of(example_5())) {
    if (load.requests == 0) continue;
    ++used;
    EXPECT_EQ(load.requests, 256);
  }
  EXPECT_EQ(used, 16);
}

TEST(Book, DMA_46_example_6) {
  LiteralBook const literal{.other_medium_in_turn = true};
  EXPECT_EQ(cycles(example_6(false), literal), 756);
  EXPECT_EQ(cycles(example_6(true), literal), 1192);
  EXPECT_EQ(cycles(example_6(false)), 628) << "reads and writes overlap";
  EXPECT_EQ(cycles(example_6(true)), 1192) << "one DMN alone has half the rate";
  EXPECT_EQ(stall_of(book::dma_cost(rngd, example_6(true)), Stall::Dmn), 96);
}

TEST(Book, DMA_47_every_descriptor_starts_up) {
  EXPECT_EQ(book::dma_cost(rngd, example_6(true)).startup, Cycles{1000}) << "of the engine that ends last";
  EXPECT_EQ(book::dma_cost(rngd, example_6(false)).startup, Cycles{500});
}

TEST(Book, DMA_49_tensor_unit_or_dma) {
  // 1 KB of each of the 256 slices of a cluster, to elsewhere in DM.
  Dma d;
  for (std::int32_t e = 0; e < 4; ++e)
    d.descriptors.push_back(descriptor(e, dm(0, 64 * e, 0), dm(0, 64 * e, 4096),
                                       {{4, 256, 256}, {32, slice_stride, slice_stride}, {2, dmn_stride, dmn_stride}}, 256));
  program::Exec pass = copy_pass(32);
  EXPECT_LT(book::pass_cost(rngd, pass).total(), book::dma_cost(rngd, d).total());
  program::Switch ring;
  ring.topology = program::Topology::CustomBroadcast;
  ring.time_out = 32;
  for (std::int64_t size : {4, 16, 256}) {
    ring.ring_size = size;
    pass.switching = {ring};
    EXPECT_EQ(book::pass_cost(rngd, pass).total() < book::dma_cost(rngd, d).total(), size < 256) << size;
  }
}

TEST(Book, DMA_50_direct_way) {
  Dma const direct = one(descriptor(0, hbm(0), dm(0, 0, 0), {{32, 256, slice_stride}, {2, 8192, dmn_stride}}, 256));
  program::DmaSide const spm{Memory::Spm, 0, 0, 0, 0};
  Dma const in = one(descriptor(0, hbm(0), spm, {{64, 256, 256}}, 256)),
            out = one(descriptor(0, spm, dm(0, 0, 0), {{32, 256, slice_stride}, {2, 8192, dmn_stride}}, 256));
  EXPECT_GT(cycles(in) + cycles(out), cycles(direct));
  EXPECT_EQ(cycles(in), 500 + 2 * 64) << "SPM has the rate of a DMN";
}

TEST(Book, MEM_30_reads_across_a_unit) {
  auto const read = [](std::int64_t at) {
    return cycles(one(descriptor(0, hbm(at), dm(0, 0, 0), {{32, 256, slice_stride}, {2, 8192, dmn_stride}}, 256)));
  };
  EXPECT_EQ(read(0), 500 + 64);
  EXPECT_EQ(read(128), 500 + 2 * 64) << "two transfers each";
}

TEST(Book, KER_45_shuffles) {
  auto const copy = [](std::int32_t to) { return cycles(one(descriptor(0, hbm(0), hbm(1 << 20, to), {{64, 256, 256}}, 256))); };
  EXPECT_EQ(copy(0), 500 + 128) << "within a chip";
  EXPECT_EQ(copy(1), 500 + 576) << "across chips";
}

TEST(Book, MEM_28_six_channels_for_an_engine) {
  Ratio const access = hbm_access_cycles(rngd);
  EXPECT_GE(6 * access.den, access.num);
  EXPECT_LT(5 * access.den, access.num);
}

}  // namespace
}  // namespace tcp::sched
