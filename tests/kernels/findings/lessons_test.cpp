// What the reports of the lessons promise: tests/kernels/findings/lessons has the kernels of the lessons as TCP_DUMP
// writes them. What a finding promises is what the scheduler makes of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kernels/findings/planned.hpp"

namespace tcp::findings_test {
namespace {

std::string const folder = TCP_SOURCE_DIR "/tests/kernels/findings/lessons/";
std::string const followed = TCP_SOURCE_DIR "/tests/kernels/findings/followed/";

std::vector<std::string> kernels_in(const std::string& path) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.path().extension() == ".tcp") all.push_back(entry.path().stem().string());
  std::sort(all.begin(), all.end());
  return all;
}

class Lesson : public testing::TestWithParam<std::string> {};

/// What stays out: banks that are kept free, which depend on when commands run, and the limits of the bounds.
TEST_P(Lesson, has_findings_that_the_scheduler_keeps) {
  program::Program const program = lowered(folder + GetParam() + ".tcp");
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
  trace::Trace const before = planned(lowered(folder + GetParam() + ".tcp"), "book");
  trace::Trace const after = planned(lowered(followed + GetParam() + ".tcp"), "book");
  std::vector<trace::Finding> const found = trace::find(before);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(about(found.front().gain, before.makespan - after.makespan)) << found.front().rule;
}

std::string test_name(const testing::TestParamInfo<std::string>& lesson) {
  std::string name = lesson.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Lesson, testing::ValuesIn(kernels_in(folder)), test_name);
INSTANTIATE_TEST_SUITE_P(All, FollowedLesson, testing::ValuesIn(kernels_in(followed)), test_name);

}  // namespace
}  // namespace tcp::findings_test
