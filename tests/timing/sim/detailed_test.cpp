// The model `detailed` at its edges, and its sustained rates against closed forms.
#include <gtest/gtest.h>

#include "unit/sim/detailed_records.hpp"

namespace tcp::sim {
namespace {

// A pass holds banks 0 to 3 in cycles 0 to n - 1. A DMA asks for 256 bytes of DM in cycle 500: it gets the rest of its first beat in cycle n, and its second
// in cycle n + 1. It must have its answer before 4,096 cycles are over, in cycle 4,595 at the latest.
TEST(DetailedEdges, an_answer_after_4095_cycles_and_none_after_4096) {
  program::Dma store;
  store.descriptors = {descriptor(0, dm(0, 0, 0), hbm(0), {}, 256)};
  for (bool collapse : {true, false}) {
    auto const beside = [&](std::int64_t n) {
      return run_detailed(program_of({command_of(store), command_of(holding(n, 0))}), rngd,
                          {.keep_banks_free = false, .collapse = collapse});
    };
    auto const in_time = beside(4594), late = beside(4595);
    ASSERT_TRUE(in_time.ok());
    EXPECT_EQ(end(in_time->schedule, 0), 4596 + 26);
    ASSERT_FALSE(late.ok());
    EXPECT_STREQ(late.refusal().code, "dm-response-timeout");
  }
}

// A command starts in the cycle in which the one before it has ended, and not before.
TEST(DetailedEdges, a_command_starts_when_its_last_predecessor_has_ended) {
  program::Command const write = touching(command_of(copying(100, {0, 128}, {64, 128})), {}, {everywhere(0, 64)});
  program::Command const read = touching(command_of(copying(10, {1 << 17, 128}, {(1 << 17) + 64, 128}, true)), {everywhere(0, 64)}, {});
  program::Schedule const s = detailed(program_of({write, read})).schedule;
  EXPECT_EQ(end(s, 0), 101);
  EXPECT_EQ(start(s, 1), 101);
}

/// Every engine moves 1,024 units from HBM `times` over, to its two DMNs in turn, so that neither of them is in the way.
program::Dma to_both_dmns(std::int64_t unit_stride, std::int64_t times = 1) {
  program::Dma d;
  for (std::int32_t e = 0; e < 8; ++e)
    d.descriptors.push_back(descriptor(e, hbm(e * 1024 * unit_stride), dm(e / 4, e % 4 * 64, 0),
                                       {{times, 8 * 1024 * unit_stride, 8192, 0},
                                        {32, 32 * unit_stride, from_slice_to_slice, 0},
                                        {16, 2 * unit_stride, 256, 0},
                                        {2, unit_stride, 32 * from_slice_to_slice, 0}},
                                       256));
  return d;
}

// 8,192 units over 32 channels at 16/3 cycles each are 1,365 cycles. All engines begin at the same channel: until they are spread, some channels have nothing
// to do.
TEST(DetailedRates, loads_in_order_have_the_rate_of_all_channels) {
  for (std::int64_t times : {1, 4, 8}) {
    std::int64_t const cycles = alone(to_both_dmns(256, times)) - 500;
    EXPECT_GE(cycles, 1365 * times);
    EXPECT_LE(cycles, 1385 * times + 120);
  }
}

// Every second unit: half of the channels, or as many with half of the use of each row. No more than twice the time, and no less than all channels would
// take.
TEST(DetailedRates, a_stride_never_gains) {
  std::int64_t const in_order = alone(to_both_dmns(256));
  for (std::int64_t stride : {512, 1024, 4096}) EXPECT_GE(alone(to_both_dmns(stride)), in_order) << stride;
}

// One engine alone: a request a cycle, to DMNs in turn.
TEST(DetailedRates, an_engine_moves_256_bytes_a_cycle) {
  program::Dma one = to_both_dmns(256);
  one.descriptors.resize(1);
  EXPECT_GE(alone(one), 500 + 26 + 1024);
  EXPECT_LE(alone(one), 500 + 26 + 1024 + 20);
}

// A pass that holds bank 0 every second cycle leaves it to DMA in the others. A beat gets the other fifteen banks at once, and bank 0 a cycle later at worst:
// at most two cycles a beat, and the load of one DMN takes at most twice as long.
TEST(DetailedRates, a_bank_that_is_held_every_second_cycle_halves_the_rate_at_worst) {
  program::Dma load;
  load.descriptors = {descriptor(0, hbm(0), dm(0, 0, 0), {{16, 4096, 4096, 0}}, 4096)};
  program::Exec pass = holding(4000, 0);
  pass.fetch.read.access_bytes = 8;
  pass.fetch.read.loops = {{2000, 0}, {2, 64}};
  std::int64_t const free = alone(load);
  std::int64_t const beside = end(detailed(program_of({command_of(load), command_of(pass)}), {.keep_banks_free = false}).schedule, 0);
  EXPECT_EQ(free, 500 + 26 + 512);
  EXPECT_GT(beside, free);
  EXPECT_LE(beside, 500 + 26 + 2 * 512);
}

}  // namespace
}  // namespace tcp::sim
