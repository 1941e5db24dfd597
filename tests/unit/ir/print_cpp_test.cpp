// A module as typed C++: mappings with the operators of C++, names that C++ allows, tensors where they are first needed.
// tests/rust/emitted compiles and runs what is printed.
#include "tcp/ir/cpp.hpp"

#include <gtest/gtest.h>

#include "tcp/ir/text.hpp"
#include "tcp/mapping/parse.hpp"

namespace tcp::ir {
namespace {

std::string in_cpp(const char* text) {
  CppNames names;
  CppAxes axes(names);
  auto const declared = detail::declared_axes("A = 2048, B = 8, W = 16", {});
  auto const m = parse(text, *declared);
  EXPECT_TRUE(m.ok()) << text;
  return *cpp_mapping(*m, axes);
}

std::string printed(const std::string& text) {
  auto const module = parse(text, "test.tcp");
  EXPECT_TRUE(module.ok());
  auto const out = print_cpp(*module);
  return out ? *out : std::string(out.refusal().code);
}

TEST(PrintCpp, MappingsHaveTheOperatorsOfCpp) {
  EXPECT_EQ(in_cpp("1"), "m<1>");
  EXPECT_EQ(in_cpp("A / 8 # 256"), "m<A / 8>");  // 2048 / 8 are 256
  EXPECT_EQ(in_cpp("A / 16 # 256"), "m<(A / 16).pad(256)>");
  EXPECT_EQ(in_cpp("A / 16 % 4, B"), "m<A / 16 % 4, B>");
  EXPECT_EQ(in_cpp("1 # 2"), "m<one.pad(2)>");
  EXPECT_EQ(in_cpp("4, B"), "m<4, B>");
  EXPECT_EQ(in_cpp("4 # 8, B"), "m<group(4).pad(8), B>");
  EXPECT_EQ(in_cpp("B #z 16"), "m<B.pad_zero(16)>");
  EXPECT_EQ(in_cpp("B = 3"), "m<B.resize(3)>");
  EXPECT_EQ(in_cpp("$(W:2, B)"), "m<slide(W.by(2), B)>");
}

TEST(PrintCpp, NamesThatCppHasAreOthers) {
  CppNames names;
  EXPECT_EQ(names.fresh("x"), "x");
  EXPECT_EQ(names.fresh("x"), "x_2");
  EXPECT_EQ(names.fresh("class"), "class_2");
  EXPECT_EQ(names.fresh("Context"), "Context_2");
  EXPECT_EQ(names.fresh("3d-table"), "t3d_table");
  EXPECT_EQ(names.fresh("a__b"), "a_b");
}

TEST(PrintCpp, AnAxisOfTwoSizesIsTwoVariables) {
  CppNames names;
  CppAxes axes(names);
  EXPECT_EQ(axes.variable("A", 8), "A");
  EXPECT_EQ(axes.variable("A", 16), "A_16");
  EXPECT_EQ(axes.variable("A", 8), "A");
  EXPECT_EQ(axes.declarations(), "TCP_AXES(A = 8);\nconstexpr Axis<\"A\"> A_16 = 16;\n");
}

TEST(PrintCpp, ConstantsKeepTheirBits) {
  EXPECT_EQ(cpp_constant(ScalarType::i32, 0xffffffffu), "-1");
  EXPECT_EQ(cpp_constant(ScalarType::i32, 0x80000000u), "i32::from_bits(0x80000000u)");
  EXPECT_EQ(cpp_constant(ScalarType::f32, 0x3f800000u), "1.0f");
  EXPECT_EQ(cpp_constant(ScalarType::f32, 0x7fc00000u), "f32::from_bits(0x7fc00000u)");
}

constexpr const char* head = R"(
axes A = 2048
argument hbm x: i32 Element[A]
dm d: i32 Cluster[1 # 2] Slice[A / 8] Element[A % 8]
result hbm out: i32 Element[A]
)";

TEST(PrintCpp, ATensorIsAVariableWhereItIsMade) {
  std::string const text = printed(std::string(head) + "move x -> d\nmove d -> out\n");
  EXPECT_NE(
      text.find(
          "  auto d = x.to_dm<m<one.pad(2)>, m<A / 8>, m<A % 8>>(ctx.tdma);\n  auto out = d.to_hbm<m<A>>(ctx.tdma);\n  return out;\n"),
      text.npos)
      << text;
}

TEST(PrintCpp, ATensorThatOutlivesItsRegionIsDeclaredBefore) {
  std::string const text = printed(std::string(head) + "region r\nin r:\nmove x -> d\nin none:\nmove d -> out\n");
  EXPECT_NE(text.find("  DmTensor<i32, m<1>, m<one.pad(2)>, m<A / 8>, m<A % 8>> d;\n  {\n"), text.npos) << text;
  EXPECT_NE(text.find("    d = x.to_dm<"), text.npos) << text;
}

TEST(PrintCpp, ARoundOfALoopThatIsKeptSaysSo) {
  std::string const text = printed(std::string(head) + "region r index 2 kept\nin r:\nmove x -> d\nin none:\nmove d -> out\n");
  EXPECT_NE(text.find("auto const mark = ctx.round(\"r\", 2);"), text.npos) << text;
}

TEST(PrintCpp, WhatTheTypedFrontEndCannotSayIsRefused) {
  EXPECT_EQ(printed("axes A = 8\nargument host x: i32 Element[A]\nresult hbm y: i32 Element[A]\nhost_move x -> y\n"), "ir-not-in-cpp");
}

}  // namespace
}  // namespace tcp::ir
