#include <gtest/gtest.h>

#include <string>

#include "tcp/support/bug.hpp"
#include "tcp/support/refuse.hpp"
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

}  // namespace
}  // namespace tcp
