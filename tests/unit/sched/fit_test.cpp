// Numbers of the timing models found again from what commands take, and those that commands cannot tell.
#include "tcp/sched/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "unit/sched/records.hpp"

namespace tcp::sched {
namespace {

/// Commands, and what they take on a chip.
class Measurements {
 public:
  void pass(std::int64_t packets, bool vector) {
    program::Command c;
    program::Exec e = copy_pass(packets);
    if (vector) e.vector.emplace();
    c.what = e;
    commands_.push_back(std::move(c));
  }
  std::vector<MeasuredCall> on(const Device& device, Figures figures) const {
    CalibratedDuration const duration(device, figures);
    std::vector<MeasuredCall> calls;
    for (const program::Command& c : commands_) calls.push_back({"call", "", {&c}, duration.cost(c, 0).value().total()});
    return calls;
  }

 private:
  std::deque<program::Command> commands_;
};

const FittedNumber* fitted(const Fit& f, const std::string& key) {
  auto const at = std::find_if(f.fitted.begin(), f.fitted.end(), [&](const FittedNumber& n) { return n.key == key; });
  return at == f.fitted.end() ? nullptr : &*at;
}
std::string reason(const Fit& f, const std::string& key) {
  auto const at = std::find_if(f.left_alone.begin(), f.left_alone.end(), [&](const NumberLeftAlone& n) { return n.key == key; });
  return at == f.left_alone.end() ? "" : at->why;
}

TEST(Fit, finds_overheads_of_each_kind_of_pass) {
  Measurements m;
  for (std::int64_t packets : {1, 10, 100}) {
    m.pass(packets, true);
    m.pass(packets, false);
  }
  for (Figures figures : {Figures::Planned, Figures::Seen}) {
    Device chip = rngd;
    chip::Observed& numbers = figures == Figures::Seen ? chip.calibrated : chip.planned;
    numbers.vector_pass = Cycles{1000};
    numbers.move_pass = Cycles{17};
    auto const f = fit(m.on(chip, figures), rngd, figures).value();
    ASSERT_NE(fitted(f, "vector_pass"), nullptr);
    EXPECT_EQ(fitted(f, "vector_pass")->after, 1000);
    ASSERT_NE(fitted(f, "move_pass"), nullptr);
    EXPECT_EQ(fitted(f, "move_pass")->after, 17);
    EXPECT_EQ(f.fitted.size(), 2u);
    EXPECT_GT(f.error_before, 0.1);
    EXPECT_EQ(f.error_after, 0);
    EXPECT_EQ(reason(f, "sub_pass"), "no call depends on it");
    EXPECT_EQ(reason(f, "prologue"), "no call depends on it");
    EXPECT_EQ((figures == Figures::Seen ? f.device.calibrated : f.device.planned), numbers);
    int const assumed_before = is_assumed(rngd, figures == Figures::Seen ? "calibrated" : "planned", "move_pass");
    EXPECT_EQ(f.device.assumed.size(), rngd.assumed.size() + 2 - assumed_before);
  }
}

TEST(Fit, takes_one_call_for_no_proof) {
  Measurements m;
  m.pass(10, true);
  Device chip = rngd;
  chip.calibrated.vector_pass = Cycles{1000};
  auto const f = fit(m.on(chip, Figures::Seen), rngd, Figures::Seen).value();
  EXPECT_TRUE(f.fitted.empty());
  EXPECT_EQ(reason(f, "vector_pass"), "only one call depends on it, and no other checks what that says");
  EXPECT_EQ(f.device, rngd);
  EXPECT_EQ(f.error_after, f.error_before);
}

TEST(Fit, leaves_a_number_alone_that_hardly_changes_a_time) {
  Measurements m;
  for (std::int64_t packets : {1'000'000, 2'000'000}) m.pass(packets, true);
  Device chip = rngd;
  chip.calibrated.vector_pass = Cycles{1000};
  auto const f = fit(m.on(chip, Figures::Seen), rngd, Figures::Seen).value();
  EXPECT_TRUE(f.fitted.empty());
  EXPECT_EQ(reason(f, "vector_pass"), "it changes no time by more than a fiftieth, were it twice as large");
  auto const at = std::find_if(f.left_alone.begin(), f.left_alone.end(), [](const NumberLeftAlone& n) { return n.key == "vector_pass"; });
  ASSERT_NE(at, f.left_alone.end());
  EXPECT_EQ(f.device, rngd);
}

/// Measurements that contradict each other get what is between them, whatever their order.
TEST(Fit, takes_the_middle_of_what_differs) {
  Measurements m;
  for (int i = 0; i < 2; ++i) m.pass(1, true);
  auto calls = m.on(rngd, Figures::Seen);
  calls[0].cycles = Cycles{100};
  calls[1].cycles = Cycles{400};
  auto const f = fit(calls, rngd, Figures::Seen).value();
  std::swap(calls[0], calls[1]);
  auto const other = fit(calls, rngd, Figures::Seen).value();
  ASSERT_NE(fitted(f, "vector_pass"), nullptr);
  EXPECT_NEAR(static_cast<double>(fitted(f, "vector_pass")->after), 199, 1);  // 200 is as far from 100 as from 400
  EXPECT_EQ(fitted(other, "vector_pass")->after, fitted(f, "vector_pass")->after);
}

TEST(Fit, of_nothing_and_of_no_time_changes_nothing) {
  auto const f = fit({}, rngd, Figures::Seen).value();
  EXPECT_TRUE(f.fitted.empty());
  EXPECT_EQ(f.device, rngd);
  Measurements m;
  m.pass(1, true);
  auto calls = m.on(rngd, Figures::Seen);
  calls[0].cycles = Cycles{0};
  EXPECT_TRUE(fit(calls, rngd, Figures::Seen).value().calls.empty());
}

}  // namespace
}  // namespace tcp::sched
