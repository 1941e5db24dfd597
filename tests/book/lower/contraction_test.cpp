// The rows of the ledger on the Contraction Engine, as the compiler configures it: stream adapter, TRF sequencer, tree and accumulator.
#include <gtest/gtest.h>

#include "one_pass.hpp"

namespace tcp::lower {
namespace {

using Loops = std::vector<program::Loop>;
using Sums = std::vector<program::TimeLoop>;

/// Weights through the sub context into TRF, then the contraction in the main context. Both are fetched by flits, of bf16 unless said otherwise.
struct Contracting {
  std::string axes;
  std::string weights_time, weights_packet, row, element;
  std::string time, packet;  // of the stream
  std::string aligned_time, aligned_packet, contracted, out_time, out_packet;
  AccumulationKind kind = AccumulationKind::Interleaved;
  TrfAddress where = TrfAddress::Full;
  std::string weights_source = {};  // Element of the weights in DM, where it is not the order of the stream
  ScalarType type = ScalarType::bf16;

  program::Program program() const {
    build::ModuleBuilder b(axes);
    ScalarType const wide = is_integer(type) ? ScalarType::i32 : ScalarType::f32;
    ir::TensorId const w = b.dm("w", type, "1 # 256", weights_source.empty() ? weights_time + ", " + weights_packet : weights_source, 0);
    ir::TensorId const x = b.dm("x", type, "1 # 256", time + ", " + packet, 1 << 16);
    ir::TensorId const trf = b.trf("trf", type, "1 # 256", row, element, where);
    b.sub(w).time(weights_time).packet(weights_packet).stage(ir::Fetch{}).stage(ir::Collect{}).into(ir::ToTrf{trf});
    ir::TensorId const y = b.dm("y", wide, "1 # 256", out_time + ", " + out_packet, 1 << 17);
    auto pass = b.main(x);
    pass.time(time).packet(packet).stage(ir::Fetch{}).stage(ir::Collect{});
    pass.time(aligned_time).packet(aligned_packet).stage(ir::Align{trf});
    pass.type(wide).packet(contracted).stage(ir::Contract{});
    pass.time(out_time).packet(out_packet).stage(ir::Accumulate{kind});
    pass.into(ir::Commit{y, {}, false});
    return lowered(b.module);
  }
  program::Contraction contraction() const { return exec_at(program(), 1).contraction.value(); }
  program::TrfStore store() const { return std::get<program::TrfStore>(exec_at(program(), 0).sink); }
};

const char* const five = "M = 32, N = 8, K = 16, L = 2, O = 2";

Contracting ctr_29() {
  return {five,
          "N, O, M",
          "K",
          "N",
          "O, M, K",
          "M, O, L",
          "K",
          "M, O",
          "L, K",
          "L",
          "M, O, L",
          "N",
          AccumulationKind::Interleaved,
          TrfAddress::FirstHalf};
}

TEST(Contraction, CTR_028_config) {
  program::TrfStore const s = ctr_29().store();
  EXPECT_EQ(s.rows, 8);
  EXPECT_EQ(s.row_base, 0);
  EXPECT_EQ(s.row_bytes, 2048);
}
TEST(Contraction, CTR_029_config) {
  program::Contraction const c = ctr_29().contraction();
  EXPECT_EQ(c.adapter.collect_flits, 2);
  EXPECT_EQ(c.adapter.pops, 64);
  EXPECT_EQ(c.adapter.tiles * c.adapter.shifts, 1);
  EXPECT_EQ(c.rows, 8);
  EXPECT_EQ(c.steps, 64);
  EXPECT_EQ(c.trf_read_bytes, 32);
  EXPECT_EQ(c.trf_repeats, 2);
  EXPECT_EQ(c.trf_loops, (Loops{{32, 32}, {2, 1024}})) << "O is the book's entry 0, the innermost";
  EXPECT_EQ(c.tree_depth, 4);
  EXPECT_EQ(c.columns, 2);
  EXPECT_FALSE(c.sequential);
}
TEST(Contraction, CTR_030_config) {
  program::Contraction const c = ctr_29().contraction();
  ASSERT_EQ(c.trf_loops.size(), 2u);
  EXPECT_EQ(c.trf_loops[1].stride, 16 * 32 * 2) << "O: K times M elements of two bytes";
  EXPECT_EQ(c.trf_loops[0].stride, 16 * 2) << "M: K elements";
}

Contracting ctr_43() { return {five, "N, O", "K", "N", "O, K", "M, O, L", "K", "M, O", "L, K", "L", "M, O, L", "N"}; }
TEST(Contraction, CTR_034_config) { EXPECT_EQ(ctr_43().contraction().adapter.collect_flits, 2); }
TEST(Contraction, CTR_043_config) {
  program::Contraction const c = ctr_43().contraction();
  EXPECT_EQ(c.adapter.collect_flits, 2);
  EXPECT_EQ(c.trf_loops, (Loops{{32, 0}, {2, 32}}));
  EXPECT_EQ(c.trf_read_bytes, 32);
  EXPECT_EQ(c.trf_repeats, 2);
}
TEST(Contraction, CTR_044_config) {
  program::Contraction const c =
      Contracting{"M = 32, N = 8, K = 16", "N", "K", "N", "K", "M", "K", "M", "K # 32", "1", "M", "N"}.contraction();
  EXPECT_EQ(c.adapter.collect_flits, 1);
  EXPECT_EQ(c.steps, 32);
  EXPECT_EQ(c.trf_loops, (Loops{{32, 0}}));
  // The upper half of the packet is zeros.
  std::uint64_t lanes = 0;
  for (const program::LaneMask& m : c.zero_lanes) lanes |= m.rounds.empty() ? m.lanes[0] : 0;
  EXPECT_EQ(lanes, 0xffff0000u);
}
TEST(Contraction, CTR_045_config) {
  program::Contraction const c =
      Contracting{"M = 32, N = 8, K = 16, T = 5", "N, T", "K", "N", "T, K", "M", "K", "M, T", "K # 32", "1", "M, T", "N"}.contraction();
  EXPECT_EQ(c.adapter.tiles, 5) << "each packet five times";
  EXPECT_EQ(c.adapter.pops, 32);
  EXPECT_EQ(c.adapter.collect_flits, 1);
  EXPECT_EQ(c.steps, 160);
  EXPECT_EQ(c.trf_loops, (Loops{{32, 0}, {5, 32}}));
}

Contracting ctr_72() { return {"M = 32, N = 8, K = 32", "N, K / 16", "K % 16", "N", "K", "M, K / 16", "K % 16", "M", "K", "1", "M", "N"}; }
TEST(Contraction, CTR_071_config) {
  program::TrfStore const s = ctr_72().store();
  EXPECT_EQ(s.rows, 8);
  EXPECT_EQ(s.row_bytes, 64);
}
TEST(Contraction, CTR_072_config) {
  program::Contraction const c = ctr_72().contraction();
  EXPECT_EQ(c.trf_read_bytes, 64);
  EXPECT_EQ(c.trf_repeats, 1) << "no broadcast";
  EXPECT_EQ(c.trf_loops, (Loops{{32, 0}}));
  EXPECT_EQ((c.trf_row_base + c.trf_first) % 64, 0);
}
TEST(Contraction, CTR_074_config) {
  program::Contraction const c = Contracting{five,
                                             "N, O",
                                             "K",
                                             "N",
                                             "O, K",
                                             "O, M, L",
                                             "K",
                                             "O, M",
                                             "L, K",
                                             "L",
                                             "O, M, L",
                                             "N",
                                             AccumulationKind::Interleaved,
                                             TrfAddress::FirstHalf}
                                     .contraction();
  EXPECT_EQ(c.trf_read_bytes, 32);
  EXPECT_EQ(c.trf_loops, (Loops{{2, 32}, {32, 0}}));
}
TEST(Contraction, CTR_057_config) {
  Contracting second = ctr_43();
  second.where = TrfAddress::SecondHalf;
  EXPECT_EQ(second.store().row_base, 64 * 64) << "line 64 of both bank columns";
  EXPECT_EQ(second.contraction().trf_row_base, second.store().row_base);
}
TEST(Contraction, CTR_079_config) {
  program::Contraction const c =
      Contracting{"A = 32, B = 32, C = 8", "C, B / 16", "B % 16", "C", "B", "A, B / 16", "B % 16", "A", "B", "1", "A", "C"}.contraction();
  EXPECT_EQ(c.tree_depth, 5);
  EXPECT_EQ(c.columns, 1);
  EXPECT_EQ(c.loops, (Sums{{32, false}}));
  EXPECT_EQ(c.slots, 0) << "nothing is added over time";
}

// StoTRF reads bytes one after the other; everything else takes the whole path.
TEST(Contraction, CTR_054_config) {
  Contracting plain = ctr_72();
  EXPECT_TRUE(plain.store().short_command);
  Contracting blocks = plain;
  blocks.weights_source = "K / 16, N, K % 16";
  EXPECT_FALSE(blocks.store().short_command) << "blocks in another order";
  Contracting gaps = plain;
  gaps.weights_source = "N, K # 48";
  EXPECT_FALSE(gaps.store().short_command) << "there are gaps";
}

}  // namespace
}  // namespace tcp::lower
