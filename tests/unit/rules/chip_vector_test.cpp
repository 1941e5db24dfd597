// What chips do with the Vector Engine and the register files beyond the vendor's book, and what they cannot: the rows of docs/claims/chip.md, by their numbers.
#include <gtest/gtest.h>

#include <string>

#include "tcp/device/chips.hpp"
#include "tcp/mapping/parse.hpp"
#include "tcp/rules/pass.hpp"

namespace tcp {
namespace {

Axes const axes = parse_axes("H = 4096, A = 256, B = 64, C = 32, D = 33, I = 2, K = 8, L = 9, P = 4, R = 8").value();
Mapping map(const std::string& text) { return parse(text, axes).value(); }

std::string code(const Verdict& v) { return v ? "accepted" : v.refusal().code; }
template <class T>
std::string code(const Expected<T>& e) {
  return code(verdict(e));
}
Levels stream(const std::string& slice, const std::string& time, const std::string& packet) {
  return Levels{}.set(Level::slice, map(slice)).set(Level::time, map(time)).set(Level::packet, map(packet));
}
Levels in_vrf(const std::string& slice, const std::string& element) {
  return Levels{}.set(Level::slice, map(slice)).set(Level::element, map(element));
}
/// The cells that a packet reads, from its first lane on.
std::string cells(const Loops& loops, std::int64_t step) {
  std::string all;
  for (std::int64_t i = 0; i < 8; ++i) all += std::to_string(loops.at(step * 8 + i)) + " ";
  return all;
}

TEST(Chip, CHIP_04_an_axis_of_slices_alone_is_constant_in_each) {
  auto const one = check_vrf_operand(stream("H / 16", "H / 8 % 2", "H % 8"), in_vrf("H / 16", "1 # 8"));
  ASSERT_TRUE(one) << one.refusal().sentence().s;
  for (std::int64_t step : {0, 1}) EXPECT_EQ(cells(*one, step), "0 0 0 0 0 0 0 0 ");
  EXPECT_EQ(code(check_vrf_operand(stream("H % 256", "H / 256", "K"), in_vrf("H % 256", "K"))), "accepted") << "the other part of the axis";
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B", "K"), in_vrf("A", "K"))), "accepted") << "the axis of slices, and one that it lacks";
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B", "K"), in_vrf("256", "K"))), "accepted") << "a copy in each slice";
}
TEST(Chip, CHIP_04_slices_are_the_same) {
  EXPECT_EQ(code(check_vrf_operand(stream("H / 16", "H / 8 % 2", "H % 8"), in_vrf("H % 256", "1 # 8"))), "vector-operand-slices");
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B", "K"), in_vrf("1 # 256", "K"))), "vector-operand-absent");
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B", "K"), in_vrf("A # 512", "K"))), "vector-operand-level-size");
  EXPECT_EQ(code(check_vrf_operand(stream("256", "B", "K"), in_vrf("A", "K"))), "vector-operand-axis") << "an axis that the stream lacks";
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B", "K"), in_vrf("A", "L"))), "vector-operand-axis");
}

TEST(Chip, CHIP_04_blocks_begin_at_the_axis) {
  EXPECT_EQ(code(check_vrf_operand(stream("B #< 8 # 256 / 8 # 256", "1", "B #< 8 # 256 % 8"), in_vrf("B #< 8 # 256 / 8 # 256", "1 # 8"))),
            "vector-operand-start")
      << "slice 0 lies before the axis";
  EXPECT_EQ(code(check_vrf_operand(stream("B #< 4 # 256 / 8 # 256", "1", "B #< 4 # 256 % 8"), in_vrf("B #< 4 # 256 / 8 # 256", "1 # 8"))),
            "vector-operand-start");
  EXPECT_EQ(code(check_vrf_operand(stream("B / 8 # 256", "1", "B % 8"), in_vrf("B / 8 # 256", "1 # 8"))), "accepted");
}

TEST(Chip, CHIP_05_coarse_operands_are_one_cell_or_neighbours) {
  auto const one = check_vrf_operand(stream("A", "B / 8", "B % 8"), in_vrf("A", "B / 16 # 8"));
  ASSERT_TRUE(one) << one.refusal().sentence().s;
  EXPECT_EQ(cells(*one, 0), cells(*one, 1));
  EXPECT_EQ(cells(*one, 1), "0 0 0 0 0 0 0 0 ");
  EXPECT_EQ(cells(*one, 2), "1 1 1 1 1 1 1 1 ");
  auto const neighbours = check_vrf_operand(stream("A", "B", "K"), in_vrf("A", "B / 16, K"));
  ASSERT_TRUE(neighbours) << neighbours.refusal().sentence().s;
  EXPECT_EQ(cells(*neighbours, 15), "0 1 2 3 4 5 6 7 ");
  EXPECT_EQ(cells(*neighbours, 16), "8 9 10 11 12 13 14 15 ");
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B % 8", "B / 8"), in_vrf("A", "B / 8"))), "accepted") << "lanes are the coarse steps";
}
TEST(Chip, CHIP_05_blocks_of_a_packet_at_the_limit_and_beyond) {
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B / 8", "B % 8"), in_vrf("A", "B / 8"))), "accepted") << "one block is one packet";
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B / 8", "B % 8"), in_vrf("A", "B / 4"))), "vector-operand-mixed-lanes");
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B / 4", "B % 4"), in_vrf("A", "B / 4"))), "accepted") << "four lanes wide";
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B / 8", "B % 8"), in_vrf("A", "B % 16"))), "sequence-insufficient-input")
      << "finer is no coarse operand";
  EXPECT_EQ(code(check_vrf_operand(stream("A", "B / 8", "B % 8"), in_vrf("A", "B / 16 % 2"))), "sequence-insufficient-input")
      << "coarser steps are missing";
}
TEST(Chip, CHIP_05_what_is_written_is_not_coarse) {
  ScalarType const type = ScalarType::i32;
  EXPECT_EQ(code(check_write_operand(stream("A", "B", "K"), type, in_vrf("A", "B, K"), type)), "accepted");
  EXPECT_EQ(code(check_write_operand(stream("A", "B", "K"), type, in_vrf("A", "B / 2, K"), type)), "vector-write-operand-steps");
  EXPECT_EQ(code(check_write_operand(stream("H / 16", "H / 8 % 2", "H % 8"), type, in_vrf("H / 16", "1"), type)),
            "vector-write-operand-steps");
}

PassState at(Tu context, StreamStage after, ScalarType type = ScalarType::f32) {
  PassState s;
  s.context = context;
  s.after = after;
  s.type = type;
  return s;
}
TEST(Chip, CHIP_06_sub_commits_what_it_collects_computes_and_casts) {
  for (StreamStage after : {StreamStage::Fetch, StreamStage::Collect, StreamStage::Vector, StreamStage::Cast})
    EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, after), StageKind::Commit)), "accepted");
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, StreamStage::Transpose), StageKind::Commit)), "stage-not-in-context");
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, StreamStage::Contraction), StageKind::Commit)), "stage-missing")
      << "where no stream comes";
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, StreamStage::Collect, ScalarType::bf16), StageKind::Align)), "stage-not-in-context");
  FetchHow how;
  how.context = Tu::Sub;
  how.with_table = true;
  how.table = {ScalarType::i8, ScalarType::i8, -1};
  Levels const source = Levels{}.set(Level::element, map("K"));
  EXPECT_EQ(code(check_fetch(logical, how, ScalarType::i8, source, ScalarType::i8, map("1"), map("K"))), "fetch-table-in-sub");
  auto const eight = check_commit(rngd, {Tu::Sub, false, false}, ScalarType::f32, stream("A", "B", "K"), map("B, K"));
  ASSERT_TRUE(eight) << eight.refusal().sentence().s;
  EXPECT_EQ(eight->commit_size(), Bytes{8}) << "8 bytes in a cycle";
  EXPECT_EQ(eight->writes_per_step(), 4);
}

TEST(Chip, CHIP_07_main_stores_behind_the_vector_engine_and_nothing_between) {
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, StreamStage::Collect), StageKind::ToVrf)), "accepted");
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, StreamStage::Vector), StageKind::ToVrf)), "accepted");
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, StreamStage::Cast), StageKind::ToVrf)), "stage-order");
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, StreamStage::Transpose), StageKind::ToVrf)), "stage-order");
  EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, StreamStage::Vector), StageKind::ToVrf)), "stage-not-in-context");
}
TEST(Chip, CHIP_07_refused_after_an_intra_slice_reduce) {
  for (bool reduces : {false, true}) {
    Levels in = stream("A", "C", "K");
    PassState s = at(Tu::Main, StreamStage::Collect);
    auto const go = [&](const auto& request) {
      auto const next = advanced(rngd, s, in, request);
      ASSERT_TRUE(next) << next.refusal().sentence().s;
      s = next->state;
    };
    Operands const none;
    Mapping const narrow_time = map("C, K / 4"), narrow = map("K % 4"), left = map("K / 4"), time = map(reduces ? "1" : "C"),
                  wide = map("K");
    VectorStep const split = step_of(VectorMethod::split), concat = step_of(VectorMethod::concat);
    BranchMode const mode = BranchMode::Unconditional;
    go(VectorInitRequest{});
    go(BranchRequest{mode});
    go(OperationRequest{split, none, nullptr, nullptr, &narrow_time, &narrow});
    if (reduces) go(IntraSliceReduceRequest{Name("C"), ReduceOp::Add, left, narrow});
    go(OperationRequest{concat, none, nullptr, nullptr, &time, &wide});
    go(VectorFinalRequest{});
    Mapping const element = map(reduces ? "K" : "C, K");
    EXPECT_EQ(code(advanced(rngd, s, in, ToVrfRequest{element})), reduces ? "vrf-after-reduce" : "accepted");
    EXPECT_EQ(code(advanced(rngd, s, in, CommitRequest{element})), "accepted");
  }
}

TEST(Chip, CHIP_12_one_live_value_goes_into_a_tile) {
  CommitHow const view{Tu::Main, true, false};
  Levels const values = stream("A", "R = 3", "1 # 8");
  auto const made = check_commit(rngd, view, ScalarType::f32, values, map("R = 3 # 8, 1 # 8"));
  ASSERT_TRUE(made) << made.refusal().sentence().s;
  EXPECT_EQ(made->commit_in_size, Bytes{8}) << "no more padding than a write has";
  // The padding beside the value is the tensor's own, or it is refused.
  EXPECT_EQ(code(check_beside_view(*made, values[Level::time], map("R, 1 # 8"), 2 * 8)), "accepted");
  EXPECT_EQ(code(check_beside_view(*made, values[Level::time], map("R, K"), 2 * 8)), "commit-touches-padding") << "a column of a matrix";
  EXPECT_EQ(code(check_beside_view(*made, values[Level::time], map("R, P, 1 # 2"), 2 * 8)), "accepted") << "one of four columns, padded";
  EXPECT_EQ(code(check_beside_view(*made, values[Level::time], map("R, 1 #z 8"), 2 * 8)), "commit-touches-padding") << "zeros stay";
  EXPECT_EQ(code(check_commit(rngd, view, ScalarType::f32, values, map("R = 3 # 8, 1 #! 8"))), "commit-touches-padding");
  EXPECT_EQ(code(check_commit(rngd, view, ScalarType::f32, stream("A", "R", "P = 3 # 8"), map("R, P = 3 # 8"))), "commit-touches-padding")
      << "three values";
}

TEST(Chip, CHIP_16_accumulators_of_the_intra_slice_reducer) {
  auto const reduce = [](const std::string& time, const std::string& left) {
    return code(check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, Name("B"), stream("A", time, "P"), map(left), map("P")));
  };
  EXPECT_EQ(reduce("B, K", "K"), "accepted") << "eight kept inside";
  EXPECT_EQ(reduce("B, L", "L"), "reduce-too-many-slots") << "nine";
  EXPECT_EQ(reduce("L, B", "L"), "accepted") << "outside of it any number";
  EXPECT_EQ(reduce("B / 8, I, B % 8, R", "I, R"), "reduce-too-many-slots") << "the outermost factor of B counts: 16 inside";
}

TEST(Chip, CHIP_17_no_intra_slice_reduce_with_two_groups) {
  auto const run = [](std::initializer_list<VectorStep> steps) {
    VectorState s;
    s.type = ScalarType::f32;
    for (const VectorStep& step : steps) {
      auto const next = advanced(s, step);
      if (!next) return std::string(next.refusal().code);
      s = *next;
    }
    return std::string("accepted");
  };
  VectorStep const unzip = step_of(VectorMethod::unzip), split = step_of(VectorMethod::split),
                   reduce = step_of(VectorMethod::intra_slice_reduce);
  VectorStep const zip = step_of(FpBinaryOp::AddF, {}, Groups::zip);
  EXPECT_EQ(run({step_of(BranchMode::Unconditional), split, reduce}), "accepted");
  EXPECT_EQ(run({unzip, split, reduce}), "vector-two-group-reduce");
  EXPECT_EQ(run({unzip, split, zip, reduce}), "vector-two-group-reduce");
  EXPECT_EQ(run({unzip, split, zip, step_of(VectorMethod::concat), step_of(VectorMethod::inter_slice_reduce)}), "accepted");
}

TEST(Chip, CHIP_18_an_unzip_group_has_one_KiB) {
  auto const unzip = [](const std::string& time, const std::string& tile, const std::string& left) {
    return code(check_unzip(rngd, map(time), Name("I"), map(tile), map(left)));
  };
  EXPECT_EQ(unzip("I, C", "1 # 2, C", "C"), "accepted") << "32 flits";
  EXPECT_EQ(unzip("I, D", "1 # 2, D", "D"), "vector-unzip-group-size") << "33";
  EXPECT_EQ(unzip("D, I", "D, 1 # 2", "D"), "accepted") << "flit by flit";
}

/// A stream of a type inside the Vector Engine's block.
VectorState inside(ScalarType type, VectorStage stage = VectorStage::Branch, Way way = Way::Way8) {
  return {.stage = stage, .way = way, .type = type};
}
TEST(Chip, CHIP_20_the_same_bits_as_the_other_type) {
  for (auto [from, to] : {std::pair{ScalarType::i32, ScalarType::f32}, std::pair{ScalarType::f32, ScalarType::i32}}) {
    for (VectorStage stage : {VectorStage::Branch, VectorStage::Logic, VectorStage::Fxp, VectorStage::FxpToFp, VectorStage::Widen,
                              VectorStage::FpToFxp, VectorStage::Clip, VectorStage::Filter}) {
      auto const made = advanced(inside(from, stage), reinterpret_step(to));
      ASSERT_TRUE(made) << made.refusal().sentence().s;
      VectorState expected = inside(to, stage);
      EXPECT_EQ(*made, expected) << "neither the stage nor the ALUs change";
    }
    for (VectorStage stage : {VectorStage::Narrow, VectorStage::Float, VectorStage::IntraSliceReduce, VectorStage::FpDiv})
      EXPECT_EQ(code(advanced(inside(from, stage, Way::Way4), reinterpret_step(to))), "accepted");
    EXPECT_EQ(code(advanced(inside(from), reinterpret_step(from))), "vector-reinterpret-type") << "it would do nothing";
    EXPECT_EQ(code(advanced(inside(from), reinterpret_step(ScalarType::bf16))), "vector-reinterpret-type") << "a lane has 32 bits";
    EXPECT_EQ(code(advanced(inside(from, VectorStage::Init), reinterpret_step(to))), "vector-not-entered");
    EXPECT_EQ(code(advanced(inside(from, VectorStage::InterSliceReduce), reinterpret_step(to))), "vector-not-entered");
    EXPECT_EQ(code(advanced(inside(from, VectorStage::Output), reinterpret_step(to))), "vector-after-final");
  }
}
TEST(Chip, CHIP_20_operations_follow_the_type) {
  auto const floating = advanced(inside(ScalarType::i32), reinterpret_step(ScalarType::f32));
  EXPECT_EQ(code(check_operation(*floating, step_of(FxpBinaryOp::AddFxp))), "vector-wrong-type");
  EXPECT_EQ(code(check_operation(*floating, step_of(LogicBinaryOpF32::BitAnd))), "accepted");
  auto const back = advanced(*floating, reinterpret_step(ScalarType::i32));
  EXPECT_EQ(code(check_operation(*back, step_of(FxpBinaryOp::AddFxp))), "accepted");
  VectorState stashed = inside(ScalarType::f32);
  stashed.stash = VectorState::Stash::kept;
  stashed.stash_type = ScalarType::i32;
  EXPECT_EQ(code(check_step(stashed, step_of(ClipBinaryOpF32::Max), Operands{}.stash())), "vector-stash-type");
}

TEST(Chip, CHIP_21_a_cast_at_the_commit) {
  for (StageKind kind : {StageKind::CommitCast, StageKind::CommitCastRelu}) {
    for (StreamStage after : {StreamStage::Collect, StreamStage::Contraction, StreamStage::Vector, StreamStage::Transpose})
      EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, after), kind)), "accepted") << name_of(after);
    for (StreamStage after : {StreamStage::Collect, StreamStage::Vector})
      EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, after), kind)), "accepted") << name_of(after);
    EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, StreamStage::Fetch), kind)), "stage-missing");
    EXPECT_EQ(code(check_follows(rngd, at(Tu::Sub, StreamStage::Fetch), kind)), "stage-missing") << "it takes flits";
    EXPECT_NE(code(check_follows(rngd, at(Tu::Main, StreamStage::Cast), kind)), "accepted") << "one cast is enough";
    EXPECT_EQ(code(check_follows(rngd, at(Tu::Main, StreamStage::Collect, ScalarType::bf16), kind)), "cast-no-such-cast");
    for (Tu context : {Tu::Main, Tu::Sub})
      EXPECT_EQ(code(check_follows(rngd, at(context, StreamStage::CommitCast), StageKind::Commit)), "accepted");
    for (StageKind other : {StageKind::Cast, StageKind::Transpose, StageKind::ToTrf, StageKind::ToVrf, kind})
      EXPECT_NE(code(check_follows(rngd, at(Tu::Main, StreamStage::CommitCast), other)), "accepted") << info_of(other).method;
  }
}
/// What becomes of packets that are cast to a type at the commit, into an Element.
std::string cast_and_committed(Tu context, ScalarType to, const std::string& packet, const std::string& element) {
  Levels in = stream("A", "B", packet);
  PassState const s = at(context, StreamStage::Vector, ScalarType::f32);
  Mapping const written = map(element);
  auto const cast = advanced(rngd, s, in, CommitCastRequest<StageKind::CommitCast>{to});
  if (!cast) return cast.refusal().code;
  auto const committed = advanced(rngd, cast->state, in, CommitRequest{written});
  if (!committed) return committed.refusal().code;
  return std::to_string(committed->found.commit_in_size.value) + " bytes";
}
TEST(Chip, CHIP_21_the_packet_after_the_cast_is_judged) {
  EXPECT_EQ(cast_and_committed(Tu::Main, ScalarType::bf16, "K", "B, K"), "16 bytes");
  EXPECT_EQ(cast_and_committed(Tu::Main, ScalarType::bf16, "K", "B, K # 16"), "32 bytes") << "what fills the flit as well";
  EXPECT_EQ(cast_and_committed(Tu::Main, ScalarType::f8e4m3, "K", "B, K"), "8 bytes");
  EXPECT_EQ(cast_and_committed(Tu::Sub, ScalarType::f8e4m3, "K", "B, K"), "8 bytes");
  EXPECT_EQ(cast_and_committed(Tu::Main, ScalarType::f8e4m3, "P # 8", "B, P").substr(0, 6), "commit") << "4 bytes are no whole word";
  EXPECT_EQ(cast_and_committed(Tu::Main, ScalarType::bf16, "P", "B, P"), "cast-packet-not-one-flit");
  EXPECT_EQ(cast_and_committed(Tu::Main, ScalarType::i8, "K", "B, K"), "cast-no-such-cast");
}

}  // namespace
}  // namespace tcp
