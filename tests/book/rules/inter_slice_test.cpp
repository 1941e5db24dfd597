// The rows of the ledger on the inter-slice block: what Slice and Time become, and which operations there are.
#include <gtest/gtest.h>

#include "tcp/device/chips.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/rules/vector.hpp"
#include "written.hpp"

namespace tcp {
namespace {

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

}  // namespace
}  // namespace tcp
