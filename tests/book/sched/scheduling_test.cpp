// The rows of the ledger on scheduling, and a lesson whose cycles the book works out.
#include <gtest/gtest.h>

#include "book/lower/one_pass.hpp"
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

// Whole kernels of the book, lowered and scheduled: who waits for whom, and for how long.

namespace lesson {

using program::EdgeKind;
using enum ScalarType;

/// 512 x 512 x 64 on a grid of 16 x 16 slices, as in the lesson.
program::Program gemm() {
  build::ModuleBuilder b("I = 512, J = 512, K = 64");
  const char* const grid = "I / 32, J / 32";
  auto const a = b.hbm("a", bf16, "I, K", 0, ir::Role::argument), w = b.hbm("b", bf16, "J, K", 1 << 28, ir::Role::argument);
  auto const a_dm = b.dm("a_dm", bf16, grid, "I % 32, K", 0), w_dm = b.dm("b_dm", bf16, grid, "J % 32, K", 1 << 12);
  auto const trf = b.trf("weights", bf16, grid, "J % 8", "J / 8 % 4, K");
  auto const c_dm = b.dm("c_dm", bf16, grid, "I % 32, J % 32", 1 << 13);
  auto const c = b.hbm("c", bf16, "I, J", 2 << 28, ir::Role::result);
  b.move(a, a_dm);
  b.move(w, w_dm);
  b.sub(w_dm)
      .type(bf16)
      .time("J % 8, J / 8 % 4")
      .packet("K")
      .stage(ir::Fetch{})
      .time("J % 8, J / 8 % 4, K / 16")
      .packet("K % 16")
      .stage(ir::Collect{})
      .into(ir::ToTrf{trf});
  auto main = b.main(a_dm);
  main.type(bf16)
      .time("I % 32, J / 8 % 4")
      .packet("K")
      .stage(ir::Fetch{})
      .time("I % 32, J / 8 % 4, K / 16")
      .packet("K % 16")
      .stage(ir::Collect{});
  main.time("I % 32, J / 8 % 4, K / 32").packet("K % 32").stage(ir::Align{trf});
  main.type(f32).packet("1").stage(ir::Contract{}).time("I % 32, J / 8 % 4").packet("J % 8").stage(ir::Accumulate{});
  main.type(bf16).packet("J % 8 # 16").stage(ir::Cast{}).into(ir::Commit{c_dm, {}, false});
  b.move(c_dm, c);
  return lower::lowered(b.module, rngd);
}

TEST(Lesson, gemm) {
  program::Program const p = gemm();
  ASSERT_EQ(p.commands.size(), 5u);
  program::Schedule const s = scheduled(p, BookDuration(rngd));
  EXPECT_EQ(start(s, 1), end(s, 0)) << "one queue of tensor DMA";
  EXPECT_EQ(s.commands[2].binding.kind, EdgeKind::Raw);
  EXPECT_EQ(end(s, 2) - start(s, 2), 32 * 16) << "4,096 bytes of weights, 8 a cycle";
  EXPECT_EQ(s.commands[3].binding.from, 2);
  EXPECT_EQ(s.commands[3].binding.memory, Memory::Trf) << "main waits for the weights";
  // 128 packets of 128 bytes; 5 cycles of the tree.
  EXPECT_EQ(end(s, 3) - start(s, 3), 128 * 4 + 5);
  EXPECT_EQ(cycles_of(s.commands[3].cost, Engine::Contraction), 256);
  EXPECT_EQ(cycles_of(s.commands[3].cost, Engine::Reducer), 128);
  EXPECT_EQ(s.commands[4].binding.from, 3);
  EXPECT_EQ(s.bounds.multiplies.value, 512 * 512 * 64 / (512 * 8 * 32));
  EXPECT_EQ(s.bounds.chain, s.makespan - (s.commands[0].end - s.commands[0].start)) << "but for the first load all is one chain";
  for (Cycles bound : {s.bounds.hbm, s.bounds.dm, s.bounds.multiplies}) EXPECT_LE(bound, s.makespan);
}

}  // namespace lesson

}  // namespace
}  // namespace tcp::sched
