// The scheduler on small programs: what waits for what, what the reports rest on, and how long large programs take.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>

#include "tcp/device/fields.hpp"
#include "tcp/sched/calibrated.hpp"
#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::EdgeKind;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool instrumented = true;
#elif defined(__has_feature)
constexpr bool instrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool instrumented = false;
#endif

program::Range dm_bytes(std::int64_t begin, std::int64_t end) { return bytes(Memory::Dm, begin, end); }

TEST(Schedule, of_nothing) {
  program::Schedule const s = scheduled(program_of({}));
  EXPECT_EQ(s.makespan, Cycles{0});
  EXPECT_TRUE(s.critical_path.empty());
}

TEST(Schedule, says_what_it_rests_on) {
  program::Schedule const s = scheduled(program_of({command_of(copy_pass(4))}), BookDuration(rngd));
  EXPECT_EQ(s.model, "book");
  EXPECT_EQ(s.chip, "rngd");
  EXPECT_EQ(s.assumptions, assumption_count(rngd, "book"));
}

TEST(Schedule, overlap_and_the_same_with_a_hazard) {
  auto const pair = [](std::int64_t at) {
    return scheduled(program_of({lasting(100, main_context, {dm_bytes(0, 64)}), lasting(80, tensor_dma, {}, {dm_bytes(at, at + 64)})}));
  };
  EXPECT_EQ(pair(64).makespan, Cycles{100});
  EXPECT_EQ(pair(64).commands[1].binding.kind, EdgeKind::None);
  EXPECT_EQ(pair(32).makespan, Cycles{180});
  EXPECT_EQ(pair(32).commands[1].binding, (program::Edge{EdgeKind::War, 0, 1, {}, Memory::Dm, 32, 64}));
}

TEST(Schedule, nothing_moves_past_a_loop_that_is_kept) {
  // Loads and passes that have nothing to do with each other, and a barrier in the middle.
  program::Program p = program_of({command_of(copy_pass(1000)), command_of(copy_pass(10)), command_of(copy_pass(10))});
  for (std::size_t c : {1u, 2u}) p.commands[c].resources = c == 1 ? tensor_dma : sub_context;
  CalibratedDuration const planned(rngd, Figures::Planned), calibrated(rngd);
  program::Schedule const free = scheduled(p, planned);
  EXPECT_LT(start(free, 1), free.commands[0].end.value);
  p.barriers = {1};
  program::Schedule const kept = scheduled(p, planned);
  EXPECT_EQ(kept.commands[1].start, kept.commands[0].end);
  EXPECT_EQ(kept.commands[2].start, kept.commands[0].end);
  EXPECT_EQ(kept.commands[1].binding.kind, EdgeKind::Barrier);
  EXPECT_EQ(kept.commands[1].binding.from, 0);
  EXPECT_EQ(start(scheduled(p, calibrated), 1), scheduled(p, calibrated).commands[0].end.value) << "on chips too";
  EXPECT_LT(start(scheduled(p, BookDuration(rngd)), 1), scheduled(p, BookDuration(rngd)).commands[0].end.value)
      << "the book knows of no loops";
  // Before the barrier and behind it, what is ready still goes first.
  p.barriers = {2};
  program::Schedule const late = scheduled(p, planned);
  EXPECT_LT(start(late, 1), late.commands[0].end.value);
  EXPECT_GE(late.commands[2].start, late.commands[0].end);
  EXPECT_GE(late.commands[2].start, late.commands[1].end);
}

TEST(Schedule, pcie_dma_beside_tensor_dma) {
  EXPECT_EQ(scheduled(program_of({lasting(10, tensor_dma), lasting(10, pcie_dma)})).makespan, Cycles{10});
}

TEST(Schedule, several_resources_are_taken_together) {
  program::Schedule const s =
      scheduled(program_of({lasting(30, sub_context), lasting(10, main_context | sub_context | tensor_dma), lasting(5, tensor_dma)}));
  EXPECT_EQ(start(s, 1), 30);
  EXPECT_EQ(start(s, 2), 40);
}

TEST(Schedule, data_are_the_reason_where_the_resource_is_free_at_the_same_time) {
  program::Schedule const s =
      scheduled(program_of({lasting(10, main_context, {}, {dm_bytes(0, 8)}), lasting(10, main_context, {dm_bytes(0, 8)})}));
  EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::Raw);
}

TEST(Schedule, a_write_that_waits_for_a_read_is_no_link_in_a_chain_of_results) {
  program::Program const p = program_of({lasting(100, main_context, {dm_bytes(0, 64)}), lasting(80, tensor_dma, {}, {dm_bytes(0, 64)}),
                                         lasting(30, sub_context, {dm_bytes(0, 64)})});
  for (Order order : {Order::program, Order::ready}) {
    program::Schedule const s = scheduled(p, GivenDuration(), {.order = order});
    EXPECT_EQ(s.makespan, Cycles{210});
    EXPECT_EQ(s.bounds.chain, Cycles{110}) << "the last one reads what the second writes";
    EXPECT_EQ(s.order_by, order == Order::ready ? program::OrderKind::Ready : program::OrderKind::Program);
  }
}

TEST(Schedule, what_is_ready_first_goes_first) {
  // The load ends in cycle 15 and the second pass in cycle 20, though it is the shorter one.
  program::Schedule const s =
      scheduled(program_of({lasting(10, main_context), lasting(15, tensor_dma, {}, {dm_bytes(64, 128)}),
                            lasting(10, main_context, {}, {dm_bytes(128, 192)}), lasting(50, sub_context, {dm_bytes(128, 192)}),
                            lasting(50, sub_context, {dm_bytes(64, 128)})}),
                GivenDuration(), {.order = Order::ready});
  EXPECT_EQ(start(s, 4), 15);
  EXPECT_EQ(start(s, 3), 65);
}

TEST(Schedule, the_bound_of_the_order_has_all_of_one_queue_behind_what_it_waits_for) {
  std::vector<program::Command> all{lasting(100, main_context, {}, {dm_bytes(0, 64)})};
  for (std::int64_t i = 0; i < 3; ++i) all.push_back(lasting(50, tensor_dma, {dm_bytes(0, 64)}, {bytes(Memory::Hbm, 64 * i, 64 * i + 64)}));
  program::Schedule const s = scheduled(program_of(all), GivenDuration(), {.order = Order::ready});
  EXPECT_EQ(s.makespan, Cycles{250});
  EXPECT_EQ(s.bounds.order, Cycles{250});
  EXPECT_EQ(s.bounds.chain, Cycles{150});
}

TEST(Schedule, rows_of_a_channel_count_if_more_than_half_of_its_requests_change_them) {
  auto const rows = [](std::int64_t requests, std::int64_t switches) {
    book::ChannelLoad load;
    load.requests = requests;
    load.row_switches = switches;
    return book::channel_time(rngd, load).rows;
  };
  EXPECT_EQ(rows(4, 2), 0);
  EXPECT_EQ(rows(3, 2), 3 * 40 - 16) << "5 1/3 cycles for each request";
  EXPECT_EQ(rows(5, 3), 5 * 40 - 27);
}

TEST(Schedule, halves_of_the_register_file_are_apart) {
  // Eight Rows have 4,096 bytes a half each; one Row alone has 32,768.
  auto const store = [](std::int32_t rows, std::int64_t base) {
    program::Exec e = copy_pass(16, 8);
    e.sub = true;
    e.sink = program::TrfStore{rows, base, 64, true};
    program::Command c = command_of(e);
    c.writes = {bytes(Memory::Trf, base * rows, (base + 64) * rows)};
    return c;
  };
  auto const contract = [](std::int32_t rows, std::int64_t base) {
    program::Exec e = copy_pass(100);
    e.contraction.emplace();
    e.contraction->rows = rows;
    program::Command c = command_of(e);
    c.reads = {bytes(Memory::Trf, base * rows, (base + 64) * rows)};
    return c;
  };
  auto const second_start = [&](program::Command first, program::Command second) {
    return start(scheduled(program_of({std::move(first), std::move(second)}), BookDuration(rngd)), 1);
  };
  EXPECT_EQ(second_start(contract(8, 0), store(8, 4096)), 0) << "the other half";
  EXPECT_GT(second_start(contract(8, 0), store(8, 32)), 0);
  EXPECT_GT(second_start(contract(8, 4096), store(1, 32768)), 0) << "the second half, however many Rows it is divided into";
}

TEST(Schedule, critical_path_and_its_totals) {
  program::Command load = command_of(program::Dma{false, false, {descriptor(0, hbm(0), dm(0, 0, 0), {{64, 256, 256}}, 256)}});
  load.writes = {dm_bytes(0, 64 * 256)};
  program::Command pass = command_of(copy_pass(100));
  pass.reads = load.writes;
  program::Schedule const s = scheduled(program_of({load, command_of(copy_pass(7)), pass}), BookDuration(rngd));
  EXPECT_EQ(s.critical_path, (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(s.path.startup, Cycles{500});
  EXPECT_EQ(s.path.streaming, Cycles{64 + 100});
  EXPECT_EQ(s.path.stalls, (std::vector<program::StallCycles>{{program::Stall::Dmn, Cycles{64}}}));
  EXPECT_EQ(s.makespan, Cycles{500 + 128 + 100});
  EXPECT_EQ(s.bounds.chain, s.makespan);
  EXPECT_EQ(s.commands[1].slack, Cycles{500 + 128 - 7});
}

TEST(Schedule, bounds_of_a_load) {
  program::Dma d;
  for (std::int32_t e = 0; e < 8; ++e)
    d.descriptors.push_back(descriptor(e, hbm(e << 20), dm(e / 4, e % 4 * 64, 0), {{4096, 256, 256}}, 256));
  program::Bounds const b = rate_bounds(program_of({command_of(d)}), rngd);
  EXPECT_EQ(b.hbm, Cycles{8 * 4096 * 256 / 1536 + 1}) << "1,536 bytes a cycle";
  EXPECT_EQ(b.dm, Cycles{8 * 4096 * 256 / (16 * 128)}) << "16 DMNs of 128";
  EXPECT_EQ(b.multiplies, Cycles{0});
}

TEST(Schedule, bounds_never_exceed_a_lone_command) {
  for (std::int64_t packets : {1, 100, 5000}) {
    program::Exec e = copy_pass(packets, 32, 2, ScalarType::bf16);
    e.contraction.emplace();
    e.contraction->steps = packets;
    e.contraction->rows = 8;
    program::Schedule const s = scheduled(program_of({command_of(e)}), BookDuration(rngd));
    for (Cycles bound : {s.bounds.hbm, s.bounds.dm, s.bounds.multiplies, s.bounds.chain}) EXPECT_LE(bound, s.makespan);
    EXPECT_EQ(s.bounds.chain, s.makespan);
    EXPECT_EQ(s.bounds.multiplies.value, (packets + 1) / 2) << "half of the chip works";
  }
}

TEST(Schedule, reordering_is_asked_for_and_gains) {
  // Two loads, each with a pass; written so that the second load waits behind a buffer that is free late.
  program::Program const p = program_of({lasting(10, tensor_dma, {}, {dm_bytes(0, 64)}), lasting(50, main_context, {dm_bytes(0, 64)}),
                                         lasting(10, tensor_dma, {}, {dm_bytes(0, 64)}), lasting(10, tensor_dma, {}, {dm_bytes(64, 128)}),
                                         lasting(50, sub_context, {dm_bytes(64, 128)})});
  program::Schedule const written = scheduled(p), other = scheduled(p, GivenDuration(), {.reorder = true});
  EXPECT_EQ(written.makespan, Cycles{130});
  EXPECT_EQ(written.gained, Cycles{0});
  EXPECT_EQ(other.makespan, Cycles{70});
  EXPECT_EQ(other.gained, Cycles{60});
  EXPECT_NE(other.order, written.order);
}

TEST(Schedule, a_dma_between_passes_that_hold_a_bank_waits_for_room) {
  program::Exec e = copy_pass(63 * 40, 8);
  e.fetch.read.loops = {{40, 8}, {63, 128}};
  e.sink = program::VrfStore{0, 8};
  program::Command hold = command_of(e);
  hold.reads = {dm_bytes(0, 63 * 128)};
  program::Command load = command_of(program::Dma{false, false, {descriptor(0, hbm(0), dm(0, 0, 1 << 17), {}, 256)}});
  load.writes = {dm_bytes(1 << 17, (1 << 17) + 256)};
  program::Schedule const s = scheduled(program_of({hold, load}), BookDuration(rngd));
  EXPECT_EQ(start(s, 1), end(s, 0));
  EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::Starvation);
  EXPECT_EQ(s.commands[1].binding.end, 64);
  // In other slices it may run.
  program::Units other = all_slices(0);
  other.slices.insert(255);
  program::Command elsewhere = load;
  elsewhere.writes[0].units = other;
  hold.reads[0].units = all_slices(64);
  EXPECT_EQ(start(scheduled(program_of({hold, elsewhere}), BookDuration(rngd)), 1), 0);
}

/// A pass that reads each bank 63 times before it goes on to the next one, and nothing leaves the Tensor Unit.
program::Command holding_banks(std::int64_t banks, bool sub, const program::Units& units = all_slices()) {
  program::Exec e = copy_pass(63 * banks, 8);
  e.sub = sub;
  e.units = units;
  e.fetch.read.loops = {{banks, 8}, {63, 128}};
  e.sink = program::VrfStore{0, 8};
  program::Command c = command_of(e);
  c.reads = {bytes(Memory::Dm, 0, 63 * 128, units)};
  return c;
}

TEST(Schedule, a_dma_waits_for_who_holds_its_bank_first) {
  // Main holds banks from later on than sub, and both end together; a pass in other slices comes before each.
  program::Units beside = all_slices(0);
  beside.slices.insert(255);
  program::Command load = command_of(program::Dma{false, false, {descriptor(0, hbm(0), dm(0, 0, 1 << 17), {}, 4096)}});
  load.writes = {bytes(Memory::Dm, 1 << 17, (1 << 17) + 4096, all_slices(64))};
  program::Schedule const s = scheduled(
      program_of({holding_banks(4, false, beside), holding_banks(2, true, beside), holding_banks(4, false), holding_banks(6, true), load}),
      BookDuration(rngd));
  ASSERT_LT(start(s, 3), start(s, 2));
  ASSERT_EQ(end(s, 2), end(s, 3));
  EXPECT_EQ(start(s, 4), end(s, 3));
  EXPECT_EQ(s.commands[4].binding, (program::Edge{EdgeKind::Starvation, 3, 4, {}, Memory::Dm, 0, 64}));
}

TEST(Schedule, of_a_parallel_copy_the_loops_within_a_slice_hold_banks) {
  program::Command load = command_of(program::Dma{false, false, {descriptor(0, hbm(0), dm(0, 0, 1 << 17), {}, 4096)}});
  load.writes = {dm_bytes(1 << 17, (1 << 17) + 4096)};
  auto const beside = [&](std::int64_t stride) {
    program::Dma d;
    d.parallel_copy = true;
    d.descriptors = {descriptor(0, dm(0, 0, 0), dm(0, 0, 1 << 16), {{256, 4 << 20, 4 << 20}, {63, stride, stride}}, 8)};
    program::Command copy = command_of(d);
    copy.resources = sub_context;
    copy.reads = {dm_bytes(0, 63 * stride)};
    copy.writes = {dm_bytes(1 << 16, (1 << 16) + 63 * stride)};
    return scheduled(program_of({load, copy}), BookDuration(rngd));
  };
  EXPECT_EQ(start(beside(8), 1), 0) << "each bank is left after one access";
  program::Schedule const one_bank = beside(128);
  EXPECT_EQ(start(one_bank, 1), end(one_bank, 0));
  EXPECT_EQ(one_bank.commands[1].binding.kind, EdgeKind::Starvation);
}

TEST(Schedule, a_parallel_copy_is_the_sub_contexts) {
  program::Dma d;
  d.parallel_copy = true;
  d.descriptors = {descriptor(0, dm(0, 0, 0), dm(0, 0, 4096), {{256, 4 << 20, 4 << 20}, {4, 64, 128}}, 64)};
  EXPECT_EQ(book::dma_cost(rngd, d).total(), Cycles{4 * 64 / 8}) << "8 bytes a cycle, all slices at the same time";
}

TEST(Schedule, endless_records_are_refused_not_counted) {
  program::Exec e = copy_pass(1);
  e.fetch.read.packets = std::int64_t{1} << 62;
  e.fetch.read.accesses_per_packet = std::int64_t{1} << 62;
  auto const s = schedule(program_of({command_of(e)}), rngd, BookDuration(rngd));
  ASSERT_FALSE(s);
  EXPECT_STREQ(s.refusal().code, "sched-command-too-long");
}

TEST(Schedule, long_dmas_are_scaled) {
  auto const copy = [](std::int64_t rounds) {
    return book::dma_cost(rngd, {false, false, {descriptor(0, hbm(0), dm(0, 0, 0), {{rounds, 8192, 0}, {32, 256, 4 << 20}}, 256)}})
               .total()
               .value -
           500;
  };
  EXPECT_EQ(copy(1 << 21), (1 << 5) * copy(1 << 16));
}

/// `n` rounds of a tiled kernel: two loads, a pass that reads them, a store.
program::Program tiled(std::int64_t n) {
  std::vector<program::Command> commands;
  for (std::int64_t i = 0; i < n / 4; ++i) {
    std::int64_t const half = i % 2 * 65536, tile = i * 512 % (1 << 30);
    commands.push_back(lasting(20, tensor_dma, {bytes(Memory::Hbm, tile, tile + 512)}, {dm_bytes(half, half + 512)}));
    commands.push_back(lasting(9, sub_context, {dm_bytes(half, half + 256)}, {bytes(Memory::Trf, half / 16, half / 16 + 256)}));
    commands.push_back(lasting(30, main_context, {dm_bytes(half, half + 512), bytes(Memory::Trf, half / 16, half / 16 + 256)},
                               {dm_bytes(half + 1024, half + 1536)}));
    commands.push_back(
        lasting(20, tensor_dma, {dm_bytes(half + 1024, half + 1536)}, {bytes(Memory::Hbm, (1 << 30) + tile, (1 << 30) + tile + 512)}));
  }
  return program_of(std::move(commands));
}

TEST(Schedule, a_hundred_thousand_commands) {
  for (bool reorder : {false, true}) {
    program::Program const p = tiled(100'000);
    std::clock_t const begin = std::clock();
    program::Schedule const s = scheduled(p, GivenDuration(), {.reorder = reorder});
    double const took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of this thread: others may be busy, too
    EXPECT_LT(took, 10) << "about a second where nothing else runs";
    EXPECT_GE(s.makespan.value, 25'000 * 40);
    RecordProperty(reorder ? "reordered" : "in_order", std::to_string(took));
  }
}

/// 4096 x 4096 x 4096 in bf16, in tiles of 512 x 512 x 64 as the GEMM lesson has them, two buffers each: 64 x 64 rounds of two loads, a store into the TRF and a
/// pass, and after every 64 of them a store of the result.
program::Program large_gemm(std::int64_t tiles) {
  std::vector<program::Command> commands;
  auto const tile_load = [](std::int64_t from, std::int64_t to, std::int64_t high, std::int64_t low) {
    program::Dma d;
    for (std::int32_t pe = 0; pe < 4; ++pe)
      d.descriptors.push_back(descriptor(pe, hbm(from + pe * 4 * high), dm(0, 64 * pe, to),
                                         {{32, 8192, 128}, {2, 2 * high, 32 * (4 << 20)}, {2, high, 16 * (4 << 20)}, {16, low, 4 << 20}},
                                         128));
    program::Command c = command_of(d);
    c.reads = {bytes(Memory::Hbm, from, from + 512 * 8192)};
    c.writes = {bytes(Memory::Dm, to, to + 4096)};
    return c;
  };
  std::int64_t round = 0;
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    for (std::int64_t k = 0; k < 64; ++k, ++round) {
      std::int64_t const half = round % 2;
      commands.push_back(tile_load(tile / 8 * 512 * 8192 + k * 128, half * 4096, 32 * 8192, 0));
      commands.push_back(tile_load((1 << 28) + tile % 8 * 512 * 8192 + k * 128, 8192 + half * 4096, 0, 32 * 8192));
      program::Exec weights = copy_pass(32, 8, 16, ScalarType::bf16);
      weights.sub = true;
      weights.sink = program::TrfStore{8, half * 4096, 512, true};
      program::Command store = command_of(weights);
      store.reads = {dm_bytes(8192 + half * 4096, 12288 + half * 4096)};
      store.writes = {bytes(Memory::Trf, half * 4096, half * 4096 + 512)};
      commands.push_back(store);
      program::Exec product = copy_pass(128, 32, 4, ScalarType::bf16);
      product.contraction.emplace();
      product.contraction->rows = 8;
      product.contraction->steps = 256;
      product.contraction->loops = {{128, false}, {2, true}};
      program::Command pass = command_of(product);
      pass.reads = {dm_bytes(half * 4096, half * 4096 + 4096), bytes(Memory::Trf, half * 4096, half * 4096 + 512)};
      pass.writes = {dm_bytes(16384, 16384 + 2048)};
      commands.push_back(pass);
    }
    program::Command out = command_of(
        program::Dma{false, false, {descriptor(0, dm(0, 0, 16384), hbm(std::int64_t{1} << 29), {{256, 4 << 20, 64}, {32, 64, 8192}}, 64)}});
    out.reads = {dm_bytes(16384, 16384 + 2048)};
    out.writes = {bytes(Memory::Hbm, (std::int64_t{1} << 29) + tile * 524288, (std::int64_t{1} << 29) + (tile + 1) * 524288)};
    commands.push_back(out);
  }
  return program_of(std::move(commands));
}

TEST(Schedule, of_a_large_matrix_product) {
  std::int64_t const tiles = instrumented ? 4 : 64;  // all of them, unless a sanitizer looks at every request
  program::Program const p = large_gemm(tiles);
  std::clock_t const begin = std::clock();
  program::Schedule const s = scheduled(p, BookDuration(rngd));
  double const took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;  // of this thread: others may be busy, too
  EXPECT_LT(took, 10);
  RecordProperty("seconds", std::to_string(took));
  EXPECT_EQ(static_cast<std::int64_t>(p.commands.size()), tiles * (64 * 4 + 1));
  // 2^36 products in 64 tiles; a chip has 2 x 256 slices of 8 rows of 32 lanes.
  EXPECT_EQ(s.bounds.multiplies.value, tiles * 512 * 512 * 4096 / (2 * 256 * 8 * 32));
  EXPECT_GE(s.makespan, s.bounds.multiplies);
  EXPECT_GE(s.makespan, s.bounds.hbm);
  EXPECT_GE(s.makespan, s.bounds.chain);
}

}  // namespace
}  // namespace tcp::sched
