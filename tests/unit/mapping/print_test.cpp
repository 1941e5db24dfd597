// The canonical text of every form that a factor can have, and that it is read back as the same mapping.
#include <gtest/gtest.h>

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

}  // namespace
