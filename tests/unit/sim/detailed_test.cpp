// The model `detailed`: what commands take alone, what they do to each other, and that slices which behave alike may stand for one another.
#include "tcp/sim/detailed.hpp"

#include <algorithm>
#include <string>

#include "tcp/timeline/timeline.hpp"
#include "tcp/trace/json.hpp"
#include "unit/sim/detailed_records.hpp"

namespace tcp::sim {
namespace {

using program::EdgeKind;
using program::Stall;

trace::Trace traced(const program::Program& p, const DetailedRun& run) {
  trace::Trace made = timeline::make_trace(p, run.schedule, rngd, {"tcp test", {}, true, false});
  add_measured(run, rngd, made);
  return made;
}

TEST(Detailed, of_nothing) {
  DetailedRun const run = detailed(program_of({}));
  EXPECT_EQ(run.schedule.makespan, Cycles{0});
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.schedule.model, "detailed");
}

// Alone, a pass takes what the book says, to the cycle, where it has a fill; without one a commit still comes a cycle after its fetch.
TEST(Detailed, a_pass_alone_takes_what_the_book_says) {
  program::Exec const plain = copying(100, {0, 32}, {1 << 18, 32});
  EXPECT_EQ(alone(plain), in_book(plain) + 1);

  program::Exec casting = plain;
  casting.fetch.stored = ScalarType::i8;
  casting.fetch.type = ScalarType::i32;
  casting.fetch.read.access_bytes = 8;  // which become the 32 of a flit
  EXPECT_EQ(in_book(casting), 102) << "the adapter takes two";
  EXPECT_EQ(alone(casting), 102);

  program::Exec const kept = holding(100, 0);
  EXPECT_EQ(alone(kept), in_book(kept)) << "nothing is committed";

  program::Exec round = plain;  // every flit goes round a ring of eight
  round.switching.emplace();
  round.switching->ring_size = 8;
  round.switching->time_out = 100;
  round.switching->of_time = {{100, 0, 1, 100}};
  EXPECT_EQ(in_book(round), 800);
  EXPECT_EQ(alone(round), 801);
}

TEST(Detailed, fewer_and_more_commits_than_fetches) {
  // The fetch stays in banks 0 to 3, the commit in 8 to 11.
  program::Exec few = copying(96, {0, 128}, {(1 << 18) + 64, 128});
  auto& c = std::get<program::Commit>(few.sink);
  c.write.loops = {{7, 128}};
  c.write.packets = 7;
  EXPECT_EQ(alone(few), 97);

  program::Exec many = few;
  auto& d = std::get<program::Commit>(many.sink);
  d.write.loops = {{1000, 128}};
  d.write.packets = 1000;
  EXPECT_EQ(in_book(many), 1000);
  EXPECT_EQ(alone(many), 1001);
}

TEST(Detailed, joined_channels_fetch_two_flits_a_cycle) {
  program::Exec e = copying(50, {0, 64}, {1 << 18, 64});
  e.dual = true;
  e.fetch.read.loops = {{50, 64}, {2, 32}};
  e.fetch.read.accesses_per_packet = 2;
  e.fetch.packet_elements = 64;
  program::Command c = command_of(e);
  c.resources = main_context | sub_context;
  EXPECT_EQ(detailed(program_of({c})).schedule.makespan, Cycles{51});
  EXPECT_EQ(scheduled(program_of({c}), BookDuration(rngd)).makespan, Cycles{50});
}

// A DMA takes what the book says, and the way of its data. From HBM: a row is opened in 20 cycles, and a unit takes 16/3: the first write goes out 26 cycles
// after the first read. The last beat of a DMN is within the book's two cycles a request.
TEST(Detailed, a_load_alone_takes_what_the_book_says_and_the_way_of_its_data) {
  for (std::int64_t bytes : {256, 1024, 4096}) {
    program::Dma d;
    d.descriptors = {descriptor(0, hbm(0), dm(0, 0, 0), {}, bytes)};
    EXPECT_EQ(alone(d), 500 + 26 + bytes / 256 * 2) << bytes;
    EXPECT_LE(in_book(d), alone(d)) << bytes;
    EXPECT_GE(in_book(d), alone(d) - 26) << bytes;
  }
}

// To HBM: the first request is read in two cycles; the last unit opens its row and is transferred in 26. The DMN, at two cycles a request, sets the pace of
// the rest.
TEST(Detailed, a_store_alone_takes_what_the_book_says_and_the_way_of_its_data) {
  for (std::int64_t bytes : {256, 1024, 4096}) {
    program::Dma d;
    d.descriptors = {descriptor(0, dm(0, 0, 0), hbm(0), {}, bytes)};
    EXPECT_EQ(alone(d), 500 + bytes / 256 * 2 + 26) << bytes;
    EXPECT_LE(in_book(d), alone(d)) << bytes;
    EXPECT_GE(in_book(d), alone(d) - 26) << bytes;
  }
}

// All engines at once: within one way of data and 3 % for channels that have their requests in bursts.
TEST(Detailed, eight_engines_take_what_the_book_says) {
  program::Dma const load = loading(64, 4096), store = storing(64, 4096);
  EXPECT_GE(alone(load), in_book(load));
  EXPECT_LE(alone(load), in_book(load) * 103 / 100 + 60);
  EXPECT_GE(alone(store), in_book(store));
  EXPECT_LE(alone(store), in_book(store) * 103 / 100 + 60);
}

TEST(Detailed, a_word_takes_a_cycle) {
  program::Command c = lasting(7, sub_context);
  EXPECT_EQ(detailed(program_of({c, c, c})).schedule.makespan, Cycles{3});
}

// Each slice copies 128 words of 8 bytes from itself to itself; what is read in a cycle is written in the next.
TEST(Detailed, slices_copy_for_themselves) {
  program::Dma d;
  d.parallel_copy = true;
  d.descriptors = {descriptor(0, dm(0, 0, 0), dm(0, 0, 1 << 18), {{256, from_slice_to_slice, from_slice_to_slice, 0}}, 1024)};
  auto const copy = [&](std::int64_t to) {
    d.descriptors[0].write.address = to;
    program::Command c = touching(command_of(d), {bytes(Memory::Dm, 0, 1024)}, {bytes(Memory::Dm, to, to + 1024)});
    c.resources = sub_context;
    return detailed(program_of({c})).schedule.makespan.value;
  };
  EXPECT_EQ(copy(1 << 18), 129) << "the write is a bank behind the read";
  EXPECT_EQ(copy((1 << 18) + 8), 256) << "the write is in the bank of the next read: they take turns";
}

// A scratchpad takes half of an engine's request a cycle, as a DMN does.
TEST(Detailed, spm_has_the_rate_of_a_dmn) {
  program::Dma d;
  d.descriptors = {descriptor(0, hbm(0), {Memory::Spm, 0, 0, 0, 0}, {}, 4096)};
  std::int64_t const each = 256 / rngd.spm.pe_bytes_per_cycle.value;
  EXPECT_EQ(alone(d), 500 + 26 + 16 * each);
}

// 30 bytes a cycle leave the host: 9 cycles a request. The first is there a cycle after it was asked for, the last is written to HBM in 26.
TEST(Detailed, the_way_from_the_host_is_narrow) {
  program::Dma d;
  d.pcie = true;
  d.descriptors = {descriptor(0, {Memory::Host, 0, 0, 0, 0}, hbm(0), {}, 4096)};
  EXPECT_EQ(alone(d), 500 + 1 + 16 * 9 + 26);
  EXPECT_EQ(in_book(d), 500 + 16 * 9);
}

TEST(Detailed, rows_by_number_are_taken_in_order) {
  program::Dma plain, gathered;
  plain.descriptors = {descriptor(0, hbm(1 << 20), dm(0, 0, 0), {{16, 1024, 256, 0}}, 256)};
  gathered.descriptors = {descriptor(0, hbm(1 << 20), dm(0, 0, 0), {{16, 0, 256, 4}}, 256)};
  gathered.descriptors[0].index = {{hbm(0), false, 1024, 16}};
  EXPECT_EQ(alone(gathered), alone(plain));
}

TEST(Detailed, chips_work_side_by_side) {
  program::Dma d;
  d.descriptors = {descriptor(0, hbm(0), dm(0, 0, 0), {}, 1024), descriptor(8, hbm(0, 1), dm(0, 0, 0, 1), {}, 1024)};
  program::Program p = program_of({command_of(d)});
  p.chips = 2;
  DetailedRun const run = detailed(p);
  EXPECT_EQ(run.schedule.makespan, Cycles{500 + 26 + 8});
  ASSERT_EQ(run.hbm.size(), 2u);
  EXPECT_EQ(run.hbm[0], run.hbm[1]);
}

TEST(Detailed, descriptors_of_an_engine_follow_each_other) {
  program::Dma d;
  d.descriptors = {descriptor(0, hbm(0), dm(0, 0, 0), {}, 256), descriptor(0, hbm(256), dm(0, 0, 256), {}, 256)};
  program::Scheduled const s = detailed(program_of({command_of(d)})).schedule.commands[0];
  EXPECT_EQ(s.end.value, 500 + 26 + 1 + 500 + 26 + 2) << "the second is started up when the first has sent its last request";
  EXPECT_EQ(s.cost.startup.value, 2 * (500 + 26)) << "until the first data of each are there";
}

TEST(Detailed, a_copy_inside_hbm_takes_turns) {
  program::Dma d;
  d.descriptors = {descriptor(0, hbm(0), hbm(1 << 20), {}, 4096)};
  DetailedRun const run = detailed(program_of({command_of(d)}));
  EXPECT_GE(run.schedule.makespan.value, 500 + 16 + 16);
  EXPECT_GE(run.schedule.makespan.value, in_book(d));
  EXPECT_LE(run.schedule.makespan.value, in_book(d) + 60) << "two ways of data";
}

TEST(Detailed, a_write_of_part_of_a_unit_costs_more) {
  program::Dma whole, part;
  whole.descriptors = {descriptor(0, dm(0, 0, 0), hbm(0), {{64, 256, 256, 0}}, 256)};
  part.descriptors = {descriptor(0, dm(0, 0, 0), hbm(0), {{64, 256, 256, 0}}, 128)};
  DetailedRun const run = detailed(program_of({command_of(part)}));
  EXPECT_GT(run.schedule.makespan.value, alone(whole));
  std::int64_t partial = 0;
  for (const HbmChannelStats& c : run.hbm[0]) partial += c.partial_writes;
  EXPECT_EQ(partial, 64);
}

// Two commands side by side, and the same pair with a hazard.
TEST(Detailed, commands_overlap_and_the_same_pair_with_a_hazard_does_not) {
  auto const pair = [](std::int64_t read_from) {
    return detailed(program_of({touching(command_of(loading(64, 2048)), {}, {everywhere(0, 2048)}),
                                touching(command_of(copying(64, {read_from, 32}, {1 << 18, 32})), {everywhere(read_from, read_from + 2048)},
                                         {everywhere(1 << 18, (1 << 18) + 2048)})}))
        .schedule;
  };
  program::Schedule const apart = pair(4096), hazard = pair(0);
  EXPECT_EQ(start(apart, 1), 0);
  EXPECT_EQ(end(apart, 1), 65);
  EXPECT_EQ(apart.commands[1].binding.kind, EdgeKind::None);
  EXPECT_EQ(start(hazard, 1), end(hazard, 0));
  EXPECT_EQ(hazard.commands[1].binding, (program::Edge{EdgeKind::Raw, 0, 1, {}, Memory::Dm, 0, 2048}));
  EXPECT_EQ(hazard.makespan.value, end(hazard, 0) + 65);
  EXPECT_EQ(hazard.critical_path, (std::vector<std::int32_t>{0, 1}));
}

// Every fetch and every commit want banks 0 to 3. The fetch wins; when the next commit comes and the last one is not written, the pass halts: two cycles a
// step.
TEST(Detailed, fetch_and_commit_in_the_same_banks_take_turns) {
  program::Schedule const s = detailed(program_of({command_of(copying(100, {0, 128}, {1 << 18, 128}))})).schedule;
  EXPECT_EQ(s.makespan, Cycles{200});
  EXPECT_EQ(stall_of(s.commands[0].cost, Stall::DmBank), 99) << "100 of the fetch, one cycle of fill";
  program::Schedule const apart = detailed(program_of({command_of(copying(100, {0, 128}, {(1 << 18) + 64, 128}))})).schedule;
  EXPECT_EQ(apart.makespan, Cycles{101});
}

TEST(Detailed, a_stall_of_one_cycle_is_told) {
  program::Schedule const s = detailed(program_of({command_of(copying(2, {0, 128}, {1 << 18, 128}))})).schedule;
  EXPECT_EQ(s.makespan, Cycles{4});
  EXPECT_EQ(stall_of(s.commands[0].cost, Stall::DmBank), 1);
}

// Main fetches from banks 0 to 3 in cycles 0 to 99 and commits to banks 8 to 11. Sub wants bank 0 for its fetch: it gets it in cycles 100 to 149, and commits
// a cycle behind.
TEST(Detailed, main_goes_before_sub_in_a_bank) {
  program::Schedule const s =
      detailed(program_of({command_of(copying(100, {0, 128}, {64, 128})), command_of(copying(50, {0, 128}, {(1 << 18) + 64, 128}, true))}))
          .schedule;
  EXPECT_EQ(end(s, 0), 101);
  EXPECT_EQ(start(s, 1), 0);
  EXPECT_EQ(end(s, 1), 151);
  EXPECT_EQ(stall_of(s.commands[1].cost, Stall::DmBank), 100);
}

TEST(Detailed, main_and_sub_in_other_slices_do_not_meet) {
  program::Exec left = copying(100, {0, 128}, {64, 128}), right = copying(50, {0, 128}, {(1 << 18) + 64, 128}, true);
  left.units = all_slices(128, 3);
  left.writing = left.units.slices;
  right.units.slices = {};
  for (std::int64_t s = 128; s < 256; ++s) right.units.slices.insert(s);
  right.writing = right.units.slices;
  EXPECT_EQ(end(detailed(program_of({command_of(left), command_of(right)})).schedule, 1), 51);
}

// A DMA waits for a bank that a pass holds until cycle 2000: its first request arrives before, and nothing moves. Afterwards it goes on as if it began then.
TEST(Detailed, a_pass_keeps_a_load_out_of_its_bank) {
  program::Dma load;
  load.descriptors = {descriptor(0, hbm(0), dm(0, 0, 0), {}, 4096)};
  DetailedRun const run = detailed(program_of({command_of(load), command_of(holding(2000, 0))}), {.keep_banks_free = false});
  // Sixteen requests of two beats; of the first beat only the banks of the pass were missing.
  EXPECT_EQ(end(run.schedule, 0), 2000 + 32);
  EXPECT_EQ(end(run.schedule, 1), 2000) << "a pass never waits for DMA";
  EXPECT_GT(stall_of(run.schedule.commands[0].cost, Stall::Starvation), 1400);
}

TEST(Detailed, the_rule_lets_the_later_command_wait) {
  program::Command const load = touching(command_of(loading(64, 2048)), {}, {everywhere(0, 2048)});
  program::Command const hold = touching(command_of(holding(20'000, 4096 + 8)), {everywhere(4096, 8192)}, {});
  program::Schedule const s = detailed(program_of({load, hold})).schedule;
  EXPECT_EQ(start(s, 1), end(s, 0));
  // A run of 64 by itself occupies DMA.
  EXPECT_EQ(s.commands[1].binding.kind, EdgeKind::Resource);
  EXPECT_EQ(s.commands[1].binding.resource, Resource::TensorDma);

  // Two of forty each: neither is too long by itself.
  auto const forty = [](bool sub) {
    program::Exec e = copying(400, {4096, 0}, {8192, 32}, sub);
    e.fetch.read.loops = {{10, 32}, {40, 0}};
    e.sink = program::TrfStore{8, 0, 1024, false};
    return touching(command_of(e), {everywhere(4096, 8192)}, {});
  };
  program::Schedule const three = detailed(program_of({load, forty(false), forty(true)})).schedule;
  EXPECT_EQ(start(three, 1), 0);
  EXPECT_EQ(three.commands[2].binding.kind, EdgeKind::Starvation);
  EXPECT_EQ(three.commands[2].binding.from, 1);
  EXPECT_EQ(start(three, 2), end(three, 1));
}

TEST(Detailed, the_rule_looks_at_the_banks_of_who_comes_last) {
  // A load in slice 0, a pass of sub that holds bank 0 elsewhere, and one of main that meets both, in bank 8.
  program::Units one = all_slices(1), others{{true}, 1, {}};
  for (std::int64_t s = 128; s < 256; ++s) others.slices.insert(s);
  program::Dma d;
  d.descriptors = {descriptor(0, hbm(0), dm(0, 0, 0), {}, 4096)};
  program::Command const load = touching(command_of(d), {}, {bytes(Memory::Dm, 0, 4096, one)});
  auto const hold = [](const program::Units& units, std::int64_t n, std::int64_t address, bool sub) {
    program::Exec e = copying(n, {address, 0}, {0, 0}, sub);
    e.units = units;
    e.writing = units.slices;
    e.sink = program::TrfStore{8, 0, 1024, false};
    return touching(command_of(e), {bytes(Memory::Dm, address, address + 32, units)}, {});
  };
  program::Command const sub = hold(others, 63, 8192, true);
  program::Schedule const apart = detailed(program_of({load, sub, hold(all_slices(), 20, 8192 + 64, false)})).schedule;
  EXPECT_EQ(start(apart, 1), 0);
  EXPECT_EQ(start(apart, 2), 0);
  program::Schedule const same = detailed(program_of({load, sub, hold(all_slices(), 20, 8192, false)})).schedule;
  EXPECT_EQ(same.commands[2].binding.kind, EdgeKind::Starvation);
}

TEST(Detailed, starvation_is_an_error_that_names_both_commands) {
  program::Program const p = program_of({command_of(loading(64, 2048)), command_of(holding(20'000, 24))});
  for (bool collapse : {true, false}) {
    auto const run = run_detailed(p, rngd, {.keep_banks_free = false, .collapse = collapse});
    ASSERT_FALSE(run.ok());
    EXPECT_STREQ(run.refusal().code, "dm-response-timeout");
    std::string const says = run.refusal().headline.s;
    EXPECT_NE(says.find("DMA command 0"), std::string::npos) << says;
    EXPECT_NE(says.find("main fetch of command 1"), std::string::npos) << says;
    EXPECT_NE(says.find("bank 6"), std::string::npos) << says << ": 32 bytes from 24 on are banks 3 to 6";
  }
  EXPECT_TRUE(run_detailed(p, rngd).ok()) << "with the rule, the later one waits";
}

/// Commands of all kinds at random addresses.
program::Program at_random(std::uint64_t seed) {
  Random random(seed);
  auto const below = [&](std::int64_t n) { return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n))); };
  std::vector<program::Command> commands;
  for (std::int64_t i = 0, n = 2 + below(5); i < n; ++i) {
    std::int64_t const at = below(64) * 8, length = 20 + below(200);
    auto const piece = [&](std::int64_t begin) { return std::vector<program::Range>{everywhere(begin, begin + 64)}; };
    switch (below(4)) {
      case 0: commands.push_back(touching(command_of(loading(1 + below(20), 256 * (1 + below(4)), at)), {}, piece(below(8) * 64))); break;
      case 1: commands.push_back(touching(command_of(storing(1 + below(20), 256 * (1 + below(4)), at)), piece(below(8) * 64), {})); break;
      default: {
        program::Exec e = copying(length, {at, below(5) * 32}, {(1 << 18) + below(64) * 8, below(5) * 32}, below(2) == 0);
        e.units = all_slices(16 * (1 + below(16)), static_cast<std::uint32_t>(1 + below(3)));
        e.writing = e.units.slices;
        commands.push_back(touching(command_of(e), piece(below(8) * 64), piece(below(8) * 64)));
      }
    }
  }
  return program_of(commands);
}

TEST(Detailed, one_slice_stands_for_those_that_behave_alike) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    program::Program const p = at_random(seed);
    DetailedRun const one = detailed(p), all = detailed(p, {.collapse = false});
    EXPECT_EQ(one.schedule, all.schedule) << seed;
    EXPECT_EQ(one.hbm, all.hbm) << seed;
  }
}

TEST(Detailed, laws_of_a_schedule) {
  for (std::uint64_t seed = 100; seed < 160; ++seed) {
    program::Program const p = at_random(seed);
    program::Schedule const s = detailed(p).schedule;
    Cycles path = s.path.startup + s.path.streaming;
    for (const program::StallCycles& each : s.path.stalls) path += each.cycles;
    EXPECT_EQ(path, s.makespan) << seed;
    for (const program::Edge& e : s.edges)
      EXPECT_LE(end(s, static_cast<std::size_t>(e.from)), start(s, static_cast<std::size_t>(e.to))) << seed;
    BookDuration const book(rngd);
    for (std::size_t c = 0; c < s.commands.size(); ++c) {
      const program::Scheduled& one = s.commands[c];
      EXPECT_EQ(one.end - one.start, one.cost.total()) << seed;
      EXPECT_EQ(one.start, one.binding.kind == EdgeKind::None ? Cycles{0} : s.commands[static_cast<std::size_t>(one.binding.from)].end)
          << seed;
      EXPECT_GE(one.cost.total(), book.cost(p.commands[c], c)->total()) << seed << ", command " << c;
      EXPECT_GE(one.slack, Cycles{0});
    }
  }
}

TEST(Detailed, banks_and_channels_are_counted) {
  program::Program const p = program_of({command_of(loading(64, 2048)), command_of(copying(100, {0, 32}, {1 << 18, 32}))});
  DetailedRun const run = detailed(p);
  std::int64_t lines = 0, units = 0;
  for (const DmBankUse& b : run.banks) lines += b.accesses;
  for (const HbmChannelStats& c : run.hbm[0]) units += c.reads;
  EXPECT_EQ(lines, 8 * 64 * 2048 / 8 + 512 * 100 * (32 + 32) / 8) << "rows of eight bytes";
  EXPECT_EQ(units, 8 * 64 * 2048 / 256);

  trace::Trace const t = traced(p, run);
  EXPECT_TRUE(trace::check(t, "t").ok());
  EXPECT_EQ(t.model, "detailed");
  EXPECT_TRUE(t.complete);
  ASSERT_EQ(t.usage.size(), run.hbm[0].size() + 16);
  std::int64_t moved = 0;
  for (const trace::Usage& u : t.usage)
    if (u.group == "HBM channels") moved += u.bytes.value;
  EXPECT_EQ(moved, 8 * 64 * 2048);
  EXPECT_EQ(t.usage.back().group, "DM banks");
}

// A commit of main waits in every second cycle, also in the one in which sub ends and its slices are as all others again.
TEST(Detailed, who_ends_takes_no_access_along) {
  for (std::int64_t length : {40, 41}) {
    program::Exec sub = copying(length, {64, 128}, {(1 << 18) + 96, 128}, true);
    sub.units.slices = {};
    for (std::int64_t s = 128; s < 256; ++s) sub.units.slices.insert(s);
    sub.writing = sub.units.slices;
    DetailedRun const run = detailed(program_of({command_of(copying(100, {0, 128}, {1 << 18, 128})), command_of(sub)}));
    EXPECT_EQ(run.schedule.makespan, Cycles{200});
    EXPECT_LT(end(run.schedule, 1), 100);
    std::int64_t lines = 0;
    for (const DmBankUse& b : run.banks) lines += b.accesses;
    EXPECT_EQ(lines, 512 * 100 * (32 + 32) / 8 + 256 * length * 2);
  }
}

TEST(Detailed, slices_that_do_not_write_touch_no_bank_for_it) {
  program::Exec e = copying(100, {0, 32}, {1 << 18, 32});
  e.writing = all_slices(3).slices;
  for (bool collapse : {true, false}) {
    std::int64_t lines = 0;
    for (const DmBankUse& b : detailed(program_of({command_of(e)}), {.collapse = collapse}).banks) lines += b.accesses;
    EXPECT_EQ(lines, (512 + 2 * 3) * 100 * 32 / 8) << "all fetch, three of each cluster commit";
  }
}

TEST(Detailed, a_run_that_is_ended_keeps_what_was_done) {
  std::vector<program::Command> passes;
  for (int i = 0; i < 4; ++i) passes.push_back(command_of(copying(30'000, {0, 0}, {64, 0})));
  std::int64_t asked = 0;
  auto const until_two = [&](const DetailedProgress& p) {
    ++asked;
    EXPECT_EQ(p.commands, 4);
    return p.ended < 2;
  };
  DetailedRun const run = detailed(program_of(passes), {.on_progress = until_two});
  EXPECT_FALSE(run.complete);
  EXPECT_GT(asked, 2);
  EXPECT_EQ(end(run.schedule, 1), 2 * 30'001);
  EXPECT_EQ(start(run.schedule, 2), 2 * 30'001);
  EXPECT_EQ(end(run.schedule, 2), run.schedule.makespan.value) << "it was running";
  EXPECT_LT(run.schedule.makespan.value, 3 * 30'001);
  EXPECT_EQ(start(run.schedule, 3), end(run.schedule, 3));
  trace::Trace const t = traced(program_of(passes), run);
  EXPECT_FALSE(t.complete);
  EXPECT_TRUE(trace::check(t, "t").ok());
}

TEST(Detailed, a_command_must_occupy_its_context) {
  program::Command c = command_of(copying(10, {0, 32}, {64, 32}));
  c.resources = sub_context;
  auto const run = run_detailed(program_of({c}), rngd);
  ASSERT_FALSE(run.ok());
  EXPECT_STREQ(run.refusal().code, "detailed-context-not-taken");
}

TEST(Detailed, bad_records_are_refused) {
  program::Exec e = copying(10, {0, 32}, {64, 32});
  e.fetch.read.base = -8;
  EXPECT_FALSE(run_detailed(program_of({command_of(e)}), rngd).ok());
}

}  // namespace
}  // namespace tcp::sim
