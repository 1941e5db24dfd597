// Refusals, and the values that hold one.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "tcp/support/bug.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/support/refuse.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/support/render.hpp"

namespace tcp {
namespace {

constexpr Refusal sample() {
  return refuse("commit-row-misaligned", Where("kernel.cpp", 12, 5))
      .what("rows of ", "B", " are ", 60, " bytes")
      .why("rows are written whole")
      .help("B # ", 64);
}
static_assert(sample().sentence().view() == "error[commit-row-misaligned]: rows of B are 60 bytes; help: B # 64");

TEST(Refusal, parts_are_added_up) {
  Refusal r = refuse("test-parts");
  r.what("one").what(", two ", 3);
  r.why("because");
  r.help("do").help(" this");
  EXPECT_STREQ(r.code, "test-parts");
  EXPECT_EQ(r.headline.view(), "one, two 3");
  EXPECT_EQ(r.note.view(), "because");
  EXPECT_EQ(r.advice.view(), "do this");
  EXPECT_FALSE(r.at.known());
}

TEST(Refusal, a_sentence_without_advice_has_no_help) {
  EXPECT_EQ(refuse("test-short").what("no").why("not shown").sentence().view(), "error[test-short]: no");
}

TEST(Render, everything) {
  EXPECT_EQ(render(sample()),
            "kernel.cpp:12:5: error[commit-row-misaligned]: rows of B are 60 bytes\n"
            "  note: rows are written whole\n"
            "  help: B # 64");
}

TEST(Render, without_a_place) {
  Refusal r = sample();
  r.at = Where();
  EXPECT_EQ(render(r).substr(0, 29), "error[commit-row-misaligned]:");
}

TEST(Render, without_a_column) {
  Refusal r = sample();
  r.at = Where("kernel.cpp", 12);
  EXPECT_EQ(render(r).substr(0, 22), "kernel.cpp:12: error[c");
}

TEST(Render, without_note_or_help) {
  EXPECT_EQ(render(refuse("test-bare").what("no")), "error[test-bare]: no");
  EXPECT_EQ(render(refuse("test-note").what("no").why("so")), "error[test-note]: no\n  note: so");
  EXPECT_EQ(render(refuse("test-help").what("no").help("do")), "error[test-help]: no\n  help: do");
}

TEST(Where, is_known_by_its_line) {
  EXPECT_FALSE(Where().known());
  EXPECT_TRUE(Where("f", 1).known());
  EXPECT_EQ(Where("f", 1).column, 0u);
  Where const here{std::source_location::current()};
  EXPECT_TRUE(here.known());
  EXPECT_EQ(here.line, static_cast<unsigned>(__LINE__) - 2);
  EXPECT_NE(std::string_view(here.file).find("refusal_test.cpp"), std::string_view::npos);
  EXPECT_NE(std::string_view(here.function).find("TestBody"), std::string_view::npos);
}

TEST(Bug, says_what_broke_where_and_what_to_do) {
  std::string const said = Bug("x > 0", "the count ran out", Where("loops.hpp", 7)).what();
  EXPECT_EQ(said,
            "this is a bug in tcp, not in your program: the count ran out (x > 0 is false at loops.hpp:7); please send us the program that "
            "led here");
}

constexpr int positive(int x) {
  TCP_BUG_UNLESS(x > 0, "x is not positive");
  return x;
}
static_assert(positive(3) == 3, "a condition that holds costs nothing, in constant expressions too");

TEST(Bug, unless_names_the_condition_and_the_place) {
  // Not a bug of the library: the macro itself is what is looked at.
  try {
    positive(-1);
    FAIL();
  } catch (const Bug& b) {
    EXPECT_NE(std::string_view(b.what()).find("x is not positive (x > 0 is false at "), std::string_view::npos) << b.what();
    EXPECT_NE(std::string_view(b.what()).find("refusal_test.cpp:"), std::string_view::npos) << b.what();
  }
}

/// What clang would show, joined as a reader joins it.
std::string joined(const Text& t) {
  std::string all;
  for (std::size_t i = 0; i < detail::count_pieces(t); ++i) {
    detail::Cut const c = detail::cut(t, i);
    EXPECT_LE(c.end - c.begin, detail::piece_width) << t.s;
    EXPECT_GT(c.end, c.begin) << t.s;
    all += (i > 0 ? " " : "") + std::string(t.view().substr(c.begin, c.end - c.begin));
  }
  return all;
}

TEST(RefusePieces, joined_at_blanks_give_the_sentence_back) {
  for (std::string_view sentence : {"", "short", "exactly thirty-six characters, no...", "exactly thirty-seven characters, no..",
                                    "error[collect-packet-not-one-flit]: Packet m![J % 32] of bf16 is 64 bytes; collect makes flits of 32 "
                                    "bytes; help: write Packet = m![J % 16]",
                                    "error[test-a]: a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9"})
    EXPECT_EQ(joined(Text(sentence)), sentence);
}

TEST(RefusePieces, break_outside_of_a_mapping_if_there_is_a_blank_outside) {
  Text const t("a b c m![A / 2, B / 2, C / 2, D / 2, E / 2] is long");
  detail::Cut const first = detail::cut(t, 0);
  EXPECT_EQ(t.view().substr(first.begin, first.end - first.begin), "a b c");
}

TEST(RefusePieces, a_word_longer_than_a_piece_is_cut_inside) {
  std::string const word(80, 'x');
  Text const t("see " + word + " there");
  std::string glued;
  for (std::size_t i = 0; i < detail::count_pieces(t); ++i) {
    detail::Cut const c = detail::cut(t, i);
    EXPECT_LE(c.end - c.begin, detail::piece_width);
    glued += t.view().substr(c.begin, c.end - c.begin);
  }
  EXPECT_EQ(glued, "see" + word + " there") << "nothing but the blank at a border is lost";
}

TEST(RefusePieces, many_sentences) {
  // Words of all lengths up to that of a piece: each blank is a border or stays inside a piece.
  for (std::size_t a = 1; a <= detail::piece_width; ++a)
    for (std::size_t b = 1; b <= detail::piece_width; ++b) {
      std::string sentence;
      for (std::size_t n = 0; sentence.size() < 150; ++n)
        sentence += (sentence.empty() ? "" : " ") + std::string(n % 2 == 0 ? a : b, n % 2 == 0 ? 'a' : 'b');
      ASSERT_EQ(joined(Text(sentence)), sentence);
    }
}

TEST(RefusePieces, are_exactly_sized_and_end_in_nul) {
  constexpr Text t("four word");
  constexpr auto piece = detail::piece_of<5>(t, 0);
  EXPECT_STREQ(piece.s, "four");
  EXPECT_EQ(sizeof piece.s, 5u);
}

template <int N>
constexpr Verdict even() {
  if (N % 2 != 0) return refuse("test-odd").what(N, " is odd");
  return accept();
}
template <int N>
constexpr int half() {
  TCP_REFUSE(even<N>());
  return N / 2;
}
static_assert(half<8>() == 4, "an acceptance is no error; tests/refuse has the errors");

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
