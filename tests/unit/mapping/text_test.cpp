// The text form: the canonical text of every form that a factor can have, what is read, and where and why it is not.
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>

#include "texts.hpp"

namespace {

using namespace tcp;

struct Spelling {
  const char *written, *canonical;
};
void PrintTo(const Spelling& s, std::ostream* out) { *out << s.written; }

class Print : public testing::TestWithParam<Spelling> {};

TEST_P(Print, IsCanonical) {
  Mapping const m = read(GetParam().written);
  EXPECT_EQ(canonical(m), GetParam().canonical);
  EXPECT_TRUE(read(canonical(m)) == m);
}

INSTANTIATE_TEST_SUITE_P(Plain, Print,
                         testing::Values(Spelling{"1", "1"}, Spelling{"1, 1", "1"}, Spelling{"A", "A"}, Spelling{"(A)", "A"},
                                         Spelling{"[[A], B]", "A, B"}, Spelling{"7", "7"}, Spelling{"2, 3", "6"},
                                         Spelling{"A/2,B%4", "A / 2, B % 4"}, Spelling{"A / 8 # 256", "1 # 256"},
                                         Spelling{"B / 8 # 64", "B / 8"}, Spelling{"B / 4 / 2", "B / 8"},
                                         Spelling{"B / 4 % 8", "B / 4 % 8"}, Spelling{"B % 32 / 4", "B / 4 % 8"},
                                         Spelling{"B = 64 / 4", "B / 4 % 16"}, Spelling{"B = 96", "B = 96"}, Spelling{"B = 64", "B % 64"},
                                         Spelling{"A, B / 32 = 2 # 16, B % 32", "A, B = 64 # 512"},
                                         Spelling{"B / 32 = 2 # 16, A, B % 32", "B / 32 = 2 # 16, A, B % 32"},
                                         Spelling{"Long_axis_name16 / 2", "Long_axis_name16 / 2"}));

INSTANTIATE_TEST_SUITE_P(Padding, Print,
                         testing::Values(Spelling{"A # 16", "A # 16"}, Spelling{"A #z 16", "A #z 16"}, Spelling{"A #! 16", "A #! 16"},
                                         Spelling{"A#z16", "A #z 16"}, Spelling{"2 # 5", "2 # 5"}, Spelling{"1 #! 2", "1 #! 2"},
                                         Spelling{"D # 64 / 16", "D # 64 / 16"}, Spelling{"D #z 64 / 16", "D #z 64 / 16"},
                                         Spelling{"D # 64 / 16 # 8", "D # 64 / 16 # 8"}, Spelling{"D # 128 / 16", "D # 64 / 16 # 8"},
                                         Spelling{"D # 64 / 16, D # 64 % 16", "D # 64"}, Spelling{"[A, E] # 25", "[A, E] # 25"},
                                         Spelling{"[A, E] #z 25, B", "[A, E] #z 25, B"},
                                         Spelling{"[A, [N, E] #! 16] # 130", "[A, [N, E] #! 16] # 130"}));

INSTANTIATE_TEST_SUITE_P(Starts, Print,
                         testing::Values(Spelling{"B @ 2", "B @ 2"}, Spelling{"B @ 2 / 4", "B @ 2 / 4"}, Spelling{"B / 4 @ 1", "B @ 4 / 4"},
                                         Spelling{"B % 8 @ 4", "B @ 4 = 8"}, Spelling{"B @ 5 = 1", "B @ 5 = 1"},
                                         Spelling{"A, B @ 5 = 1", "B @ 5 = 1, A"}, Spelling{"B % 4, B @ 8 / 4", "B % 4, B @ 8 / 4"},
                                         Spelling{"B #< 2", "B #< 2"}, Spelling{"B #< 2 #z 600", "B #< 2 #z 600"},
                                         Spelling{"B #< 2 #z 514", "B #< 2 #z 514"}, Spelling{"B #< 2 # 520 / 8", "B #< 2 # 520 / 8"},
                                         Spelling{"B / 8 #< 1", "B #< 8 / 8"}));

INSTANTIATE_TEST_SUITE_P(WindowsAndSkews, Print,
                         testing::Values(Spelling{"$(W:2, F)", "$(W:2, F)"}, Spelling{"$(F:1, W:2)", "$(W:2, F)"},
                                         Spelling{"$(W:2,F) #z 32", "$(W:2, F) #z 32"}, Spelling{"A, $(N, F:2) = 6", "A, $(F:2, N) = 6"},
                                         Spelling{"$(W / 2:2, F)", "$(W / 2:2, F)"}, Spelling{"A, skew(N, A)", "A, skew(N, A)"},
                                         Spelling{"skew(N, A) # 8", "skew(N, A) # 8"}));

TEST(PrintTo, AnyOutTakesTheSameText) {
  Mapping const m = read("A / 2, D #z 64");
  std::ostringstream stream;
  print(stream, m);
  EXPECT_EQ(stream.str(), "A / 2, D #z 64");
  EXPECT_EQ(text(m).view(), "m![A / 2, D #z 64]");
  EXPECT_EQ(detail::length_of(m), stream.str().size());
}

TEST(PrintAxes, AsTheyAreDeclaredInTheOrderOfUse) {
  std::ostringstream stream;
  print_axes(stream, read("D # 64, A / 2, B @ 5 = 1, A % 2"));
  EXPECT_EQ(stream.str(), "D = 61, A = 8, B = 512");
  EXPECT_EQ(detail::axes_length_of(read("D, A")), std::string("D = 61, A = 8").size());
}

TEST(PrintAxes, StartsWithoutADigitAreOrderedByName) {
  EXPECT_EQ(canonical("B @ 5 = 1, A @ 3 = 1, C"), canonical("A @ 3 = 1, B @ 5 = 1, C"));
  EXPECT_TRUE(read("B @ 5 = 1, A @ 3 = 1, C") == read("C, A @ 3 = 1, B @ 5 = 1"));
}

// What the text form accepts, and where and why it does not.

using namespace tcp;

Refusal refusal(std::string_view text, Where at = {}) { return parse(text, usual_axes, at).refusal(); }

TEST(Parse, OperatorsBindFromLeftToRight) {
  EXPECT_TRUE(read("B / 32 % 2") == modulo(divide_by(read("B"), 32), 2));
  EXPECT_TRUE(read("B / 32 = 2 # 16") == pad_to(resize_to(divide_by(read("B"), 32), 2), 16, Pad::top));
  EXPECT_TRUE(read("A, B / 32") == pair(read("A"), divide_by(read("B"), 32)));
  EXPECT_TRUE(read("[A, B] / 32") == divide_by(pair(read("A"), read("B")), 32));
  EXPECT_TRUE(read("(A, B) / 32") == read("[A, B] / 32"));
}

TEST(Parse, EveryOperator) {
  EXPECT_TRUE(read("A #z 9") == read("A").pad_zero(9));
  EXPECT_TRUE(read("A #! 9") == read("A").pad_bottom(9));
  EXPECT_TRUE(read("A # 9") == read("A").pad(9));
  EXPECT_TRUE(read("A #< 2") == read("A").pad_left(2));
  EXPECT_TRUE(read("A = 3") == read("A").resize(3));
  EXPECT_TRUE(read("A @ 3") == read("A").from(3));
}

TEST(Parse, BlanksDoNotMatterBetweenSigns) {
  EXPECT_TRUE(read("A/2#z8,[B%4]") == read(" A  /\t2 #z\n8 ,\r[ B % 4 ] "));
  EXPECT_EQ(refused("A # z 9"), "mapping-text-syntax") << "#z is one sign";
  EXPECT_EQ(refused("A # < 9"), "mapping-text-syntax");
  EXPECT_EQ(refused("$ (W, F)"), "mapping-text-syntax");
}

TEST(Parse, Splices) {
  Splice const splices[] = {{"Slice", read("A / 2")}, {"Rest", read("A % 2, B")}};
  EXPECT_TRUE(*parse("{ Slice }, {Rest}", usual_axes, {}, splices, 2) == read("A, B"));
  EXPECT_TRUE(*parse("{ Rest } / 512", usual_axes, {}, splices, 2) == read("A % 2"));
  EXPECT_STREQ(parse("{ Other }", usual_axes, {}, splices, 2).refusal().code, "mapping-text-unknown-splice");
  EXPECT_STREQ(parse("{ Slice", usual_axes, {}, splices, 2).refusal().code, "mapping-text-syntax");
}

TEST(Parse, SyntaxIsRefusedAtItsColumn) {
  struct {
    const char* text;
    int column;
  } const mistakes[] = {{"", 1},       {"A,", 3},     {"A / ", 5},    {"A / , B", 5},   {"A B", 3},        {"A ]", 3},
                        {"[A, B", 6},  {"[A, B)", 6}, {"(A", 3},      {"A # x", 5},     {"A ~ 3", 3},      {", A", 1},
                        {"$(W, F", 7}, {"$W", 2},     {"A / 2 2", 7}, {"skew(A B)", 8}, {"skew(A, B", 10}, {"A 2", 3}};
  for (auto const& m : mistakes) {
    Refusal const r = refusal(m.text);
    EXPECT_STREQ(r.code, "mapping-text-syntax") << m.text;
    std::string const where = "at column " + std::to_string(m.column) + ":";
    EXPECT_TRUE(r.headline.view().starts_with(where)) << m.text << ": " << r.headline.view();
  }
}

TEST(Parse, KnowsWhereTheTextStands) {
  Refusal const r = refusal("A, B / 7", Where("kernel.tcp", 12, 5));
  EXPECT_STREQ(r.code, "mapping-stride-not-divisor");
  EXPECT_STREQ(r.at.file, "kernel.tcp");
  EXPECT_EQ(r.at.line, 12u);
  EXPECT_EQ(r.at.column, 5u + 8u) << "behind the expression that cannot be";
  EXPECT_FALSE(refusal("A, B / 7").at.known());
}

TEST(Parse, AFaultIsSaidOfTheFirstExpressionThatHasOne) {
  EXPECT_EQ(refused("D / 4, A # 3"), "mapping-stride-not-divisor");
  EXPECT_EQ(refused("A # 3, D / 4"), "mapping-pad-below-size");
}

TEST(Parse, UnknownAxes) {
  Refusal const r = parse("X / 2", *parse_axes("A = 8, B = 512")).refusal();
  EXPECT_STREQ(r.code, "mapping-text-unknown-axis");
  EXPECT_EQ(r.headline.view(), "there is no axis X; declared are A, B");
  EXPECT_STREQ(parse("X", Axes{}).refusal().code, "mapping-text-unknown-axis");
}

TEST(Parse, AxisNames) {
  EXPECT_EQ(refused("Long_axis_name16"), "");
  EXPECT_EQ(refused("Long_axis_name_17"), "mapping-axis-name");
  EXPECT_EQ(refused("lower"), "mapping-axis-name");
  EXPECT_EQ(refused("_A"), "mapping-axis-name");
}

TEST(Parse, NumbersThatDoNotFit) {
  EXPECT_EQ(refused("1 # 9223372036854775807"), "");
  EXPECT_EQ(refused("1 # 9223372036854775808"), "mapping-text-number");
  EXPECT_EQ(refused("1 # 99999999999999999999999999999999999999999999"), "mapping-text-number");
  EXPECT_EQ(refused("A / 007"), "mapping-stride-not-divisor") << "leading zeros are read as they stand";
}

TEST(Parse, NegativeNumbersAreReadAndRefusedForWhatTheyMean) {
  EXPECT_EQ(refused("A / -2"), "mapping-number-below-one");
  EXPECT_EQ(refused("A % -2"), "mapping-number-below-one");
  EXPECT_EQ(refused("A @ -1"), "mapping-number-below-one");
  EXPECT_EQ(refused("A #< -1"), "mapping-number-below-one");
  EXPECT_EQ(refused("A # -3"), "mapping-pad-below-size");
  EXPECT_EQ(refused("A = -3"), "mapping-number-below-one");
  EXPECT_EQ(refused("A / -"), "mapping-text-syntax");
}

TEST(Parse, WhatCannotBePrintedIsNot) {
  std::string const text = std::string("A \x01\xff\n/") + '\0' + "2";
  Text const headline = refusal(text).headline;
  for (char c : headline.view()) EXPECT_TRUE(c >= ' ' && c <= '~');
  EXPECT_EQ(refused(std::string_view("A\0", 2)), "mapping-text-syntax") << "a NUL is no end";
}

TEST(Parse, Nesting) {
  std::string const deep64 = std::string(64, '[') + "A" + std::string(64, ']'), deep65 = "(" + deep64 + ")";
  EXPECT_TRUE(read(deep64) == read("A"));
  EXPECT_EQ(refused(deep65), "mapping-text-too-deep");
  auto const begin = std::chrono::steady_clock::now();
  EXPECT_EQ(refused(std::string(10'000, '[')), "mapping-text-too-deep");
  EXPECT_EQ(refused(std::string(5'000, '(') + "A" + std::string(5'000, ')')), "mapping-text-too-deep");
  std::string windows;
  for (int i = 0; i < 5'000; ++i) windows += "$(";
  EXPECT_EQ(refused(windows), "mapping-text-too-deep");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

TEST(Parse, LongTextsAreNoMatter) {
  std::string list = "A", chain = "A";
  for (int i = 0; i < 10'000; ++i) list += ", 1", chain += " % 8";
  EXPECT_TRUE(read(list) == read("A"));
  EXPECT_TRUE(read(chain) == read("A"));
}

TEST(Parse, Windows) {
  EXPECT_TRUE(read("$(W:2, F)") == read("$( W : 2 , F : 1 )"));
  EXPECT_EQ(refused("$(W:2, F:)"), "mapping-text-syntax");
  EXPECT_EQ(refused("$()"), "mapping-text-syntax");
  EXPECT_EQ(refused("$(W)"), "");
  EXPECT_EQ(refused("$(A / 4, A / 2 % 2, A % 2, B / 256, B / 128 % 2, B / 64 % 2, B / 32 % 2, B / 16 % 2)"), "") << "eight members";
  EXPECT_EQ(refused("$(A / 4, A / 2 % 2, A % 2, B / 256, B / 128 % 2, B / 64 % 2, B / 32 % 2, B / 16 % 2, W)"), "mapping-window-too-many");
}

TEST(ParseAxes, Declarations) {
  Axes const axes = *parse_axes(" A=8 , Long_axis_name16 = 9223372036854775807 ");
  EXPECT_EQ(axes.n, 2);
  EXPECT_EQ(axes.size[axes.find(Name("A"))], 8);
  EXPECT_EQ(axes.size[axes.find(Name("Long_axis_name16"))], 9223372036854775807);
  EXPECT_EQ(axes.find(Name("B")), -1);
}

TEST(ParseAxes, Refusals) {
  auto const code = [](std::string_view text) { return std::string(parse_axes(text).refusal().code); };
  EXPECT_EQ(code("A = 8, A = 8"), "axes-declared-twice");
  EXPECT_EQ(code("A = 0"), "mapping-axis-size");
  EXPECT_EQ(code("a = 8"), "mapping-axis-name");
  EXPECT_EQ(code("Long_axis_name_17 = 8"), "mapping-axis-name");
  EXPECT_EQ(code("A 8"), "mapping-text-syntax");
  EXPECT_EQ(code("A ="), "mapping-text-syntax");
  EXPECT_EQ(code("A = 8 B = 9"), "mapping-text-syntax");
  EXPECT_EQ(code("A = 8,"), "mapping-text-syntax");
  EXPECT_EQ(code(""), "mapping-text-syntax");
  EXPECT_EQ(code("A = 9223372036854775808"), "mapping-text-number");
}

TEST(ParseAxes, AtMostSixtyFour) {
  std::string text = "X0 = 2";
  for (int i = 1; i < 64; ++i) text += ", X" + std::to_string(i) + " = 2";
  EXPECT_EQ(parse_axes(text)->n, 64);
  EXPECT_STREQ(parse_axes(text + ", X64 = 2").refusal().code, "axes-too-many");
}

TEST(Parse, IsAConstantExpression) {
  static_assert(parse("A / 2 # 8, [B, C] = 26", usual_axes)->size == 8 * 26);
  static_assert(!parse("A / 3", usual_axes));
  static_assert(parse("A / 2, A % 2", usual_axes).value() == axis_mapping(Name("A"), 8));
}

}  // namespace
