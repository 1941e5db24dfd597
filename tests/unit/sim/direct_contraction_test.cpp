// Contractions that are taken straight from DM, chains side by side, against the way through every engine with a tree for
// each time step: the same bits and the same marks, whatever DM and the TRF hold.
#include "sim/direct_contraction.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "tcp/device/chips.hpp"

namespace tcp::sim {
namespace {

/// Time steps of a contraction of bf16: sums of `added` steps for each of `outer` by `inner` kept steps. A stride of 0
/// reads the same again.
struct Case {
  std::int64_t outer = 1, inner = 1, added = 1;
  std::int64_t data_outer = 0, data_inner = 0, weights_outer = 0, weights_inner = 0;  // strides, in packets
  bool sequential = false, kept_inside = false;
};

constexpr std::int64_t packet = 64, trf_rows = 8;

program::Exec exec_of(const Case& c) {
  program::Exec e;
  e.units.chips = {true};
  e.units.clusters = 1;
  e.units.slices.insert(0);
  e.fetch.stored = e.fetch.type = ScalarType::bf16;
  program::Sequencer& read = e.fetch.read;
  read.base = 4096 - 96;  // runs cross pages
  read.access_bytes = packet;
  read.packets = c.outer * c.inner * c.added;
  read.loops = {{c.outer, c.data_outer * packet}, {c.inner, c.data_inner * packet}, {c.added, packet}};
  e.fetch.packet_elements = packet / 2;
  e.collect = {{packet, 2}};
  program::Contraction k;
  k.type = k.weights = ScalarType::bf16;
  k.adapter.collect_flits = 2;
  k.adapter.pops = read.packets;
  k.rows = trf_rows;
  k.trf_loops = {{c.outer, c.weights_outer * packet}, {c.inner, c.weights_inner * packet}, {c.added, packet}};
  k.trf_read_bytes = packet;
  k.tree_depth = 5;
  k.steps = read.packets;
  k.sequential = c.sequential;
  k.loops = {{c.outer, c.kept_inside}, {c.inner, false}, {c.added, true}};
  e.contraction = k;
  return e;
}

/// What a number in DM or the TRF may be.
std::uint32_t drawn(std::mt19937& random, int specials) {
  if (specials > 0 && random() % 4000 == 0) {
    constexpr std::uint32_t special[] = {0x7f80, 0xff80, 0x7fc1, 0x0001, 0x8003, 0x7f7f, 0x0080, 0x8000};
    return special[random() % 8];
  }
  return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 512.0f) >> 16;
}

class Contracted {
 public:
  Contracted(const Case& c, std::uint32_t seed, int specials, int holes) : exec_(exec_of(c)) {
    std::mt19937 random(seed);
    SparseMemory& dm = slice_.dm;
    for (std::int64_t at = 2048; at < 40960; at += 2) {
      std::uint32_t const bits = drawn(random, specials);
      std::byte const bytes[] = {static_cast<std::byte>(bits), static_cast<std::byte>(bits >> 8)};
      dm.write(at, 2, bytes);
    }
    for (int i = 0; i < holes; ++i)
      dm.undefine(2 * (2048 + static_cast<std::int64_t>(random() % 36000)), 1 + static_cast<std::int64_t>(random() % 40));
    for (std::int64_t row = 0; row < trf_rows; ++row)
      for (std::int64_t e = 0; e < 2048; ++e)
        slice_.trf().store(row, trf_rows, 4 * e, 4, {drawn(random, specials), holes > 0 && random() % 500 == 0});
  }

  /// False: it is not for the direct way.
  bool directly(Stream& out, std::int64_t& undefined_in) {
    PassContext const context{rngd, program_, NumericModel::rngd};
    FetchAdapter const adapter(context, exec_.fetch);
    ContractionWalk const walk(context, *exec_.contraction);
    auto direct = DirectContraction::of(context, exec_, adapter, &walk);
    return direct && direct->run(slice_, 0, out, undefined_in);
  }
  /// A mask that masks nothing keeps the steps apart.
  void engine_by_engine(Stream& out, std::int64_t& undefined_in, bool step_by_step) {
    program::Exec exec = exec_;
    if (step_by_step) exec.contraction->zero_lanes = {program::LaneMask{}};
    PassContext const context{rngd, program_, NumericModel::rngd};
    FetchAdapter const adapter(context, exec.fetch);
    ContractionWalk const walk(context, *exec.contraction);
    Stream fetched, flits;
    fetch(exec.fetch, adapter, slice_.dm, 0, fetched);
    undefined_in = fetched.count_undefined();
    collect(context, *exec.collect, fetched, flits);
    contract(context, *exec.contraction, walk, slice_.trf(), flits, out);
  }

 private:
  program::Exec exec_;
  program::Program program_;
  Slice slice_{rngd};
};

/// How many of the runs went the direct way.
int compare(const Case& c, int specials, int holes) {
  int direct = 0;
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    Contracted made(c, seed, specials, holes);
    Stream want, chained, have;
    std::int64_t want_undefined = 0, have_undefined = 0;
    made.engine_by_engine(chained, want_undefined, false);
    made.engine_by_engine(want, want_undefined, true);
    EXPECT_EQ(chained.bits, want.bits) << seed;
    EXPECT_EQ(chained.undefined, want.undefined) << seed;
    if (!made.directly(have, have_undefined)) continue;
    ++direct;
    EXPECT_EQ(have.packets, want.packets);
    EXPECT_EQ(have.bits, want.bits) << seed;
    EXPECT_EQ(have.undefined, want.undefined) << seed;
    EXPECT_EQ(have_undefined, want_undefined) << seed;
  }
  return direct;
}

// Two by two chains, pairs of either kind, odd counts, weights and data that stay, and kept steps that come again.
constexpr Case cases[] = {
    {.outer = 4, .inner = 2, .added = 8, .data_outer = 8, .weights_inner = 8},
    {.outer = 3, .inner = 2, .added = 8, .data_outer = 8, .weights_inner = 8},
    {.outer = 5, .inner = 3, .added = 4, .data_outer = 4, .weights_inner = 4},
    {.outer = 2, .inner = 5, .added = 4, .data_inner = 4, .weights_outer = 4},
    {.outer = 1, .inner = 7, .added = 16, .data_inner = 16, .weights_inner = 2},
    {.outer = 6, .inner = 1, .added = 9, .data_outer = 3, .weights_outer = 1, .sequential = true},
    {.outer = 4, .inner = 6, .added = 1, .data_outer = 6, .data_inner = 1, .weights_outer = 1, .kept_inside = true},
    {.outer = 4, .inner = 2, .added = 2, .data_outer = 2, .weights_outer = 2, .weights_inner = 1, .kept_inside = true},
};

TEST(DirectContraction, equals_the_way_through_every_engine) {
  for (const Case& c : cases) EXPECT_EQ(compare(c, 0, 0), 6);
}
TEST(DirectContraction, marks_what_hangs_on_undefined_numbers) {
  for (const Case& c : cases) EXPECT_EQ(compare(c, 0, 300), 6);
}
TEST(DirectContraction, leaves_special_numbers_to_the_other_way) {
  int direct = 0;
  for (const Case& c : cases) direct += compare(c, 1, 40);
  EXPECT_LT(direct, 6 * static_cast<int>(std::size(cases)));
}

TEST(SparseMemory, marks_elements_as_it_is_asked_for_each) {
  SparseMemory memory;
  std::mt19937 random(3);
  std::vector<std::byte> const bytes(3000);
  memory.write(1000, 3000, bytes.data());
  memory.write(4200, 3000, bytes.data());
  for (int i = 0; i < 60; ++i)
    memory.undefine(2 * 1000 + static_cast<std::int64_t>(random() % 12000), 1 + static_cast<std::int64_t>(random() % 9));
  for (std::int64_t each : {1, 2, 4})
    for (std::int64_t from : {0, 992, 1001, 4094, 8000}) {
      std::vector<std::uint8_t> marks(static_cast<std::size_t>(2048 / each));
      memory.mark_undefined(from, 2048, each, marks.data());
      for (std::size_t e = 0; e < marks.size(); ++e)
        ASSERT_EQ(marks[e] != 0, memory.any_undefined(2 * (from + static_cast<std::int64_t>(e) * each), 2 * each)) << from << ' ' << e;
    }
}

}  // namespace
}  // namespace tcp::sim
