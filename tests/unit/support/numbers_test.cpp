// Checked numbers, units, nested loops that turn without a division, and images of memory.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tcp/support/checked.hpp"
#include "tcp/support/id.hpp"
#include "tcp/support/image.hpp"
#include "tcp/support/odometer.hpp"
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

// Nested loops that turn without a division.

namespace {

using tcp::Odometer;
using Loops = std::vector<tcp::OdometerLoop<2>>;

TEST(Odometer, turns_as_nested_loops_do) {
  std::vector<std::pair<std::int64_t, std::int64_t>> wanted, seen;
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 0; j < 1; ++j)
      for (std::int64_t k = 0; k < 4; ++k) wanted.push_back({i * 100 + j * 7 - k * 5, i * 2 + k * 30});
  Odometer<2> o(Loops{{3, {100, 2}}, {1, {7, 9}}, {4, {-5, 30}}});
  for (; !o.done(); o.next()) {
    ASSERT_EQ(o.round(0) * 100 - o.round(2) * 5, o.at(0));
    seen.push_back({o.at(0), o.at(1)});
  }
  EXPECT_EQ(seen, wanted);
}

TEST(Odometer, begins_again_after_the_last_round) {
  Odometer<2> o(Loops{{2, {10, 1}}, {2, {3, 0}}});
  for (int i = 0; i < 4; ++i) o.next();
  EXPECT_TRUE(o.done());
  EXPECT_EQ(o.at(0), 0);
  o.next();
  EXPECT_EQ(o.at(0), 3);
}

TEST(Odometer, has_one_round_without_loops_and_none_with_an_empty_one) {
  Odometer<2> none(Loops{});
  EXPECT_FALSE(none.done());
  none.next();
  EXPECT_TRUE(none.done());
  EXPECT_TRUE(Odometer<2>(Loops{{3, {1, 1}}, {0, {1, 1}}}).done());
}

}  // namespace

namespace {

using namespace tcp;

bool all_zero(const Image& image) {
  for (std::size_t i = 0; i < image.size(); ++i)
    if (image[i] != std::byte{0}) return false;
  return true;
}

TEST(Image, is_zero_even_where_others_have_written) {
  for (std::size_t size : {0u, 1u, 4096u, 4097u, 100000u}) {
    {
      Image used = Image::not_initialised(size);
      if (size > 0) std::memset(used.data(), 0xff, size);
    }
    Image const image(size);
    EXPECT_EQ(image.size(), size);
    EXPECT_TRUE(all_zero(image)) << size;
  }
}

TEST(Image, of_bytes_of_others_is_copied_by_who_writes) {
  auto const owner = std::make_shared<std::vector<std::byte>>(100, std::byte{7});
  Image image = Image::of(owner, owner->data(), owner->size());
  EXPECT_EQ(std::as_const(image).data(), owner->data());
  Image const same = Image::of(owner, owner->data(), owner->size());
  EXPECT_TRUE(image == same);
  image[3] = std::byte{9};
  EXPECT_EQ((*owner)[3], std::byte{7});
  EXPECT_EQ(std::as_const(image)[3], std::byte{9});
  EXPECT_FALSE(image == same);
  EXPECT_EQ(std::as_const(same).data(), owner->data());
}

TEST(Image, is_made_once_and_only_if_somebody_looks) {
  struct Counting final : Image::Later {
    mutable int times = 0;
    void write(std::byte* to) const override {
      ++times;
      for (int i = 0; i < 10; ++i) to[i] = static_cast<std::byte>(i);
    }
  };
  auto const later = std::make_shared<Counting>();
  Image image = Image::of(later, 10);
  EXPECT_EQ(image.size(), 10u);
  EXPECT_EQ(image.later(), later.get());
  Image moved = std::move(image);
  EXPECT_EQ(later->times, 0);
  EXPECT_EQ(std::as_const(moved)[4], std::byte{4});
  EXPECT_EQ(std::as_const(moved)[9], std::byte{9});
  Image const copy = moved;
  EXPECT_EQ(copy[9], std::byte{9});
  EXPECT_EQ(later->times, 1);
  moved[4] = std::byte{40};  // no longer what it was made of
  EXPECT_EQ(moved.later(), nullptr);
  EXPECT_EQ(copy[4], std::byte{4});
}

TEST(Image, begins_on_a_cache_line) {
  for (std::size_t size : {1u, 5000u, 1u << 20}) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(Image(size).data()) % 64, 0u);
}

TEST(Image, bytes_come_back_from_the_pool) {
  std::size_t blocks = 1;
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  blocks = 10;  // every image has its own, so that the sanitizer sees its end and its life
#endif
#endif
  std::size_t const size = 3 << 20;
  std::set<const std::byte*> seen;
  for (int i = 0; i < 10; ++i) seen.insert(Image::not_initialised(size - static_cast<std::size_t>(i)).data());
  EXPECT_EQ(seen.size(), blocks) << "sizes that differ little share a block";
}

TEST(Image, live_images_share_no_byte) {
  Image const a(1000), b(1000), c(a);
  std::set<const std::byte*> const begins{a.data(), b.data(), c.data()};
  EXPECT_EQ(begins.size(), 3u);
}

TEST(Image, copies_are_equal_and_moves_leave_nothing) {
  Image a(5000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::byte>(i * 7);
  Image b = a;
  EXPECT_TRUE(a == b);
  b[4999] = std::byte{0};
  EXPECT_FALSE(a == b);
  const std::byte* const bytes = b.data();
  Image const c = std::move(b);
  EXPECT_EQ(c.data(), bytes);
  a = c;
  EXPECT_TRUE(a == c);
  EXPECT_FALSE(a == Image(4999));
  EXPECT_TRUE(Image() == Image(0));
}

}  // namespace

namespace tcp {
namespace {

struct Apple {};
struct Pear {};
using AppleId = Id<Apple>;
using PearId = Id<Pear, 0>;

// A number of one kind is no number of another, and no plain number either.
static_assert(!std::is_convertible_v<int, AppleId> && !std::is_convertible_v<AppleId, int>);
static_assert(!std::is_convertible_v<PearId, AppleId> && !std::is_constructible_v<AppleId, PearId>);
static_assert(AppleId{} == None{} && PearId{} == PearId(0) && AppleId(None{}).number == -1);
static_assert(AppleId(1) < AppleId(2) && AppleId(std::size_t{3}).index() == 3);

template <class List, class Number>
concept TakesNumber = requires(List list, Number number) { list[number]; };
static_assert(TakesNumber<Indexed<int, AppleId>, AppleId> && TakesNumber<const Indexed<int, AppleId>, AppleId>);
static_assert(!TakesNumber<Indexed<int, AppleId>, PearId>);

TEST(Id, counts_the_things_of_a_list) {
  Indexed<std::string, AppleId> list;
  EXPECT_EQ(list.next(), AppleId(0));
  AppleId const first = list.add("a"), second = list.add("b");
  EXPECT_EQ(second, AppleId(1));
  list[first] += "!";
  EXPECT_EQ(list[first], "a!");
  EXPECT_EQ(list[1], "b") << "plain positions work as well";
  std::string all;
  for (AppleId id : list.ids()) all += std::to_string(id.number) + list[id];
  EXPECT_EQ(all, "0a!1b");
  EXPECT_TRUE(list.has(second));
  EXPECT_FALSE(list.has(AppleId(2)));
  EXPECT_FALSE(list.has(AppleId()));
}

}  // namespace
}  // namespace tcp
