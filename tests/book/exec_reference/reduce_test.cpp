// The values that the rows of the ledger on reduces and casts promise, against plain loops on the host.
#include "tcp/exec/reference/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "book/rules/written.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/exec/reference/fetch.hpp"
#include "tcp/exec/reference/vector.hpp"
#include "tcp/rules/inter_slice.hpp"
#include "tcp/scalar/scalar.hpp"
#include "tcp/support/random.hpp"

namespace tcp::reference {
namespace {

constexpr NumericModel model = NumericModel::rngd;
constexpr Name A{"A"}, R{"R"};

Index at(Name a, std::int64_t i) {
  Index index;
  return index.add(a, i);
}
Index at(Name a, std::int64_t i, Name b, std::int64_t j) {
  Index index;
  return index.add(a, i).add(b, j);
}
std::int64_t whole(const Element& e) { return static_cast<std::int32_t>(e.bits); }
float real(const Element& e) { return f32::from_bits(e.bits).to_float(); }

/// Numbers of either sign, large enough to overflow when a few of them are added.
Value integers(std::vector<Value::Axis> axes, std::uint64_t seed) {
  Value v(ScalarType::i32, std::move(axes));
  Random random(seed);
  for (std::int64_t i = 0; i < v.size(); ++i) v[i].bits = static_cast<std::uint32_t>(random.next());
  return v;
}
Value reals(std::vector<Value::Axis> axes, std::uint64_t seed) {
  Value v(ScalarType::f32, std::move(axes));
  Random random(seed);
  for (std::int64_t i = 0; i < v.size(); ++i)
    v[i].bits = f32::from_float(static_cast<float>(random.between(-1000000, 1000000)) / 1024.0f).bits;
  return v;
}
std::int64_t saturated(std::int64_t n) {
  return std::clamp<std::int64_t>(n, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
}

Value reduce(const Value& x, ReduceOp op, const Written& m, const Levels& in, const char* time2, const char* packet2) {
  auto const rule = check_intra_slice_reduce(rngd, x.type, op, R, in, m(time2), m(packet2));
  EXPECT_TRUE(rule);
  Levels out = in;
  out.set(Level::time, rule->time).set(Level::packet, rule->packet);
  return intra_slice_reduce(x, R, op, in, out, model);
}

TEST(Book, RED_06_values_of_the_tree) {
  // 1e8 + -1e8 is 0, but 1 + 1e8 loses the 1: the pairs show.
  Written const m{"R = 8"};
  Value x(ScalarType::f32, {{R, 8}});
  float const elements[] = {1.0f, 1e8f, -1e8f, 3.0f, 5.0f, 7.0f, 11.0f, 13.0f};
  for (int i = 0; i < 8; ++i) x[i].bits = f32::from_float(elements[i]).bits;
  Value const y = reduce(x, ReduceOp::Add, m, m.stream("1", "R / 4", "R % 4"), "1", "1 # 4");
  float const first = (1.0f + 1e8f) + (-1e8f + 3.0f), second = (5.0f + 7.0f) + (11.0f + 13.0f);
  EXPECT_EQ(real(y[0]), first + second);
  EXPECT_NE(first, ((1.0f + 1e8f) + -1e8f) + 3.0f) << "one after the other would give another number";
  // Three lanes: op(op(a, b), c).
  Written const three{"R = 3"};
  Value z(ScalarType::f32, {{R, 3}});
  for (int i = 0; i < 3; ++i) z[i].bits = x[i].bits;
  EXPECT_EQ(real(reduce(z, ReduceOp::Add, three, three.stream("1", "1", "R # 4"), "1", "1 # 4")[0]), (1.0f + 1e8f) + -1e8f);
}

/// One reduce over time of these numbers.
std::int64_t integers_over_time(ReduceOp op, std::initializer_list<std::int64_t> numbers) {
  std::string const axes = "R = " + std::to_string(numbers.size());
  Written const m{axes.c_str()};
  Value x(ScalarType::i32, {{R, static_cast<std::int64_t>(numbers.size())}});
  std::int64_t i = 0;
  for (std::int64_t n : numbers) x[i++].bits = i32::from_int(n).bits;
  return whole(reduce(x, op, m, m.stream("1", "R", "1 # 4"), "1", "1 # 4")[0]);
}
float reals_over_time(ReduceOp op, std::initializer_list<float> numbers) {
  std::string const axes = "R = " + std::to_string(numbers.size());
  Written const m{axes.c_str()};
  Value x(ScalarType::f32, {{R, static_cast<std::int64_t>(numbers.size())}});
  std::int64_t i = 0;
  for (float n : numbers) x[i++].bits = f32::from_float(n).bits;
  return real(reduce(x, op, m, m.stream("1", "R", "1 # 4"), "1", "1 # 4")[0]);
}
TEST(Book, RED_08_values) {
  EXPECT_EQ(integers_over_time(ReduceOp::AddSat, {2000000000, 2000000000, -5}), 2147483647 - 5) << "saturates at each step";
}
TEST(Book, RED_09_values) { EXPECT_EQ(integers_over_time(ReduceOp::Max, {-7, -3, -9}), -3); }
TEST(Book, RED_10_values) { EXPECT_EQ(integers_over_time(ReduceOp::Min, {7, 3, 9}), 3); }
TEST(Book, RED_11_values) { EXPECT_EQ(reals_over_time(ReduceOp::Add, {1.5f, 2.25f, -4.0f}), -0.25f); }
TEST(Book, RED_12_values) { EXPECT_EQ(reals_over_time(ReduceOp::Max, {-1.5f, -2.25f, -4.0f}), -1.5f); }
TEST(Book, RED_13_values) { EXPECT_EQ(reals_over_time(ReduceOp::Min, {1.5f, 2.25f, -4.0f}), -4.0f); }

TEST(Book, RED_14_values) {
  Written const m{"A = 8, R = 16"};
  Value const x = integers({{A, 8}, {R, 16}}, 14);
  Value const y = reduce(x, ReduceOp::AddSat, m, m.stream("A / 2", "R", "A % 2 # 4"), "1", "A % 2 # 4");
  for (std::int64_t a = 0; a < 8; ++a) {
    std::int64_t sum = whole(x.at(at(A, a, R, 0)));
    for (std::int64_t r = 1; r < 16; ++r) sum = saturated(sum + whole(x.at(at(A, a, R, r))));
    EXPECT_EQ(whole(y.at(at(A, a))), sum) << a;
  }
}

TEST(Book, RED_15_values) {
  Written const m{"A = 8, R = 4"};
  Value const x = reals({{A, 8}, {R, 4}}, 15);
  Value const y = reduce(x, ReduceOp::Add, m, m.stream("A / 2", "A % 2", "R"), "A % 2", "1 # 4");
  for (std::int64_t a = 0; a < 8; ++a) {
    float v[4];
    for (std::int64_t r = 0; r < 4; ++r) v[r] = real(x.at(at(A, a, R, r)));
    EXPECT_EQ(real(y.at(at(A, a))), (v[0] + v[1]) + (v[2] + v[3])) << a;
  }
}

TEST(Book, RED_16_values) {
  Written const m{"A = 8, R = 16"};
  Value const x = reals({{A, 8}, {R, 16}}, 16);
  Value const y = reduce(x, ReduceOp::Max, m, m.stream("A", "R / 4", "R % 4"), "1", "1 # 4");
  for (std::int64_t a = 0; a < 8; ++a) {
    float most = real(x.at(at(A, a, R, 0)));
    for (std::int64_t r = 1; r < 16; ++r) most = std::max(most, real(x.at(at(A, a, R, r))));
    EXPECT_EQ(real(y.at(at(A, a))), most) << a;
  }
}

TEST(Book, RED_17_values) {
  // Slice 0 has the least of R 0 to 7, slice 1 that of 8 to 12, slices 2 and 3 nothing.
  Written const m{"R = 13"};
  Value const x = integers({{R, 13}}, 17);
  Value const y = reduce(x, ReduceOp::Min, m, m.stream("R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4"), "1", "1 # 4");
  std::int64_t least[2] = {INT32_MAX, INT32_MAX};
  for (std::int64_t r = 0; r < 13; ++r) least[r / 8] = std::min(least[r / 8], whole(x.at(at(R, r))));
  EXPECT_EQ(whole(y.at(at(R, 0))), least[0]);
  EXPECT_EQ(whole(y.at(at(R, 8))), least[1]);
  EXPECT_FALSE(y.holds(at(R, 16)));
}

Value across(const Value& x, ReduceOp op, const Written& m, const Levels& in, const char* slice2, const char* time2) {
  auto const rule = check_inter_slice_reduce(rngd, x.type, op, in, m(slice2), m(time2));
  EXPECT_TRUE(rule);
  Levels out = in;
  out.set(Level::slice, rule->slice).set(Level::time, rule->time);
  return inter_slice_reduce(x, rule->reduced, op, in, out, model);
}

TEST(Book, INT_06_values) {
  Written const m{"R = 4, P = 8"};
  Value x(ScalarType::i32, {{R, 4}});
  std::int64_t const numbers[] = {2000000000, 2000000000, -7, 1};
  for (int i = 0; i < 4; ++i) x[i].bits = i32::from_int(numbers[i]).bits;
  auto const fold = [&](ReduceOp op) { return whole(across(x, op, m, m.stream("R", "1", "1 # 8"), "1 # 4", "1")[0]); };
  EXPECT_EQ(fold(ReduceOp::Add), static_cast<std::int32_t>(static_cast<std::uint32_t>(4000000000u) - 6)) << "wraps";
  EXPECT_EQ(fold(ReduceOp::AddSat), 2147483647 - 6) << "saturates";
  EXPECT_EQ(fold(ReduceOp::Max), 2000000000);
  EXPECT_EQ(fold(ReduceOp::Min), -7);
}

TEST(Book, INT_07_values) {
  Written const m{"R = 4"};
  Value x(ScalarType::f32, {{R, 4}});
  float const numbers[] = {1.5f, -2.0f, 8.0f, 0.25f};
  for (int i = 0; i < 4; ++i) x[i].bits = f32::from_float(numbers[i]).bits;
  auto const fold = [&](ReduceOp op) { return real(across(x, op, m, m.stream("R", "1", "1 # 8"), "1 # 4", "1")[0]); };
  EXPECT_EQ(fold(ReduceOp::Add), 7.75f);
  EXPECT_EQ(fold(ReduceOp::Max), 8.0f);
  EXPECT_EQ(fold(ReduceOp::Min), -2.0f);
  EXPECT_EQ(fold(ReduceOp::Mul), -6.0f);
}

/// The dummy example: A = 512 over 64 slices, four R each.
struct Dummy {
  Written m{"R = 4, A = 512"};
  Levels in = m.stream("A / 8, R", "1", "A % 8");
  Value x = integers({{A, 512}, {R, 4}}, 11);

  Value reduced(const Value& value) const { return across(value, ReduceOp::AddSat, m, in, "A / 8, 1 # 4", "1"); }
  /// x + 100 by the intra-slice block.
  static Value plus_100(const Value& value) {
    VectorOp add;
    add.step = step_of(FxpBinaryOp::AddFxp);
    add.operands.push_back({{OperandKind::immediate, ScalarType::i32, {}, true, 100}, nullptr});
    return operate(add, value, execution_ids(BranchMode::Unconditional, value, nullptr, model), model);
  }
  std::int64_t sum(std::int64_t a, std::uint32_t plus) const {
    std::int64_t s = 0;
    for (std::int64_t r = 0; r < 4; ++r) {
      std::int64_t const element = static_cast<std::int32_t>(x.at(at(A, a, R, r)).bits + plus);
      s = r == 0 ? element : saturated(s + element);
    }
    return s;
  }
};

TEST(Book, INT_11_values) {
  Dummy const d;
  Value const y = d.reduced(d.x);
  for (std::int64_t a = 0; a < 512; ++a) ASSERT_EQ(whole(y.at(at(A, a))), d.sum(a, 0)) << a;
}

TEST(Book, INT_12_values) {
  Written const m{"W = 64, R = 4, X = 4, P = 8"};
  Name const W{"W"}, P{"P"}, X{"X"};
  Value const x = reals({{W, 64}, {R, 4}, {P, 8}}, 12);
  Value const y = across(x, ReduceOp::Add, m, m.stream("W, R", "1", "P"), "W, X", "1");
  for (std::int64_t w = 0; w < 64; ++w)
    for (std::int64_t p = 0; p < 8; ++p) {
      auto const v = [&](std::int64_t r) { return real(x.at(at(W, w, P, p).add(R, r))); };
      for (std::int64_t i = 0; i < 4; ++i) ASSERT_EQ(real(y.at(at(W, w, P, p).add(X, i))), ((v(0) + v(1)) + v(2)) + v(3));
    }
}

TEST(Book, INT_13_values) {
  Written const m{"W = 64, R = 4, T0 = 2, T2 = 4, T1 = 2, P = 8"};
  Name const W{"W"}, T0{"T0"}, T1{"T1"}, T2{"T2"};
  Value const x = reals({{W, 64}, {R, 4}, {T0, 2}, {T2, 4}, {T1, 2}}, 13);
  Value const y = across(x, ReduceOp::Add, m, m.stream("W, R", "T0, T2, T1", "1 # 8"), "W, T2", "T0, T1");
  for (std::int64_t i = 0; i < y.size(); ++i) {
    Index const to = y.index_of(i);
    Index from = to;
    float sum = real(x.at(from));
    for (std::int64_t r = 1; r < 4; ++r) sum += real(x.at(from.add(R, 1)));
    ASSERT_EQ(real(y[i]), sum);
  }
  EXPECT_EQ(y.size(), 64 * 2 * 4 * 2);
}

TEST(Book, INT_14_values) {
  Dummy const d;
  Value const y = Dummy::plus_100(d.reduced(d.x));
  for (std::int64_t a = 0; a < 512; ++a) ASSERT_EQ(y.at(at(A, a)).bits, static_cast<std::uint32_t>(d.sum(a, 0)) + 100) << a;
}

TEST(Book, INT_15_values) {
  Dummy const d;
  Value const y = d.reduced(Dummy::plus_100(d.x));
  for (std::int64_t a = 0; a < 512; ++a) ASSERT_EQ(whole(y.at(at(A, a))), d.sum(a, 100)) << a;
}

TEST(Book, CAS_09_values) {
  // F-69: integers keep their low bits; floating-point numbers round to nearest even, f8e4m3 saturates.
  Value x(ScalarType::i32, {{A, 4}});
  std::int64_t const numbers[] = {300, -129, 127, 70000};
  for (int i = 0; i < 4; ++i) x[i].bits = i32::from_int(numbers[i]).bits;
  auto const narrowed = [&](ScalarType to) { return cast(x, to, model); };
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(static_cast<std::int8_t>(narrowed(ScalarType::i8)[i].bits), static_cast<std::int8_t>(numbers[i]));
    EXPECT_EQ(static_cast<std::int16_t>(narrowed(ScalarType::i16)[i].bits), static_cast<std::int16_t>(numbers[i]));
    EXPECT_EQ(narrowed(ScalarType::i4)[i].bits & 0xf, static_cast<std::uint32_t>(numbers[i]) & 0xf);
  }
  Value f(ScalarType::f32, {{A, 4}});
  std::uint32_t const bits[] = {0x3f808000u, 0x3f818000u, 0x44000000u, 0x7fc00000u};  // two ties of bf16, 512, NaN
  for (int i = 0; i < 4; ++i) f[i].bits = bits[i];
  EXPECT_EQ(cast(f, ScalarType::bf16, model)[0].bits, 0x3f80u);
  EXPECT_EQ(cast(f, ScalarType::bf16, model)[1].bits, 0x3f82u);
  EXPECT_EQ(cast(f, ScalarType::f8e4m3, model)[2].bits, 0x7eu) << "448";
  EXPECT_EQ(cast(f, ScalarType::f8e4m3, model)[3].bits, 0x7fu);
}

}  // namespace
}  // namespace tcp::reference
