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
  e.fetch.read = {{{8, 32}}, 0, 32, 1, 8, 0};
  e.fetch.packet_elements = 8;
  e.collect = {32, 1};
  e.sink = Commit{ScalarType::i32, {{{8, 32}}, 4096, 32, 1, 8, 0}, 32, false, {}};
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

TEST(Check, barriers_stand_before_commands_in_their_order) {
  auto const with = [](std::vector<std::int32_t> barriers) {
    return code_of([&](Program& p) {
      for (int i = 0; i < 3; ++i) p.commands.push_back(p.commands[0]);
      p.barriers = std::move(barriers);
    });
  };
  EXPECT_EQ(with({1, 3}), "accepted");
  for (std::vector<std::int32_t> const& wrong : {std::vector{0}, {4}, {-1}, {2, 2}, {3, 1}})
    EXPECT_EQ(with(wrong), "program-number-out-of-range");
}

TEST(Check, loops_are_entered_before_commands_in_their_order) {
  auto const with = [](std::vector<std::int32_t> loops) {
    return code_of([&](Program& p) {
      for (int i = 0; i < 3; ++i) p.commands.push_back(p.commands[0]);
      p.loops = std::move(loops);
    });
  };
  EXPECT_EQ(with({0, 2, 2, 3}), "accepted");
  for (std::vector<std::int32_t> const& wrong : {std::vector{4}, {-1}, {3, 1}}) EXPECT_EQ(with(wrong), "program-number-out-of-range");
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
      OperateStep o;
      o.family = OperateStep::Family::Fxp;
      o.op = op;
      o.mode = mode;
      exec(p).vector = {false, {}, 0, {{o, 1}}, false};
    };
  };
  EXPECT_EQ(code_of(step(10, 3)), "accepted");
  EXPECT_EQ(code_of(step(11, 3)), "program-index-out-of-range");
  EXPECT_EQ(code_of(step(10, 4)), "program-index-out-of-range");
}

TEST(Check, packets_that_fit_into_their_flits) {
  EXPECT_EQ(code_of([](Program& p) { exec(p).collect->packet_bytes = 33; }), "program-number-out-of-range");
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
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.address = rngd.hbm.capacity.value - 1016; })), "program-address-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.packet_bytes = 4097; })), "program-number-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.packet_bytes = 248; })), "accepted");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.packet_bytes = 252; })), "program-not-a-multiple");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.write.address = 8; })), "accepted");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.write.address = 4; })), "program-not-a-multiple");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.address = 4; })), "program-not-a-multiple") << "from HBM to DM";
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.loops[0].write_stride = 4; })), "program-not-a-multiple");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.loops[0].read_stride = 4; })), "program-not-a-multiple");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) {
              d.write.memory = Memory::Hbm;
              d.packet_bytes = 3;
              d.loops = {{4, 3, 3, 0}};
            })),
            "accepted")
      << "HBM takes any byte";
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.engine = 8; })), "program-number-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.chip = 1; })), "program-number-out-of-range");
  EXPECT_EQ(code_of(dma([](DmaDescriptor& d) { d.read.memory = Memory::Trf; })), "program-number-out-of-range");
}

constexpr const char* no_size = "program-size-unavailable";
constexpr const char* no_multiple = "program-not-a-multiple";
constexpr const char* no_number = "program-number-out-of-range";

TEST(Check, sizes_of_a_fetch) {
  auto const access = [](std::int64_t bytes) {
    return [=](Program& p) {
      read(p).access_bytes = bytes;
      read(p).accesses_per_packet = 32 / bytes;
      read(p).loops = {{8, 32}, {32 / bytes, bytes}};
    };
  };
  for (std::int64_t bytes : {1, 2, 4, 8, 16, 32}) EXPECT_EQ(code_of(access(bytes)), "accepted") << bytes;
  for (std::int64_t bytes : {0, 3, 5, 24, 31, 33, 64})
    EXPECT_EQ(code_of([&](Program& p) { read(p).access_bytes = bytes; }), no_size) << bytes;
  auto const in_sub = [&](std::int64_t bytes) {
    return [=](Program& p) {
      access(bytes)(p);
      exec(p).sub = true;
      std::get<Commit>(exec(p).sink).write = {{{8, 32}, {4, 8}}, 4096, 8, 4, 8, 0};
    };
  };
  EXPECT_EQ(code_of(in_sub(8)), "accepted");
  EXPECT_EQ(code_of(in_sub(16)), no_size);
  EXPECT_EQ(code_of(in_sub(4)), no_size);
  // i8 widens to i32 in the adapter: 8 bytes of it fill a flit.
  auto const widened = [&](std::int64_t bytes) {
    return [=](Program& p) {
      read(p) = {{{8, 32}, {32 / bytes, bytes}}, 0, bytes, 32 / bytes, 8, 0};
      exec(p).fetch.stored = ScalarType::i8;
      exec(p).fetch.packet_elements = 32;
    };
  };
  EXPECT_EQ(code_of(widened(8)), "accepted");
  EXPECT_EQ(code_of(widened(16)), no_size);
  EXPECT_EQ(code_of([](Program& p) { read(p).repeat_bits = 32; }), "accepted");
  EXPECT_EQ(code_of([](Program& p) { read(p).repeat_bits = 16; }), no_size) << "an element has 32 bits";
  EXPECT_EQ(code_of([](Program& p) { exec(p).fetch.packet_elements = 6; }), "accepted") << "24 bytes";
  EXPECT_EQ(code_of([](Program& p) { exec(p).fetch.packet_elements = 5; }), no_multiple) << "20 bytes";
  auto const masked = [](std::int64_t count) { return [=](Program& p) { exec(p).fetch.mask = Mask{{8, 8}, 1, 0, -1, {count}, 0}; }; };
  EXPECT_EQ(code_of(masked(31)), "accepted") << "255 units of 4 bits";
  EXPECT_EQ(code_of(masked(32)), no_number);
}

TEST(Check, sizes_of_a_commit) {
  auto const write = [](Program& p) -> Sequencer& { return std::get<Commit>(exec(p).sink).write; };
  for (std::int64_t bytes : {8, 16, 24, 32}) {
    EXPECT_EQ(code_of([&](Program& p) { write(p).access_bytes = bytes; }), "accepted") << bytes;
    EXPECT_EQ(code_of([&](Program& p) { std::get<Commit>(exec(p).sink).commit_in_size = bytes; }), "accepted") << bytes;
  }
  for (std::int64_t bytes : {0, 4, 5, 12, 31, 33, 40}) {
    EXPECT_EQ(code_of([&](Program& p) { write(p).access_bytes = bytes; }), no_size) << bytes;
    EXPECT_EQ(code_of([&](Program& p) { std::get<Commit>(exec(p).sink).commit_in_size = bytes; }), no_size) << bytes;
  }
  EXPECT_EQ(code_of([&](Program& p) { write(p).loops[0].stride = 40; }), "accepted");
  EXPECT_EQ(code_of([&](Program& p) { write(p).loops[0].stride = 36; }), no_multiple);
  EXPECT_EQ(code_of([&](Program& p) { write(p).base = 4104; }), "accepted");
  EXPECT_EQ(code_of([&](Program& p) { write(p).base = 4100; }), no_multiple);
  EXPECT_EQ(code_of([&](Program& p) { write(p).repeat_bits = 32; }), no_number);
}

TEST(Check, sizes_of_a_switch) {
  auto const ring = [](std::int64_t Switch::* size, std::int64_t n) {
    return [=](Program& p) {
      exec(p).switching.emplace().time_out = 8;
      exec(p).switching->of_time = {{8, 0, 1, 8}};
      (*exec(p).switching).*size = n;
    };
  };
  for (auto size : {&Switch::ring_size, &Switch::slice1, &Switch::slice0}) {
    for (std::int64_t n : {1, 2, 128, 256}) EXPECT_EQ(code_of(ring(size, n)), "accepted") << n;
    for (std::int64_t n : {-1, 0, 3, 255, 257, 512}) EXPECT_EQ(code_of(ring(size, n)), no_size) << n;
  }
}

TEST(Check, sizes_of_a_contraction) {
  auto const with = [](const std::function<void(Contraction&)>& change, ScalarType type = ScalarType::bf16) {
    return [=](Program& p) {
      Contraction c;
      c.type = c.weights = type;
      c.trf_read_bytes = 64;
      c.steps = 8;
      c.loops = {{8, false}};
      change(c);
      exec(p).contraction = c;
    };
  };
  EXPECT_EQ(code_of(with([](Contraction&) {})), "accepted");
  for (std::int32_t rows : {1, 2, 4, 8}) EXPECT_EQ(code_of(with([=](Contraction& c) { c.rows = rows; })), "accepted") << rows;
  for (std::int32_t rows : {0, 3, 5, 7, 9, 16}) EXPECT_EQ(code_of(with([=](Contraction& c) { c.rows = rows; })), no_size) << rows;
  for (std::int64_t bytes : {1, 2, 4, 8, 16, 32, 64})
    EXPECT_EQ(code_of(with([=](Contraction& c) { c.trf_read_bytes = bytes; })), "accepted") << bytes;
  for (std::int64_t bytes : {0, 3, 48, 63, 65, 128})
    EXPECT_EQ(code_of(with([=](Contraction& c) { c.trf_read_bytes = bytes; })), no_size) << bytes;
  auto const repeated = [&](std::int64_t times) {
    return with([=](Contraction& c) {
      c.trf_read_bytes = 16;
      c.trf_repeats = times;
    });
  };
  EXPECT_EQ(code_of(repeated(4)), "accepted");
  EXPECT_EQ(code_of(repeated(5)), no_number);
  auto const depth = [&](ScalarType type, std::int32_t n) { return code_of(with([=](Contraction& c) { c.tree_depth = n; }, type)); };
  EXPECT_EQ(depth(ScalarType::bf16, 5), "accepted");
  EXPECT_EQ(depth(ScalarType::bf16, 6), no_number);
  EXPECT_EQ(depth(ScalarType::i8, 6), "accepted");
  EXPECT_EQ(depth(ScalarType::i8, 7), no_number);
  EXPECT_EQ(depth(ScalarType::i4, 7), "accepted");
  EXPECT_EQ(depth(ScalarType::i4, 8), no_number);
  auto const transposed = [&](ScalarType type, std::int64_t rows, std::int64_t columns) {
    return code_of(with(
        [=](Contraction& c) {
          c.adapter.transpose_rows = rows;
          c.adapter.transpose_columns = columns;
        },
        type));
  };
  EXPECT_EQ(transposed(ScalarType::bf16, 2, 8), "accepted");
  EXPECT_EQ(transposed(ScalarType::bf16, 4, 8), no_size);
  EXPECT_EQ(transposed(ScalarType::bf16, 2, 4), no_size);
  EXPECT_EQ(transposed(ScalarType::i8, 2, 16), "accepted");
  EXPECT_EQ(transposed(ScalarType::i8, 4, 8), "accepted");
  EXPECT_EQ(transposed(ScalarType::i8, 4, 16), "program-counts-disagree");
  EXPECT_EQ(transposed(ScalarType::i4, 4, 16), "accepted");
  auto const adapted = [&](std::int64_t StreamAdapter::* field, std::int64_t n) {
    return code_of(with([=](Contraction& c) { c.adapter.*field = n; }));
  };
  EXPECT_EQ(adapted(&StreamAdapter::collect_flits, 3), "accepted");
  EXPECT_EQ(adapted(&StreamAdapter::collect_flits, 4), no_number);
  // SUP-05: the initial shift, by type.
  auto const shifted = [&](ScalarType type, std::int64_t n) {
    return code_of(with([=](Contraction& c) { c.type = type, c.adapter.initial_shift = n; })) != no_number;
  };
  EXPECT_TRUE(shifted(ScalarType::i4, -15) && shifted(ScalarType::i4, 16));
  EXPECT_FALSE(shifted(ScalarType::i4, -16) || shifted(ScalarType::i4, 17));
  EXPECT_TRUE(shifted(ScalarType::i8, -7) && shifted(ScalarType::i8, 8));
  EXPECT_FALSE(shifted(ScalarType::i8, -8) || shifted(ScalarType::i8, 9));
  EXPECT_EQ(adapted(&StreamAdapter::initial_shift, 4), "accepted");
  EXPECT_EQ(adapted(&StreamAdapter::initial_shift, 5), no_number);
  EXPECT_EQ(adapted(&StreamAdapter::initial_shift, -3), "accepted");
  EXPECT_EQ(adapted(&StreamAdapter::initial_shift, -4), no_number);
  EXPECT_EQ(adapted(&StreamAdapter::shift_stride, 7), "accepted");
  EXPECT_EQ(adapted(&StreamAdapter::shift_stride, 8), no_number);
}

TEST(Check, sizes_of_a_transpose) {
  auto const with = [](const std::function<void(Transpose&)>& change) {
    return [=](Program& p) {
      Transpose t;
      t.in_rows = 2;
      t.in_columns = 8;
      t.elements_per_packet = 8;
      change(t);
      exec(p).transpose = t;
    };
  };
  EXPECT_EQ(code_of(with([](Transpose&) {})), "accepted");
  EXPECT_EQ(code_of(with([](Transpose& t) { t.in_rows = 3; })), no_number) << "two rows of 32-bit elements";
  for (std::int64_t n : {8, 16, 32}) EXPECT_EQ(code_of(with([=](Transpose& t) { t.in_columns = n; })), "accepted") << n;
  for (std::int64_t n : {0, 7, 12, 33}) EXPECT_EQ(code_of(with([=](Transpose& t) { t.in_columns = n; })), no_size) << n;
  EXPECT_EQ(code_of(with([](Transpose& t) { t.elements_per_packet = 4; })), no_size);
  EXPECT_EQ(code_of([&](Program& p) {
              with([](Transpose& t) { t.in_rows = 3; })(p);
              exec(p).cast = Cast{ScalarType::i32, ScalarType::i16};
            }),
            "accepted")
      << "four rows of 16-bit elements";
}

TEST(Check, sizes_of_register_files) {
  for (std::int32_t rows : {1, 2, 4, 8}) EXPECT_EQ(code_of([=](Program& p) { exec(p).sink = TrfStore{rows, 0, 32, false}; }), "accepted");
  for (std::int32_t rows : {0, 3, 6, 9}) EXPECT_EQ(code_of([=](Program& p) { exec(p).sink = TrfStore{rows, 0, 32, false}; }), no_size);
  EXPECT_EQ(code_of([](Program& p) { exec(p).sink = VrfStore{4, 32}; }), "accepted");
  EXPECT_EQ(code_of([](Program& p) { exec(p).sink = VrfStore{2, 32}; }), no_multiple);
  EXPECT_EQ(code_of([](Program& p) { exec(p).sink = VrfStore{4, 30}; }), no_multiple);
  auto const log = [](VrfWalk w) { return [=](Program& p) { exec(p).vector = {false, {}, 0, {{BranchLogStep{w}, 1}}, false}; }; };
  EXPECT_EQ(code_of(log({8, {{8, 4}}})), "accepted");
  EXPECT_EQ(code_of(log({9, {{8, 4}}})), no_multiple);
  EXPECT_EQ(code_of(log({8, {{8, 6}}})), no_multiple);
  auto const counting = [](std::int64_t lanes) {
    return [=](Program& p) { exec(p).vector = {false, ValidCount{{}, {}, 8, lanes}, 0, {}, false}; };
  };
  for (std::int64_t lanes : {4, 8}) EXPECT_EQ(code_of(counting(lanes)), "accepted");
  for (std::int64_t lanes : {1, 3, 5, 7, 16}) EXPECT_EQ(code_of(counting(lanes)), no_size);
  auto const ring = [](std::int64_t slices) {
    return [=](Program& p) {
      InterSliceReduceStep r;
      r.group_slices = slices;
      exec(p).vector = {false, {}, 0, {{r, 1}}, false};
    };
  };
  EXPECT_EQ(code_of(ring(256)), "accepted");
  EXPECT_EQ(code_of(ring(257)), no_number);
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
            "  collect      1 flit per packet of 32 bytes\n"
            "  commit       [8 : 32] @ 4096 / 32, commit_in_size 32; slices 0 write\n"
            "  reads Dm [0, 256) of cluster 0, slices 0\n"
            "  writes Dm [4096, 4352) of cluster 0, slices 0\n");
}

}  // namespace
}  // namespace tcp::program
