#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tcp/support/expected.hpp"
#include "tcp/support/refused.hpp"

namespace tcp {
namespace {

Refusal no(const char* code = "test-refused") { return refuse(code).what("no"); }

constexpr Expected<int> half(int n) {
  if (n % 2 != 0) return refuse("test-odd").what(n, " is odd").help("use ", n + 1);
  return n / 2;
}
static_assert(half(8).value() == 4 && *half(8) == 4 && half(8).ok());
static_assert(!half(7) && half(7).refusal().headline.view() == "7 is odd");
static_assert(verdict(half(8)).ok() && !verdict(half(7)).ok());
static_assert(accept().ok());
static_assert(std::is_same_v<Expected<int>::value_type, int>);

TEST(Expected, holds_a_value_or_a_refusal) {
  Expected<int> const value = half(8), refused = half(7);
  EXPECT_TRUE(value.ok());
  EXPECT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(value.value(), 4);
  EXPECT_FALSE(refused.ok());
  EXPECT_STREQ(refused.refusal().code, "test-odd");
}

TEST(Expected, of_a_trivial_type_copies_and_is_assigned) {
  Expected<int> a = half(8), b = half(7);
  Expected<int> copy = a;
  EXPECT_EQ(*copy, 4);
  copy = b;
  EXPECT_FALSE(copy.ok());
  EXPECT_STREQ(copy.refusal().code, "test-odd");
  copy = half(10);
  EXPECT_EQ(*copy, 5);
}

TEST(Expected, of_a_string_copies_moves_and_is_assigned_in_every_combination) {
  std::string const long_text(100, 'x');
  using E = Expected<std::string>;
  for (bool from_ok : {true, false})
    for (bool to_ok : {true, false}) {
      E const from = from_ok ? E(long_text) : E(no());
      auto const expect_is_from = [&](const E& e) {
        ASSERT_EQ(e.ok(), from_ok);
        if (from_ok) EXPECT_EQ(*e, long_text);
        else EXPECT_STREQ(e.refusal().code, "test-refused");
      };
      E copied = to_ok ? E(std::string("before")) : E(no("test-before"));
      copied = from;
      expect_is_from(copied);
      E moved = to_ok ? E(std::string(200, 'b')) : E(no("test-before"));
      E source = from;
      moved = std::move(source);
      expect_is_from(moved);
      E constructed(from);
      expect_is_from(constructed);
      E stolen(std::move(constructed));
      expect_is_from(stolen);
    }
}

TEST(Expected, survives_assignment_to_itself) {
  Expected<std::string> e(std::string(100, 'x'));
  Expected<std::string> const& same = e;
  e = same;
  EXPECT_EQ(*e, std::string(100, 'x'));
}

TEST(Expected, destroys_what_it_holds_once) {
  auto const counted = std::make_shared<int>(1);
  {
    Expected<std::shared_ptr<int>> a(counted), b(a), c(no());
    EXPECT_EQ(counted.use_count(), 3);
    c = a;
    EXPECT_EQ(counted.use_count(), 4);
    a = no();
    EXPECT_EQ(counted.use_count(), 3);
    Expected<std::shared_ptr<int>> d(std::move(b));
    EXPECT_EQ(counted.use_count(), 3);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(Expected, moves_a_value_out) {
  Expected<std::unique_ptr<int>> e(std::make_unique<int>(7));
  std::unique_ptr<int> const out = std::move(e).value();
  EXPECT_EQ(*out, 7);
  Expected<std::vector<int>> v(std::vector<int>{1, 2, 3});
  EXPECT_EQ(v->size(), 3u);
  EXPECT_EQ((*std::move(v)).size(), 3u);
}

TEST(Expected, the_value_of_a_refusal_is_our_bug) {
  // The one place that looks at a Bug: that misuse of Expected is one, and never a read of what is not there.
  Expected<int> const refused = half(7), value = half(8);
  EXPECT_THROW(static_cast<void>(refused.value()), Bug);
  EXPECT_THROW(static_cast<void>(*refused), Bug);
  EXPECT_THROW(static_cast<void>(value.refusal()), Bug);
  Expected<std::string> const text_refused(no());
  EXPECT_THROW(static_cast<void>(text_refused->size()), Bug);
  EXPECT_THROW(static_cast<void>(accept().refusal()), Bug);
}

TEST(Verdict, is_an_acceptance_or_a_refusal) {
  Verdict const yes = accept(), other = no();
  EXPECT_TRUE(yes.ok());
  EXPECT_FALSE(other.ok());
  EXPECT_STREQ(other.refusal().code, "test-refused");
  EXPECT_TRUE(verdict(Expected<std::string>(std::string("x"))).ok());
  EXPECT_STREQ(verdict(Expected<std::string>(no())).refusal().code, "test-refused");
}

TEST(Refused, carries_the_refusal_out_of_the_front_end) {
  EXPECT_EQ(value_or_throw(half(8)), 4);
  EXPECT_EQ(value_or_throw(Expected<std::string>(std::string("moved"))), "moved");
  EXPECT_NO_THROW(throw_if_refused(accept()));
  try {
    throw_if_refused(no());
    FAIL();
  } catch (const Refused& r) {
    EXPECT_STREQ(r.refusal().code, "test-refused");
    EXPECT_STREQ(r.what(), "error[test-refused]: no");
  }
  try {
    throw Refused(refuse("test-refused", Where("kernel.cpp", 7)).what("no").why("never").help("go"));
  } catch (const Refused& r) {
    EXPECT_STREQ(r.what(), "kernel.cpp:7: error[test-refused]: no\n  note: never\n  help: go");
  }
  std::string const long_name(2 * Text::room, 'x');
  Refused const cut(refuse("test-refused", Where(long_name.c_str(), 7)).what(long_name).why(long_name).help(long_name));
  EXPECT_EQ(std::string_view(cut.what()).size(), 4u * Text::room);
  EXPECT_THROW(value_or_throw(half(7)), Refused);
}

}  // namespace
}  // namespace tcp
