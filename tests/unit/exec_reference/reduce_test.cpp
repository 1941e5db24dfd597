// The two reduces against plain loops over coordinates, at random placements; the order of sums; copies, padding and undefined elements.
#include "tcp/exec/reference/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/random.hpp"

namespace tcp::reference {
namespace {

constexpr Name R{"R"};
constexpr NumericModel model = NumericModel::rngd;

/// A value with an element of its own at every index of the axes that the levels count.
Value numbered(ScalarType type, const Levels& levels, std::uint64_t seed) {
  Value v(type, axes_of(levels));
  Random random(seed);
  for (std::int64_t i = 0; i < v.size(); ++i) {
    std::int64_t const n = random.between(-1000, 1000);
    v[i].bits = type == ScalarType::i32 ? i32::from_int(n * 1000003).bits : f32::from_float(static_cast<float>(n) * 1.37f).bits;
  }
  return v;
}

/// Folds by the rule's own words, one result at a time: `op` on the elements that exist, in this order.
std::uint32_t folded(ScalarType type, ReduceOp op, std::uint32_t a, std::uint32_t b) {
  if (type == ScalarType::f32) {
    float const x = f32::from_bits(a).to_float(), y = f32::from_bits(b).to_float();
    float const z = op == ReduceOp::Max ? std::max(x, y) : op == ReduceOp::Min ? std::min(x, y) : op == ReduceOp::Mul ? x * y : x + y;
    return f32::from_float(z).bits;
  }
  std::int64_t const x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
  std::int64_t z = op == ReduceOp::Max ? std::max(x, y) : op == ReduceOp::Min ? std::min(x, y) : x + y;
  if (op == ReduceOp::AddSat) z = std::min<std::int64_t>(std::max<std::int64_t>(z, INT32_MIN), INT32_MAX);
  return static_cast<std::uint32_t>(z);
}
std::optional<std::uint32_t> folded(ScalarType type, ReduceOp op, std::optional<std::uint32_t> a, std::optional<std::uint32_t> b) {
  return a && b ? folded(type, op, *a, *b) : a ? a : b;
}

/// Every live place of the result, computed from the cells of the stream alone.
void reduces_like_cells(const char* axes, const char* slice, const char* time, const char* packet, const char* time2, const char* packet2,
                        ScalarType type, ReduceOp op) {
  Written const m{axes};
  Levels const in = m.stream(slice, time, packet);
  auto const rule = check_intra_slice_reduce(rngd, type, op, R, in, m(time2), m(packet2));
  ASSERT_TRUE(rule) << rule.refusal().sentence().s;
  Levels out = in;
  out.set(Level::time, rule->time).set(Level::packet, rule->packet);
  Value const x = numbered(type, in, 7);
  Value const y = intra_slice_reduce(x, R, op, in, out, model);
  EXPECT_EQ(y.type, type);
  for (std::int64_t s = 0; s < out[Level::slice].size; ++s)
    for (std::int64_t t2 = 0; t2 < out[Level::time].size; ++t2)
      for (std::int64_t p2 = 0; p2 < out[Level::packet].size; ++p2) {
        Cell const to = cell(out, {.slice = s, .time = t2, .packet = p2});
        if (!to.live()) continue;
        // The flits of this result in the order of Time; copies of a flit are the same elements once more.
        std::optional<std::uint32_t> sum;
        std::vector<Index> seen;
        for (std::int64_t t = 0; t < in[Level::time].size; ++t) {
          std::optional<std::uint32_t> lane[4];
          Index key;
          for (std::int64_t p = 0; p < 4; ++p) {
            Cell const c = cell(in, {.slice = s, .time = t, .packet = p});
            bool mine = c.live() && (rule->tree || p == p2);
            for (int a = 0; mine && a < c.index.n; ++a) mine = c.index.axis[a] == R || to.index.get(c.index.axis[a]) == c.index.at[a];
            if (!mine) continue;
            lane[p] = x.at(c.index).bits;
            key = c.index;
          }
          auto const flit = folded(type, op, folded(type, op, lane[0], lane[1]), folded(type, op, lane[2], lane[3]));
          if (!flit || std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
          sum = folded(type, op, sum, flit);
          seen.push_back(key);
        }
        ASSERT_TRUE(sum);
        EXPECT_EQ(y.at(to.index).bits, *sum) << time << " at slice " << s << ", step " << t2 << ", lane " << p2;
        EXPECT_EQ(y.at(to.index).undefined, 0u);
      }
}

TEST(IntraSliceReduce, like_cells) {
  char const* const axes = "A = 4, B = 3, C = 2, R = 13";
  for (auto [type, op] : {std::pair{ScalarType::f32, ReduceOp::Add},
                          {ScalarType::f32, ReduceOp::Max},
                          {ScalarType::i32, ReduceOp::AddSat},
                          {ScalarType::i32, ReduceOp::Min}}) {
    reduces_like_cells(axes, "C", "B, R # 16", "A", "B", "A", type, op);
    reduces_like_cells(axes, "R # 16 / 4", "B, R # 16 % 4", "A", "B", "A", type, op);
    reduces_like_cells(axes, "R # 16 % 4", "R # 16 / 8, C, R # 16 / 4 % 2", "1 # 4", "C", "1 # 4", type, op);
    reduces_like_cells(axes, "A", "R # 16 / 8, C, R # 16 / 4 % 2", "R # 16 % 4", "C", "1 # 4", type, op);
    reduces_like_cells(axes, "R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4", "1", "1 # 4", type, op);
    reduces_like_cells(axes, "A", "R, C # 3", "B # 4", "C # 3", "B # 4", type, op);
    reduces_like_cells(axes, "A", "R # 15 / 3", "R # 15 % 3 # 4", "1", "1 # 4", type, op);
  }
}

TEST(IntraSliceReduce, copies_are_not_folded_together) {
  reduces_like_cells("A = 4, R = 3", "2", "R", "A", "1", "A", ScalarType::f32, ReduceOp::Add);
  reduces_like_cells("A = 4, R = 3", "A", "2, R", "1 # 4", "2", "1 # 4", ScalarType::f32, ReduceOp::Add);
  reduces_like_cells("A = 4, R = 3", "A", "R, 2", "1 # 4", "2", "1 # 4", ScalarType::i32, ReduceOp::AddSat);
  reduces_like_cells("A = 2, R = 3", "1", "R", "2, A", "1", "2, A", ScalarType::f32, ReduceOp::Add);
}

TEST(IntraSliceReduce, an_axis_that_the_stream_only_repeats) {
  // Broadcast along B: the value has no B, its places do.
  Written const m{"A = 4, B = 3, R = 5"};
  Levels const in = m.stream("A", "B, R", "1 # 4");
  Value x(ScalarType::i32, {{Name("A"), 4}, {R, 5}});
  for (std::int64_t i = 0; i < x.size(); ++i) x[i].bits = static_cast<std::uint32_t>(i);
  Levels out = in;
  out.set(Level::time, m("B"));
  Value const y = intra_slice_reduce(x, R, ReduceOp::AddSat, in, out, model);
  for (std::int64_t a = 0; a < 4; ++a) {
    Index at;
    at.add(Name("A"), a).add(Name("B"), 2);
    EXPECT_EQ(y.at(at).bits, static_cast<std::uint32_t>(25 * a + 10));
  }
}

TEST(IntraSliceReduce, undefined_elements) {
  Written const m{"A = 4, R = 6"};
  Levels const in = m.stream("A", "R # 8", "1 # 4");
  Value x = numbered(ScalarType::f32, in, 3);
  Index bad;
  bad.add(Name("A"), 2).add(R, 4);
  x.at(bad).undefined = 9;
  Levels out = in;
  out.set(Level::time, m("1"));
  Value const y = intra_slice_reduce(x, R, ReduceOp::Max, in, out, model);
  for (std::int64_t a = 0; a < 4; ++a) {
    Index at;
    EXPECT_EQ(y.at(at.add(Name("A"), a)).undefined, a == 2 ? 9u : 0u);
  }
}

TEST(IntraSliceReduce, a_lone_element_is_made_canonical) {
  Written const m{"R = 2"};
  Value x(ScalarType::f32, {{R, 2}});
  x[0].bits = 0x80000001u;  // subnormal
  x[1].bits = 0xffc12345u;  // a NaN of another kind
  // Each slice holds one step of R, so each sum has one element.
  Levels const one_step = m.stream("R", "1", "1 # 4");
  Value const y = intra_slice_reduce(x, R, ReduceOp::Add, one_step, one_step, model);
  EXPECT_EQ(y[0].bits, 0x80000000u);
  EXPECT_EQ(y[1].bits, 0x7fc00000u);
}

/// Every live place of the result: the elements of its group in ascending order of slices.
void reduces_across(const char* axes, const char* slice, const char* time, const char* packet, const char* slice2, const char* time2,
                    ScalarType type, ReduceOp op) {
  Written const m{axes};
  Levels const in = m.stream(slice, time, packet);
  auto const rule = check_inter_slice_reduce(rngd, type, op, in, m(slice2), m(time2));
  ASSERT_TRUE(rule) << rule.refusal().sentence().s;
  Levels out = in;
  out.set(Level::slice, rule->slice).set(Level::time, rule->time);
  Value const x = numbered(type, in, 11);
  Value const y = inter_slice_reduce(x, rule->reduced, op, in, out, model);
  for (std::int64_t s2 = 0; s2 < out[Level::slice].size; ++s2)
    for (std::int64_t t2 = 0; t2 < out[Level::time].size; ++t2)
      for (std::int64_t p = 0; p < out[Level::packet].size; ++p) {
        Cell const to = cell(out, {.slice = s2, .time = t2, .packet = p});
        if (!to.live()) continue;
        std::optional<std::uint32_t> sum;
        for (std::int64_t i = 0; i < rule->group; ++i) {
          std::int64_t const s = s2 / rule->group * rule->group + i;
          for (std::int64_t t = 0; t < in[Level::time].size; ++t) {
            Cell const c = cell(in, {.slice = s, .time = t, .packet = p});
            if (!c.live()) continue;
            // The element without its steps in the reduced factors.
            Index rest = c.index;
            Cell const step = cell(rule->reduced, i);
            for (int a = 0; a < step.index.n; ++a) rest.add(step.index.axis[a], -step.index.at[a]);
            bool mine = true;
            for (int a = 0; a < rest.n; ++a) mine &= to.index.get(rest.axis[a]) == rest.at[a];
            if (!mine) continue;
            sum = folded(type, op, sum, x.at(c.index).bits);
            break;  // copies of a step are the same step once more
          }
        }
        ASSERT_TRUE(sum);
        EXPECT_EQ(y.at(to.index).bits, *sum) << slice << " to " << slice2 << " at slice " << s2 << ", step " << t2;
      }
}

TEST(InterSliceReduce, like_cells) {
  char const* const axes = "A = 4, B = 3, C = 4, D = 2, P = 8, R = 8, X = 2, Y = 3";
  for (auto [type, op] : {std::pair{ScalarType::f32, ReduceOp::Add},
                          {ScalarType::f32, ReduceOp::Mul},
                          {ScalarType::i32, ReduceOp::AddSat},
                          {ScalarType::i32, ReduceOp::Add},
                          {ScalarType::i32, ReduceOp::Max}}) {
    reduces_across(axes, "A, R", "B", "P", "A, 1 # 8", "B", type, op);
    reduces_across(axes, "A, R", "B", "1 # 8", "A, X, 1 # 4", "B", type, op);
    reduces_across(axes, "A, R", "B, C", "1 # 8", "A, C, X", "B", type, op);
    reduces_across(axes, "A, R", "C, B, D", "1 # 8", "A, D, C", "B", type, op);
    reduces_across(axes, "A, R", "C, B", "1 # 8", "A, C / 2, X, 1 # 2", "C % 2, B", type, op);
    reduces_across(axes, "A, R / 4, D, R % 4", "B", "1 # 8", "A, 1 # 16", "B", type, op);
    reduces_across(axes, "A, Y # 4", "B", "P", "A, 1 # 4", "B", type, op);
    reduces_across(axes, "R", "B", "P", "R / 4, 1 # 4", "B", type, op);
    reduces_across(axes, "2, R", "B", "P", "2, 1 # 8", "B", type, op);
    reduces_across(axes, "A, R", "2, B", "P", "A, 1 # 8", "2, B", type, op);
  }
}

}  // namespace
}  // namespace tcp::reference
