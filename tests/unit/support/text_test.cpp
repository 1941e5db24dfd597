#include <gtest/gtest.h>

#include <limits>
#include <string>

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
