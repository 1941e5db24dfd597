// For each rule there is a kernel that it has something to say about, and the same kernel after the advice was
// followed: tests/kernels/findings/rules/<rule>/before.tcp and after.tcp. docs/findings shows both.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kernels/findings/planned.hpp"

namespace tcp::findings_test {
namespace {

std::string const folder = TCP_SOURCE_DIR "/tests/kernels/findings/rules/";

/// The timing model that knows of the cause: the first line of the page says so where it is not `book`.
std::string model_of(const std::string& rule) {
  std::string const page = text_of(folder + rule + "/page.md");
  std::string const begin = "model: ";
  return page.starts_with(begin) ? page.substr(begin.size(), page.find('\n') - begin.size()) : "book";
}

Cycles gain_of(const trace::Trace& trace, const std::string& rule) {
  for (const trace::Finding& f : trace::find(trace))
    if (f.rule == rule) return f.gain;
  return Cycles{0};
}

class FindingRule : public testing::TestWithParam<std::string_view> {};

TEST_P(FindingRule, promises_what_following_it_gains) {
  std::string const rule(GetParam());
  std::string const model = model_of(rule);
  trace::Trace const before = planned(lowered(folder + rule + "/before.tcp"), model);
  trace::Trace const after = planned(lowered(folder + rule + "/after.tcp"), model);
  std::vector<trace::Finding> const found = trace::find(before);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().rule, rule) << "the first finding is the one of the page";
  Cycles const promised = gain_of(before, rule);
  EXPECT_TRUE(about(promised, before.makespan - after.makespan));
  EXPECT_LT(gain_of(after, rule), promised) << "it is not said again";
}

INSTANTIATE_TEST_SUITE_P(All, FindingRule, testing::ValuesIn(trace::finding_rules().begin(), trace::finding_rules().end()),
                         [](const auto& rule) {
                           std::string name(rule.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FindingRules, have_a_folder_each) {
  std::size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) folders += entry.is_directory() ? 1 : 0;
  EXPECT_EQ(folders, trace::finding_rules().size());
}

}  // namespace
}  // namespace tcp::findings_test
