// The ledger's rows on the Vector Engine and its intra-slice block: the values they state.
#include "tcp/exec/reference/vector.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

namespace tcp::reference {
namespace {

constexpr NumericModel model = NumericModel::rngd;
constexpr ScalarType int32 = ScalarType::i32, float32 = ScalarType::f32;

std::uint32_t bits(int x) { return static_cast<std::uint32_t>(x); }
std::uint32_t bits(float x) { return f32::from_float(x).bits; }
int integer(const Element& e) { return static_cast<int>(e.bits); }
float real(const Element& e) { return f32::from_bits(e.bits).to_float(); }

Name const a_axis("A"), b_axis("B"), i_axis("I");

/// A tensor over one axis.
template <class T>
Value over(Name axis, std::initializer_list<T> all) {
  Value v(std::is_same_v<T, int> ? int32 : float32, {{axis, static_cast<std::int64_t>(all.size())}});
  std::int64_t i = 0;
  for (T x : all) v[i++].bits = bits(x);
  return v;
}
template <class T>
std::vector<T> listed(const Value& v) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < v.size(); ++i) {
    EXPECT_EQ(v[i].undefined, 0u);
    if constexpr (std::is_same_v<T, int>) all.push_back(integer(v[i]));
    else all.push_back(real(v[i]));
  }
  return all;
}

template <class T>
OperandValue constant(T x, OperandGuard guard = {}) {
  return {{OperandKind::immediate, std::is_same_v<T, int> ? int32 : float32, guard, true, bits(x)}, nullptr};
}
OperandValue from(const Value& v, OperandKind kind = OperandKind::vrf) { return {{kind, v.type, {}, false, 0}, &v}; }

Value apply(const VectorStep& step, const std::vector<OperandValue>& operands, const Value& x) {
  return operate({step, operands}, x, execution_ids(BranchMode::Unconditional, x, nullptr, model), model);
}

template <class Op>
void i32_op(Op op, int a, int b, int want) {
  EXPECT_EQ(static_cast<int>(computed(step_of(op), bits(a), bits(b), 0, model)), want);
}
template <class Op>
void f32_op(Op op, float a, float b, float want) {
  EXPECT_EQ(computed(step_of(op), bits(a), bits(b), 0, model), bits(want));
}
void unary(FpUnaryOp op, float a, std::uint32_t want) { EXPECT_EQ(computed(step_of(op), bits(a), 0, 0, model), want); }

TEST(Book, VEC_010_values) {
  Value const y = apply(step_of(ClipBinaryOpF32::Max), {constant(0.0f)}, over(a_axis, {-2.0f, -0.0f, 0.0f, 3.5f}));
  EXPECT_EQ(listed<float>(y), (std::vector{0.0f, 0.0f, 0.0f, 3.5f}));
}
TEST(Book, VEC_013_values) {
  Value const x = over(a_axis, {-100, -99, -101, 0, 2147483647});
  Value y = apply(step_of(FxpBinaryOp::AddFxp), {constant(100)}, x);
  EXPECT_EQ(integer(y[4]), -2147483549) << "the addition wraps";
  y = apply(fxp_to_fp_step(31), {}, y);
  y = apply(step_of(FpUnaryOp::Sigmoid), {}, y);
  EXPECT_EQ(real(y[0]), 0.5f);
  y = apply(fp_to_fxp_step(31), {}, y);
  y = apply(step_of(ClipBinaryOpI32::Max), {constant(0)}, y);
  EXPECT_EQ(listed<int>(y), (std::vector{1, 1, 0, 1, 0})) << "sigmoid(0) = 1/2 goes away from zero";
}
TEST(Book, VEC_036_values) {
  Value x = over(a_axis, {0.0f, 1.0f, 0.5f});
  x = apply(step_of(FpBinaryOp::AddF), {constant(1.0f)}, x);
  x = apply(step_of(FpBinaryOp::MulF(FpMulAlu::Mul0)), {constant(2.0f)}, x);
  x = apply(step_of(FpBinaryOp::MulF(FpMulAlu::Mul1)), {constant(3.0f)}, x);
  EXPECT_EQ(listed<float>(x), (std::vector{6.0f, 12.0f, 9.0f}));
  x = apply(step_of(FpUnaryOp::Sqrt), {}, x);
  x = apply(step_of(FpUnaryOp::Exp), {}, x);
  EXPECT_EQ(x[2].bits, 0x41a0af2eu) << "exp(sqrt(((0.5 + 1) * 2) * 3)) = e^3";
}
TEST(Book, VEC_037_values) {
  EXPECT_EQ(listed<int>(apply(step_of(FxpBinaryOp::AddFxp), {constant(100)}, over(a_axis, {-5, 7, 2147483600}))),
            (std::vector{95, 107, -2147483596}));
}
TEST(Book, VEC_038_values) {
  Value const y = apply(step_of(FpUnaryOp::Sigmoid), {}, over(a_axis, {0.0f, 1.0f, -200.0f}));
  EXPECT_EQ(y[0].bits, bits(0.5f));
  EXPECT_EQ(y[1].bits, 0x3f3b26a8u);
  EXPECT_EQ(y[2].bits, 0u);
}

TEST(Book, VEC_040_values) {
  for (int id : listed<int>(execution_ids(BranchMode::Unconditional, over(a_axis, {7, -1}), nullptr, model))) EXPECT_EQ(id, 0);
}
TEST(Book, VEC_041_values) {
  Value const ids = execution_ids(BranchMode::toggle(a_axis), over(a_axis, {5, 5, 5, 5}), nullptr, model);
  EXPECT_EQ(listed<int>(ids), (std::vector{0, 8, 0, 8})) << "bit 3 is axis_index % 2";
}
TEST(Book, VEC_042_values) {
  for (int id : listed<int>(execution_ids(BranchMode::ValidCount, over(a_axis, {5, 6}), nullptr, model)))
    EXPECT_EQ(id, 1) << "all elements are valid";
}
TEST(Book, VEC_043_values) {
  BranchMode const mode = BranchMode::Comparison{InputCmp::Less(0), InputCmp::Equal(3), InputCmp::True, InputCmp::Greater(2)};
  EXPECT_EQ(listed<int>(execution_ids(mode, over(a_axis, {-1, 3, 2, 9}), nullptr, model)), (std::vector{0b0101, 0b1110, 0b0100, 0b1100}));
}
TEST(Book, VEC_044_values) {
  Value const log = over(b_axis, {0x71, 0x0f});  // only bits 0 to 3 count
  Value x(int32, {{b_axis, 2}, {a_axis, 2}});
  EXPECT_EQ(listed<int>(execution_ids(BranchMode::Vrf, x, &log, model)), (std::vector{1, 1, 15, 15}));
}

TEST(Book, VEC_045_values) { i32_op(LogicBinaryOpI32::BitAnd, 0b1100, 0b1010, 0b1000); }
TEST(Book, VEC_046_values) { i32_op(LogicBinaryOpI32::BitOr, 0b1100, 0b1010, 0b1110); }
TEST(Book, VEC_047_values) { i32_op(LogicBinaryOpI32::BitXor, 0b1100, 0b1010, 0b0110); }
TEST(Book, VEC_048_values) { i32_op(LogicBinaryOpI32::LeftShift, 0x40000003, 1, static_cast<int>(0x80000006)); }
TEST(Book, VEC_049_values) { i32_op(LogicBinaryOpI32::LogicRightShift, -8, 1, 0x7ffffffc); }
TEST(Book, VEC_050_values) { i32_op(LogicBinaryOpI32::ArithRightShift, -8, 1, -4); }
TEST(Book, VEC_051_values) {
  f32_op(LogicBinaryOpF32::BitAnd, -1.5f, -1.25f, -1.0f);
  EXPECT_EQ(computed(step_of(LogicBinaryOpF32::BitAnd), 0x7fa54321, 0x807fffff, 0, model), 0x00254321u) << "nothing is flushed";
}
TEST(Book, VEC_052_values) {
  EXPECT_EQ(computed(step_of(LogicBinaryOpF32::BitOr), 0x00000001, 0x7f800002, 0, model), 0x7f800003u) << "patterns: nothing is flushed";
}
TEST(Book, VEC_053_values) { f32_op(LogicBinaryOpF32::BitXor, 1.0f, -0.0f, -1.0f); }
TEST(Book, VEC_054_values) { i32_op(FxpBinaryOp::AddFxp, 2147483647, 1, static_cast<int>(0x80000000)); }
TEST(Book, VEC_055_values) { i32_op(FxpBinaryOp::AddFxpSat, 2147483647, 1, 2147483647); }
TEST(Book, VEC_056_values) { i32_op(FxpBinaryOp::SubFxp, static_cast<int>(0x80000000), 1, 2147483647); }
TEST(Book, VEC_057_values) { i32_op(FxpBinaryOp::SubFxpSat, static_cast<int>(0x80000000), 1, static_cast<int>(0x80000000)); }
TEST(Book, VEC_058_values) { i32_op(FxpBinaryOp::LeftShift, 0x40000001, 2, 4); }
TEST(Book, VEC_059_values) { i32_op(FxpBinaryOp::LeftShiftSat, -0x40000001, 2, static_cast<int>(0x80000000)); }
TEST(Book, VEC_060_values) {
  i32_op(FxpBinaryOp::MulFxp, 1 << 30, 1 << 30, 1 << 29);  // a half times a half
  i32_op(FxpBinaryOp::MulFxp, static_cast<int>(0x80000000), static_cast<int>(0x80000000), 2147483647);
}
TEST(Book, VEC_061_values) { i32_op(FxpBinaryOp::MulInt, 0x10001, 0x10001, 0x20001); }
TEST(Book, VEC_062_values) { i32_op(FxpBinaryOp::LogicRightShift, -1, 28, 15); }
TEST(Book, VEC_063_values) { i32_op(FxpBinaryOp::ArithRightShift, -5, 1, -3); }
TEST(Book, VEC_064_values) {
  i32_op(FxpBinaryOp::ArithRightShiftRound, 5, 1, 3);
  i32_op(FxpBinaryOp::ArithRightShiftRound, -5, 1, -2);  // half goes up
}
TEST(Book, VEC_065_values) { unary(FpUnaryOp::Exp, 1.0f, 0x402df854); }
TEST(Book, VEC_066_values) { unary(FpUnaryOp::NegExp, 1.0f, 0x3ebc5ab2); }
TEST(Book, VEC_067_values) { unary(FpUnaryOp::Sqrt, 2.0f, 0x3fb504f3); }
TEST(Book, VEC_068_values) { unary(FpUnaryOp::Tanh, 1.0f, 0x3f42f7d6); }
TEST(Book, VEC_069_values) { unary(FpUnaryOp::Sigmoid, 1.0f, 0x3f3b26a8); }
TEST(Book, VEC_070_values) { unary(FpUnaryOp::Erf, 1.0f, 0x3f57bb3d); }
TEST(Book, VEC_071_values) { unary(FpUnaryOp::Log, 2.0f, 0x3f317218); }
TEST(Book, VEC_072_values) { unary(FpUnaryOp::Sin, 1.0f, 0x3f576aa4); }
TEST(Book, VEC_073_values) { unary(FpUnaryOp::Cos, 1.0f, 0x3f0a5140); }
TEST(Book, VEC_074_values) { f32_op(FpBinaryOp::AddF, 1.5f, 0.25f, 1.75f); }
TEST(Book, VEC_075_values) { f32_op(FpBinaryOp::SubF, 1.5f, 0.25f, 1.25f); }
TEST(Book, VEC_076_values) { f32_op(FpBinaryOp::MulF(FpMulAlu::Mul0), 1.5f, -4.0f, -6.0f); }
TEST(Book, VEC_077_values) { f32_op(FpBinaryOp::MulF(FpMulAlu::Mul1), 1.5f, -4.0f, -6.0f); }

/// The operation where the guard holds, the stream elsewhere.
void masked(const VectorStep& step, const std::vector<OperandValue>& operands, float want) {
  Value const x = over(a_axis, {2.0f, 3.0f});
  Value const y = operate({step, operands}, x, execution_ids(BranchMode::toggle(a_axis), x, nullptr, model), model);
  EXPECT_EQ(listed<float>(y), (std::vector{2.0f, want}));
}
TEST(Book, VEC_078_values) {
  masked(step_of(FpBinaryOp::MaskMulF(FpMulAlu::Mul0)), {constant(5.0f, OperandGuard::group(GroupId::One))}, 15.0f);
}
TEST(Book, VEC_079_values) {
  masked(step_of(FpBinaryOp::MaskMulF(FpMulAlu::Mul1)), {constant(5.0f, OperandGuard::group(GroupId::One))}, 15.0f);
}
TEST(Book, VEC_080_values) { f32_op(FpBinaryOp::DivF, 1.0f, 4.0f, 0.25f); }
TEST(Book, VEC_081_values) {
  EXPECT_EQ(computed(step_of(FpTernaryOp::FmaF), 0x3f800001, 0x3f800001, 0xbf800002, model), 0x28800000u)
      << "2^-46: the product is not rounded";
}
TEST(Book, VEC_082_values) {
  OperandGuard const odd = OperandGuard::group(GroupId::One);
  masked(step_of(FpTernaryOp::MaskFmaF), {constant(5.0f, odd), constant(0.5f, odd)}, 15.5f);
}
TEST(Book, VEC_083_values) { f32_op(FpDivBinaryOp::DivF, 3.0f, 8.0f, 0.375f); }
TEST(Book, VEC_084_values) { i32_op(ClipBinaryOpI32::Min, -3, 2, -3); }
TEST(Book, VEC_085_values) { i32_op(ClipBinaryOpI32::Max, -3, 2, 2); }
TEST(Book, VEC_086_values) { i32_op(ClipBinaryOpI32::AbsMin, -3, 2, 2); }
TEST(Book, VEC_087_values) { i32_op(ClipBinaryOpI32::AbsMax, -3, 2, -3); }
TEST(Book, VEC_088_values) { i32_op(ClipBinaryOpI32::AddFxp, 2147483647, 1, static_cast<int>(0x80000000)); }
TEST(Book, VEC_089_values) { i32_op(ClipBinaryOpI32::AddFxpSat, 2147483647, 1, 2147483647); }
TEST(Book, VEC_090_values) { f32_op(ClipBinaryOpF32::Min, 0.0f, -0.0f, -0.0f); }
TEST(Book, VEC_091_values) { f32_op(ClipBinaryOpF32::Max, -0.0f, 0.0f, 0.0f); }
TEST(Book, VEC_092_values) { f32_op(ClipBinaryOpF32::AbsMin, -3.0f, 2.0f, 2.0f); }
TEST(Book, VEC_093_values) { f32_op(ClipBinaryOpF32::AbsMax, -3.0f, 3.0f, -3.0f); }  // the first on a tie
TEST(Book, VEC_094_values) { f32_op(ClipBinaryOpF32::Add, 1.0f, 2.0f, 3.0f); }

TEST(Book, VEC_105_values) {
  EXPECT_EQ(listed<float>(apply(fxp_to_fp_step(31), {}, over(a_axis, {-3, 7}))), (std::vector{-3.0f, 7.0f})) << "31 is the plain integer";
  EXPECT_EQ(listed<float>(apply(fxp_to_fp_step(30), {}, over(a_axis, {-3, 7}))), (std::vector{-1.5f, 3.5f}));
  EXPECT_EQ(listed<int>(apply(fp_to_fxp_step(30), {}, over(a_axis, {-1.25f, 3.5f}))), (std::vector{-3, 7})) << "-2.5 goes away from zero";
}

TEST(Book, VEC_111_values) {
  Value const x = over(a_axis, {-1.0f, 2.0f});
  Value const doubled = apply(step_of(FpBinaryOp::MulF(FpMulAlu::Mul0)), {constant(2.0f)}, x);
  EXPECT_EQ(listed<float>(apply(step_of(ClipBinaryOpF32::Max), {from(x, OperandKind::stash)}, doubled)), (std::vector{-1.0f, 4.0f}));
}
TEST(Book, VEC_112_values) {
  Value const x = over(a_axis, {5, 2147483647});
  Value const sum = apply(step_of(FxpBinaryOp::AddFxp), {constant(100)}, x);
  EXPECT_EQ(listed<int>(apply(step_of(ClipBinaryOpI32::Max), {from(x, OperandKind::stash)}, sum)), (std::vector{105, 2147483647}));
}
TEST(Book, VEC_113_values) {
  Value const x = over(a_axis, {0.0f, 3.0f});
  Value const s = apply(step_of(FpUnaryOp::Sigmoid), {}, x);
  EXPECT_EQ(listed<float>(apply(step_of(ClipBinaryOpF32::Max), {from(x, OperandKind::stash)}, s)), (std::vector{0.5f, 3.0f}));
}
TEST(Book, VEC_117_values) {
  Value const x = over(a_axis, {1, 2, 3});
  Value const ids = execution_ids(BranchMode::toggle(a_axis), x, nullptr, model);
  EXPECT_EQ(listed<int>(operate({step_of(FxpBinaryOp::AddFxp), {constant(10, OperandGuard::always())}}, x, ids, model)),
            (std::vector{11, 12, 13}));
}
TEST(Book, VEC_118_values) {
  Value const x = over(a_axis, {1, 2, 3});
  Value const ids = execution_ids(BranchMode::toggle(a_axis), x, nullptr, model);
  OperandGuard const zero = OperandGuard::group(GroupId::Zero);
  EXPECT_EQ(listed<int>(operate({step_of(FxpBinaryOp::AddFxp), {constant(10, zero)}}, x, ids, model)), (std::vector{11, 2, 13}));
  EXPECT_EQ(listed<int>(operate({step_of(FxpBinaryOp::AddFxp), {constant(10, zero), constant(70)}}, x, ids, model)),
            (std::vector{11, 72, 13}))
      << "one slot applies, the first that matches (F-46)";
}
TEST(Book, VEC_119_values) {
  Value x(int32, {{b_axis, 2}, {a_axis, 3}});
  for (std::int64_t i = 0; i < 6; ++i) x[i].bits = static_cast<std::uint32_t>(i);
  Value const v = over(a_axis, {100, 200, 300});
  EXPECT_EQ(listed<int>(apply(step_of(FxpBinaryOp::AddFxp), {from(v)}, x)), (std::vector{100, 201, 302, 103, 204, 305}));
}

int binary(BinaryArgMode mode) {  // 10 - x of x = 3 and so on
  return integer(apply(step_of(FxpBinaryOp::SubFxp, mode), {constant(10)}, over(a_axis, {3}))[0]);
}
TEST(Book, VEC_121_values) { EXPECT_EQ(binary(BinaryArgMode::Mode00), 0); }
TEST(Book, VEC_122_values) { EXPECT_EQ(binary(BinaryArgMode::Mode01), -7); }
TEST(Book, VEC_123_values) { EXPECT_EQ(binary(BinaryArgMode::Mode10), 7); }
TEST(Book, VEC_124_values) { EXPECT_EQ(binary(BinaryArgMode::Mode11), 0); }

float ternary(TernaryArgMode mode) {  // stream 2, operands 3 and 10, as a * b + c
  return real(apply(step_of(FpTernaryOp::FmaF, mode), {constant(3.0f), constant(10.0f)}, over(a_axis, {2.0f}))[0]);
}
TEST(Book, VEC_125_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode012), 2 * 3 + 10); }
TEST(Book, VEC_126_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode002), 2 * 2 + 10); }
TEST(Book, VEC_127_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode102), 3 * 2 + 10); }
TEST(Book, VEC_128_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode112), 3 * 3 + 10); }
TEST(Book, VEC_129_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode020), 2 * 10 + 2); }
TEST(Book, VEC_130_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode021), 2 * 10 + 3); }
TEST(Book, VEC_131_values) { EXPECT_EQ(ternary(TernaryArgMode::Mode120), 3 * 10 + 2); }
TEST(Book, VEC_132_values) {
  EXPECT_EQ(listed<int>(apply(step_of(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10), {constant(7)}, over(a_axis, {1, 9}))),
            (std::vector{6, -2}));
}

/// Group 0 is 5, 6 and group 1 is 30, 40.
TwoGroups int_groups() {
  Value x(int32, {{i_axis, 2}, {a_axis, 2}});
  int const all[] = {5, 6, 30, 40};
  for (std::int64_t i = 0; i < 4; ++i) x[i].bits = bits(all[i]);
  return unzip(x, i_axis);
}
TwoGroups float_groups() {
  TwoGroups g = int_groups();
  for (Value& v : g.group) v = apply(fxp_to_fp_step(31), {}, v);
  return g;
}
TwoGroups each(const VectorOp& op, const TwoGroups& g) {
  TwoGroups out;
  for (int i = 0; i < 2; ++i) out.group[i] = operate(op, g.group[i], group_ids(g.group[i], static_cast<GroupId>(i)), model);
  return out;
}
VectorStep zipping(BinaryArgMode mode) { return step_of(FxpBinaryOp::SubFxp, mode, Groups::zip); }

TEST(Book, VEC_133_values) {
  VectorOp const op{step_of(FxpBinaryOp::SubFxp, BinaryArgMode::Mode10),
                    {constant(100, OperandGuard::group(GroupId::Zero)), constant(1000, OperandGuard::group(GroupId::One))}};
  TwoGroups const g = each(op, int_groups());
  EXPECT_EQ(listed<int>(g.group[0]), (std::vector{95, 94}));
  EXPECT_EQ(listed<int>(g.group[1]), (std::vector{970, 960}));
}
TEST(Book, VEC_134_values) {
  EXPECT_EQ(listed<int>(zip(step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode00, Groups::zip), int_groups(), model)), (std::vector{10, 12}));
}
TEST(Book, VEC_135_values) { EXPECT_EQ(listed<int>(zip(zipping(BinaryArgMode::Mode01), int_groups(), model)), (std::vector{-25, -34})); }
TEST(Book, VEC_136_values) { EXPECT_EQ(listed<int>(zip(zipping(BinaryArgMode::Mode10), int_groups(), model)), (std::vector{25, 34})); }
TEST(Book, VEC_137_values) {
  EXPECT_EQ(listed<int>(zip(step_of(FxpBinaryOp::AddFxp, BinaryArgMode::Mode11, Groups::zip), int_groups(), model)), (std::vector{60, 80}));
}
TEST(Book, VEC_143_values) {
  VectorStep const sub = step_of(FpBinaryOp::SubF, BinaryArgMode::Mode10, Groups::zip);
  EXPECT_EQ(listed<float>(zip(sub, float_groups(), model)), (std::vector{25.0f, 34.0f}));
}
TEST(Book, VEC_144_values) {
  EXPECT_EQ(listed<int>(zip(step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip), int_groups(), model)), (std::vector{35, 46}));
  TwoGroups large = int_groups();
  for (std::int64_t i = 0; i < 2; ++i) large.group[0][i].bits = 0x7fffffff;
  EXPECT_EQ(listed<int>(zip(step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip), large, model)),
            (std::vector{static_cast<int>(0x8000001d), static_cast<int>(0x80000027)}))
      << "it wraps";
}
TEST(Book, VEC_145_values) {
  VectorOp const scaled{step_of(FxpBinaryOp::MulInt), {constant(10, OperandGuard::group(GroupId::Zero))}};
  EXPECT_EQ(listed<int>(zip(step_of(ClipBinaryOpI32::AddFxp, {}, Groups::zip), each(scaled, int_groups()), model)), (std::vector{80, 100}));
}
TEST(Book, VEC_146_values) {
  EXPECT_EQ(listed<float>(zip(step_of(FpBinaryOp::MulF(FpMulAlu::Mul0), {}, Groups::zip), float_groups(), model)),
            (std::vector{150.0f, 240.0f}));
}
TEST(Book, VEC_147_values) {
  VectorOp const exp{step_of(FpUnaryOp::Exp, {}, Groups::group0), {}};
  TwoGroups const g = each(exp, float_groups());
  EXPECT_EQ(g.group[0][0].bits, 0x431469c5u) << "e^5";
  EXPECT_EQ(listed<float>(g.group[1]), (std::vector{30.0f, 40.0f})) << "skipped";
  Value const y = zip(step_of(FpBinaryOp::MulF(FpMulAlu::Mul0), {}, Groups::zip), g, model);
  EXPECT_EQ(real(y[0]), 148.41316f * 30.0f);
}

}  // namespace
}  // namespace tcp::reference
