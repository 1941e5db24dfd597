// The rows of the ledger on reduces, within a slice and over slices.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/rules/inter_slice.hpp"
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

/// What a type has, and what padding may hold instead of being left out.
void has_op_and_identity(ScalarType type, ReduceOp op, std::uint32_t identity) {
  EXPECT_TRUE(has_intra_slice_op(type, op));
  EXPECT_EQ(identity_bits(type, op), identity);
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
  EXPECT_TRUE(has_intra_slice_op(ScalarType::f32, ReduceOp::Add));
  EXPECT_FALSE(has_intra_slice_op(ScalarType::f32, ReduceOp::AddSat));
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

TEST(Book, RED_25_identity_values_only_where_nothing_changes_them) {
  Written const m{"R = 13"};
  Levels const flit = m.stream("R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8");
  auto const r =
      plan_reduce_padding(rngd, ScalarType::f32, ReduceOp::Add, flit, ValidCountAsk{R}, {.moves_only = false, .fetched = ScalarType::f32});
  ASSERT_FALSE(r);
  EXPECT_NE(std::string(r.refusal().note.s).find("identity values cannot stand in"), std::string::npos);
}

TEST(Book, RED_27_every_flit_once) {
  // The tree takes a flit each step and the accumulators need no further ones: as many steps go in as results come out, times the steps of one.
  Written const m{"A = 4, B = 2, R = 16"};
  Levels const in = m.stream("1", "B, R / 4, A, R % 4", "1 # 4");
  auto const r = check_intra_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, R, in, m("B, A"), m("1 # 4"));
  ASSERT_TRUE(r);
  EXPECT_EQ(r->time.size * r->steps, in[Level::time].size);
}

// The rows of the ledger on the inter-slice block: what Slice and Time become, and which operations there are.

namespace inter_slice {

struct Example {
  const char* axes;
  ScalarType type;
  ReduceOp op;
  const char *slice, *time, *packet, *slice2, *time2;

  Expected<InterSliceResult> run() const {
    Written const m{axes};
    return check_inter_slice_reduce(rngd, type, op, m.stream(slice, time, packet), m(slice2), m(time2));
  }
};

constexpr Example dummy{"R = 4, A = 512", ScalarType::i32, ReduceOp::AddSat, "A / 8, R", "1", "A % 8", "A / 8, 1 # 4", "1"};
constexpr Example broadcast{"W = 64, R = 4, X = 4, P = 8", ScalarType::f32, ReduceOp::Add, "W, R", "1", "P", "W, X", "1"};
constexpr Example promotion{
    "W = 64, R = 4, T0 = 2, T2 = 4, T1 = 2, P = 8", ScalarType::f32, ReduceOp::Add, "W, R", "T0, T2, T1", "P", "W, T2", "T0, T1"};

VectorStep step(VectorMethod method) {
  VectorStep s;
  s.method = method;
  return s;
}
/// The state after some steps, from vector_init on.
VectorState after(ScalarType type, std::initializer_list<VectorMethod> methods) {
  VectorState s;
  s.type = type;
  for (VectorMethod m : methods) s = next_state(s, step(m));
  return s;
}

TEST(Book, INT_01_slice_and_time_change_and_nothing_else) {
  auto const r = dummy.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->slice), "A / 8, 1 # 4");
  EXPECT_EQ(text_of(r->time), "1");
  EXPECT_EQ(text_of(r->packet), "A % 8");
  // F-67: the reduced factors are the innermost.
  Example inner = dummy;
  inner.slice = "R, A / 8";
  inner.slice2 = "1 # 4, A / 8";
  EXPECT_EQ(code_of(inner.run()), "inter-slice-outer-changed");
}

TEST(Book, INT_02_inter_first) {
  auto const s = advanced(after(ScalarType::i32, {}), step(VectorMethod::inter_slice_reduce));
  ASSERT_TRUE(s);
  EXPECT_EQ(s->order, VeOrder::InterFirst);
}

TEST(Book, INT_03_intra_first) {
  VectorMethod const b = VectorMethod::branch;
  std::initializer_list<VectorMethod> const from[] = {{b},
                                                      {b, VectorMethod::logic},
                                                      {b, VectorMethod::fxp},
                                                      {b, VectorMethod::fxp_to_fp},
                                                      {b, VectorMethod::split, VectorMethod::concat},
                                                      {b, VectorMethod::fp_to_fxp},
                                                      {b, VectorMethod::clip}};
  for (auto const& methods : from) {
    auto const s = advanced(after(ScalarType::i32, methods), step(VectorMethod::inter_slice_reduce));
    ASSERT_TRUE(s) << s.refusal().sentence().s;
    EXPECT_EQ(s->order, VeOrder::IntraFirst);
  }
}

TEST(Book, INT_04_not_from_way4) {
  VectorMethod const b = VectorMethod::branch, n = VectorMethod::split;
  std::initializer_list<VectorMethod> const from[] = {
      {b, n}, {b, n, VectorMethod::fp_unary}, {b, n, VectorMethod::intra_slice_reduce}, {b, n, VectorMethod::fp_div}};
  for (auto const& methods : from)
    EXPECT_EQ(code_of(check_step(after(ScalarType::f32, methods), step(VectorMethod::inter_slice_reduce))), "vector-needs-way8");
}

TEST(Book, INT_05_what_may_follow) {
  VectorState const first = after(ScalarType::i32, {VectorMethod::inter_slice_reduce});
  EXPECT_TRUE(check_step(first, step(VectorMethod::branch)));
  EXPECT_TRUE(check_step(first, step(VectorMethod::output)));
  EXPECT_EQ(code_of(check_step(first, step(VectorMethod::inter_slice_reduce))), "vector-inter-slice-twice");
  EXPECT_FALSE(check_step(first, step(VectorMethod::fxp)));
  VectorState const later = after(ScalarType::i32, {VectorMethod::inter_slice_reduce, VectorMethod::branch, VectorMethod::fxp});
  EXPECT_EQ(code_of(check_step(later, step(VectorMethod::inter_slice_reduce))), "vector-inter-slice-twice");
}

TEST(Book, INT_06_i32_operations) {
  for (ReduceOp op : {ReduceOp::Add, ReduceOp::AddSat, ReduceOp::Max, ReduceOp::Min}) EXPECT_TRUE(has_inter_slice_op(ScalarType::i32, op));
  EXPECT_FALSE(has_inter_slice_op(ScalarType::i32, ReduceOp::Mul));
  EXPECT_EQ(common(InterSliceReduceOpI32::Add), ReduceOp::Add);
  EXPECT_EQ(common(InterSliceReduceOpI32::AddSat), ReduceOp::AddSat);
  EXPECT_EQ(common(InterSliceReduceOpI32::Max), ReduceOp::Max);
  EXPECT_EQ(common(InterSliceReduceOpI32::Min), ReduceOp::Min);
}

TEST(Book, INT_07_f32_operations) {
  for (ReduceOp op : {ReduceOp::Add, ReduceOp::Max, ReduceOp::Min, ReduceOp::Mul}) EXPECT_TRUE(has_inter_slice_op(ScalarType::f32, op));
  EXPECT_FALSE(has_inter_slice_op(ScalarType::f32, ReduceOp::AddSat));
  EXPECT_EQ(common(InterSliceReduceOpF32::Add), ReduceOp::Add);
  EXPECT_EQ(common(InterSliceReduceOpF32::Max), ReduceOp::Max);
  EXPECT_EQ(common(InterSliceReduceOpF32::Min), ReduceOp::Min);
  EXPECT_EQ(common(InterSliceReduceOpF32::Mul), ReduceOp::Mul);
}

/// The three rules on one input: Slice [A, R], Time [C].
Expected<InterSliceResult> rule(const char* slice2, const char* time2) {
  return Example{"A = 64, R = 4, C = 4, X = 4", ScalarType::i32, ReduceOp::Add, "A, R", "C", "1 # 8", slice2, time2}.run();
}

TEST(Book, INT_08_broadcast_rule) {
  auto const r = rule("A, X", "C");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->group, 4);
  EXPECT_EQ(r->broadcast, 4);
}
TEST(Book, INT_09_dummy_rule) {
  auto const r = rule("A, 1 # 4", "C");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->group, 4);
  EXPECT_EQ(r->broadcast, 1);
  EXPECT_EQ(r->promoted, 1);
}
TEST(Book, INT_10_promotion_rule) {
  auto const r = rule("A, C", "1");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->promoted, 4);
  EXPECT_EQ(text_of(r->time), "1");
  EXPECT_EQ(code_of(rule("A, C", "C")), "inter-slice-wrong-time") << "what goes to Slice leaves Time";
}

TEST(Book, INT_11_types_of_the_dummy_example) {
  auto const r = dummy.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(r->group, 4);
  EXPECT_EQ(text_of(r->reduced), "R");
}

TEST(Book, INT_12_types_of_the_broadcast_example) {
  auto const r = broadcast.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->slice), "W, X");
}

TEST(Book, INT_13_types_of_the_promotion_example) {
  auto const r = promotion.run();
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->slice), "W, T2");
  EXPECT_EQ(text_of(r->time), "T0, T1");
  // As printed, W = 32 makes 128 slices (F-66); the rule itself does not mind.
  Example printed = promotion;
  printed.axes = "W = 32, R = 4, T0 = 2, T2 = 4, T1 = 2, P = 8";
  EXPECT_TRUE(printed.run());
}

TEST(Book, INT_14_types_inter_then_intra) {
  ASSERT_TRUE(dummy.run());
  VectorState const s = after(ScalarType::i32, {VectorMethod::inter_slice_reduce, VectorMethod::branch});
  EXPECT_TRUE(check_step(s, step(VectorMethod::fxp)));
  EXPECT_EQ(s.order, VeOrder::InterFirst);
}

TEST(Book, INT_15_types_intra_then_inter) {
  ASSERT_TRUE(dummy.run());
  VectorState const s = after(ScalarType::i32, {VectorMethod::branch, VectorMethod::fxp, VectorMethod::inter_slice_reduce});
  EXPECT_EQ(s.order, VeOrder::IntraFirst);
  EXPECT_TRUE(check_step(s, step(VectorMethod::output)));
}

TEST(Book, INT_16_packet_stays) {
  for (Example const& e : {dummy, broadcast, promotion}) EXPECT_EQ(e.run()->packet, Written{e.axes}(e.packet));
}

TEST(Book, INT_17_types_and_operations) {
  for (ScalarType t : scalar_types) {
    Example e = dummy;
    e.type = t;
    e.op = ReduceOp::Max;
    EXPECT_EQ(code_of(e.run()), t == ScalarType::i32 || t == ScalarType::f32 ? "accepted" : "inter-slice-type");
  }
  Example e = dummy;
  e.op = ReduceOp::Mul;
  EXPECT_EQ(code_of(e.run()), "inter-slice-no-such-op");
  e = broadcast;
  e.op = ReduceOp::AddSat;
  EXPECT_EQ(code_of(e.run()), "inter-slice-no-such-op");
}

TEST(Book, SUP_15_fills_can_be_mixed) {
  // Freed places take dummies, new axes and promoted factors, in any order; Time keeps the order of what stays.
  auto const run = [](const char* slice2, const char* time2) {
    return Example{"A = 16, R = 16, C = 4, D = 3, X = 2", ScalarType::i32, ReduceOp::Add, "A, R", "D, C", "1 # 8", slice2, time2}.run();
  };
  EXPECT_TRUE(run("A, C, X, 1 # 2", "D"));
  EXPECT_TRUE(run("A, 1 # 2, X, C", "D"));
  EXPECT_TRUE(run("A, X, C / 2, 1 # 4", "D, C % 2"));
  EXPECT_TRUE(run("A, X, C % 2, 1 # 4", "D, C / 2"));
  EXPECT_EQ(code_of(run("A, X, C % 2, 1 # 4", "C / 2, D")), "inter-slice-wrong-time");
  EXPECT_EQ(code_of(run("R, 1 # 16", "D, C")), "inter-slice-outer-changed");
}

}  // namespace inter_slice

}  // namespace
}  // namespace tcp
