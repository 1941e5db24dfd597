// How far two words are apart.
#include "tcp/support/edit_distance.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

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
