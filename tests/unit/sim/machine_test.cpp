// The machine as its users see it: programs written by hand, bytes in, bytes out.
#include "tcp/sim/machine.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "sim_programs.hpp"

namespace tcp::sim {
namespace {

using namespace sim_programs;
using Words = std::vector<std::uint32_t>;

constexpr auto dm = program::Memory::Dm;

void put(Machine& machine, std::int64_t slice, std::int64_t address, const Words& words) {
  ASSERT_TRUE(machine.write(dm, 0, address, std::as_bytes(std::span(words)), {0, slice}));
}
Words get(const Machine& machine, std::int64_t slice, std::int64_t address, std::size_t count) {
  Words words(count);
  EXPECT_TRUE(machine.read(dm, 0, address, std::as_writable_bytes(std::span(words)), {0, slice}));
  return words;
}
Words counting(std::uint32_t from) {
  Words w;
  for (std::uint32_t i = 0; i < 8; ++i) w.push_back(from + i);
  return w;
}

TEST(Machine, a_pass_moves_a_flit_in_every_slice_that_takes_part) {
  Machine machine(rngd, 1);
  for (std::int64_t s = 0; s < 4; ++s) put(machine, s, 0, counting(static_cast<std::uint32_t>(100 * s)));
  ASSERT_TRUE(machine.submit(of(copy_flit(0, 4096, 3))));
  EXPECT_FALSE(machine.done());
  auto const happened = machine.step();
  ASSERT_TRUE(happened);
  EXPECT_EQ(happened->command, 0);
  EXPECT_EQ(happened->undefined_in, 0);
  EXPECT_TRUE(machine.done());
  for (std::int64_t s = 0; s < 3; ++s) EXPECT_EQ(get(machine, s, 4096, 8), counting(static_cast<std::uint32_t>(100 * s)));
  EXPECT_TRUE(machine.any_undefined(dm, 0, 2 * 4096, 64, {0, 3}));
  EXPECT_EQ(machine.step()->command, -1);
}

std::string_view refused_as(const program::Program& p) {
  Machine machine(rngd, 1);
  auto const submitted = machine.submit(p);
  if (!submitted) return submitted.refusal().code;
  auto const ran = machine.run();
  return ran ? "" : ran.refusal().code;
}

TEST(Machine, a_mask_has_a_count_for_each_round_of_its_loop) {
  auto const masked = [](std::int32_t dim, std::vector<std::int64_t> counts) {
    program::Exec e = copy_flit(0, 4096);
    e.fetch.mask = program::Mask{.loops = {1, 8}, .last_dim = 1, .valid_count_dim = dim, .valid_count = std::move(counts)};
    return refused_as(of(std::move(e)));
  };
  EXPECT_EQ(masked(0, {8}), "");
  EXPECT_EQ(masked(0, {8, 8}), "sim-flow");
  EXPECT_EQ(masked(-1, {8}), "");
}

TEST(Machine, a_reduce_takes_the_lanes_of_a_narrow_flit) {
  auto const reduced = [](bool narrow) {
    program::Exec e = copy_flit(0, 4096);
    e.vector.emplace();
    if (narrow) e.vector->steps.push_back({program::ReshapeStep{.width = program::ReshapeStep::Width::Split}, 2});
    program::IntraSliceReduceStep reduce;
    reduce.loops = {{narrow ? 2 : 1, false}};
    e.vector->steps.push_back({reduce, narrow ? 2 : 1});
    if (narrow) e.vector->steps.push_back({program::ReshapeStep{.width = program::ReshapeStep::Width::Concat}, 1});
    return refused_as(of(std::move(e)));
  };
  EXPECT_EQ(reduced(true), "");
  EXPECT_EQ(reduced(false), "sim-flow");
}

TEST(Machine, two_run_side_by_side) {
  Machine a(rngd, 1), b(rngd, 1);
  put(a, 0, 0, counting(1));
  put(b, 0, 0, counting(1000));
  ASSERT_TRUE(a.submit(chain()));
  ASSERT_TRUE(b.submit(chain()));
  while (!a.done() || !b.done()) {
    ASSERT_TRUE(a.step());
    ASSERT_TRUE(b.step());
  }
  EXPECT_EQ(get(a, 0, 8192, 8), counting(1));
  EXPECT_EQ(get(b, 0, 8192, 8), counting(1000));
}

TEST(Machine, what_nobody_wrote_stays_undefined_lane_by_lane) {
  Machine machine(rngd, 1);
  put(machine, 0, 0, {1, 2, 3});  // of eight
  ASSERT_TRUE(machine.submit(chain()));
  auto const first = machine.step();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->undefined_in, 5);
  EXPECT_EQ(first->undefined_out, 5);
  ASSERT_TRUE(machine.run());
  EXPECT_FALSE(machine.any_undefined(dm, 0, 2 * 8192, 3 * 8));
  EXPECT_TRUE(machine.any_undefined(dm, 0, 2 * 8192 + 3 * 8, 8));
  EXPECT_EQ(machine.last_writer(dm, 0, 8192).command, 1);
  EXPECT_EQ(machine.last_writer(dm, 0, 4096).command, 0);
  EXPECT_EQ(machine.last_writer(dm, 0, 0).command, -1);
}

TEST(Machine, observers_see_every_command) {
  struct Counting : Observer {
    int started = 0, finished = 0;
    void before(const program::Program&, std::int32_t command) override { EXPECT_EQ(command, started++); }
    void after(const program::Program&, const Happened& h) override { EXPECT_EQ(h.command, finished++); }
  } counting_observer, gone;
  Machine machine(rngd, 1);
  machine.observe(counting_observer);
  machine.observe(gone);
  machine.forget(gone);
  ASSERT_TRUE(machine.submit(chain()));
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(counting_observer.started, 2);
  EXPECT_EQ(counting_observer.finished, 2);
  EXPECT_EQ(gone.started, 0);
}

TEST(Machine, a_schedule_that_keeps_hazards_runs_in_its_order) {
  Machine machine(rngd, 1);
  put(machine, 0, 0, counting(5));
  program::Program p = chain(true);
  add(p, copy_flit(16384, 20480), 16384, 20480);  // has nothing to do with the others
  ASSERT_TRUE(machine.submit(p, starting_at(p, {10, 20, 0})));
  Words order;
  while (!machine.done()) {
    auto const h = machine.step();
    ASSERT_TRUE(h);
    order.push_back(static_cast<std::uint32_t>(h->command));
    EXPECT_EQ(h->end.value - h->start.value, 10);
  }
  EXPECT_EQ(order, (Words{2, 0, 1}));
  EXPECT_EQ(get(machine, 0, 8192, 8), counting(5));
}

TEST(Machine, hazards_are_found_at_the_cycle) {
  program::Program const p = chain(true);
  auto const ran = [&](std::int64_t second) {
    Machine machine(rngd, 1);
    EXPECT_TRUE(machine.submit(p, starting_at(p, {0, second})));
    auto const v = machine.run();
    return v ? std::string() : std::string(v.refusal().code);
  };
  EXPECT_EQ(ran(9), "sim-hazard");
  EXPECT_EQ(ran(10), "");
}

TEST(Machine, a_reader_must_not_come_before_its_writer) {
  program::Program const p = chain(true);
  Machine machine(rngd, 1);
  ASSERT_TRUE(machine.submit(p, starting_at(p, {50, 0})));
  auto const v = machine.run();
  ASSERT_FALSE(v);
  EXPECT_EQ(std::string_view(v.refusal().code), "sim-hazard");
}

/// Four slices in pairs: both of a pair get the packets of both, at every time step first those of the lower slice.
program::Exec shared_in_pairs() {
  program::Exec e = copy_flit(0, 4096, 4);
  e.fetch.read.loops = {{2, 32}};
  e.fetch.read.packets = 2;
  auto& commit = std::get<program::Commit>(e.sink);
  commit.write.loops = {{4, 32}};
  commit.write.packets = 4;
  program::Switch s;
  s.topology = program::Topology::CustomBroadcast;
  s.ring_size = 4;
  s.time_out = 4;
  s.of_slice = {{2, 2, 0, 2}, {2, 0, 0, 2}};
  s.of_time = {{2, 0, 1, 2}, {2, 1, 0, 2}};
  s.snoop.resize(4);
  for (std::size_t to = 0; to < 4; ++to) {
    s.snoop[to].insert(static_cast<std::int64_t>(to / 2 * 2));
    s.snoop[to].insert(static_cast<std::int64_t>(to / 2 * 2 + 1));
  }
  e.switching = s;
  return e;
}

TEST(Machine, the_switch_gives_the_same_packet_by_packet) {
  for (bool packet_by_packet : {false, true}) {
    Machine machine(rngd, 1, {packet_by_packet});
    for (std::int64_t s = 0; s < 4; ++s)
      for (std::int64_t t = 0; t < 2; ++t) put(machine, s, 32 * t, counting(static_cast<std::uint32_t>(100 * s + 10 * t)));
    ASSERT_TRUE(machine.submit(of(shared_in_pairs())));
    ASSERT_TRUE(machine.run());
    for (std::int64_t s = 0; s < 4; ++s)
      for (std::int64_t step = 0; step < 4; ++step) {
        std::int64_t const from = s / 2 * 2 + step % 2, time = step / 2;
        EXPECT_EQ(get(machine, s, 4096 + 32 * step, 8), counting(static_cast<std::uint32_t>(100 * from + 10 * time)));
      }
  }
}

program::Program of_dma(program::Dma d) {
  program::Program p;
  p.chip = rngd.name.s;
  p.commands.resize(1);
  p.commands[0].resources = bit(program::Resource::TensorDma);
  p.commands[0].what = std::move(d);
  return p;
}

TEST(Machine, a_descriptor_walks_from_slice_to_slice) {
  program::DmaDescriptor d;
  d.read = {program::Memory::Hbm, 0, 0, 0, 1024};
  d.write = {dm, 0, 1, 5, 64};
  d.loops = {{3, 32, rngd.dm.dma_slice_stride.value, 0}};
  d.packet_bytes = 32;
  Machine machine(rngd, 1);
  for (std::uint32_t i = 0; i < 3; ++i) {
    Words const row = counting(50 * i);
    ASSERT_TRUE(machine.write(program::Memory::Hbm, 0, 1024 + 32 * i, std::as_bytes(std::span(row))));
  }
  ASSERT_TRUE(machine.submit(of_dma(program::Dma{false, false, {d}})));
  ASSERT_TRUE(machine.run());
  for (std::int64_t i = 0; i < 3; ++i) EXPECT_EQ(get(machine, 256 + 5 + i, 64, 8), counting(static_cast<std::uint32_t>(50 * i)));
}

TEST(Machine, a_gather_reads_rows_by_number_and_loses_those_without_one) {
  program::DmaDescriptor d;
  d.read = {program::Memory::Hbm, 0, 0, 0, 0};
  d.write = {program::Memory::Hbm, 0, 0, 0, 4096};
  d.loops = {{3, 0, 32, 4}};
  d.packet_bytes = 32;
  d.index = {{program::Memory::Hbm, 0, 0, 0, 8192}, false, 32, 4};
  auto const run = [&](const Words& rows) {
    Machine machine(rngd, 1);
    for (std::uint32_t i = 0; i < 4; ++i) {
      Words const row = counting(10 * i);
      EXPECT_TRUE(machine.write(program::Memory::Hbm, 0, 32 * i, std::as_bytes(std::span(row))));
    }
    EXPECT_TRUE(machine.write(program::Memory::Hbm, 0, 8192, std::as_bytes(std::span(rows))));
    EXPECT_TRUE(machine.submit(of_dma(program::Dma{false, false, {d}})));
    auto const v = machine.run();
    std::string says = v ? "" : v.refusal().code;
    for (std::int64_t i = 0; i < 3 && v; ++i) {
      Words got(8);
      EXPECT_TRUE(machine.read(program::Memory::Hbm, 0, 4096 + 32 * i, std::as_writable_bytes(std::span(got))));
      says += machine.any_undefined(program::Memory::Hbm, 0, 2 * (4096 + 32 * i), 64) ? " ?" : " " + std::to_string(got[0]);
    }
    return says;
  };
  EXPECT_EQ(run({2, 0, 3}), " 20 0 30");
  EXPECT_EQ(run({2, 1}), " 20 10 ?");  // nothing has written the third number
  EXPECT_EQ(run({2, 4, 0}), "exec-no-such-row");
}

TEST(Machine, a_word_goes_to_all_slices_of_the_bitmap) {
  program::Program p = of(copy_flit(0, 4096));
  p.commands[0] = {};
  p.commands[0].what = program::Itos{slices_below(2), 128, 0xcafe, 4, {}};
  p.commands[0].resources = bit(program::Resource::Sub);
  Machine machine(rngd, 1);
  ASSERT_TRUE(machine.submit(p));
  ASSERT_TRUE(machine.run());
  EXPECT_EQ(get(machine, 0, 128, 1), Words{0xcafe});
  EXPECT_EQ(get(machine, 1, 128, 1), Words{0xcafe});
  EXPECT_TRUE(machine.any_undefined(dm, 0, 256, 8, {0, 2}));
}
TEST(Machine, CHIP_09_a_word_goes_along_a_walk_in_parts) {
  program::Program p = of(copy_flit(0, 4096));
  p.commands[0] = {};
  p.commands[0].what = program::Itos{slices_below(1), 128, 0x04030201, 1, {{2, 8}, {3, 1}}};
  p.commands[0].resources = bit(program::Resource::Sub);
  Machine machine(rngd, 1);
  ASSERT_TRUE(machine.submit(p));
  ASSERT_TRUE(machine.run());
  for (std::int64_t at : {128, 136}) {
    EXPECT_EQ(get(machine, 0, at, 1)[0] & 0xffffffu, 0x030201u) << "byte a of DM gets byte a % 4 of the word";
    EXPECT_FALSE(machine.any_undefined(dm, 0, 2 * at, 6, {0, 0}));
    EXPECT_TRUE(machine.any_undefined(dm, 0, 2 * at + 6, 2, {0, 0})) << "the fourth byte is left alone";
  }
}

}  // namespace
}  // namespace tcp::sim
