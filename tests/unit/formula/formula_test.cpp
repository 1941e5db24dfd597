// Formulas: reading, printing, building, and what they are worth.
#include <gtest/gtest.h>

#include <cmath>

#include "tcp/formula/build.hpp"
#include "tcp/formula/evaluate.hpp"
#include "tcp/formula/parse.hpp"
#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/integer_formats.hpp"

namespace {

using namespace tcp;
using formula::Elements;
using formula::Formula;

Formula read(std::string_view text) {
  auto const f = formula::parse(text);
  EXPECT_TRUE(f.ok()) << text << ": " << (f.ok() ? "" : std::string(f.refusal().sentence().view()));
  return f.ok() ? *f : Formula{};
}
std::string again(std::string_view text) { return formula::print(read(text)); }

/// An array of f32 with these values.
Elements floats(std::vector<std::int64_t> extent, const std::vector<float>& values) {
  Elements e{ScalarType::f32, std::move(extent), {}};
  for (float v : values) e.bits.push_back(f32::from_float(v).bits);
  return e;
}
std::vector<float> values_of(const Elements& e) {
  std::vector<float> v;
  for (std::uint32_t b : e.bits) v.push_back(e.type == ScalarType::bf16 ? bf16::from_bits(b).to_float() : f32::from_bits(b).to_float());
  return v;
}

TEST(FormulaText, IsPrintedInOneWay) {
  EXPECT_EQ(again("y[m]=fma( x[m],2, -w[m] )"), "y[m] = fma(x[m], 2, -w[m])");
  EXPECT_EQ(again("C[m,n]=gelu(sum[k] A[m,k]*B[n,k]+bias[n])"), "C[m, n] = gelu(sum[k] A[m, k] * B[n, k] + bias[n])");
  EXPECT_EQ(again("C: f32 [m,n] = sum[k] A: f8e4m3[m,k] * B[n,k]{any} where m = 3, n=5 , k=7"),
            "C: f32[m, n] = sum[k] A: f8e4m3[m, k] * B[n, k]{any} where m = 3, n = 5, k = 7");
  EXPECT_EQ(again("y[o,h] = sum[c,r] x[c, 2*h + r - 1 : 56]{blocks 256} * w[o,c,r]"),
            "y[o, h] = sum[c, r] x[c, h * 2 + r - 1 : 56]{blocks 256} * w[o, c, r]");
  EXPECT_EQ(again("y[r,c] = x[r,c] - (a[r] - b[r]) * -2.5"), "y[r, c] = x[r, c] - (a[r] - b[r]) * -2.5");
  EXPECT_EQ(again("y[r] = (sum[c] x[r,c]) * s[r] / (2 * s[r])"), "y[r] = (sum[c] x[r, c]) * s[r] / (2 * s[r])");
  EXPECT_EQ(again("m[r] = max[c] x[r,c]; s[r] = sum[c] exp(x[r,c] - m[r]); y[r,c] = exp(x[r,c] - m[r]) / s[r]"),
            "m[r] = max[c] x[r, c]; s[r] = sum[c] exp(x[r, c] - m[r]); y[r, c] = exp(x[r, c] - m[r]) / s[r]");
}

TEST(FormulaText, GivesTypesToWhatSaysNone) {
  Formula const softmax = read("m[r] = max[c] x[r,c]; y[r,c] = exp(x[r,c] - m[r])");
  EXPECT_EQ(softmax.tensors[0].type, ScalarType::f32);
  EXPECT_EQ(softmax.tensors[1].type, ScalarType::bf16);
  EXPECT_EQ(softmax.result().type, ScalarType::bf16);
  EXPECT_EQ(read("C[m] = sum[k] A: i8[m,k] * B: i8[k]").result().type, ScalarType::i32);
}

TEST(FormulaText, UnderlinesThePlaceOfAnError) {
  auto const f = formula::parse("C[m] = sum[k] A[m, k] * B[j]");
  ASSERT_FALSE(f.ok());
  EXPECT_EQ(f.refusal().note.view(),
            "an element of the result would have no value for it\n"
            "        C[m] = sum[k] A[m, k] * B[j]\n"
            "                                ^^^^");
}

TEST(FormulaBuilder, MakesWhatTheTextSays) {
  formula::Builder b;
  auto const m = b.axis("m", 4), n = b.axis("n", 6), k = b.axis("k", 8);
  auto const A = b.tensor("A"), B = b.tensor("B"), bias = b.tensor("bias");
  b.make("C", {m, n}, gelu(fma(sum({k}, A(m, k) * B(n, k)), formula::number(2), bias(n))));
  auto const built = b.formula();
  ASSERT_TRUE(built.ok());
  EXPECT_EQ(*built, read("C[m,n] = gelu(fma(sum[k] A[m,k]*B[n,k], 2, bias[n])) where m=4, n=6, k=8"));

  formula::Builder c;
  auto const h = c.axis("h", 28), r = c.axis("r", 3);
  auto const x = c.tensor("x"), w = c.tensor("w");
  c.make("y", {h}, sum({r}, x((h * 2 + r - 1).within(56)) * w(r)));
  auto const window = c.formula();
  ASSERT_TRUE(window.ok());
  EXPECT_EQ(*window, read("y[h] = sum[r] x[h * 2 + r - 1 : 56] * w[r] where h = 28, r = 3"));
}

TEST(FormulaValues, AWindowReadsZeroOutside) {
  Formula const f = read("y: f32[h] = sum[r] x: f32[h + r - 1 : 4] * w: f32[r] where h = 4, r = 3");
  auto const y = formula::evaluate(f, {floats({4}, {1, 2, 3, 4}), floats({3}, {1, 10, 100})});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(values_of(*y), (std::vector<float>{210, 321, 432, 43}));
}
TEST(FormulaValues, AMaximumLeavesOutWhatIsOutside) {
  Formula const f = read("y: f32[h] = max[r] x: f32[h + r - 1 : 3] where h = 3, r = 3");
  auto const y = formula::evaluate(f, {floats({3}, {-5, -2, -7})});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(values_of(*y), (std::vector<float>{-2, -2, -2}));
}
TEST(FormulaValues, ReductionsComeInSequence) {
  Formula const f =
      read("m[r] = max[c] x: f32[r,c]; s[r] = sum[c] exp(x[r,c] - m[r]); y: f32[r,c] = exp(x[r,c] - m[r]) / s[r] where r = 1, c = 3");
  auto const y = formula::evaluate(f, {floats({1, 3}, {1, 2, 3})});
  ASSERT_TRUE(y.ok());
  double const e1 = std::exp(-2.0), e2 = std::exp(-1.0), all = 1 + e1 + e2;
  EXPECT_NEAR(values_of(*y)[0], e1 / all, 1e-6);
  EXPECT_NEAR(values_of(*y)[1], e2 / all, 1e-6);
  EXPECT_NEAR(values_of(*y)[2], 1 / all, 1e-6);
}
TEST(FormulaValues, TheOrderOfASumIsAnArgument) {
  // 2^24 + 1 + 1: one after the other both ones are lost; by a tree of neighbours they are added first.
  Formula const f = read("y: f32[a] = sum[k] x: f32[k, a] where a = 1, k = 4");
  Elements const x = floats({4, 1}, {16777216, 0, 1, 1});
  auto const in_a_row = formula::evaluate(f, {x}), tree = formula::evaluate(f, {x}, {.packet = 4, .parts = {}});
  auto const parts = formula::evaluate(f, {x}, {.packet = 1, .parts = {2}});
  ASSERT_TRUE(in_a_row.ok() && tree.ok() && parts.ok());
  EXPECT_EQ(values_of(*in_a_row)[0], 16777216);
  EXPECT_EQ(values_of(*tree)[0], 16777218);
  EXPECT_EQ(values_of(*parts)[0], 16777218);
}
TEST(FormulaValues, WholeNumbersWrapAsI32) {
  Formula const f = read("y[a] = sum[k] x: i32[k, a] * x[k, a] where a = 1, k = 2");
  Elements const x{ScalarType::i32, {2, 1}, {65536, 3}};
  auto const y = formula::evaluate(f, {x});
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(y->bits, (std::vector<std::uint32_t>{9}));
}
TEST(FormulaValues, FunctionsAreTheVectorEngines) {
  for (auto [name, value] : std::vector<std::pair<std::string, double>>{{"relu", 0.5},
                                                                        {"gelu", 0.5 * 0.5 * (1 + std::erf(0.5 * std::sqrt(0.5)))},
                                                                        {"silu", 0.5 / (1 + std::exp(-0.5))},
                                                                        {"exp", std::exp(0.5)},
                                                                        {"sqrt", std::sqrt(0.5)},
                                                                        {"tanh", std::tanh(0.5)},
                                                                        {"sigmoid", 1 / (1 + std::exp(-0.5))},
                                                                        {"erf", std::erf(0.5)},
                                                                        {"log", std::log(0.5)},
                                                                        {"sin", std::sin(0.5)},
                                                                        {"cos", std::cos(0.5)},
                                                                        {"-relu", -0.5}}) {
    auto const y = formula::evaluate(read("y: f32[a] = " + name + "(x: f32[a]) where a = 1"), {floats({1}, {0.5})});
    ASSERT_TRUE(y.ok());
    EXPECT_NEAR(values_of(*y)[0], value, 1e-6) << name;
  }
}
TEST(FormulaValues, FmaRoundsOnce) {
  // (1 + 2^-12)^2 - 1 has 2^-24 in its end, which a product of f32 loses.
  Elements const x = floats({1}, {1.000244140625f});
  auto const once = formula::evaluate(read("y: f32[a] = fma(x: f32[a], x[a], -1) where a = 1"), {x});
  auto const twice = formula::evaluate(read("y: f32[a] = x: f32[a] * x[a] - 1 where a = 1"), {x});
  ASSERT_TRUE(once.ok() && twice.ok());
  EXPECT_EQ(values_of(*once)[0], 0.000488340854644775390625f);
  EXPECT_EQ(values_of(*twice)[0], 0.00048828125f);
}
TEST(FormulaValues, SomeElementsAreThoseOfAll) {
  Formula const f = read("C: f32[m,n] = sum[k] A: f32[m,k] * B: f32[n,k] where m = 3, n = 2, k = 2");
  std::vector<Elements> const in{floats({3, 2}, {1, 2, 3, 4, 5, 6}), floats({2, 2}, {1, 1, 0, 2})};
  auto const all = formula::evaluate(f, in);
  auto const some = formula::evaluate_at(f, in, {5, 0, 3});
  ASSERT_TRUE(all.ok() && some.ok());
  EXPECT_EQ(values_of(*all), (std::vector<float>{3, 4, 7, 8, 11, 12}));
  EXPECT_EQ(*some, (std::vector<std::uint32_t>{all->bits[5], all->bits[0], all->bits[3]}));
}
TEST(FormulaSizes, ComeFromTheIndices) {
  Formula const f = read("y[h] = sum[r] x[h * 2 + r] * w[r] where h = 4, r = 3");
  EXPECT_EQ(f.extents(1), (std::vector<std::int64_t>{9}));
  EXPECT_EQ(f.extents(2), (std::vector<std::int64_t>{3}));
}

}  // namespace
