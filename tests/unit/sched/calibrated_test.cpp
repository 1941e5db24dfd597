// The model `calibrated`, effect by effect; docs/accuracy.md has it against what others saw.
#include "tcp/sched/calibrated.hpp"

#include <gtest/gtest.h>

#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::Dma;
using program::Stall;

constexpr const chip::Calibrated& c = rngd.calibrated;
constexpr std::int64_t slice_stride = 4 << 20, dmn_stride = 32 * slice_stride;

std::int64_t planned(const Dma& d) { return calibrated::dma_cost(rngd, d, Figures::Planned).total().value; }
std::int64_t planned(const program::Exec& e) { return calibrated::pass_cost(rngd, e, Figures::Planned).total().value; }
std::int64_t seen(const program::Exec& e) { return calibrated::pass_cost(rngd, e, Figures::Seen).total().value; }
std::int64_t requests(std::int64_t n) { return (n * c.request_hundredths + 50) / 100; }
/// Of one read, changed and written unit: 50 times 16/3.
constexpr std::int64_t read_modify_write = 267;

/// One engine loads so many packets into the slices of its DMNs in turn.
Dma load(std::int64_t packet, std::int64_t stride, std::int32_t engine = 0) {
  return {false,
          false,
          {descriptor(engine, hbm(0), dm(engine / 4, 64 * (engine % 4), 0), {{32, 2 * stride, slice_stride}, {2, stride, dmn_stride}},
                      packet)}};
}
/// One engine stores packets of its DMNs in turn, each DMN's one behind the other.
Dma store(std::int64_t packet, std::int64_t stride, std::int64_t at = 0) {
  return {false, false, {descriptor(0, dm(0, 0, 0), hbm(at), {{32, slice_stride, stride}, {2, dmn_stride, 32 * stride}}, packet)}};
}

TEST(Calibrated, names) {
  EXPECT_EQ(CalibratedDuration(rngd).name(), "calibrated");
  EXPECT_EQ(CalibratedDuration(rngd, Figures::Planned).name(), "planned");
}

TEST(Calibrated, overhead_of_a_pass_by_its_purpose) {
  program::Exec e = copy_pass(100);
  EXPECT_EQ(planned(e), 264 + 100);
  e.vector.emplace();
  EXPECT_EQ(planned(e), 281 + 100);
  e.vector.reset();
  e.contraction.emplace();
  EXPECT_EQ(calibrated::pass_overhead(rngd, e), Cycles{265});
  e.sink = program::VrfStore{0, 32};
  EXPECT_EQ(calibrated::pass_overhead(rngd, e), Cycles{263});
}

TEST(Calibrated, ring_takes_two_more_steps) {
  program::Exec e = copy_pass(64);
  e.switching.emplace();
  e.switching->topology = program::Topology::CustomBroadcast;
  e.switching->ring_size = 8;
  e.switching->time_out = 64;
  EXPECT_EQ(planned(e), 8 * (64 + 2) + 264);
  e.switching->topology = program::Topology::Forwarding;
  e.switching->ring_size = 1;
  EXPECT_EQ(planned(e), 64 + 264);
}

TEST(Calibrated, inter_slice_reduce_by_its_slices) {
  program::Exec e = copy_pass(1);
  program::InterSliceReduceStep fold;
  e.vector.emplace();
  auto const of = [&](std::int64_t slices) {
    fold.group_slices = slices;
    e.vector->steps = {{fold, 1}};
    return planned(e) - 281 - 1;
  };
  EXPECT_EQ(of(256), 2293);
  EXPECT_EQ(of(64), 573);
}

TEST(Calibrated, chip_stretches_a_pass) {
  EXPECT_EQ(seen(copy_pass(1000)), 568 + 2150);
  EXPECT_EQ(planned(copy_pass(1000)), 264 + 1000);
}

TEST(Calibrated, lookup_has_its_rate) {
  program::Exec e = copy_pass(1000);
  e.fetch.table = 0;
  EXPECT_EQ(seen(e), 568 + 32 * 1000 * 10 / 125) << "12.5 elements a cycle";
  EXPECT_EQ(planned(e), 264 + 1000);
}

TEST(Calibrated, requests_and_start_of_a_dma) {
  std::int64_t const start = c.dma_startup.value;
  EXPECT_EQ(planned(load(256, 256)), start + requests(64));
  EXPECT_EQ(planned(load(16, 256)), start + requests(64)) << "short ones are no quicker";
  EXPECT_EQ(planned(load(512, 512)), start + requests(128));
  Dma two = load(256, 256);
  two.descriptors.push_back(two.descriptors[0]);
  two.descriptors[1].read.address = 1 << 20;
  EXPECT_EQ(planned(two), 2 * start + requests(128)) << "each descriptor is started up";
  two.descriptors[1].engine = 1;
  EXPECT_EQ(planned(two), start + requests(64)) << "engines work side by side";
}

TEST(Calibrated, broadcast_is_no_faster_than_one_engine) {
  Dma d;
  for (std::int32_t e = 0; e < 4; ++e)
    d.descriptors.push_back(descriptor(e, hbm(0), dm(0, 64 * e, 0), {{32, 0, slice_stride}, {2, 0, dmn_stride}}, 4096));
  program::Cost const cost = calibrated::dma_cost(rngd, d, Figures::Planned);
  EXPECT_EQ(cost.total().value, c.dma_startup.value + requests(256 * 16));
  EXPECT_EQ(cost.slowest, Engine::Hbm);
  // The same bytes from four places.
  for (std::int32_t e = 0; e < 4; ++e) d.descriptors[static_cast<std::size_t>(e)].read.address = e * 4096;
  EXPECT_EQ(planned(d), c.dma_startup.value + requests(64 * 16));
}

TEST(Calibrated, chip_makes_descriptors_of_a_broadcast_one_by_one) {
  Dma const d{false, false, {descriptor(0, hbm(0), dm(0, 0, 0), {{32, 0, slice_stride}, {2, 0, dmn_stride}}, 32)}};
  program::Cost const cost = calibrated::dma_cost(rngd, d, Figures::Seen);
  EXPECT_EQ(cost.total().value, 525 + 64 * 21);
  EXPECT_GT(stall_of(cost, Stall::DescriptorBuild), 0);
}

TEST(Calibrated, chips_do_not_wait_for_each_other) {
  Dma d{false, false, {descriptor(0, hbm(0), dm(0, 0, 0), {{32, 0, slice_stride}, {2, 0, dmn_stride}}, 32)}};
  Dma halves{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{32, slice_stride, 256}}, 128)}};
  auto const add_second_chip = [](Dma& all) {
    program::DmaDescriptor other = all.descriptors[0];
    other.engine = static_cast<std::int32_t>(rngd.dma.engines_per_chip);
    other.read.chip = other.write.chip = 1;
    all.descriptors.push_back(other);
  };
  auto const total = [](const Dma& all) { return calibrated::dma_cost(rngd, all, Figures::Seen).total().value; };
  std::int64_t const broadcast = total(d), partial = total(halves);
  add_second_chip(d);
  add_second_chip(halves);
  EXPECT_EQ(total(d), broadcast);
  EXPECT_EQ(total(halves), partial);
}

TEST(Calibrated, partial_writes) {
  using calibrated::partial_writes;
  EXPECT_EQ(partial_writes(rngd, store(256, 256)), calibrated::PartialWrites{});
  EXPECT_EQ(partial_writes(rngd, load(16, 16)), calibrated::PartialWrites{}) << "reads are never partial";
  // Units 0 to 31, the first half of each, on a channel each.
  Dma const halves{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{32, slice_stride, 256}}, 128)}};
  EXPECT_EQ(partial_writes(rngd, halves), (calibrated::PartialWrites{32, 1, 0, 0}));
  // 64 times 16 bytes: each DMN fills two units, sixteen writes each.
  EXPECT_EQ(partial_writes(rngd, store(16, 16)), (calibrated::PartialWrites{64, 16, 32, 0}));
  // From byte 128 on every packet has a half of a unit at each end, and the next packet of the DMN the other half.
  EXPECT_EQ(partial_writes(rngd, store(256, 256, 128)).all, 128);
  EXPECT_EQ(partial_writes(rngd, store(256, 256, 128)).in_turn, 62) << "all but the first and the last of 64";
}

TEST(Calibrated, partial_writes_take_turns) {
  std::int64_t const start = c.dma_startup.value;
  EXPECT_EQ(planned(store(16, 16)), start + requests(64) + 32 * read_modify_write) << "a DMN waits for its own writes";
  Dma const one{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {}, 2)}};
  EXPECT_EQ(planned(one), start + 5) << "16/3 of its channel; the last one is not waited for";
  // Both halves of one unit, each by another DMN.
  Dma const twice{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{2, dmn_stride, 128}}, 128)}};
  EXPECT_EQ(planned(twice), start + 11 + read_modify_write);
}

TEST(Calibrated, of_long_descriptors_the_first_rounds_stand_for_all) {
  // The first half of each of 2^20 units: they lie evenly on 32 channels.
  Dma const d{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{1 << 20, 0, 256}}, 128)}};
  EXPECT_EQ(calibrated::partial_writes(rngd, d), (calibrated::PartialWrites{1 << 20, 1 << 15, 0, 0}));
}

TEST(Calibrated, engines_that_write_one_unit) {
  Dma d;
  for (std::int32_t e = 0; e < 2; ++e) d.descriptors.push_back(descriptor(e, dm(0, 64 * e, 0), hbm(128 * e), {{32, slice_stride, 4}}, 4));
  EXPECT_EQ(calibrated::partial_writes(rngd, d).contested, 64);
  EXPECT_EQ(planned(d), c.dma_startup.value + 64 * 16 / 3 + 64 * c.contested_write.value) << "all go to one channel";
  d.descriptors[1].write.address = 256;
  EXPECT_EQ(calibrated::partial_writes(rngd, d).contested, 0);
}

TEST(Calibrated, chip_reads_by_the_length_of_runs) {
  EXPECT_EQ(calibrated::read_rate(rngd, 256), 618);
  EXPECT_EQ(calibrated::read_rate(rngd, 511), 618);
  EXPECT_EQ(calibrated::read_rate(rngd, 4096), 547);
  EXPECT_EQ(calibrated::read_rate(rngd, 64), 160) << "half of 319";
  EXPECT_EQ(calibrated::read_rate(rngd, 0), 1);
}

TEST(Calibrated, one_cluster_alone_reads_more_slowly) {
  auto const reads = [](std::int32_t engines) {
    Dma d;
    for (std::int32_t e = 0; e < engines; ++e) {
      d.descriptors.push_back(load(4096, 4096, e).descriptors[0]);
      d.descriptors.back().read.address = e * (1 << 18);
    }
    return calibrated::dma_cost(rngd, d, Figures::Seen).total().value - 525;
  };
  EXPECT_EQ(reads(4), ((1 << 20) + 282) / 283);
  EXPECT_EQ(reads(8), 8 * (((1 << 18) + 546) / 547));
}

TEST(Calibrated, a_program_has_a_beginning_and_an_end) {
  CalibratedDuration const model(rngd, Figures::Planned);
  program::Schedule const one = scheduled(program_of({command_of(copy_pass(100))}), model);
  EXPECT_EQ(one.makespan, Cycles{1003 + 264 + 100 + 600});
  program::Schedule const two = scheduled(program_of({command_of(copy_pass(100)), command_of(copy_pass(100))}), model);
  EXPECT_EQ(end(two, 0), 1003 + 364);
  EXPECT_EQ(end(two, 1), 1003 + 364 + 364 + 600);
  EXPECT_EQ(scheduled(program_of({}), model).makespan, Cycles{0});
}

TEST(Calibrated, each_cluster_has_its_queue) {
  CalibratedDuration const model(rngd, Figures::Planned);
  auto const moves = [](std::int32_t first, std::int32_t second) {
    return program_of(
        {lasting(0, main_context), command_of(load(4096, 4096, first)), command_of(load(4096, 4096, second)), lasting(0, main_context)});
  };
  program::Schedule const same = scheduled(moves(0, 3), model), other = scheduled(moves(0, 4), model);
  EXPECT_EQ(start(same, 2), end(same, 1));
  EXPECT_EQ(same.commands[2].binding.kind, program::EdgeKind::Resource);
  EXPECT_EQ(same.commands[2].binding.resource, Resource::TensorDma);
  EXPECT_EQ(start(other, 2), 0) << "engine 4 is of the other cluster";
  EXPECT_EQ(start(scheduled(moves(0, 4), BookDuration(rngd)), 2), end(scheduled(moves(0, 4), BookDuration(rngd)), 1))
      << "the book has one queue a chip";
}

TEST(Calibrated, hazards_hold_across_the_queues) {
  CalibratedDuration const model(rngd, Figures::Planned);
  // Two loads of very different lengths, in both queues; a third command overwrites what both have written.
  program::Command slow = command_of(load(4096, 4096, 0)), quick = command_of(load(256, 256, 4));
  slow.writes = {bytes(Memory::Dm, 0, 64)};
  quick.writes = {bytes(Memory::Dm, 64, 128)};
  program::Command pass = command_of(copy_pass(10));
  pass.reads = {bytes(Memory::Dm, 0, 128)};
  program::Schedule const s = scheduled(program_of({slow, quick, pass}), model);
  EXPECT_LT(end(s, 1), end(s, 0));
  EXPECT_EQ(start(s, 2), end(s, 0)) << "not the last one alone is waited for";
}

TEST(Calibrated, costs_add_up) {
  for (Figures f : {Figures::Planned, Figures::Seen})
    for (const Dma& d : {load(16, 16), load(4096, 4096), store(16, 16), store(256, 256, 128)}) {
      program::Cost const cost = calibrated::dma_cost(rngd, d, f);
      for (std::size_t i = 0; i < cost.stalls.size(); ++i) {
        EXPECT_GT(cost.stalls[i].cycles, Cycles{0});
        for (std::size_t k = 0; k < i; ++k) EXPECT_NE(cost.stalls[i].cause, cost.stalls[k].cause);
      }
    }
}

TEST(Calibrated, too_long) {
  std::int64_t const much = std::int64_t{1} << 31;
  Dma const d{false, false, {descriptor(0, hbm(0), dm(0, 0, 0), {{much, 0, 0}, {much, 0, 0}}, 256)}};
  auto const cost = CalibratedDuration(rngd).cost(command_of(d), 0);
  ASSERT_FALSE(cost);
  EXPECT_STREQ(cost.refusal().code, "sched-command-too-long");
}

}  // namespace
}  // namespace tcp::sched
