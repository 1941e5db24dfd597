// Names, and the questions that can be asked of a normal form.
#include <gtest/gtest.h>

#include <sstream>

#include "texts.hpp"

namespace {

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
