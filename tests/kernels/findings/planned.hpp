// Kernels in the text form, many to a file, planned by a timing model; and planned again after changes of their
// commands' lengths.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "kernels/lowered.hpp"
#include "tcp/ir/text.hpp"
#include "tcp/runtime/plan.hpp"
#include "tcp/sched/schedule.hpp"
#include "tcp/support/refused.hpp"
#include "tcp/trace/findings.hpp"

namespace tcp::findings_test {

inline std::string text_of(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// Parts of a text by their names: a part begins with a line of the mark, a blank and its name. What comes before the
/// first is left out.
inline std::map<std::string, std::string> parts_of(const std::string& text, const std::string& mark) {
  std::map<std::string, std::string> all;
  std::istringstream lines(text);
  std::string* part = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(mark + " ")) part = &all[line.substr(mark.size() + 1)];
    else if (part != nullptr) *part += line + "\n";
  }
  return all;
}
/// Kernels of a file of this folder, or what else has names there.
inline std::map<std::string, std::string> named_in(const std::string& file) {
  return parts_of(text_of(TCP_SOURCE_DIR "/tests/kernels/findings/" + file), "====");
}

/// Refused, by throwing: what reading, the verifier or the compiler refuse.
inline program::Program lowered(const std::string& kernel, const char* name) {
  return build::lowered(value_or_throw(ir::parse(kernel, name)));
}

inline trace::Trace planned(const program::Program& program, std::string_view model) {
  return trace_of(program, value_or_throw(plan(program, rngd, {.model = model})), rngd);
}

/// A timing model by which some commands take less. What they have less is start-up and streaming; causes have no part
/// in when a command may begin.
class Shortened final : public sched::Duration {
 public:
  Shortened(const sched::Duration& of, const trace::Changes& changes) : of_(of) {
    for (const trace::Changes::Length& l : changes.lengths) lengths_[static_cast<std::size_t>(l.command)] = l.cycles;
  }
  std::string_view name() const override { return of_.name(); }
  Expected<program::Cost> cost(const program::Command& command, std::size_t number) const override {
    auto const cost = of_.cost(command, number);
    auto const shorter = lengths_.find(number);
    if (!cost || shorter == lengths_.end() || shorter->second >= cost->total()) return cost;
    program::Cost made = *cost;
    made.startup = Cycles{0};
    made.stalls.clear();
    made.streaming = shorter->second;
    return made;
  }
  Cycles prologue() const override { return of_.prologue(); }
  Cycles synchronisation() const override { return of_.synchronisation(); }
  std::optional<Tables> tables() const override { return of_.tables(); }
  bool takes_what_is_ready() const override { return of_.takes_what_is_ready(); }
  bool waits_for_whole_buffers() const override { return of_.waits_for_whole_buffers(); }
  bool queue_per_cluster() const override { return of_.queue_per_cluster(); }
  bool keeps_loops() const override { return of_.keeps_loops(); }
  Cycles loop_entry() const override { return of_.loop_entry(); }
  Cycles behind_pass() const override { return of_.behind_pass(); }
  Cycles lag(const program::Command& command) const override { return of_.lag(command); }

 private:
  const sched::Duration& of_;
  std::map<std::size_t, Cycles> lengths_;
};

/// By how much the scheduler makes the program shorter if commands had these lengths.
inline Cycles gain_by_scheduler(const program::Program& program, std::string_view model, const trace::Changes& changes) {
  auto const duration = value_or_throw(sched::duration_named(model, rngd));
  Cycles const before = value_or_throw(sched::schedule(program, rngd, *duration)).makespan;
  return before - value_or_throw(sched::schedule(program, rngd, Shortened(*duration, changes))).makespan;
}

/// Within a fifth of each other.
inline testing::AssertionResult about(Cycles promised, Cycles measured) {
  double const p = static_cast<double>(promised.value), m = static_cast<double>(measured.value);
  if (std::max(p, m) <= 1.2 * std::min(p, m)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << promised.value << " cycles are promised, " << measured.value << " are gained";
}

}  // namespace tcp::findings_test
