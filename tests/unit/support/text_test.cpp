// Texts of fixed room, how far two words are apart, and the line that shows progress.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "tcp/support/edit_distance.hpp"
#include "tcp/support/progress_line.hpp"
#include "tcp/support/text.hpp"

namespace tcp {
namespace {

static_assert(text("A / ", 8, " # ", 256).view() == "A / 8 # 256");
static_assert(text().empty());

TEST(Text, begins_empty_and_ends_in_nul) {
  Text t;
  EXPECT_TRUE(t.empty());
  EXPECT_EQ(t.size(), 0u);
  EXPECT_STREQ(t.s, "");
  t << "ab" << 'c' << std::string_view("d\0e", 3) << Text("f");
  EXPECT_EQ(t.size(), 7u);
  EXPECT_EQ(t.view(), std::string_view("abcd\0ef", 7));
  EXPECT_EQ(t.s[7], '\0');
  EXPECT_EQ(t.data(), t.s);
}

TEST(Text, writes_whole_numbers_of_every_width_and_sign) {
  EXPECT_EQ(text(0).view(), "0");
  EXPECT_EQ(text(-1).view(), "-1");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()).view(), "-9223372036854775808");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::max()).view(), "9223372036854775807");
  EXPECT_EQ(text(std::numeric_limits<std::uint64_t>::max()).view(), "18446744073709551615");
  EXPECT_EQ(text(std::numeric_limits<std::int32_t>::min()).view(), "-2147483648");
  EXPECT_EQ(text(std::int16_t{-32768}).view(), "-32768");
  EXPECT_EQ(text(std::uint8_t{200}).view(), "200") << "a number, unless it is a char";
  EXPECT_EQ(text(std::int8_t{-128}).view(), "-128");
  EXPECT_EQ(text('7').view(), "7");
}

TEST(Text, numbers_agree_with_the_standard_library) {
  for (std::int64_t v = 1; v > 0 && v < INT64_MAX / 7; v = v * 7 + 3)
    for (std::int64_t each : {v, -v}) EXPECT_EQ(text(each).view(), std::to_string(each));
}

TEST(Text, keeps_exactly_its_room) {
  std::string const full(Text::room, 'x');
  Text t(full);
  EXPECT_EQ(t.view(), full);
  EXPECT_EQ(t.s[Text::room], '\0');
}

TEST(Text, shows_where_it_was_cut) {
  std::string const full(Text::room - 3, 'x');
  for (std::string_view more : {"abcd", "abcdefgh"}) {
    Text t(full);
    t << more;
    EXPECT_EQ(t.size(), std::size_t{Text::room});
    EXPECT_EQ(t.view(), full + "...");
    EXPECT_EQ(t.s[Text::room], '\0');
    t << "and more";
    EXPECT_EQ(t.view(), full + "...") << "and stays so";
  }
  Text number(std::string(Text::room - 2, 'x'));
  number << 12345;
  EXPECT_TRUE(number.view().ends_with("x..."));
  EXPECT_EQ(number.size(), std::size_t{Text::room});
}

TEST(Text, nothing_added_to_a_full_text_leaves_it_whole) {
  std::string const full(Text::room, 'x');
  Text t(full);
  t << "";
  EXPECT_EQ(t.view(), full);
}

TEST(Text, compares_by_what_it_says) {
  EXPECT_TRUE(Text("abc") == text('a', "bc"));
  EXPECT_FALSE(Text("abc") == Text("ab"));
  EXPECT_FALSE(Text("abc") == Text("abd"));
  std::string_view const as_view = Text("abc");
  EXPECT_EQ(as_view.size(), 3u);
}

}  // namespace
}  // namespace tcp

// How far two words are apart.

namespace {

using tcp::edit_distance;

TEST(EditDistance, counts_letters_that_are_changed_added_or_removed) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("collect", "colect"), 1u);
  EXPECT_EQ(edit_distance("collect", "collecd"), 1u);
  EXPECT_EQ(edit_distance("ab", "ba"), 2u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

/// Straight from the definition.
std::size_t by_definition(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  std::string const x = a.substr(1), y = b.substr(1);
  if (a[0] == b[0]) return by_definition(x, y);
  return 1 + std::min({by_definition(x, y), by_definition(x, b), by_definition(a, y)});
}

TEST(EditDistance, is_its_definition_for_all_short_words) {
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < words.size() && words[i].size() < 4; ++i)
    for (char c : {'a', 'b'}) words.push_back(words[i] + c);
  for (const std::string& a : words)
    for (const std::string& b : words) ASSERT_EQ(edit_distance(a, b), by_definition(a, b)) << a << " " << b;
}

}  // namespace

// On a terminal of our own: what a person would see.

namespace {

using namespace tcp;

class Terminal {
 public:
  Terminal() : ours_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (ours_ < 0 || grantpt(ours_) != 0 || unlockpt(ours_) != 0) return;
    theirs_ = open(ptsname(ours_), O_RDWR | O_NOCTTY);
    fcntl(ours_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    if (theirs_ >= 0) close(theirs_);
    if (ours_ >= 0) close(ours_);
  }
  int descriptor() const { return theirs_; }
  /// What has been written since the last call.
  std::string seen() const {
    char text[4096];
    ssize_t const n = read(ours_, text, sizeof text);
    return n > 0 ? std::string(text, static_cast<std::size_t>(n)) : "";
  }

 private:
  int ours_, theirs_ = -1;
};

TEST(ProgressLine, shows_up_after_a_second_and_goes_with_the_work) {
  Terminal const terminal;
  ASSERT_GE(terminal.descriptor(), 0);
  {
    ProgressLine line("gemm", 8, terminal.descriptor());
    line.done(3);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    EXPECT_EQ(terminal.seen(), "");
    std::string seen;
    for (int i = 0; i < 100 && seen.find(" s") == seen.npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      seen += terminal.seen();
    }
    EXPECT_EQ(seen.substr(0, seen.find(" s")), "\r\033[Kgemm: 3 of 8 commands, 1");
  }
  std::string const last = terminal.seen();
  ASSERT_GE(last.size(), 4u);
  EXPECT_EQ(last.substr(last.size() - 4), "\r\033[K") << "the line is empty again";
}

TEST(ProgressLine, short_work_leaves_no_trace) {
  Terminal const terminal;
  auto const begin = std::chrono::steady_clock::now();
  {
    ProgressLine const line("add_one", 3, terminal.descriptor());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(900)) << "the line is not waited for";
  EXPECT_EQ(terminal.seen(), "");
}

TEST(ProgressLine, a_file_is_no_terminal) {
  std::string name = "/tmp/tcp_progress_XXXXXX";
  int const file = mkstemp(name.data());
  ASSERT_GE(file, 0);
  {
    ProgressLine const line("gemm", 8, file);
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  }
  EXPECT_EQ(lseek(file, 0, SEEK_END), 0);
  close(file);
  unlink(name.c_str());
}

}  // namespace
