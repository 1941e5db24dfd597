// Mappings as kernels write them (TCP_AXES, expressions, m<...>), and the questions that can be asked of a normal form.
#include <gtest/gtest.h>

#include <sstream>
#include <type_traits>

#include "tcp/mapping/map.hpp"
#include "texts.hpp"

namespace {

using namespace tcp;

TCP_AXES(A = 2048, B = 512);
TCP_AXES(W = 6);
TCP_AXES(Fw = 3);
TCP_AXES(A1 = 1, A2 = 2, A3 = 3, A4 = 4, A5 = 5, A6 = 6, A7 = 7, A8 = 8, A9 = 9, A10 = 10, A11 = 11, A12 = 12);

TEST(Axes, AreConstants) {
  static_assert(A.size == 2048 && m<A>::size == 2048);
  static_assert(m<A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12>::size == 479'001'600, "twelve in one declaration");
  constexpr std::int64_t n = 6;
  TCP_AXES(Local = 2 * n, Braced{n + 1});
  static_assert(m<Local, Braced>::size == 84);
  EXPECT_EQ((canonical(m<Local, Braced>::mapping)), "Local, Braced");
}

template <std::int64_t N>
struct Kernel {
  TCP_AXES_IN_CLASS(K = N, L = 2 * N);
  using Layout = m<L / 2, K>;
};

TEST(Axes, MayDependOnAKernelsSizes) {
  static_assert(Kernel<4>::Layout::size == 16 && Kernel<5>::Layout::size == 25);
  static_assert(!std::is_same_v<Kernel<4>::Layout, Kernel<5>::Layout>);
}

TEST(Expr, IsKeptAsItWasWritten) {
  constexpr Expr e = (A / 8).pad(256);
  static_assert(std::string_view(e.written) == "A / 8 # 256" && std::string_view(e.axes) == "A = 2048");
  constexpr Expr list = group(A / 2, B, A % 2);
  static_assert(std::string_view(list.written) == "[A / 2, B, A % 2]");
  static_assert(std::string_view(list.axes) == "A = 2048, B = 512", "each axis once");
  EXPECT_EQ(e.mapping()->size, 256);
}

TEST(Expr, EveryOperatorHasItsSign) {
  auto const written = [](const Expr& e) { return std::string(e.written); };
  EXPECT_EQ(written(A / 2), "A / 2");
  EXPECT_EQ(written(A % 2), "A % 2");
  EXPECT_EQ(written(A.pad(4096)), "A # 4096");
  EXPECT_EQ(written(A.pad_zero(4096)), "A #z 4096");
  EXPECT_EQ(written(A.pad_bottom(4096)), "A #! 4096");
  EXPECT_EQ(written(A.pad_left(2)), "A #< 2");
  EXPECT_EQ(written(A.resize(3)), "A = 3");
  EXPECT_EQ(written(A.from(5)), "A @ 5");
  EXPECT_EQ(written(slide(W.by(2), Fw)), "$(W:2, Fw)");
  EXPECT_EQ(written(group(A, 3, one)), "[A, 3, 1]");
  EXPECT_EQ(written((B / 32).resize(2).pad(16)), "B / 32 = 2 # 16");
}

TEST(Expr, MeansTheSameAsItsText) {
  auto const same = [](const Expr& e, std::string_view text) {
    auto const m = parse(text, *parse_axes("A = 2048, B = 512, W = 6, Fw = 3"));
    return Mapping(e) == *m && *e.mapping() == *m;
  };
  EXPECT_TRUE(same((A / 8).pad(256), "A / 8"));
  EXPECT_TRUE(same(group(A, B) % 1024, "A % 2, B"));
  EXPECT_TRUE(same(slide(W.by(2), Fw).pad_zero(16), "$(W:2, Fw) #z 16"));
  EXPECT_TRUE(same(B.pad_left(2).pad_zero(520), "B #< 2 #z 520"));
  EXPECT_TRUE(same(B.from(3).resize(1), "B @ 3 = 1"));
}

TEST(Expr, CarriesItsFault) {
  constexpr Mapping bad = A / 7;
  static_assert(!bad.ok() && bad.fault.kind == FaultKind::stride_not_divisor);
  static_assert(!(A / 7).mapping());
  EXPECT_EQ(refused(Mapping(group(A, B).from(3))), "mapping-start-many-axes");
}

TEST(Expr, OfTwoAxesOfOneNameIsRefused) {
  constexpr Axis<"K"> one_k = 4, other_k = 5;
  EXPECT_STREQ(group(one_k, other_k).mapping().refusal().code, "mapping-axis-two-sizes");
}

TEST(Expr, HasRoomFor254Characters) {
  Expr e = A.pad(4096);
  int n = 0;
  while (e.mapping()) e = e / 1, ++n;
  EXPECT_STREQ(e.mapping().refusal().code, "mapping-expression-too-long");
  EXPECT_EQ(n, (254 - 8) / 4 + 1) << "8 characters, then 4 each; the one that does not fit is noticed";
}

TEST(Map, IsItsCanonicalText) {
  static_assert(std::is_same_v<m<B / 64, B % 64>, m<B>>);
  static_assert(std::is_same_v<m<(A / 8).pad(256)>, m<A / 8>>, "padding to the size that it has");
  static_assert(!std::is_same_v<m<A.pad(4096)>, m<A.pad_zero(4096)>>, "the kind is part of the identity");
  static_assert(!std::is_same_v<m<A, B>, m<B, A>>);
  static_assert(std::is_same_v<m<slide(W.by(2), Fw)>, m<slide(Fw, W.by(2))>>);
}

TEST(Map, OfAnotherExtentIsAnotherType) {
  constexpr Axis<"K"> small = 4, large = 8;
  static_assert(!std::is_same_v<m<small>, m<large>>);
  static_assert(!std::is_same_v<m<small.resize(2)>, m<large.resize(2)>>);
}

TEST(Map, HasSizeAndMapping) {
  using M = m<A / 8, B % 4>;
  static_assert(M::size == 1024 && M::mapping.size == 1024);
  static_assert(MapType<M> && !MapType<int>);
  EXPECT_EQ(canonical(M::mapping), "A / 8, B % 4");
}

TEST(Map, SplicesAsAGroup) {
  using Inner = m<A % 8, B>;
  static_assert(std::is_same_v<m<A / 8, Inner{}>, m<A / 8, A % 8, B>>);
  static_assert(std::is_same_v<m<Inner{} / 512>, m<A % 8>>);
  static_assert(std::is_same_v<m<Inner{} % 512>, m<B>>);
  static_assert(std::is_same_v<m<Inner{}.pad(5000)>, m<group(A % 8, B).pad(5000)>>);
  EXPECT_EQ((m<Inner{}.pad(5000)>::size), 5000);
}

TEST(Map, OfNumbers) {
  static_assert(m<1>::size == 1 && m<3, A>::size == 3 * 2048);
  static_assert(m<one.pad(2)>::size == 2);
  static_assert(std::is_same_v<m<std::int64_t{1}>, m<1>>);
  EXPECT_EQ(canonical(m<one.pad(2)>::mapping), "1 # 2");
}

TEST(IndexOf, IsWrittenWithTheExpressionsOfItsCoordinates) {
  static_assert(index(A.at(2), B.at(3)) == at("A", 2, "B", 3));
  static_assert(index((A / 8).at(2), (A % 8).at(3)) == at("A", 19));
  static_assert(index() == Index{});
  EXPECT_TRUE(m<A / 8>{}.at(2) == at("A", 16));
}

// Names, and the questions that can be asked of a normal form.

using namespace tcp;

TEST(Name, KeepsUpToSixteenCharacters) {
  for (std::string_view v : {"A", "Ab", "Tokens", "Eight__8", "Nine____9", "Sixteen_letters_"}) {
    Name const n(v);
    EXPECT_EQ(n.length(), static_cast<int>(v.size()));
    for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(n[static_cast<int>(i)], v[i]);
    std::ostringstream out;
    out << n;
    EXPECT_EQ(out.str(), v);
    EXPECT_EQ(text(n).view(), v);
  }
  EXPECT_EQ(Name("Seventeen_letters").length(), 16);
  EXPECT_EQ(Name().length(), 0);
}

TEST(Name, ComparesWhole) {
  static_assert(Name("A") == Name("A") && Name("A") != Name("B") && Name("A") != Name("AA"));
  static_assert(Name("Sixteen_letters_") != Name("Sixteen_letters") && Name("Abcdefgh1") != Name("Abcdefgh2"));
  EXPECT_TRUE(Name("") == Name());
}

TEST(Normal, FootprintsAreThePositionsInsideOfEachDigit) {
  Mapping const m = read("A, D # 64, E # 4");
  Footprints const f = footprints(m);
  EXPECT_EQ(f.inside[0], 64 * 4);
  EXPECT_EQ(f.inside[1], 4);
  EXPECT_EQ(f.inside[2], 1);
}

TEST(Normal, FootprintsCountTails) {
  Mapping const m = read("B, [A, E] # 25, 2");  // B, then 25 positions of A and E, each two copies
  ASSERT_EQ(m.tails, 1);
  Footprints const f = footprints(m);
  EXPECT_EQ(f.inside[0], 25 * 2);
  EXPECT_EQ(f.tail_unit[0], 2);
  EXPECT_EQ(f.tail_live[0], 24);
}

TEST(Normal, TailsNest) {
  Mapping const m = read("[A, [N, E] # 16] # 130");
  ASSERT_EQ(m.tails, 2);
  EXPECT_EQ(m.size, 130);
  Footprints const f = footprints(m);
  EXPECT_EQ(f.tail_live[0], 128);
  EXPECT_EQ(f.tail_live[1], 15);
  EXPECT_EQ(f.inside[0], 16);
  EXPECT_EQ(pad_at(m, 15), Pad::top);
  EXPECT_TRUE(holds(m, 16, at("A", 1)));
  EXPECT_EQ(pad_at(m, 128), Pad::top);
}

TEST(Normal, TheCoarsestDigitIsFoundWhereverItStands) {
  Mapping const m = read("B % 4, A, B / 32, B / 4 % 8");
  EXPECT_EQ(coarsest_digit(m, find_axis(m, Name("B"))), 2);
  EXPECT_EQ(coarsest_digit(m, find_axis(m, Name("A"))), 1);
  EXPECT_EQ(find_axis(m, Name("C")), -1);
  EXPECT_EQ(coarsest_digit(read("B @ 7 = 1"), 0), -1) << "a start without a digit";
}

TEST(Normal, AnEndIsReachedOrOvershot) {
  Mapping const whole = read("D"), blocks = read("D # 64 / 16"), part = read("D = 60"), late = read("D = 60 @ 1");
  EXPECT_TRUE(reaches_end(whole, whole.digit[0]) && !overshoots(whole, whole.digit[0]));
  EXPECT_TRUE(reaches_end(blocks, blocks.digit[0]) && overshoots(blocks, blocks.digit[0]));
  EXPECT_FALSE(reaches_end(part, part.digit[0]) || overshoots(part, part.digit[0]));
  EXPECT_TRUE(reaches_end(late, late.digit[0]) && !overshoots(late, late.digit[0]));
  EXPECT_FALSE(reaches_end(copies(5), copies(5).digit[0])) << "copies are of no axis";
}

TEST(Normal, AWindowReachesItsSpan) {
  Mapping const m = read("A, $(N, F:2) # 12");
  EXPECT_EQ(window_span(m, 1), 9);
  EXPECT_EQ(live_slots(m, 1), 9);
  EXPECT_EQ(live_slots(m, 0), 8);
  EXPECT_TRUE(m.digit[1].in_window() && m.digit[2].in_window() && !m.digit[0].in_window());
}

TEST(Normal, EqualityIsOfAllThatIsUsed) {
  EXPECT_TRUE(read("B / 64, B % 64") == read("B"));
  EXPECT_FALSE(read("A # 16") == read("A #z 16"));
  EXPECT_FALSE(read("A # 16") == read("A # 17"));
  EXPECT_FALSE(read("A @ 1") == read("A = 7 # 8"));
  EXPECT_FALSE(axis_mapping(Name("A"), 8) == axis_mapping(Name("A"), 9)) << "the extent is part of an axis";
  EXPECT_FALSE(read("A") == divide_by(read("A"), 3)) << "so is the fault";
}

}  // namespace
