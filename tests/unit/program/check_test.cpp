#include "tcp/program/check.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "sample.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/program/print.hpp"
#include "tcp/support/render.hpp"

namespace tcp::program {
namespace {

Units one_slice() {
  Units u{{true}, 1, {}};
  u.slices.insert(0);
  return u;
}

/// Reads 8 packets of 8 numbers and writes them behind.
Program copy() {
  Exec e;
  e.units = one_slice();
  e.writing = e.units.slices;
  e.fetch.read = {{{8, 32}}, 0, 32, 1, 8, 0, {}};
  e.fetch.packet_elements = 8;
  e.collect = {{32, 1}};
  e.sink = Commit{ScalarType::i32, {{{8, 32}}, 4096, 32, 1, 8, 0, {}}, 32, false};
  Program p;
  p.chip = "rngd";
  p.commands.push_back({e, bit(Resource::Main), {{Memory::Dm, e.units, 0, 256}}, {{Memory::Dm, e.units, 4096, 4352}}, -1});
  return p;
}

Exec& exec(Program& p) { return std::get<Exec>(p.commands[0].what); }
Sequencer& read(Program& p) { return exec(p).fetch.read; }

std::string code_of(const std::function<void(Program&)>& change) {
  Program p = copy();
  change(p);
  auto const v = check(p, rngd);
  return v ? "accepted" : v.refusal().code;
}

TEST(Check, a_sound_program_is_accepted) {
  EXPECT_EQ(code_of([](Program&) {}), "accepted");
}

TEST(Check, walks_at_the_edge_of_memory) {
  std::int64_t const end = rngd.dm.slice_capacity.value;
  EXPECT_EQ(code_of([&](Program& p) { read(p).base = end - 256; }), "accepted");
  EXPECT_EQ(code_of([&](Program& p) { read(p).base = end - 255; }), "program-address-out-of-range");
  EXPECT_EQ(code_of([&](Program& p) { read(p).base = -1; }), "program-address-out-of-range");
  EXPECT_EQ(code_of([&](Program& p) {
              read(p).base = 7 * 32;
              read(p).loops[0].stride = -32;
            }),
            "accepted");
  EXPECT_EQ(code_of([&](Program& p) {
              read(p).base = 7 * 32 - 1;
              read(p).loops[0].stride = -32;
            }),
            "program-address-out-of-range");
  EXPECT_EQ(code_of([&](Program& p) { read(p).loops[0].stride = std::numeric_limits<std::int64_t>::max(); }),
            "program-address-out-of-range");
}

TEST(Check, loops_at_the_edge_of_a_sequencer) {
  auto const loops = [](std::size_t n, std::int64_t size) {
    return [n, size](Program& p) {
      read(p).loops.assign(n, {1, 0});
      read(p).loops[0] = {size, 0};
      read(p).packets = size;
      exec(p).fetch.packet_elements = 8;
    };
  };
  EXPECT_EQ(code_of(loops(8, 8)), "accepted");
  EXPECT_EQ(code_of(loops(9, 8)), "program-number-out-of-range");
  EXPECT_EQ(code_of(loops(1, 65536)), "accepted");
  EXPECT_EQ(code_of(loops(1, 65537)), "program-number-out-of-range");
  EXPECT_EQ(code_of(loops(1, 0)), "program-number-out-of-range");
  EXPECT_EQ(code_of([](Program& p) { read(p).packets = 7; }), "program-counts-disagree");
}

TEST(Check, numbers_that_name_something) {
  EXPECT_EQ(code_of([](Program& p) { exec(p).fetch.table = 0; }), "program-index-out-of-range");
  EXPECT_EQ(code_of([](Program& p) { exec(p).fetch.turn_loop = 1; }), "program-index-out-of-range");
  EXPECT_EQ(code_of([](Program& p) { exec(p).fetch.turn_loop = 0; }), "accepted");
  EXPECT_EQ(code_of([](Program& p) { p.commands[0].debug = 0; }), "program-index-out-of-range");
  EXPECT_EQ(code_of([](Program& p) { p.commands[0].debug = -2; }), "program-index-out-of-range");
  auto const step = [](std::uint8_t op, std::uint8_t mode) {
    return [op, mode](Program& p) {
      VectorStep s;
      s.family = VectorStep::Family::Fxp;
      s.op = op;
      s.mode = mode;
      exec(p).vector = {{false, {}, 0, {s}, false}};
    };
  };
  EXPECT_EQ(code_of(step(10, 3)), "accepted");
  EXPECT_EQ(code_of(step(11, 3)), "program-index-out-of-range");
  EXPECT_EQ(code_of(step(10, 4)), "program-index-out-of-range");
}

TEST(Check, lists_that_have_one_item_at_most) {
  EXPECT_EQ(code_of([](Program& p) { exec(p).collect.push_back({32, 1}); }), "program-number-out-of-range");
  EXPECT_EQ(code_of([](Program& p) { exec(p).collect[0].packet_bytes = 33; }), "program-number-out-of-range");
}

TEST(Check, transfers) {
  auto const dma = [](const std::function<void(DmaDescriptor&)>& change) {
    return [change](Program& p) {
      DmaDescriptor d;
      d.packet_bytes = 256;
      d.loops = {{4, 256, rngd.dm.dma_slice_stride.value, 0}};
      d.write.memory = Memory::Dm;
      change(d);
      p.commands[0].what = Dma{false, false, {d}};
    };
  };
  EXPECT_EQ(code_of(dma([](DmaDescriptor&) {})), "accepted");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.write.unit = 252; })), "accepted");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.write.unit = 253; })), "program-address-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.address = rngd.hbm.capacity.value - 1024; })), "accepted");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.address = rngd.hbm.capacity.value - 1023; })), "program-address-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.packet_bytes = 4097; })), "program-number-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.engine = 8; })), "program-number-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.chip = 1; })), "program-number-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.memory = Memory::Trf; })), "program-number-out-of-range");
}

TEST(Check, any_program_has_an_answer) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Program p = Sample(seed).program();
    p.chip = "rngd";
    p.chips = 1;
    auto const v = check(p, rngd);
    if (!v) {
      EXPECT_LE(v.refusal().headline.size(), 300u) << v.refusal().headline.view();
    }
    EXPECT_FALSE(print(p).empty());
  }
}

TEST(Print, in_the_books_form) {
  EXPECT_EQ(print(std::vector<Loop>{{4, 512}, {32, -2}}), "[4 : 512, 32 : -2]");
  EXPECT_EQ(print(copy()),
            "program  for rngd, 1 chip, numbers as rngd\n"
            "\n"
            "command 0: Main\n"
            "  fetch        [8 : 32] @ 0 / 32\n"
            "  collect      1 flit a packet of 32 bytes\n"
            "  commit       [8 : 32] @ 4096 / 32, commit_in_size 32; slices 0 write\n"
            "  reads Dm [0, 256) of cluster 0, slices 0\n"
            "  writes Dm [4096, 4352) of cluster 0, slices 0\n");
}

}  // namespace
}  // namespace tcp::program
