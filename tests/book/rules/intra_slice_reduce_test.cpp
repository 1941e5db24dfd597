// The rows of the ledger on the intra-slice reduce: what it accepts, what comes out, how many accumulators it takes, and what stands in for padding.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/rules/valid_count.hpp"
#include "tcp/rules/vector.hpp"
#include "valid_counts.hpp"
#include "written.hpp"

namespace tcp {
namespace {

constexpr Name R{"R"};

TEST(Book, RED_01_way4_and_from_any_stage_before) {
  Written const m{"A = 8, R = 16"};
  // Way4: four lanes, not eight.
  EXPECT_EQ(code_of(check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::Max, R, m.stream("A / 2", "R", "A % 2 # 4"), m("1"),
                                             m("A % 2 # 4"))),
            "accepted");
  EXPECT_EQ(code_of(check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::Max, R, m.stream("A / 2", "R", "A % 2 # 8"), m("1"),
                                             m("A % 2 # 8"))),
            "reduce-packet-not-narrow");
  // From Narrow and Float on; the result is at IntraSliceReduce, Way4.
  auto const state = check_vector_init(rngd, ScalarType::f32, m("A % 2 # 8"));
  ASSERT_TRUE(state);
  VectorStep branch, trim, reduce;
  branch.method = VectorMethod::branch;
  trim.method = VectorMethod::trim_way4;
  reduce.method = VectorMethod::intra_slice_reduce;
  auto const entered = advanced(*state, branch);
  ASSERT_TRUE(entered);
  EXPECT_FALSE(check_step(*entered, reduce)) << "Way8";
  auto const narrow = advanced(*entered, trim);
  ASSERT_TRUE(narrow);
  auto const reduced = advanced(*narrow, reduce);
  ASSERT_TRUE(reduced);
  EXPECT_EQ(reduced->stage, VectorStage::IntraSliceReduce);
  EXPECT_EQ(reduced->way, Way::Way4);
  EXPECT_FALSE(check_step(*reduced, reduce)) << "SUP-14: once a pass";
}

TEST(Book, RED_02_all_factors_of_the_axis_go) {
  Written const m{"A = 8, R = 16"};
  auto const r = check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Max, R, m.stream("A", "R / 4", "R % 4"), m("1"), m("1 # 4"));
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->tree);
  EXPECT_EQ(r->steps, 4);
  // What lies in Slice stays there.
  auto const part =
      check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Max, R, m.stream("R / 8", "R / 4 % 2", "R % 4"), m("1"), m("1 # 4"));
  ASSERT_TRUE(part);
  EXPECT_EQ(text_of(part->time), "1");
}

TEST(Book, RED_03_exactly_the_axis_goes) {
  Written const m{"A = 8, B = 2, R = 16"};
  Levels const in = m.stream("A / 2", "B, R", "A % 2 # 4");
  auto const declared = [&](const char* time, const char* packet) {
    return code_of(check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, in, m(time), m(packet)));
  };
  EXPECT_EQ(declared("B", "A % 2 # 4"), "accepted");
  EXPECT_EQ(declared("B, R / 4", "A % 2 # 4"), "reduce-axis-left");
  EXPECT_EQ(declared("1", "A % 2 # 4"), "reduce-wrong-time") << "B is not reduced";
  EXPECT_EQ(declared("B", "1 # 4"), "reduce-wrong-packet") << "A is not reduced";
}

TEST(Book, RED_04_packet_unchanged_or_folded) {
  Written const m{"A = 8, R = 16"};
  auto const folded =
      check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, m.stream("A", "R / 4", "R % 4"), m("1"), m("1 # 4"));
  ASSERT_TRUE(folded);
  EXPECT_EQ(text_of(folded->packet), "1 # 4");
  auto const same = check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, m.stream("A / 4", "R", "A % 4"), m("1"), m("A % 4"));
  ASSERT_TRUE(same);
  EXPECT_EQ(text_of(same->packet), "A % 4");
  EXPECT_EQ(code_of(check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, m.stream("A / 2", "R / 2", "R % 2, A % 2"), m("1"),
                                             m("A % 2 # 4"))),
            "reduce-packet-mixed");
}

TEST(Book, RED_05_the_axis_is_told_by_its_name) {
  Written const m{"A = 8, R = 16"};
  Levels const in = m.stream("A / 2", "R", "A % 2 # 4");
  EXPECT_EQ(code_of(check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::Max, Name("R"), in, m("1"), m("A % 2 # 4"))), "accepted");
  EXPECT_EQ(code_of(check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::Max, Name("Q"), in, m("1"), m("A % 2 # 4"))),
            "reduce-axis-absent");
}

TEST(Book, RED_07_eight_accumulators) { EXPECT_EQ(rngd.vector.reduce_slots, 8); }

void has_op_and_identity(ScalarType type, ReduceOp op, std::uint32_t identity) {
  EXPECT_TRUE(has_intra_slice_op(type, op));
  EXPECT_EQ(book_identity_bits(type, op), identity);
}
TEST(Book, RED_08_i32_addsat) {
  EXPECT_EQ(common(IntraSliceReduceOpI32::AddSat), ReduceOp::AddSat);
  has_op_and_identity(ScalarType::i32, ReduceOp::AddSat, 0);
  EXPECT_FALSE(has_intra_slice_op(ScalarType::i32, ReduceOp::Add));
}
TEST(Book, RED_09_i32_max) {
  EXPECT_EQ(common(IntraSliceReduceOpI32::Max), ReduceOp::Max);
  has_op_and_identity(ScalarType::i32, ReduceOp::Max, 0x80000000u);
}
TEST(Book, RED_10_i32_min) {
  EXPECT_EQ(common(IntraSliceReduceOpI32::Min), ReduceOp::Min);
  has_op_and_identity(ScalarType::i32, ReduceOp::Min, 0x7fffffffu);
}
TEST(Book, RED_11_f32_add) {
  EXPECT_EQ(common(IntraSliceReduceOpF32::Add), ReduceOp::Add);
  has_op_and_identity(ScalarType::f32, ReduceOp::Add, 0);
  EXPECT_FALSE(has_intra_slice_op(ScalarType::f32, ReduceOp::AddSat));
}
TEST(Book, RED_12_f32_max) {
  EXPECT_EQ(common(IntraSliceReduceOpF32::Max), ReduceOp::Max);
  has_op_and_identity(ScalarType::f32, ReduceOp::Max, 0xff800000u);
}
TEST(Book, RED_13_f32_min) {
  EXPECT_EQ(common(IntraSliceReduceOpF32::Min), ReduceOp::Min);
  has_op_and_identity(ScalarType::f32, ReduceOp::Min, 0x7f800000u);
}

/// Narrows, reduces, and compares with the declared result.
struct Example {
  const char* axes;
  ScalarType type;
  const char *slice, *time, *packet, *narrow;
  ReduceOp op;
  const char *time2, *packet2;

  Expected<IntraSliceResult> run(const Device& device = rngd) const {
    Written const m{axes};
    auto const trimmed = check_trim_way4(device, m(packet), m(narrow));
    if (!trimmed) return trimmed.refusal();
    return check_intra_slice_reduce(device, type, op, R, m.stream(slice, time, narrow), m(time2), m(packet2));
  }
};

TEST(Book, RED_14_in_time) {
  Example const e{"A = 8, R = 16", ScalarType::i32, "A / 2", "R", "A % 2 # 8", "A % 2 # 4", ReduceOp::AddSat, "1", "A % 2 # 4"};
  auto const r = e.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->time), "1");
  EXPECT_EQ(text_of(r->packet), "A % 2 # 4");
  EXPECT_FALSE(r->tree);
  EXPECT_EQ(r->steps, 16);
}

TEST(Book, RED_15_in_packet) {
  Example const e{"A = 8, R = 4", ScalarType::f32, "A / 2", "A % 2", "R # 8", "R", ReduceOp::Add, "A % 2", "1 # 4"};
  auto const r = e.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->time), "A % 2");
  EXPECT_EQ(text_of(r->packet), "1 # 4");
  EXPECT_TRUE(r->tree);
  EXPECT_EQ(r->steps, 1) << "tree only";
  Written const m{e.axes};
  auto const count = plan_valid_count(rngd, m.stream(e.slice, e.time, e.packet), ValidCountAsk{R});
  ASSERT_TRUE(count);
  for (std::uint64_t slice = 0; slice < 4; ++slice)
    for (std::int64_t t = 0; t < 2; ++t) EXPECT_EQ(valid_count(count->config, slice, t), 4);
}

TEST(Book, RED_16_in_time_and_packet) {
  Example const e{"A = 8, R = 16", ScalarType::f32, "A / 2", "R / 4", "R % 4 # 8", "R % 4", ReduceOp::Max, "1", "1 # 4"};
  auto const r = e.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->time), "1");
  EXPECT_EQ(text_of(r->packet), "1 # 4");
  EXPECT_TRUE(r->tree);
  EXPECT_EQ(r->steps, 4);
}

TEST(Book, RED_17_types_in_slice_time_and_packet) {
  Example const e{"R = 13", ScalarType::i32, "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8", "R # 32 % 4", ReduceOp::Min, "1", "1 # 4"};
  auto const r = e.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->time), "1");
  EXPECT_EQ(text_of(r->packet), "1 # 4");
  // F-55: no valid counts, but identity values, if nothing stands between fetch and reduce.
  Written const m{e.axes};
  Levels const flit = m.stream(e.slice, e.time, e.packet);
  EXPECT_EQ(code_of(plan_valid_count(rngd, flit, ValidCountAsk{R})), "valid-count-varies-by-slice");
  auto const plan = plan_reduce_padding(rngd, e.type, e.op, flit, ValidCountAsk{R}, {.moves_only = true, .fetched = ScalarType::i32});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->way, ReducePadding::identity);
  EXPECT_EQ(plan->identity, 0x7fffffffu);
  // Slices 2 and 3 hold no element.
  EXPECT_TRUE(cell(m(e.slice), 1).live());
  EXPECT_EQ(cell(m(e.slice), 2).kind, CellKind::padding);
  EXPECT_EQ(cell(m(e.slice), 3).kind, CellKind::padding);
}

std::int64_t slots(const char* axes, const char* time, const char* time2) {
  Written const m{axes};
  auto const r = check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, m.stream("1", time, "1 # 4"), m(time2), m("1 # 4"));
  return r ? r->slots : -1;
}

TEST(Book, RED_18_slots_inside_the_outermost_reduced_factor) {
  char const* const axes = "A = 8, B = 8, R = 16";
  EXPECT_EQ(slots(axes, "A, R", "A"), 1) << "outside: one after the other";
  EXPECT_EQ(slots(axes, "R, A", "A"), 8);
  EXPECT_EQ(slots(axes, "B, R, A % 2", "B, A % 2"), 2);
  EXPECT_EQ(slots(axes, "R / 4, A % 4, R % 4, B % 2", "A % 4, B % 2"), 8);
  EXPECT_EQ(slots(axes, "R, A, B % 2", "A, B % 2"), -1);
}

TEST(Book, RED_19_slot_trace) {
  Written const m{"A = 2, R = 4"};
  EXPECT_EQ(slots(m.axes, "R / 2, A % 2, R % 2", "A % 2"), 2);
  // The slot of a flit is the place of its other coordinates in the result.
  Mapping const time = m("R / 2, A, R % 2"), time2 = m("A");
  std::int64_t const expected[] = {0, 0, 1, 1, 0, 0, 1, 1};
  for (std::int64_t t = 0; t < 8; ++t) EXPECT_EQ(place(time2, cell(time, t).index), expected[t]) << t;
}

TEST(Book, RED_20_eight_slots_are_accepted) { EXPECT_EQ(slots("A = 4, B = 8, R = 16", "R, A % 2, B % 4", "A % 2, B % 4"), 8); }

TEST(Book, RED_21_twelve_slots_are_refused) {
  Written const m{"A = 6, B = 8, R = 16"};
  EXPECT_EQ(code_of(check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, m.stream("1", "R, A % 3, B % 4", "1 # 4"),
                                             m("A % 3, B % 4"), m("1 # 4"))),
            "reduce-too-many-slots");
}

TEST(Book, RED_22_example_with_twelve_slots) {
  // As printed, B / 4 has 2 elements, and the trim is refused before slots are counted (F-57).
  Example const printed{"A = 6, B = 8, R = 16", ScalarType::i32, "A / 3", "R, A % 3, B % 4", "B / 4 # 8", "B / 4",
                        ReduceOp::AddSat,       "A % 3, B % 4",  "B / 4"};
  EXPECT_EQ(code_of(printed.run()), "vector-trim-wrong-packet");
  Example corrected = printed;
  corrected.axes = "A = 6, B = 16, R = 16";
  EXPECT_EQ(code_of(corrected.run()), "reduce-too-many-slots");
  EXPECT_NE(std::string(corrected.run().refusal().sentence().s).find("12 results"), std::string::npos);
}

TEST(Book, RED_23_how_padding_is_left_out) {
  Written const m{"A = 8, R = 13, X = 32"};
  auto const way = [&](const Levels& flit, bool moves_only) {
    return plan_reduce_padding(rngd, ScalarType::f32, ReduceOp::Add, flit, ValidCountAsk{R},
                               {.moves_only = moves_only, .fetched = ScalarType::f32});
  };
  Levels const counted = m.stream("X, R # 16 / 2", "R # 16 % 2", "1 # 8"),
               uncounted = m.stream("R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8");
  EXPECT_EQ(way(counted, false)->way, ReducePadding::valid_count);
  EXPECT_EQ(way(uncounted, true)->way, ReducePadding::identity);
  EXPECT_EQ(code_of(way(uncounted, false)), "valid-count-varies-by-slice")
      << "an operation such as exp stands before it: restructure the mapping";
  EXPECT_EQ(way(m.stream("X", "A", "1 # 8"), false)->way, ReducePadding::none);
}

TEST(Book, RED_24_identity_values) {
  EXPECT_EQ(book_identity_bits(ScalarType::i32, ReduceOp::AddSat), 0u);
  EXPECT_EQ(book_identity_bits(ScalarType::f32, ReduceOp::Add), 0u);
  EXPECT_EQ(book_identity_bits(ScalarType::i32, ReduceOp::Max), 0x80000000u);
  EXPECT_EQ(book_identity_bits(ScalarType::f32, ReduceOp::Max), 0xff800000u);
  EXPECT_EQ(book_identity_bits(ScalarType::i32, ReduceOp::Min), 0x7fffffffu);
  EXPECT_EQ(book_identity_bits(ScalarType::f32, ReduceOp::Min), 0x7f800000u);
}

TEST(Book, RED_25_identity_values_only_where_nothing_changes_them) {
  Written const m{"R = 13"};
  Levels const flit = m.stream("R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8");
  auto const r =
      plan_reduce_padding(rngd, ScalarType::f32, ReduceOp::Add, flit, ValidCountAsk{R}, {.moves_only = false, .fetched = ScalarType::f32});
  ASSERT_FALSE(r);
  EXPECT_NE(std::string(r.refusal().note.s).find("identity values cannot stand in"), std::string::npos);
}

TEST(Book, RED_26_methods_that_are_only_named) {
  EXPECT_EQ(code_of(check_padding_method(UndefinedPaddingMethod::NanMasking)), "reduce-padding-method-undefined");
  EXPECT_EQ(code_of(check_padding_method(UndefinedPaddingMethod::SliceOverride)), "reduce-padding-method-undefined");
}

TEST(Book, RED_27_every_flit_once) {
  // The tree takes a flit each step and the accumulators need no further ones: as many steps go in as results come out, times the steps of one.
  Written const m{"A = 4, B = 2, R = 16"};
  Levels const in = m.stream("1", "B, R / 4, A, R % 4", "1 # 4");
  auto const r = check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, in, m("B, A"), m("1 # 4"));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->time.size * r->steps, in[Level::time].size);
}

TEST(Book, RED_29_blocking_mode_only) {
  EXPECT_EQ(code_of(check_reduce_mode(ReduceMode::Blocking)), "accepted");
  EXPECT_EQ(code_of(check_reduce_mode(ReduceMode::NonBlocking)), "reduce-non-blocking");
}

}  // namespace
}  // namespace tcp
