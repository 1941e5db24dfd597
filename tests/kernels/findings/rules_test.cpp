// For each rule there is a kernel that it has something to say about, and the same kernel after the advice was
// followed: tests/kernels/findings/rules.txt. docs/findings shows both.
#include <gtest/gtest.h>

#include <string>

#include "kernels/findings/planned.hpp"
#include "kernels/findings/values.hpp"

namespace tcp::findings_test {
namespace {

struct Pair {
  std::string model = "book";  // that knows of the cause, and that the page is made with
  std::string before, after;
};

/// The page's first line names the model where it is not `book`.
Pair pair_of(const std::string& rule) {
  std::string const page = named_in("rules.txt").at(rule);
  auto parts = parts_of(page, "----");
  Pair made;
  made.before = parts.at("before");
  made.after = parts.at("after");
  std::string const begin = "model: ";
  if (page.starts_with(begin)) made.model = page.substr(begin.size(), page.find('\n') - begin.size());
  return made;
}

Cycles gain_of(const trace::Trace& trace, const std::string& rule) {
  for (const trace::Finding& f : trace::find(trace))
    if (f.rule == rule) return f.gain;
  return Cycles{0};
}

class FindingRule : public testing::TestWithParam<std::string_view> {};

TEST_P(FindingRule, promises_what_following_it_gains) {
  std::string const rule(GetParam());
  Pair const pair = pair_of(rule);
  trace::Trace const before = planned(lowered(pair.before, "before.tcp"), pair.model);
  trace::Trace const after = planned(lowered(pair.after, "after.tcp"), pair.model);
  std::vector<trace::Finding> const found = trace::find(before);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front().rule, rule) << "the first finding is the one of the page";
  Cycles const promised = gain_of(before, rule);
  EXPECT_TRUE(about(promised, before.makespan - after.makespan));
  EXPECT_LT(gain_of(after, rule), promised) << "it is not said again";
}

/// A model that does not know of a cause says nothing of it.
TEST_P(FindingRule, promises_it_in_every_model_or_is_silent) {
  std::string const rule(GetParam());
  Pair const pair = pair_of(rule);
  for (std::string_view model : timing_models) {
    trace::Trace const before = planned(lowered(pair.before, "before.tcp"), model);
    Cycles const promised = gain_of(before, rule);
    if (promised == Cycles{0}) continue;
    trace::Trace const after = planned(lowered(pair.after, "after.tcp"), model);
    EXPECT_TRUE(about(promised, before.makespan - after.makespan)) << model;
  }
}

TEST_P(FindingRule, is_followed_by_a_kernel_that_computes_the_same) {
  Pair const pair = pair_of(std::string(GetParam()));
  expect_same_results(pair.before, pair.after);
}

INSTANTIATE_TEST_SUITE_P(All, FindingRule, testing::ValuesIn(trace::finding_rules().begin(), trace::finding_rules().end()),
                         [](const auto& rule) {
                           std::string name(rule.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(FindingRules, have_a_page_each) { EXPECT_EQ(named_in("rules.txt").size(), trace::finding_rules().size()); }

}  // namespace
}  // namespace tcp::findings_test
