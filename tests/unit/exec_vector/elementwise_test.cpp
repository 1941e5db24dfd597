// The operations on lanes against the scalar functions, pair by pair of telling and of random operands, on every target.
//
// With TCP_EXHAUSTIVE set in the environment the sweep of the elementary functions takes every operand instead of a sample (scripts/run-sweeps).
#include "exec/vector/kernels/elementwise.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "exec/vector/contraction/products.hpp"
#include "exec/vector/kernels/target.hpp"
#include "hardest_operands.hpp"
#include "tcp/scalar/arithmetic.hpp"
#include "tcp/scalar/cast.hpp"
#include "tcp/scalar/fixed_point.hpp"
#include "tcp/scalar/zero_point.hpp"

namespace {

using namespace tcp;
using namespace tcp::vector::kernels;

using Words = std::vector<std::uint32_t>;

constexpr NumericModel models[] = {NumericModel::rngd, NumericModel::ieee};

/// Zeros, subnormals, limits, infinities, NaNs, and integers at their limits.
const Words& telling() {
  static const Words words = {0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                              0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                              0x7f800001, 0xffffffff, 0x7fffffff, 0x3effffff, 0x3f000000, 0x3f000001, 0x4b000000, 0x4effffff,
                              0x4f000000, 0xcf000000, 0x00ffffff, 0x20000000, 0x1f800000, 2,          31,         32,
                              33,         0x40000000, 0xc0000000, 0x3f7fffff, 0x34000000, 0x33800000, 0x01000000, 0x00800001};
  return words;
}

/// All pairs of telling words, then random ones with exponents near one another, then any.
struct Operands {
  Words a, b, c;
};
Operands operands() {
  Operands o;
  std::mt19937 random(11);
  for (std::uint32_t const x : telling())
    for (std::uint32_t const y : telling()) {
      o.a.push_back(x);
      o.b.push_back(y);
      o.c.push_back(telling()[random() % telling().size()]);
    }
  for (int i = 0; i < 20000; ++i) {
    auto const any = [&] { return static_cast<std::uint32_t>(random()); };
    auto const near = [&](std::uint32_t exponent) { return (any() & 0x807fffff) | (exponent + any() % 4) << 23; };
    std::uint32_t const exponent = any() % 250;
    o.a.push_back(i % 2 == 0 ? any() : near(exponent));
    o.b.push_back(i % 2 == 0 ? any() : near(i % 4 == 1 ? exponent : exponent < 126 ? 126 - exponent : 0));
    o.c.push_back(i % 2 == 0 ? any() : near(0));
  }
  return o;
}

std::uint32_t scalar(Op op, std::uint32_t a, std::uint32_t b, std::uint32_t c, NumericModel model, int int_width) {
  namespace ar = arithmetic;
  i32 const m = i32::from_bits(a), n = i32::from_bits(b);
  f32 const x = f32::from_bits(a), y = f32::from_bits(b), z = f32::from_bits(c);
  switch (op) {
    case Op::add_fxp: return ar::add_fxp(m, n).bits;
    case Op::add_fxp_sat: return ar::add_fxp_sat(m, n).bits;
    case Op::sub_fxp: return ar::sub_fxp(m, n).bits;
    case Op::sub_fxp_sat: return ar::sub_fxp_sat(m, n).bits;
    case Op::mul_fxp: return ar::mul_fxp(m, n).bits;
    case Op::mul_int: return ar::mul_int(m, n).bits;
    case Op::left_shift: return ar::left_shift(m, n).bits;
    case Op::left_shift_sat: return ar::left_shift_sat(m, n).bits;
    case Op::logic_right_shift: return ar::logic_right_shift(m, n).bits;
    case Op::arith_right_shift: return ar::arith_right_shift(m, n).bits;
    case Op::arith_right_shift_round: return ar::arith_right_shift_round(m, n).bits;
    case Op::min_i32: return ar::min(m, n).bits;
    case Op::max_i32: return ar::max(m, n).bits;
    case Op::abs_min_i32: return ar::abs_min(m, n).bits;
    case Op::abs_max_i32: return ar::abs_max(m, n).bits;
    case Op::bit_and: return ar::bit_and(m, n).bits;
    case Op::bit_or: return ar::bit_or(m, n).bits;
    case Op::bit_xor: return ar::bit_xor(m, n).bits;
    case Op::add: return ar::add(x, y, model).bits;
    case Op::sub: return ar::sub(x, y, model).bits;
    case Op::mul: return ar::mul(x, y, model).bits;
    case Op::div: return ar::div(x, y, model).bits;
    case Op::fma: return ar::fma(x, y, z, model).bits;
    case Op::min: return ar::min(x, y, model).bits;
    case Op::max: return ar::max(x, y, model).bits;
    case Op::abs_min: return ar::abs_min(x, y, model).bits;
    case Op::abs_max: return ar::abs_max(x, y, model).bits;
    case Op::exp: return ar::exp(x, model).bits;
    case Op::neg_exp: return ar::neg_exp(x, model).bits;
    case Op::sqrt: return ar::sqrt(x, model).bits;
    case Op::tanh: return ar::tanh(x, model).bits;
    case Op::sigmoid: return ar::sigmoid(x, model).bits;
    case Op::erf: return ar::erf(x, model).bits;
    case Op::log: return ar::log(x, model).bits;
    case Op::sin: return ar::sin(x, model).bits;
    case Op::cos: return ar::cos(x, model).bits;
    case Op::fxp_to_fp: return ar::fxp_to_fp(m, int_width).bits;
    case Op::fp_to_fxp: return ar::fp_to_fxp(x, int_width, model).bits;
    case Op::relu: return relu_bits(ScalarType::f32, a);
    case Op::canonical: return canonical_result(canonical_operand(x, model), model).bits;
  }
  return 0;
}

void check(Op op, const Operands& o, NumericModel model, int int_width = 31) {
  Words want;
  for (std::size_t i = 0; i < o.a.size(); ++i) want.push_back(scalar(op, o.a[i], o.b[i], o.c[i], model, int_width));
  for (Target const target : targets()) {
    use(target);
    Words out = o.a;  // in place
    compute(op, {out.data(), out.data(), {o.b.data(), 0}, {o.c.data(), 0}, out.size()}, model, int_width);
    int shown = 0;
    for (std::size_t i = 0; i < out.size() && shown < 5; ++i) {
      if (out[i] == want[i]) continue;
      ++shown;
      ADD_FAILURE() << target.name << " op " << static_cast<int>(op) << " " << numeric_model_name(model) << std::hex << ": " << o.a[i]
                    << ", " << o.b[i] << ", " << o.c[i] << " gives " << out[i] << ", not " << want[i];
    }
  }
  use({});
}

TEST(Elementwise, every_operation_of_two_and_three_arguments) {
  Operands const o = operands();
  for (int op = 0; op < static_cast<int>(Op::exp); ++op)
    for (NumericModel const model : models) check(static_cast<Op>(op), o, model);
}

TEST(Elementwise, conversions_with_every_width) {
  Operands const o = operands();
  for (int width = 0; width <= 31; ++width)
    for (NumericModel const model : models) {
      check(Op::fxp_to_fp, o, model, width);
      check(Op::fp_to_fxp, o, model, width);
    }
  for (NumericModel const model : models) {
    check(Op::canonical, o, model);
    check(Op::relu, o, model);
    check(Op::sqrt, o, model);
  }
}

TEST(Elementwise, halves_are_rounded_away_from_zero) {
  Operands o;
  for (std::uint32_t base : {0x3f000000u, 0x3fc00000u, 0x40200000u, 0x4a800000u, 0x4affffffu, 0x4b000000u})
    for (std::uint32_t near = 0; near < 5; ++near)
      for (std::uint32_t const sign : {0u, 0x80000000u}) o.a.push_back((base + near - 2) | sign);
  o.b = o.c = o.a;
  for (int width = 0; width <= 31; ++width) check(Op::fp_to_fxp, o, NumericModel::rngd, width);
}

TEST(Elementwise, one_value_for_all_lanes_and_every_count) {
  Operands const o = operands();
  for (Target const target : targets()) {
    use(target);
    for (std::size_t count = 0; count < 40; ++count) {
      Words out(41, 0x5a5a5a5a);
      compute(Op::fma, {out.data(), o.a.data() + 2000, {nullptr, 0x40490fdb}, {nullptr, 0x3f800000}, count}, NumericModel::rngd);
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], i < count ? scalar(Op::fma, o.a[2000 + i], 0x40490fdb, 0x3f800000, NumericModel::rngd, 31) : 0x5a5a5a5a)
            << target.name;
      out.assign(41, 0x5a5a5a5a);
      compute(Op::exp, {out.data(), o.a.data() + 2000, {}, {}, count}, NumericModel::rngd);
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_EQ(out[i], i < count ? scalar(Op::exp, o.a[2000 + i], 0, 0, NumericModel::rngd, 31) : 0x5a5a5a5a) << target.name;
    }
  }
  use({});
}

/// Operands where the functions do something: telling ones, neighbours of powers of two and of multiples of pi / 2 and of 1/8, random ones of every exponent, and
/// dense stretches between 2^-30 and 2^8.
Words elementary_operands() {
  Words words = telling();
  for (HardOperands const& hard : hardest_operands)
    for (std::uint32_t const x : hard.x) words.insert(words.end(), {x, x ^ 0x80000000});
  std::mt19937 random(5);
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent)
    for (std::uint32_t near = 0; near < 8; ++near)
      for (std::uint32_t const sign : {0u, 0x80000000u}) {
        words.push_back(((exponent << 23) + near - 4) | sign);
        words.push_back((exponent << 23) | (static_cast<std::uint32_t>(random()) & 0x7fffff) | sign);
      }
  for (int i = 1; i < 2000; ++i)
    for (std::uint32_t near = 0; near < 3; ++near) {
      words.push_back(f32::from_float(static_cast<float>(i * 1.5707963267948966)).bits + near - 1);
      words.push_back(f32::from_float(static_cast<float>(i) / 8).bits + near - 1);
      words.push_back(f32::from_float(static_cast<float>(-i) / 16).bits + near - 1);
    }
  for (int i = 0; i < 40000; ++i)
    words.push_back((static_cast<std::uint32_t>(random()) & 0x807fffff) | (97 + static_cast<std::uint32_t>(random()) % 38) << 23);
  return words;
}

struct Function {
  Op op;
  const char* name;
};
constexpr Function functions[] = {{Op::exp, "exp"},         {Op::neg_exp, "neg_exp"}, {Op::tanh, "tanh"},
                                  {Op::sigmoid, "sigmoid"}, {Op::erf, "erf"},         {Op::log, "log"},
                                  {Op::sin, "sin"},         {Op::cos, "cos"},         {Op::sqrt, "sqrt"}};

TEST(Elementwise, elementary_functions_of_telling_operands) {
  Words const words = elementary_operands();
  for (Function const& f : functions)
    for (NumericModel const model : models) check(f.op, {words, words, words}, model);
}

class ElementwiseSweep : public testing::TestWithParam<Function> {};

std::uint32_t flushed(std::uint32_t x) { return (x & 0x7f800000) == 0 ? x & 0x80000000 : x; }

/// In both models on every target: what `ieee` gives, with operands and results flushed, is what `rngd` gives.
void sweep(Op op, const Words& in) {
  Words want[2];
  for (std::uint32_t const x : in) {
    want[1].push_back(scalar(op, x, 0, 0, NumericModel::ieee, 31));
    want[0].push_back(flushed(flushed(x) == x ? want[1].back() : scalar(op, flushed(x), 0, 0, NumericModel::ieee, 31)));
  }
  Words out(in.size());
  for (Target const target : targets()) {
    use(target);
    for (std::size_t m = 0; m < 2; ++m) {
      compute(op, {out.data(), in.data(), {}, {}, in.size()}, models[m]);
      if (out == want[m]) continue;
      for (std::size_t i = 0; i < in.size(); ++i)
        ASSERT_EQ(out[i], want[m][i]) << target.name << ' ' << numeric_model_name(models[m]) << " of " << std::hex << in[i];
    }
  }
}

TEST_P(ElementwiseSweep, all_operands) {
  constexpr std::uint64_t end = std::uint64_t{1} << 32;
  constexpr std::size_t block = 1 << 16;
  std::uint64_t const step = std::getenv("TCP_EXHAUSTIVE") != nullptr ? 1 : 8191;
  for (std::uint64_t at = 0; at < end;) {
    Words in;
    for (; at < end && in.size() < block; at += step) in.push_back(static_cast<std::uint32_t>(at));
    ASSERT_NO_FATAL_FAILURE(sweep(GetParam().op, in));
  }
  use({});
}
INSTANTIATE_TEST_SUITE_P(Function, ElementwiseSweep, testing::ValuesIn(functions),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
