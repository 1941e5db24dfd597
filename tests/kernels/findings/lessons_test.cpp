// What the reports of the lessons promise: lessons.txt has the kernels of the lessons as TCP_DUMP writes them. What a
// finding promises is what the scheduler makes of it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kernels/findings/planned.hpp"
#include "kernels/findings/values.hpp"

namespace tcp::findings_test {
namespace {

std::vector<std::string> names_in(const std::string& file) {
  std::vector<std::string> all;
  for (const auto& [name, kernel] : named_in(file)) all.push_back(name);
  return all;
}
program::Program lesson(const std::string& name) { return lowered(named_in("lessons.txt").at(name), "lesson.tcp"); }

class Lesson : public testing::TestWithParam<std::string> {};

/// What stays out: banks that are kept free, which depend on when commands run, and the limits of the bounds.
TEST_P(Lesson, has_findings_that_the_scheduler_keeps) {
  program::Program const program = lesson(GetParam());
  trace::Trace const trace = planned(program, "book");
  for (const trace::Finding& f : trace::find(trace)) {
    if (!f.changes.dropped.empty()) continue;
    Cycles const gained = gain_by_scheduler(program, "book", f.changes);
    EXPECT_TRUE(about(f.gain, gained)) << f.rule;
    EXPECT_LE(f.gain, gained) << f.rule;
  }
}

class FollowedLesson : public testing::TestWithParam<std::string> {};

TEST_P(FollowedLesson, gains_what_its_first_finding_promised) {
  trace::Trace const before = planned(lesson(GetParam()), "book");
  trace::Trace const after = planned(lowered(named_in("followed.txt").at(GetParam()), "followed.tcp"), "book");
  std::vector<trace::Finding> const found = trace::find(before);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(about(found.front().gain, before.makespan - after.makespan)) << found.front().rule;
}

TEST_P(FollowedLesson, computes_the_same) {
  expect_same_results(named_in("lessons.txt").at(GetParam()), named_in("followed.txt").at(GetParam()));
}

std::string test_name(const testing::TestParamInfo<std::string>& lesson) {
  std::string name = lesson.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Lesson, testing::ValuesIn(names_in("lessons.txt")), test_name);
INSTANTIATE_TEST_SUITE_P(All, FollowedLesson, testing::ValuesIn(names_in("followed.txt")), test_name);

}  // namespace
}  // namespace tcp::findings_test
