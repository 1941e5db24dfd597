// The rows of the ledger on scheduling: order, resources, hazards, and the rule about banks.
#include <gtest/gtest.h>

#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

using program::EdgeKind;

TEST(Book, SCH_01_order_and_addresses_alone) {
  program::Program p = program_of({lasting(10, tensor_dma, {bytes(Memory::Hbm, 0, 64)}, {bytes(Memory::Dm, 0, 64)}),
                                   lasting(20, main_context, {bytes(Memory::Dm, 0, 64)}, {bytes(Memory::Dm, 64, 128)})});
  program::Schedule const s = scheduled(p);
  p.name = "renamed";
  p.debug.lines = {{"file.cpp", "f", 1, 2}};
  p.debug.commands = {{"t", 0, {}, {}, {}, {}, {}}};
  for (program::Command& c : p.commands) c.debug = 0;
  EXPECT_EQ(scheduled(p), s);
}

TEST(Book, SCH_02_written_order) {
  // O0 and O1 load, O2 = t0.op, O3 = t1.op, O4 = t2.op, O5 = t4.op; t0 comes last, and yet O2 keeps its place before O3.
  auto const t = [](int n) { return bytes(Memory::Dm, n * 64, n * 64 + 64); };
  program::Program const p = program_of({lasting(100, tensor_dma, {}, {t(1)}), lasting(100, tensor_dma, {}, {t(0)}),
                                         lasting(10, main_context, {t(0)}, {t(2)}), lasting(10, main_context, {t(1)}, {t(3)}),
                                         lasting(10, main_context, {t(2)}, {t(4)}), lasting(10, main_context, {t(4)}, {t(5)})});
  program::Schedule const s = scheduled(p);
  EXPECT_EQ(s.order, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(start(s, 2), 200);
  EXPECT_EQ(start(s, 3), 210) << "its operand is there at 100, but it was written behind O2";
  EXPECT_EQ(s.makespan, Cycles{240});
}

TEST(Book, SCH_03_addresses_are_what_is_compared) {
  auto const pair = [](std::int64_t at) {
    return scheduled(
        program_of({lasting(10, tensor_dma, {}, {bytes(Memory::Dm, 0, 64)}), lasting(10, main_context, {bytes(Memory::Dm, at, at + 64)})}));
  };
  EXPECT_EQ(start(pair(63), 1), 10);
  EXPECT_EQ(start(pair(64), 1), 0);
}

TEST(Book, SCH_04_three_resources_run_side_by_side) {
  program::Schedule const s = scheduled(program_of({lasting(10, main_context), lasting(10, sub_context), lasting(10, tensor_dma)}));
  for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(start(s, c), 0);
  EXPECT_EQ(s.makespan, Cycles{10});
}

TEST(Book, SCH_05_main_one_at_a_time) {
  program::Schedule const s = scheduled(program_of({lasting(10, main_context), lasting(7, main_context)}));
  EXPECT_EQ(start(s, 1), 10);
  EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::Resource);
  EXPECT_EQ(s.commands[1].binding.resource, Resource::Main);
}

TEST(Book, SCH_06_sub_beside_main) {
  program::Exec load = copy_pass(64, 8);
  load.sub = true;
  load.sink = program::TrfStore{1, 0, 512, true};
  program::Program p = program_of({command_of(copy_pass(200)), command_of(load)});
  program::Schedule const s = scheduled(p, BookDuration(rngd));
  EXPECT_EQ(start(s, 1), 0);
  EXPECT_EQ(end(s, 1), 64);
  EXPECT_EQ(s.makespan, Cycles{200});
}

TEST(Book, SCH_07_dma_beside_both) {
  program::Program const p =
      program_of({lasting(10, main_context, {bytes(Memory::Dm, 0, 64)}), lasting(10, sub_context, {bytes(Memory::Dm, 64, 128)}),
                  lasting(25, tensor_dma, {bytes(Memory::Hbm, 0, 64)}, {bytes(Memory::Dm, 128, 192)})});
  EXPECT_EQ(scheduled(p).makespan, Cycles{25});
}

TEST(Book, SCH_08_same_resource_in_turn) {
  program::Schedule const two = scheduled(program_of({lasting(30, main_context), lasting(40, main_context), lasting(50, tensor_dma)}));
  EXPECT_EQ(start(two, 1), 30);
  EXPECT_EQ(start(two, 2), 0);
  EXPECT_EQ(two.makespan, Cycles{70});
}

program::Schedule hazard(std::vector<program::Range> reads0, std::vector<program::Range> writes0, std::vector<program::Range> reads1,
                         std::vector<program::Range> writes1) {
  return scheduled(program_of(
      {lasting(10, tensor_dma, std::move(reads0), std::move(writes0)), lasting(10, main_context, std::move(reads1), std::move(writes1))}));
}

TEST(Book, SCH_09_read_after_write) {
  program::Schedule const s = hazard({}, {bytes(Memory::Dm, 0, 64)}, {bytes(Memory::Dm, 32, 96)}, {});
  EXPECT_EQ(start(s, 1), 10);
  EXPECT_EQ(s.commands[1].binding, (program::Edge{EdgeKind::Raw, 0, 1, {}, Memory::Dm, 32, 64}));
}

TEST(Book, SCH_10_write_after_read) {
  program::Schedule const s = hazard({bytes(Memory::Dm, 0, 64)}, {}, {}, {bytes(Memory::Dm, 63, 65)});
  EXPECT_EQ(start(s, 1), 10);
  EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::War);
}

TEST(Book, SCH_11_write_after_write) {
  program::Schedule const s = hazard({}, {bytes(Memory::Dm, 0, 64)}, {}, {bytes(Memory::Dm, 0, 8)});
  EXPECT_EQ(start(s, 1), 10);
  EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::Waw);
}

TEST(Book, SCH_12_by_overlap_in_every_memory) {
  for (Memory m : {Memory::Hbm, Memory::Dm, Memory::Spm, Memory::Trf, Memory::Vrf}) {
    EXPECT_EQ(start(hazard({}, {bytes(m, 0, 64)}, {bytes(m, 0, 64)}, {}), 1), 10) << static_cast<int>(m);
    EXPECT_EQ(start(hazard({}, {bytes(m, 0, 64)}, {bytes(m, 64, 128)}, {}), 1), 0) << static_cast<int>(m);
  }
  EXPECT_EQ(start(hazard({}, {bytes(Memory::Dm, 0, 64)}, {bytes(Memory::Vrf, 0, 64)}, {}), 1), 0) << "other memories have other bytes";
  EXPECT_EQ(start(hazard({bytes(Memory::Dm, 0, 64)}, {}, {bytes(Memory::Dm, 0, 64)}, {}), 1), 0) << "two readers";
  program::Units const upper = [] {
    program::Units u{{true}, 1, {}};
    for (std::int64_t s = 128; s < 256; ++s) u.slices.insert(s);
    return u;
  }();
  EXPECT_EQ(start(hazard({}, {bytes(Memory::Dm, 0, 64, all_slices(128))}, {bytes(Memory::Dm, 0, 64, upper)}, {}), 1), 0) << "other slices";
}

TEST(Book, SCH_13_start_rule) {
  // 0 writes a, 1 writes b behind it, 2 reads both on main, 3 is on main behind 2.
  program::Program const p =
      program_of({lasting(10, tensor_dma, {}, {bytes(Memory::Dm, 0, 64)}), lasting(30, sub_context, {}, {bytes(Memory::Trf, 0, 64)}),
                  lasting(5, main_context, {bytes(Memory::Dm, 0, 64), bytes(Memory::Trf, 0, 64)}), lasting(5, main_context)});
  program::Schedule const s = scheduled(p);
  EXPECT_EQ(start(s, 2), 30) << "the latest of its predecessors";
  EXPECT_EQ(start(s, 3), 35);
  EXPECT_EQ(s.commands[2].binding.from, 1);
}

TEST(Book, HEL_09_main_waits_for_what_sub_loads) {
  program::Program const p = program_of({lasting(50, sub_context, {bytes(Memory::Dm, 0, 64)}, {bytes(Memory::Trf, 0, 64)}),
                                         lasting(20, main_context, {bytes(Memory::Dm, 64, 128)}, {bytes(Memory::Dm, 128, 192)}),
                                         lasting(10, main_context, {bytes(Memory::Dm, 64, 128), bytes(Memory::Trf, 0, 64)})});
  program::Schedule const s = scheduled(p);
  EXPECT_EQ(start(s, 1), 0) << "side by side";
  EXPECT_EQ(start(s, 2), 50);
  EXPECT_EQ(s.commands[2].binding.kind, EdgeKind::Raw);
  EXPECT_EQ(s.commands[2].binding.memory, Memory::Trf);
}

/// A pass that reads one bank `accesses` times in a row.
program::Command one_bank(std::int64_t accesses, bool sub = false) {
  program::Exec e = copy_pass(accesses, 8);
  e.sub = sub;
  e.fetch.read.loops = {{accesses, 128}};
  e.sink = program::VrfStore{0, 8};
  program::Command c = command_of(e);
  c.reads = {bytes(Memory::Dm, 0, accesses * 128)};
  return c;
}
program::Command load(std::int64_t address, std::int64_t packets = 64) {
  program::Command c = command_of(program::Dma{false, false, {descriptor(0, hbm(0), dm(0, 0, address), {{packets, 256, 256}}, 256)}});
  c.reads = {bytes(Memory::Hbm, 0, packets * 256)};
  c.writes = {bytes(Memory::Dm, address, address + packets * 256)};
  return c;
}
constexpr std::int64_t far = 1 << 17;

TEST(Book, FET_55_64_accesses_to_a_bank_do_not_run_beside_dma) {
  program::Schedule const beside = scheduled(program_of({one_bank(62), load(far)}), BookDuration(rngd));
  EXPECT_EQ(start(beside, 1), 0);
  program::Schedule const apart = scheduled(program_of({one_bank(64), load(far)}), BookDuration(rngd));
  EXPECT_EQ(start(apart, 1), 64);
  EXPECT_EQ(apart.commands[0].resources, main_context | tensor_dma) << "it occupies DMA, too";
  EXPECT_EQ(apart.commands[1].binding.kind, EdgeKind::Resource);
}

TEST(Book, COM_23_commits_to_one_bank_occupy_dma) {
  program::Exec e = copy_pass(64, 8);
  std::get<program::Commit>(e.sink).write.loops = {{64, 128}};
  program::Schedule const s = scheduled(program_of({command_of(e), command_of(copy_pass(64, 8))}), BookDuration(rngd));
  EXPECT_EQ(s.commands[0].resources, main_context | tensor_dma);
  EXPECT_EQ(s.commands[1].resources, main_context) << "addresses in sequence go from bank to bank";
}

TEST(Book, COM_23_truncation_costs_nothing) {
  program::Exec whole = copy_pass(16), cut = copy_pass(16);
  std::get<program::Commit>(whole.sink).commit_in_size = 32;
  std::get<program::Commit>(cut.sink).commit_in_size = 8;
  std::get<program::Commit>(cut.sink).write.access_bytes = 8;
  EXPECT_EQ(book::pass_cost(rngd, cut).total(), book::pass_cost(rngd, whole).total());
}

TEST(Book, DMA_51_dma_is_never_kept_out_for_too_long) {
  // Two DMN cycles for each of 32 slices that may have a request pending, 64 accesses each: the network gives up.
  EXPECT_EQ(rngd.dma.engine_bytes_per_cycle / rngd.dm.dmn_bytes_per_cycle * rngd.dm.same_bank_limit * rngd.levels.slices_per_dmn,
            rngd.dm.response_timeout.value);
  for (std::int64_t n : {1, 30, 63, 64, 65, 100, 1000}) {
    program::Schedule const s = scheduled(program_of({load(far, 2000), one_bank(n)}), BookDuration(rngd));
    bool const overlap = start(s, 1) < end(s, 0);
    EXPECT_EQ(overlap, n + 1 < 64) << n;
  }
}

TEST(Book, SUP_18_runs_add_up) {
  struct Case {
    std::int64_t main, sub;
    bool beside;
  };
  for (Case c : {Case{30, 20, true}, Case{30, 33, false}, Case{35, 20, true}, Case{30, 32, true}, Case{30, 35, false}}) {
    program::Schedule const s = scheduled(program_of({one_bank(c.main), one_bank(c.sub, true), load(far)}), BookDuration(rngd));
    EXPECT_EQ(start(s, 1), 0) << "main and sub only delay each other";
    EXPECT_EQ(start(s, 2) == 0, c.beside) << c.main << " and " << c.sub;
    if (c.beside) continue;
    EXPECT_EQ(start(s, 2), std::min(c.main, c.sub)) << "the first that ends makes room";
    EXPECT_EQ(s.commands[2].binding.kind, EdgeKind::Starvation);
    EXPECT_EQ(s.commands[2].binding.end, c.main + c.sub + 1);
  }
}

TEST(Book, SUP_18_can_be_switched_off) {
  Options o;
  o.keep_banks_free = false;
  EXPECT_EQ(start(scheduled(program_of({one_bank(64), load(far)}), BookDuration(rngd), o), 1), 0);
}

TEST(Book, KER_44_sub_copies_beside_main) {
  program::Exec copy = copy_pass(128, 8);
  copy.sub = true;
  program::Schedule const s = scheduled(program_of({command_of(copy_pass(100)), command_of(copy)}), BookDuration(rngd));
  EXPECT_EQ(start(s, 1), 0);
  EXPECT_EQ(s.makespan, Cycles{128});
}

}  // namespace
}  // namespace tcp::sched
