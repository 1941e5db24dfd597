// Reduces against a fold of elements one by one, within a slice and over slices.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/scalar/arithmetic.hpp"

namespace tcp {
namespace {

constexpr Name R{"R"};

Expected<IntraSliceResult> reduce(const Written& m, const Levels& in, const char* time2, const char* packet2) {
  return check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Max, R, in, m(time2), m(packet2));
}

TEST(IntraSliceReduce, works_in_constant_expressions) {
  static constexpr Expr time{"R / 4, A", "R = 16, A = 2"}, packet{"R % 4", "R = 16"}, time2{"A", "A = 2"}, packet2{"1 # 4", ""};
  constexpr auto reduced = [] {
    Levels l;
    l.set(Level::time, time).set(Level::packet, packet);
    return check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Add, R, l, time2, packet2);
  }();
  static_assert(reduced.ok());
  static_assert(reduced->slots == 2 && reduced->steps == 4 && reduced->tree);
}

/// The law: every live place of the stream goes to the place of the result with the same other coordinates, every live place of the result gets one, and
/// as many accumulators are open at once as the result says.
void folds_like_elements(const Written& m, const Levels& in, const char* time2, const char* packet2) {
  auto const r = reduce(m, in, time2, packet2);
  ASSERT_TRUE(r) << r.refusal().sentence().s;
  Levels out = in;
  out.set(Level::time, r->time).set(Level::packet, r->packet);
  ASSERT_EQ(out[Level::time].size * r->steps, in[Level::time].size);
  std::set<std::pair<std::int64_t, std::int64_t>> reached;
  for (std::int64_t s = 0; s < in[Level::slice].size; ++s) {
    std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>> open;  // result step -> first and last flit that go into it
    for (std::int64_t t = 0; t < in[Level::time].size; ++t)
      for (std::int64_t p = 0; p < in[Level::packet].size; ++p) {
        Cell const c = cell(in, {.slice = s, .time = t, .packet = p});
        if (!c.live()) continue;
        Index others = c.index;
        for (int i = 0; i < others.n; ++i)
          if (others.axis[i] == R) others.at[i] = cell(in[Level::slice], s).index.get(R);
        std::int64_t const t2 = place(r->time, others), p2 = r->tree ? 0 : p;
        Cell const to = cell(out, {.slice = s, .time = t2, .packet = p2});
        ASSERT_TRUE(to.live());
        ASSERT_EQ(to.index, others);
        reached.insert({s * 1000 + p2, t2});
        auto& span = open.try_emplace(t2, t, t).first->second;
        span.second = t;
      }
    std::int64_t most = 0;
    for (std::int64_t t = 0; t < in[Level::time].size; ++t) {
      std::int64_t now = 0;
      for (auto const& [step, span] : open) now += span.first <= t && t <= span.second;
      most = std::max(most, now);
    }
    EXPECT_LE(most, r->slots);
  }
  for (std::int64_t s = 0; s < in[Level::slice].size; ++s)
    for (std::int64_t t = 0; t < r->time.size; ++t)
      for (std::int64_t p = 0; p < r->packet.size; ++p)
        EXPECT_EQ(cell(out, {.slice = s, .time = t, .packet = p}).live(), reached.count({s * 1000 + p, t}) > 0)
            << s << " " << t << " " << p;
}

TEST(IntraSliceReduce, folds_like_elements) {
  Written const m{"A = 4, B = 3, C = 2, R = 13"};
  folds_like_elements(m, m.stream("C", "A, R # 16, B", "C # 4").set(Level::slice, m("1")), "A, B", "C # 4");
  folds_like_elements(m, m.stream("R # 16 / 4", "B, R # 16 % 4", "A"), "B", "A");
  folds_like_elements(m, m.stream("R # 16 % 4", "R # 16 / 8, C, R # 16 / 4 % 2", "1 # 4"), "C", "1 # 4");
  folds_like_elements(m, m.stream("A", "R # 16 / 8, C, R # 16 / 4 % 2", "R # 16 % 4"), "C", "1 # 4");
  folds_like_elements(m, m.stream("R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4"), "1", "1 # 4");
  folds_like_elements(m, m.stream("A", "R, C # 3", "B # 4"), "C # 3", "B # 4");
}

TEST(IntraSliceReduce, neighbours_join_when_the_axis_between_them_is_gone) {
  Written const m{"A = 4, R = 3"};
  auto const r = reduce(m, m.stream("1", "A / 2, R, A % 2", "1 # 4"), "A", "1 # 4");
  ASSERT_TRUE(r);
  EXPECT_EQ(r->time.digits, 1);
  EXPECT_EQ(r->slots, 2);
}

TEST(IntraSliceReduce, kinds_of_padding_are_computed) {
  Written const m{"A = 3, B = 2, R = 4"};
  auto const r = reduce(m, m.stream("1", "A #z 4, R", "B #z 4"), "A # 4", "B # 4");
  ASSERT_TRUE(r);
  EXPECT_EQ(text_of(r->time), "A #z 4");
  EXPECT_EQ(text_of(r->packet), "B #z 4");
  EXPECT_EQ(text_of(reduce(m, m.stream("1", "A", "R"), "A", "1 #z 4")->packet), "1 # 4") << "the lanes beside the fold hold anything";
}

TEST(IntraSliceReduce, mere_padding_may_go_with_the_axis_or_stay) {
  // R # 32 / 16 of an R of 13 is 1 # 2: no factor of R any more.
  Written const m{"A = 2, R = 13"};
  Levels const in = m.stream("1", "A, R # 32 / 16, R # 32 / 4 % 4", "R # 32 % 4");
  auto const gone = reduce(m, in, "A", "1 # 4");
  ASSERT_TRUE(gone) << gone.refusal().sentence().s;
  // Here the padding has become that of R itself, for 1 # 2, R / 4 is R # 32 / 4.
  EXPECT_FALSE(gone->folds_padding);
  EXPECT_EQ(gone->steps, 8);
  Levels const apart = m.stream("1", "R # 32 / 16, A, R # 32 / 4 % 4", "R # 32 % 4");
  EXPECT_EQ(code_of(reduce(m, apart, "A", "1 # 4")), "reduce-wrong-time") << "1 # 2, A is A # 4";
  EXPECT_TRUE(reduce(m, apart, "A # 4", "1 # 4"));
  Levels const inside = m.stream("1", "R # 32 / 4 % 4, A, R # 32 / 16", "R # 32 % 4");
  auto const kept = reduce(m, inside, "A, 1 # 2", "1 # 4"), folded = reduce(m, inside, "A", "1 # 4");
  ASSERT_TRUE(kept && folded);
  EXPECT_FALSE(kept->folds_padding);
  EXPECT_EQ(kept->slots, 4);
  EXPECT_TRUE(folded->folds_padding);
  EXPECT_EQ(folded->slots, 2);
  EXPECT_EQ(folded->steps, 8);
}

TEST(IntraSliceReduce, padded_groups) {
  Written const m{"A = 3, B = 2, R = 5"};
  EXPECT_EQ(code_of(reduce(m, m.stream("1", "[A, R] # 16", "1 # 4"), "A", "1 # 4")), "reduce-axis-in-group");
  auto const beside = reduce(m, m.stream("1", "[A, B] # 7, R", "1 # 4"), "[A, B] # 7", "1 # 4");
  ASSERT_TRUE(beside) << beside.refusal().sentence().s;
  EXPECT_EQ(beside->slots, 1);
  auto const inside = reduce(m, m.stream("1", "R, [A, B] # 7", "1 # 4"), "[A, B] # 7", "1 # 4");
  ASSERT_TRUE(inside);
  EXPECT_EQ(inside->slots, 7);
  auto const alone = reduce(m, m.stream("1", "B, [R % 5, 1] # 7", "1 # 4"), "B", "1 # 4");
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->steps, 7);
}

TEST(IntraSliceReduce, windows) {
  Written const m{"R = 5, F = 3, A = 2"};
  EXPECT_EQ(code_of(reduce(m, m.stream("1", "$(R, F)", "1 # 4"), "F", "1 # 4")), "reduce-axis-in-window");
  EXPECT_TRUE(check_intra_slice_reduce(rngd, ScalarType::f32, ReduceOp::Max, Name("A"), m.stream("1", "A, $(R, F)", "1 # 4"), m("$(R, F)"),
                                       m("1 # 4")));
}

TEST(IntraSliceReduce, starts) {
  Written const m{"R = 16"};
  EXPECT_TRUE(reduce(m, m.stream("1", "R @ 4 = 8", "1 # 4"), "1", "1 # 4")) << "a part of the axis";
  EXPECT_TRUE(reduce(m, m.stream("1", "R #< 2 # 20", "1 # 4"), "1", "1 # 4")) << "padding in front";
  EXPECT_TRUE(reduce(m, m.stream("R @ 4 / 4", "R % 4", "1 # 4"), "1", "1 # 4")) << "the start is Slice's";
  EXPECT_EQ(code_of(reduce(m, m.stream("R % 4", "R @ 4 / 4", "1 # 4"), "1", "1 # 4")), "reduce-axis-start");
  // A block that begins before the axis would be lost with its result; whole blocks of padding may come first.
  EXPECT_EQ(code_of(reduce(m, m.stream("R #< 2 # 20 / 4", "1", "R % 4"), "1", "1 # 4")), "reduce-axis-start");
  EXPECT_EQ(code_of(reduce(m, m.stream("R #< 4 # 20 / 4", "1", "R % 4"), "1", "1 # 4")), "accepted");
}

TEST(IntraSliceReduce, operations_by_type) {
  EXPECT_EQ(*intra_slice_op(ScalarType::i32, IntraSliceReduceOpI32::AddSat), ReduceOp::AddSat);
  EXPECT_EQ(*intra_slice_op(ScalarType::f32, IntraSliceReduceOpF32::Add), ReduceOp::Add);
  EXPECT_EQ(intra_slice_op(ScalarType::f32, IntraSliceReduceOpI32::AddSat).refusal().advice.view(), "use IntraSliceReduceOpF32::Add");
  EXPECT_EQ(intra_slice_op(ScalarType::i32, IntraSliceReduceOpF32::Add).refusal().advice.view(), "use IntraSliceReduceOpI32::AddSat");
  EXPECT_EQ(intra_slice_op(ScalarType::i32, IntraSliceReduceOpF32::Min).refusal().advice.view(), "use IntraSliceReduceOpI32::Min");
}

TEST(IntraSliceReduce, identities_change_nothing) {
  std::uint32_t const samples[] = {0,           0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u,
                                   0xff800000u, 0x7fc00000u, 0x00800000u, 0x7f7fffffu};
  NumericModel const model = NumericModel::rngd;
  for (std::uint32_t bits : samples) {
    f32 const x = f32::from_bits(bits);
    auto const id = [](ReduceOp op) { return f32::from_bits(identity_bits(ScalarType::f32, op)); };
    EXPECT_EQ(arithmetic::add(id(ReduceOp::Add), x, model).bits, bits);
    EXPECT_EQ(arithmetic::add(x, id(ReduceOp::Add), model).bits, bits);
    EXPECT_EQ(arithmetic::mul(x, id(ReduceOp::Mul), model).bits, bits);
    EXPECT_EQ(arithmetic::max(x, id(ReduceOp::Max), model).bits, bits);
    EXPECT_EQ(arithmetic::min(id(ReduceOp::Min), x, model).bits, bits);
  }
  for (std::int64_t x : {INT32_MIN, -1, 0, 1, INT32_MAX}) {
    auto const id = [](ReduceOp op) { return std::int64_t{static_cast<std::int32_t>(identity_bits(ScalarType::i32, op))}; };
    EXPECT_EQ(id(ReduceOp::Add) + x, x);
    EXPECT_EQ(id(ReduceOp::AddSat) + x, x);
    EXPECT_EQ(std::max(id(ReduceOp::Max), x), x);
    EXPECT_EQ(std::min(id(ReduceOp::Min), x), x);
  }
}

// The inter-slice reduce against its law, place by place, and what it does with partial factors, padding and starts.

namespace inter_slice {

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

}  // namespace inter_slice

}  // namespace
}  // namespace tcp
