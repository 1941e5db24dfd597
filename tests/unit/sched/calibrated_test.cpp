// The models `planned` and `calibrated`, mechanism by mechanism; docs/accuracy.md has them against what others saw.
#include "tcp/sched/calibrated.hpp"

#include <gtest/gtest.h>

#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::Dma;
using program::Stall;

constexpr const chip::Observed& plan = rngd.planned;
constexpr const chip::Observed& chip_ = rngd.calibrated;
constexpr std::int64_t slice_stride = 4 << 20, dmn_stride = 32 * slice_stride;

std::int64_t planned(const Dma& d) { return calibrated::dma_cost(rngd, d, Figures::Planned).total().value; }
std::int64_t planned(const program::Exec& e) { return calibrated::pass_cost(rngd, e, Figures::Planned).total().value; }
std::int64_t seen(const Dma& d) { return calibrated::dma_cost(rngd, d, Figures::Seen).total().value; }
std::int64_t seen(const program::Exec& e) { return calibrated::pass_cost(rngd, e, Figures::Seen).total().value; }
/// Cycles of bytes at a rate in hundredths of a byte.
std::int64_t at(std::int64_t bytes, std::int64_t rate) { return (100 * bytes + rate - 1) / rate; }
/// The cycles of one unit that is read, changed and written: 50 times 16/3.
constexpr std::int64_t read_modify_write = 267;

/// One engine loads so many packets into the slices of its DMNs in turn.
Dma load(std::int64_t packet, std::int64_t stride, std::int32_t engine = 0) {
  return {false,
          false,
          {descriptor(engine, hbm(0), dm(engine / 4, 64 * (engine % 4), 0), {{32, 2 * stride, slice_stride}, {2, stride, dmn_stride}},
                      packet)}};
}
/// All engines do, each in its own part of HBM.
Dma load_by_all(std::int64_t packet, std::int64_t stride, std::int32_t engines = 8) {
  Dma d;
  for (std::int32_t e = 0; e < engines; ++e) {
    d.descriptors.push_back(load(packet, stride, e).descriptors[0]);
    d.descriptors.back().read.address = e * (std::int64_t{1} << 24);
  }
  return d;
}
/// One engine stores packets of its DMNs in turn, each DMN's one behind the other.
Dma store(std::int64_t packet, std::int64_t stride, std::int64_t address = 0) {
  return {false, false, {descriptor(0, dm(0, 0, 0), hbm(address), {{32, slice_stride, stride}, {2, dmn_stride, 32 * stride}}, packet)}};
}

TEST(Calibrated, names) {
  EXPECT_EQ(CalibratedDuration(rngd).name(), "calibrated");
  EXPECT_EQ(CalibratedDuration(rngd, Figures::Planned).name(), "planned");
}

TEST(Calibrated, overhead_of_a_pass_by_its_purpose) {
  program::Exec e = copy_pass(100);
  EXPECT_EQ(planned(e), 263 + 100);
  e.vector.emplace();
  EXPECT_EQ(planned(e), 281 + 100);
  EXPECT_EQ(seen(e), 184 + 100);
  e.vector->steps = {{program::StashStep{}, 100}};
  EXPECT_EQ(seen(e), 220 + 100);
  e.vector.reset();
  e.contraction.emplace();
  EXPECT_EQ(calibrated::pass_overhead(rngd, e, Figures::Planned), Cycles{265});
  e.sink = program::VrfStore{0, 32};
  EXPECT_EQ(calibrated::pass_overhead(rngd, e, Figures::Planned), Cycles{263});
  EXPECT_EQ(calibrated::pass_overhead(rngd, e, Figures::Seen), Cycles{168});
}

TEST(Calibrated, rings) {
  program::Exec e = copy_pass(64);
  e.switching.emplace();
  e.switching->topology = program::Topology::CustomBroadcast;
  e.switching->ring_size = 8;
  e.switching->time_out = 64;
  EXPECT_EQ(planned(e), 8 * 64 + 263);
  EXPECT_EQ(seen(e), 8 * 64 + 500);
  e.switching->ring_size = 256;
  EXPECT_EQ(planned(e), 256 * (64 + 2) + 263) << "beyond a PE every slice takes two steps more";
  e.switching->topology = program::Topology::Forwarding;
  e.switching->ring_size = 1;
  EXPECT_EQ(planned(e), 64 + 263);
}

TEST(Calibrated, on_chips_a_broadcast_waits_for_those_that_have_data) {
  program::Exec e = copy_pass(16);
  e.switching.emplace();
  e.switching->topology = program::Topology::Broadcast1;
  e.switching->ring_size = 256;
  e.switching->time_out = 16 * 256;
  e.collect = program::Collect{32, 1};
  auto const from = [&](std::int64_t slices) { e.units = all_slices(slices); };
  from(1);
  EXPECT_EQ(planned(e), 256 * (16 + 2) + 263) << "plans count all";
  EXPECT_EQ(seen(e), 16 + 128 + 500) << "what one sends, and half a cycle for each slice that it passes";
  from(2);
  EXPECT_EQ(seen(e), 32 + 128 + 500);
  e.switching->topology = program::Topology::CustomBroadcast;
  EXPECT_EQ(seen(e), 256 * 16 + 500) << "a custom switch waits for all";
  e.switching->topology = program::Topology::Broadcast1;
  from(256);
  EXPECT_EQ(seen(e), 256 * 16 + 500);
}

TEST(Calibrated, memsets_by_their_bytes) {
  program::Command fill;
  fill.what = program::Itos{{}, 0, 0, 2, {{3000, 2}}};
  auto const cycles = [&](Figures f) { return CalibratedDuration(rngd, f).cost(fill, 0)->total().value; };
  EXPECT_EQ(cycles(Figures::Seen), 415 + 400) << "15 bytes per cycle in each slice";
  EXPECT_EQ(cycles(Figures::Planned), 263 + 1500);
  EXPECT_EQ(cycles_of(*CalibratedDuration(rngd).cost(fill, 0), Engine::Itos), 400);
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
  EXPECT_EQ(of(256), 2294);
  EXPECT_EQ(of(8), 72);
}

TEST(Calibrated, lookups_have_their_pace) {
  program::Exec e = copy_pass(1000);
  e.fetch.table = 0;
  EXPECT_EQ(planned(e), 263 + 2500);
  EXPECT_EQ(seen(e), 730 + 2730);
}

TEST(Calibrated, an_operand_that_is_another_one_for_each_packet) {
  program::Exec e = copy_pass(100);
  e.vector.emplace();
  program::OperateStep multiply;
  multiply.operands = {{program::VrfWalk{0, {{200, 16}, {4, 4}}}}};
  e.vector->steps = {{program::ReshapeStep{program::ReshapeStep::Width::Split}, 200}, {multiply, 200}};
  EXPECT_EQ(planned(e), 281 + 200);
  EXPECT_EQ(seen(e), 184 + 494) << "2.47 cycles a packet";
  std::get<program::OperateStep>(e.vector->steps[1].what).operands = {{program::VrfWalk{0, {{200, 0}, {4, 4}}}}};
  EXPECT_EQ(seen(e), 184 + 200) << "the same for all";
  std::get<program::OperateStep>(e.vector->steps[1].what).operands = {{program::VrfWalk{0, {{200, 16}, {4, 0}}}}};
  EXPECT_EQ(planned(e), 281 + 200);
  EXPECT_EQ(seen(e), 184 + 250) << "one for all lanes, and later packets have another";
}

TEST(Calibrated, runs_of_a_load) {
  std::int64_t const start = plan.dma_startup.value;
  EXPECT_EQ(planned(load(4096, 4096)), start + at(64 * 4096, plan.engine_long));
  EXPECT_EQ(planned(load(128, 128)), start + (64 * plan.run_hundredths + 50) / 100);
  EXPECT_EQ(planned(load(64, 64)), start + (64 * plan.run_64_hundredths + 50) / 100);
  EXPECT_EQ(planned(load(16, 16)), start + (64 * plan.run_short_hundredths + 50) / 100);
  EXPECT_GT(planned(load(960, 960)), start + at(64 * 960, plan.engine_512) + 50) << "begins within units of 256 bytes";
  EXPECT_GT(planned(load(1000, 1000)), planned(load(1024, 1024))) << "and of 64 bytes";
}

TEST(Calibrated, engines_work_side_by_side) {
  EXPECT_EQ(planned(load_by_all(4096, 4096)), plan.dma_startup_several.value + at(64 * 4096, plan.engine_long));
  EXPECT_EQ(seen(load_by_all(4096, 4096)), chip_.dma_startup_several.value + at(64 * 4096, chip_.engine_long));
  EXPECT_LT(seen(load_by_all(4096, 4096, 4)), seen(load_by_all(4096, 4096))) << "four have more of HBM each";
}

TEST(Calibrated, broadcasts_wait_for_each_other) {
  Dma d;
  for (std::int32_t e = 0; e < 4; ++e)
    d.descriptors.push_back(descriptor(e, hbm(0), dm(0, 64 * e, 0), {{32, 0, slice_stride}, {2, 0, dmn_stride}}, 4096));
  program::Cost const cost = calibrated::dma_cost(rngd, d, Figures::Planned);
  EXPECT_EQ(cost.total().value, plan.dma_startup_several.value + at(256 * 4096, plan.broadcast_shared));
  EXPECT_GT(stall_of(cost, Stall::Broadcast), 0);
  // The same bytes from four places.
  for (std::int32_t e = 0; e < 4; ++e) d.descriptors[static_cast<std::size_t>(e)].read.address = e * 65536;
  EXPECT_EQ(planned(d), plan.dma_startup_several.value + at(256 * 4096, plan.broadcast_own));
}

TEST(Calibrated, within_DM_by_the_slices_that_send) {
  Dma const one{false, false, {descriptor(0, dm(0, 0, 0), dm(0, 0, 65536), {{8, 960, slice_stride}}, 960)}};
  EXPECT_EQ(planned(one), plan.dm_startup.value + at(8 * 960, plan.dm_slice));
  Dma const many{false, false, {descriptor(0, dm(0, 0, 0), dm(0, 0, 65536), {{8, slice_stride, 960}}, 960)}};
  EXPECT_EQ(planned(many), plan.dm_startup.value + at(8 * 960 / 8, plan.dm_slice) + 0);
}

TEST(Calibrated, between_chips_the_way_over_pcie_is_waited_for) {
  Dma const d{false, false, {descriptor(0, hbm(0, 0), hbm(0, 1), {{64, 4096, 4096}}, 4096)}};
  std::int64_t const request = (256 + rngd.dma.pcie_bytes_per_cycle.value - 1) / rngd.dma.pcie_bytes_per_cycle.value,
                     over = 64 * 16 * request;
  for (Figures f : {Figures::Planned, Figures::Seen}) {
    program::Cost const cost = calibrated::dma_cost(rngd, d, f);
    EXPECT_EQ(cost.total().value - cost.startup.value, over);
    EXPECT_GT(stall_of(cost, Stall::Pcie), 0);
  }
}

TEST(Calibrated, an_index_comes_first) {
  Dma d = load(4096, 4096);
  std::int64_t const plain = planned(d);
  d.descriptors[0].index = program::DmaIndex{};
  EXPECT_EQ(planned(d) - plain, plan.index.value);
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

TEST(Calibrated, stores_of_parts_of_units) {
  EXPECT_EQ(planned(store(16, 16)), plan.dma_startup.value + 32 * read_modify_write + plan.unaligned_store.value)
      << "a DMN waits for its own writes";
  Dma const one{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{8, slice_stride, 240}}, 240)}};
  EXPECT_LT(planned(one), plan.dma_startup.value + 100) << "from one DMN they are free";
  Dma const two{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{8, slice_stride, 512}, {2, dmn_stride, 256}}, 240)}};
  EXPECT_EQ(planned(two), plan.dma_startup.value + plan.pieces.value + 16 * 11);
  EXPECT_LT(seen(two), chip_.dma_startup.value + 100) << "a chip does not wait for them";
  Dma shifted = two;
  shifted.descriptors[0].write.address = 64;
  EXPECT_EQ(seen(shifted) - seen(two), chip_.unaligned_store.value) << "unless they begin within units";
}

TEST(Calibrated, of_long_descriptors_the_first_rounds_stand_for_all) {
  // The first half of each of 2^20 units: they lie evenly on 32 channels.
  Dma const d{false, false, {descriptor(0, dm(0, 0, 0), hbm(0), {{1 << 20, 0, 256}}, 128)}};
  EXPECT_EQ(calibrated::partial_writes(rngd, d), (calibrated::PartialWrites{1 << 20, 1 << 15, 0, 0}));
}

/// Loads of whole units: so many by each engine of cluster 0, and of cluster 1.
Dma loads_of(std::int64_t first, std::int64_t second) {
  Dma d;
  for (std::int32_t e = 0; e < 8; ++e) {
    std::int64_t const units = e < 4 ? first : second;
    std::vector<program::DmaLoop> both_dmns = {{units / 2, 512, 256}, {2, 256, dmn_stride}};
    if (units > 0)
      d.descriptors.push_back(descriptor(e, hbm(e << 24), dm(e / 4, 64 * (e % 4), 0),
                                         units % 2 == 0 ? both_dmns : std::vector<program::DmaLoop>{{units, 256, 256}}, 256));
  }
  return d;
}

/// Cycles that both clusters move data for, and cluster 1 alone.
struct Ends {
  std::int64_t first, second;
};
Ends ends_of(const Dma& d) {
  std::int64_t const first = seen(d) - chip_.dma_startup_several.value;
  return {first, first + calibrated::dma_lag(rngd, d, Figures::Seen).value};
}

TEST(Calibrated, cluster_1_lags) {
  Ends const even = ends_of(loads_of(8000, 8000)), more_first = ends_of(loads_of(9000, 7000)), more_second = ends_of(loads_of(7000, 9000));
  EXPECT_EQ(even.first, 8000 * chip_.run_hundredths / 100) << "cluster 0 goes first";
  EXPECT_GT(even.second, even.first) << "cluster 1 gets the rest";
  EXPECT_LT(more_first.second, even.second) << "less is left for it";
  EXPECT_GT(more_second.second, even.second);
  Ends const one = ends_of(loads_of(8000, 1));
  EXPECT_NEAR(static_cast<double>(one.first), static_cast<double>(chip_.half_engines_percent) / 100 * static_cast<double>(even.first), 10)
      << "nearly as quick as alone";
  EXPECT_EQ(one.second, one.first);
  EXPECT_EQ(planned(loads_of(9000, 7000)), planned(loads_of(7000, 9000))) << "plans know of no lag";
  EXPECT_EQ(CalibratedDuration(rngd, Figures::Planned).lag(command_of(loads_of(8000, 8000))), Cycles{0});
}

TEST(Calibrated, a_dmn_takes_half_of_what_its_engine_moves) {
  auto const loads = [](std::int32_t engines, std::int64_t dmns, std::int64_t packets) {
    Dma d;
    for (std::int32_t e = 0; e < engines; ++e)
      d.descriptors.push_back(
          descriptor(e, hbm(e << 24), dm(e / 4, 64 * (e % 4), 0), {{packets / dmns, 256 * dmns, 512}, {dmns, 256, dmn_stride}}, 256));
    return d;
  };
  std::int64_t const start = chip_.dma_startup_several.value;
  Dma const one = loads(8, 1, 8000), both = loads(8, 2, 8000), half = loads(4, 2, 16000);
  EXPECT_EQ(seen(both) - start, 8000 * chip_.run_hundredths / 100);
  EXPECT_NEAR(static_cast<double>(seen(one) - start), 1.84 * static_cast<double>(seen(both) - start), 4);
  EXPECT_NEAR(static_cast<double>(seen(one)), static_cast<double>(seen(half)), 4) << "half of the DMNs, whichever they are";
  EXPECT_EQ(calibrated::dma_lag(rngd, one, Figures::Seen), Cycles{0}) << "HBM has enough for both clusters";
  EXPECT_EQ(planned(one), planned(both)) << "plans do not say";
  program::Cost const cost = calibrated::dma_cost(rngd, one, Figures::Seen);
  EXPECT_NEAR(static_cast<double>(stall_of(cost, Stall::Dmn)), static_cast<double>(cost.streaming.value), 4);
  EXPECT_EQ(stall_of(calibrated::dma_cost(rngd, both, Figures::Seen), Stall::Dmn), 0);
}

TEST(Calibrated, of_both_clusters_the_first_end_frees_the_queue) {
  Dma const d = loads_of(8000, 8000);
  std::int64_t const lag = calibrated::dma_lag(rngd, d, Figures::Seen).value, around = (chip_.prologue + chip_.synchronisation).value;
  auto const total = [](const program::Program& p) { return scheduled(p, CalibratedDuration(rngd)).makespan.value; };
  EXPECT_EQ(total(program_of({command_of(d)})), around + seen(d) + lag) << "the clusters meet in the end";
  EXPECT_EQ(total(program_of({command_of(d), command_of(d)})), around + 2 * (seen(d) + lag)) << "cluster 1 lags more and more";
  Dma const first = loads_of(4000, 0);
  EXPECT_EQ(total(program_of({command_of(d), command_of(first)})), around + seen(d) + std::max(seen(first), lag))
      << "cluster 0 goes on while cluster 1 still loads";
}

TEST(Calibrated, what_reads_HBM_waits_for_both_clusters) {
  Dma const d = loads_of(8000, 8000);
  Cycles const lag = calibrated::dma_lag(rngd, d, Figures::Seen);
  program::Command loads = command_of(d), stores = command_of(store(256, 256)), reads = command_of(load(256, 256));
  auto& parts = std::get<Dma>(stores.what).descriptors;
  parts.push_back(parts[0]);
  parts[1].engine = 4;
  parts[1].read.cluster = 1;
  loads.writes = {bytes(Memory::Dm, 0, 64)};
  stores.reads = {bytes(Memory::Dm, 0, 64)};
  stores.writes = {bytes(Memory::Hbm, 0, 64)};
  auto const lagging = [&](Memory of) {
    reads.reads = {bytes(of, 0, 64)};
    program::Schedule const s = scheduled(program_of({loads, stores, reads, command_of(copy_pass(1 << 20))}), CalibratedDuration(rngd));
    EXPECT_EQ(start(s, 1), end(s, 0)) << "each cluster stores what it has";
    for (const program::StallCycles& stall : s.commands[2].cost.stalls)
      if (stall.cause == Stall::Lag) return stall.cycles;
    return Cycles{0};
  };
  EXPECT_EQ(lagging(Memory::Hbm), lag);
  EXPECT_EQ(lagging(Memory::Spm), Cycles{0}) << "what was never written";
}

TEST(Calibrated, engines_that_write_one_unit) {
  Dma d;
  for (std::int32_t e = 0; e < 2; ++e) d.descriptors.push_back(descriptor(e, dm(0, 64 * e, 0), hbm(128 * e), {{32, slice_stride, 4}}, 4));
  EXPECT_EQ(calibrated::partial_writes(rngd, d).contested, 64 * 64) << "each waits for those before it";
  Dma twice = d;
  for (program::DmaDescriptor each : d.descriptors) {
    each.write.address += 512;
    twice.descriptors.push_back(each);
  }
  EXPECT_EQ(calibrated::partial_writes(rngd, twice).contested, 2 * 64 * 64) << "units one after the other";
  for (std::size_t i = 2; i < 4; ++i) twice.descriptors[i].engine += 4;
  EXPECT_EQ(calibrated::partial_writes(rngd, twice).contested, 64 * 64) << "clusters at the same time";
  d.descriptors[1].write.address = 256;
  EXPECT_EQ(calibrated::partial_writes(rngd, d).contested, 0);
}

TEST(Calibrated, the_order_has_a_bound) {
  CalibratedDuration const model(rngd, Figures::Planned);
  program::Schedule const one = scheduled(program_of({command_of(copy_pass(100))}), model);
  EXPECT_EQ(one.bounds.order, one.makespan) << "there is no other order";
  std::vector<program::Command> const many(70, command_of(copy_pass(100)));
  program::Schedule const all = scheduled(program_of(many), model);
  EXPECT_EQ(all.bounds.order, all.makespan - model.prologue()) << "more than are searched: what the queue needs";
}

TEST(Calibrated, a_program_has_a_beginning_and_an_end) {
  CalibratedDuration const model(rngd, Figures::Planned);
  program::Schedule const one = scheduled(program_of({command_of(copy_pass(100))}), model);
  EXPECT_EQ(one.makespan, Cycles{1003 + 263 + 100 + 600});
  program::Schedule const two = scheduled(program_of({command_of(copy_pass(100)), command_of(copy_pass(100))}), model);
  EXPECT_EQ(end(two, 0), 1003 + 363);
  EXPECT_EQ(end(two, 1), 1003 + 363 + 363 + 600);
  EXPECT_EQ(scheduled(program_of({}), model).makespan, Cycles{0});
}

/// A pass that sends through a custom switch of eight slices.
program::Exec custom(std::int64_t first_slice) {
  program::Exec e = copy_pass(64);
  e.switching.emplace();
  e.switching->topology = program::Topology::CustomBroadcast;
  e.switching->ring_size = 8;
  e.switching->time_out = 64;
  e.switching->snoop.resize(256);
  for (std::int64_t s = 0; s < 8; ++s) e.switching->snoop[static_cast<std::size_t>(s)].insert(first_slice);
  return e;
}
TEST(Calibrated, tables_are_written_before_the_pass) {
  CalibratedDuration const model(rngd, Figures::Planned);
  auto const command = [](std::int64_t slice) {
    program::Command c = command_of(custom(slice));
    c.resources = bit(Resource::Main) | bit(Resource::Sub) | bit(Resource::TensorDma);
    return c;
  };
  std::int64_t const pass = 8 * 64 + 263;
  program::Schedule const same = scheduled(program_of({lasting(0, main_context), command(0), command(0), lasting(0, main_context)}), model);
  EXPECT_EQ(end(same, 1) - start(same, 1), pass) << "written during the prologue";
  EXPECT_EQ(end(same, 2) - start(same, 2), pass + plan.synchronisation.value) << "the table is there";
  EXPECT_EQ(same.commands[1].resources, program::Resources{bit(Resource::Main)}) << "sub and DMA are free for others";
  program::Schedule const other =
      scheduled(program_of({lasting(0, main_context), command(0), command(1), lasting(0, main_context)}), model);
  EXPECT_EQ(end(other, 2) - end(other, 1), pass + plan.switch_table.value + plan.synchronisation.value)
      << "the first one is needed until then";
}

TEST(Calibrated, a_lookup_table_stays_until_another_one_is_needed) {
  CalibratedDuration const model(rngd, Figures::Planned);
  auto const takes = [&](std::int32_t second) {
    program::Exec first = copy_pass(1000), then = first;
    first.fetch.table = 0;
    then.fetch.table = second;
    program::Program p = program_of({lasting(0, main_context), command_of(first), command_of(then)});
    for (std::uint32_t bits : {1u, 1u, 3u}) p.tables.push_back({ScalarType::i8, ScalarType::i8, {bits, 2}});
    return scheduled(p, model).makespan;
  };
  EXPECT_EQ(takes(1), takes(0)) << "the same numbers";
  EXPECT_EQ(takes(2), takes(0) + plan.lookup_table_dma + plan.lookup_table_sub);
}

TEST(Calibrated, who_comes_first_waits_for_the_table) {
  CalibratedDuration const model(rngd, Figures::Planned);
  program::Command quick = command_of(load(256, 256)), slow = command_of(load_by_all(4096, 4096));
  quick.writes = {bytes(Memory::Dm, 0, 64)};
  slow.writes = {bytes(Memory::Dm, 64, 128)};
  program::Command after_slow = command_of(custom(0)), after_quick = after_slow;
  after_slow.reads = slow.writes;
  after_quick.reads = quick.writes;
  program::Schedule const s = scheduled(program_of({quick, slow, after_slow, after_quick}), model);
  EXPECT_EQ(end(s, 3), end(s, 0) + plan.switch_table.value + 8 * 64 + 263) << "whichever pass the program has first";
  EXPECT_LT(end(s, 3), end(s, 2));
}

TEST(Calibrated, ready_commands_do_not_wait_for_their_turn) {
  // A long load for the second pass; a short one for the first, which the program has later.
  program::Command slow = command_of(load_by_all(4096, 4096)), quick = command_of(load(256, 256));
  slow.writes = {bytes(Memory::Dm, 0, 64)};
  quick.writes = {bytes(Memory::Dm, 64, 128)};
  program::Command after_slow = command_of(copy_pass(10)), after_quick = command_of(copy_pass(5000));
  after_slow.reads = {bytes(Memory::Dm, 0, 64)};
  after_quick.reads = {bytes(Memory::Dm, 64, 128)};
  program::Program const p = program_of({quick, slow, after_slow, after_quick});
  program::Schedule const s = scheduled(p, CalibratedDuration(rngd, Figures::Planned));
  EXPECT_LT(start(s, 3), start(s, 2));
  EXPECT_GT(start(scheduled(p, BookDuration(rngd)), 3), start(scheduled(p, BookDuration(rngd)), 2)) << "the book keeps the order";
}

TEST(Calibrated, parts_of_one_tensor_wait_for_each_other) {
  auto const program = [](bool together) {
    program::Command first = command_of(load(4096, 4096)), second = command_of(load(4096, 4096)), pass = command_of(copy_pass(10));
    first.writes = {bytes(Memory::Dm, 0, 64)};
    second.writes = {bytes(Memory::Dm, 64, 128)};
    pass.reads = {bytes(Memory::Dm, 0, 64)};
    for (auto* ranges : {&first.writes, &second.writes, &pass.reads})
      if (together) (*ranges)[0].buffer_end = 128;
    return program_of({first, second, pass});
  };
  CalibratedDuration const model(rngd, Figures::Planned);
  EXPECT_EQ(start(scheduled(program(false), model), 2), end(scheduled(program(false), model), 0));
  EXPECT_EQ(start(scheduled(program(true), model), 2), end(scheduled(program(true), model), 1));
}

TEST(Calibrated, loops_that_are_kept_take_time_to_enter) {
  auto const total = [](const program::Program& p, Figures f) { return scheduled(p, CalibratedDuration(rngd, f)).makespan.value; };
  program::Program p =
      program_of({command_of(copy_pass(10)), command_of(load(256, 256)), command_of(copy_pass(10)), command_of(copy_pass(10))});
  p.barriers = {1, 3};
  std::int64_t const barriers = total(p, Figures::Seen), plans = total(p, Figures::Planned);
  p.loops = {1};
  EXPECT_EQ(total(p, Figures::Seen), barriers + chip_.loop_entry.value) << "both that are held wait for the same entry";
  EXPECT_EQ(total(p, Figures::Planned), plans);
  p.loops = {0, 1, 1};
  EXPECT_EQ(total(p, Figures::Seen), barriers + 3 * chip_.loop_entry.value) << "one before the first command, two in one place";
  program::Schedule const s = scheduled(p, CalibratedDuration(rngd));
  EXPECT_EQ(s.bounds.order, s.makespan) << "no order does without";
  EXPECT_EQ(s.commands[1].cost.of_program.value, 2 * chip_.loop_entry.value) << "not of the command";
}

TEST(Calibrated, a_store_behind_the_pass_that_made_its_source) {
  program::Command make = command_of(copy_pass(100)), use = command_of(copy_pass(100));
  auto& exec = std::get<program::Exec>(use.what);
  exec.sub = true;
  exec.sink = program::VrfStore{0, 32};
  use.resources = bit(Resource::Sub);
  make.writes = {bytes(Memory::Dm, 0, 64)};
  use.reads = {bytes(Memory::Dm, 64, 128)};
  auto const behind = [&](std::int64_t from) {
    use.reads = {bytes(Memory::Dm, from, from + 64)};
    program::Schedule const s = scheduled(program_of({make, lasting(0, main_context), use}), CalibratedDuration(rngd));
    return end(s, 2) - end(s, 0);
  };
  EXPECT_EQ(behind(0), chip_.behind_pass.value + 168 + 100);
  EXPECT_LT(behind(64), 168 + 100) << "it waits for nothing";
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
