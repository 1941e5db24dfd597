// The inter-slice reduce against its law, place by place, and what it does with partial factors, padding and starts.
#include <gtest/gtest.h>

#include <set>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/inter_slice.hpp"

namespace tcp {
namespace {

Expected<InterSliceResult> reduce(const Written& m, const Levels& in, const char* slice2, const char* time2) {
  return check_inter_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, in, m(slice2), m(time2));
}

TEST(InterSlice, works_in_constant_expressions) {
  static constexpr Expr slice{"W, R", "W = 64, R = 4"}, slice2{"W, T", "W = 64, T = 4"}, time{"S, T", "S = 3, T = 4"}, time2{"S", "S = 3"};
  constexpr auto r = [] {
    Levels l;
    l.set(Level::slice, slice).set(Level::time, time);
    return check_inter_slice_reduce(rngd, ScalarType::i32, ReduceOp::AddSat, l, slice2, time2);
  }();
  static_assert(r.ok());
  static_assert(r->group == 4 && r->promoted == 4 && r->broadcast == 1);
}

/// The law: of every live place, the fold ends at the places of its group with the same other coordinates; and every live place of the result gets something.
void folds_like_elements(const Written& m, const char* slice, const char* time, const char* slice2, const char* time2) {
  Levels const in = m.stream(slice, time, "1 # 8");
  auto const r = reduce(m, in, slice2, time2);
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  Levels out;
  out.set(Level::slice, r->slice).set(Level::time, r->time);
  std::set<std::pair<std::int64_t, std::int64_t>> reached;
  for (std::int64_t s = 0; s < in[Level::slice].size; ++s)
    for (std::int64_t t = 0; t < in[Level::time].size; ++t) {
      Cell const c = cell(in, {.slice = s, .time = t});
      if (!c.live()) continue;
      // The element without what was folded: the coordinates of the first slice of its group.
      std::int64_t const group = s / r->group;
      Cell const first = cell(in, {.slice = group * r->group, .time = t});
      ASSERT_TRUE(first.live());
      int copies = 0;
      for (std::int64_t i = 0; i < r->group; ++i)
        for (std::int64_t t2 = 0; t2 < r->time.size; ++t2) {
          Cell const to = cell(out, {.slice = group * r->group + i, .time = t2});
          if (!to.live()) continue;
          bool same = true;
          for (int a = 0; a < first.index.n; ++a) same &= to.index.get(first.index.axis[a]) == first.index.at[a];
          if (!same) continue;
          ++copies;
          reached.insert({group * r->group + i, t2});
        }
      EXPECT_EQ(copies, r->broadcast);
    }
  for (std::int64_t s = 0; s < r->slice.size; ++s)
    for (std::int64_t t = 0; t < r->time.size; ++t)
      EXPECT_EQ(cell(out, {.slice = s, .time = t}).live(), reached.count({s, t}) > 0) << s << " " << t;
}

TEST(InterSlice, folds_like_elements) {
  Written const m{"A = 4, B = 3, C = 4, D = 2, R = 8, X = 2, Y = 3"};
  folds_like_elements(m, "A, R", "B", "A, 1 # 8", "B");
  folds_like_elements(m, "A, R", "B, C", "A, C, X", "B");
  folds_like_elements(m, "A, R", "C, B, D", "A, D, C", "B");
  folds_like_elements(m, "A, R", "C, B", "A, C / 2, X, 1 # 2", "C % 2, B");
  folds_like_elements(m, "A, R", "C, B", "A, X, C % 2, 1 # 2", "C / 2, B");
  folds_like_elements(m, "A, R / 4, D, R % 4", "B", "A, 1 # 16", "B");
  folds_like_elements(m, "A, R", "B", "A, Y # 8", "B");
  folds_like_elements(m, "A, R", "B # 4", "A, X, B # 4", "1");
}

TEST(InterSlice, a_part_of_an_axis) {
  Written const m{"R = 16, T = 2"};
  folds_like_elements(m, "R", "T", "R / 4, 1 # 4", "T");
  folds_like_elements(m, "R", "T", "R / 8, 1 # 4, T", "1");
  auto const r = reduce(m, m.stream("R", "T", "1 # 8"), "R / 4, 1 # 4", "T");
  EXPECT_EQ(r->group, 4);
  EXPECT_EQ(text_of(r->reduced), "R % 4");
}

TEST(InterSlice, padding_slices) {
  Written const m{"A = 3, R = 5, T = 2"};
  folds_like_elements(m, "A # 4, R # 8", "T", "A # 4, 1 # 8", "T");
  folds_like_elements(m, "A, R # 8", "T", "A, T, 1 # 4", "1");
  // All slices of a cluster, most of them idle.
  auto const r = reduce(m, m.stream("R # 256", "T", "1 # 8"), "1 # 256", "T");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->slice), "1 # 256");
}

TEST(InterSlice, the_smallest_group) {
  Written const m{"W = 64, R = 4"};
  EXPECT_EQ(reduce(m, m.stream("W, R", "1", "1 # 8"), "W, 1 # 4", "1")->group, 4);
  EXPECT_EQ(reduce(m, m.stream("R # 256", "1", "1 # 8"), "1 # 256", "1")->group, 4) << "only these four hold anything";
  EXPECT_EQ(reduce(m, m.stream("W, R", "1", "1 # 8"), "W / 4, 1 # 16", "1")->group, 16);
}

TEST(InterSlice, several_factors_of_time_as_one) {
  Written const m{"A = 4, R = 4, C = 4, B = 3"};
  folds_like_elements(m, "A, R", "C / 2, B, C % 2", "A, C", "B");
  folds_like_elements(m, "A, R", "C % 2, B, C / 2", "A, C", "B");
}

TEST(InterSlice, refused) {
  Written const m{"A = 4, R = 4, C = 4, B = 3, X = 4"};
  Levels const in = m.stream("A, R", "C, B", "X # 8");
  EXPECT_EQ(code_of(reduce(m, in, "A, R", "C, B")), "inter-slice-nothing-reduced");
  EXPECT_EQ(code_of(reduce(m, in, "A, 1 # 8", "C, B")), "inter-slice-size");
  EXPECT_EQ(code_of(reduce(m, in, "A, X", "C, B")), "inter-slice-wrong-fill") << "X is in Packet, so it is not new";
  EXPECT_EQ(code_of(reduce(m, in, "1 # 4, A", "C, B")), "inter-slice-outer-changed");
  EXPECT_EQ(code_of(reduce(m, in, "A, B # 4", "C")), "accepted");
  EXPECT_EQ(code_of(reduce(m, in, "A, C = 2 # 4", "B")), "inter-slice-wrong-time") << "the other half of C would be lost";
  EXPECT_EQ(code_of(reduce(m, in, "A, C = 3 # 4", "B")), "inter-slice-wrong-fill") << "three of four steps are no factor";
  EXPECT_EQ(code_of(reduce(m, in, "A, C", "C, B")), "inter-slice-wrong-time");
  EXPECT_EQ(code_of(reduce(m, m.stream("A, 4", "C", "1 # 8"), "A, 1 # 4", "C")), "inter-slice-reduces-copies");
  EXPECT_EQ(code_of(reduce(m, m.stream("A, R @ 2 = 2", "C", "1 # 8"), "A, 1 # 2", "C")), "accepted");
}

TEST(InterSlice, starts) {
  Written const m{"A = 4, R = 16, C = 3"};
  auto const part = reduce(m, m.stream("A, R @ 4 = 8", "C", "1 # 8"), "A, 1 # 8", "C");
  ASSERT_TRUE(part) << part.refusal().sentence().s;
  EXPECT_EQ(text_of(part->slice), "A, 1 # 8");
  EXPECT_EQ(code_of(reduce(m, m.stream("A, R @ 4 / 4 = 2", "R % 4", "1 # 8"), "A, 1 # 2", "R % 4")), "inter-slice-axis-start");
}

TEST(InterSlice, kinds_of_padding) {
  Written const m{"A = 3, R = 4, C = 3"};
  auto const r = reduce(m, m.stream("A #z 4, R", "C #z 4", "1 # 8"), "A # 4, C # 4", "1");
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  EXPECT_EQ(text_of(r->slice), "A #z 4, C #z 4") << "what was padding stays of its kind";
  EXPECT_EQ(text_of(reduce(m, m.stream("A #z 4, R", "C", "1 # 8"), "A # 4, 1 #z 4", "C")->slice), "A #z 4, 1 # 4")
      << "nothing is written to dummies";
}

TEST(InterSlice, operations_by_type) {
  EXPECT_EQ(*inter_slice_op(ScalarType::i32, InterSliceReduceOpI32::Add), ReduceOp::Add);
  EXPECT_EQ(*inter_slice_op(ScalarType::f32, InterSliceReduceOpF32::Mul), ReduceOp::Mul);
  EXPECT_EQ(inter_slice_op(ScalarType::f32, InterSliceReduceOpI32::AddSat).refusal().advice.view(), "use InterSliceReduceOpF32::Add");
  EXPECT_EQ(inter_slice_op(ScalarType::i32, InterSliceReduceOpF32::Mul).refusal().advice.view(), "convert to f32 first: i32 has no Mul");
}

}  // namespace
}  // namespace tcp
