#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tcp/support/checked.hpp"
#include "tcp/support/random.hpp"
#include "tcp/support/round.hpp"
#include "tcp/support/units.hpp"

namespace tcp {
namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();

static_assert((Checked(2) + 3 * Checked(4)).value == 14 && (Checked(2) + 3 * Checked(4)).fits);
static_assert(!(Checked(most) + 1).fits);

TEST(Checked, fits_up_to_the_edges) {
  EXPECT_TRUE((Checked(most - 1) + 1).fits);
  EXPECT_EQ((Checked(most - 1) + 1).value, most);
  EXPECT_TRUE((Checked(least + 1) - 1).fits);
  EXPECT_EQ((Checked(least + 1) - 1).value, least);
  EXPECT_TRUE((Checked(most / 2) * 2).fits);
  EXPECT_TRUE((Checked(std::int64_t{1} << 31) * (std::int64_t{1} << 31)).fits);
  EXPECT_TRUE((Checked(least / 2) * 2).fits);
  EXPECT_TRUE((Checked(-1) * most).fits);
}

TEST(Checked, notices_one_beyond_the_edges) {
  EXPECT_FALSE((Checked(most) + 1).fits);
  EXPECT_FALSE((Checked(least) - 1).fits);
  EXPECT_FALSE((Checked(least) + -1).fits);
  EXPECT_FALSE((Checked(0) - least).fits);
  EXPECT_FALSE((Checked(most / 2 + 1) * 2).fits);
  EXPECT_FALSE((Checked(least) * -1).fits);
  EXPECT_FALSE((Checked(-1) * least).fits);
  EXPECT_FALSE((Checked(std::int64_t{1} << 32) * (std::int64_t{1} << 31)).fits);
}

TEST(Checked, is_sticky) {
  Checked const lost = Checked(most) + 1;
  EXPECT_FALSE((lost - lost).fits);
  EXPECT_FALSE((lost * 0).fits);
  EXPECT_FALSE((0 + lost).fits);
  EXPECT_FALSE((1 - lost).fits);
  EXPECT_FALSE((0 * lost).fits);
}

TEST(CeilDiv, is_the_least_multiple_that_reaches) {
  for (std::int64_t a = -40; a <= 40; ++a)
    for (std::int64_t b = 1; b <= 40; ++b) {
      std::int64_t q = -40;
      while (q * b < a) ++q;
      ASSERT_EQ(ceil_div(a, b), q) << a << " / " << b;
      ASSERT_EQ(ceil_div(Bytes{a}, Bytes{b}), q);
      ASSERT_EQ(round_up(a, b), q * b) << a << " to " << b;
    }
  EXPECT_EQ(ceil_div(most, 1), most);
  EXPECT_EQ(ceil_div(most, 2), most / 2 + 1) << "without an overflow";
  EXPECT_EQ(ceil_div(most, most), 1);
}

TEST(RoundUp, says_the_greatest_number_where_the_multiple_does_not_fit) {
  EXPECT_EQ(round_up(most, 1), most);
  EXPECT_EQ(round_up(most, most), most);
  EXPECT_EQ(round_up(most - 1, 4), most);
  EXPECT_EQ(round_up(most - 3, 4), most - 3);
  static_assert(round_up(9, 8) == 16);
}

TEST(FloorDiv, is_the_greatest_quotient_that_is_not_above) {
  for (std::int64_t a = -40; a <= 40; ++a)
    for (std::int64_t b = -40; b <= 40; ++b) {
      if (b == 0) continue;
      std::int64_t q = 40;
      while (b > 0 ? q * b > a : q * b < a) --q;
      ASSERT_EQ(floor_div(a, b), q) << a << " / " << b;
    }
}

template <class A, class B>
concept Addable = requires(A a, B b) { a + b; };
template <class A, class B>
concept Comparable = requires(A a, B b) { a < b; };
static_assert(Addable<Bytes, Bytes>);
static_assert(!Addable<Bytes, Cycles> && !Addable<Bytes, std::int64_t> && !Addable<Bytes, Elements>);
static_assert(Comparable<Bytes, Bytes> && !Comparable<Bytes, Cycles>);
static_assert(!std::is_convertible_v<std::int64_t, Bytes> && !std::is_convertible_v<Bytes, std::int64_t>);

TEST(Units, add_compare_and_scale) {
  Bytes b{8};
  b += Bytes{4};
  b -= Bytes{2};
  EXPECT_EQ(b, Bytes{10});
  EXPECT_EQ(Bytes{8} + Bytes{4} - Bytes{2}, Bytes{10});
  EXPECT_EQ(Bytes{8} * 3, 3 * Bytes{8});
  EXPECT_EQ(Bytes{25} / Bytes{8}, 3) << "a plain number";
  EXPECT_EQ(Bytes{25} / 8, Bytes{3});
  EXPECT_EQ(Bytes{25} % Bytes{8}, Bytes{1});
  EXPECT_LT(Bytes{7}, Bytes{8});
  EXPECT_EQ(Bytes{}.value, 0);
}

TEST(Units, say_what_they_count) {
  EXPECT_EQ(text(Bytes{32}).view(), "32 bytes");
  EXPECT_EQ(text(Cycles{-1}).view(), "-1 cycles");
  EXPECT_EQ(text(Elements{16}).view(), "16 elements");
}

constexpr std::uint64_t third(std::uint64_t seed) {
  Random r(seed);
  r.next();
  r.next();
  return r.next();
}

TEST(Random, is_splitmix64_at_compile_time_and_at_run_time) {
  // The first numbers of the published generator for the seed 1234567.
  Random r(1234567);
  EXPECT_EQ(r.next(), 6457827717110365317u);
  EXPECT_EQ(r.next(), 3203168211198807973u);
  EXPECT_EQ(r.next(), 9817491932198370423u);
  constexpr std::uint64_t compiled = third(42);
  volatile std::uint64_t seed = 42;
  EXPECT_EQ(third(seed), compiled);
}

TEST(Random, is_the_same_for_the_same_seed_and_another_for_another) {
  Random a(7), b(7), c(8);
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t const x = a.next();
    ASSERT_EQ(x, b.next());
    same += x == c.next();
  }
  EXPECT_EQ(same, 0);
}

TEST(Random, below_stays_below_and_reaches_everything) {
  Random r(3);
  for (std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{10}, std::uint64_t{256}}) {
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 20000; ++i) {
      std::uint64_t const x = r.below(n);
      ASSERT_LT(x, n);
      seen.insert(x);
    }
    EXPECT_EQ(seen.size(), n);
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_LT(r.below(~std::uint64_t{}), ~std::uint64_t{});
    ASSERT_LT(r.below(std::uint64_t{1} << 63), std::uint64_t{1} << 63);
  }
}

TEST(Random, between_has_both_ends) {
  Random r(4);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 2000; ++i) seen.insert(r.between(-3, 2));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-3, -2, -1, 0, 1, 2}));
  EXPECT_EQ(r.between(5, 5), 5);
  for (int i = 0; i < 1000; ++i) {
    std::int64_t const x = r.between(most - 1, most);
    ASSERT_GE(x, most - 1);
  }
}

}  // namespace
}  // namespace tcp
