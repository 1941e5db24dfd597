// What experience says about a trace: each rule looks for one way of losing cycles, and says how many the kernel would
// gain and what to write instead.
//
// A gain is a plan: the commands of a line are given the length that they would have without the cause, and the trace
// is planned again (what_if.hpp). It is never more than what the bytes of HBM and the multiply-adds leave.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/trace/trace.hpp"
#include "tcp/trace/what_if.hpp"

namespace tcp::trace {

/// All commands of one source line that a rule has something to say about.
struct Finding {
  std::string rule;  // a slug: docs/findings has a page of that name
  std::int32_t source = none;
  std::int64_t commands = 0;
  Cycles cycles{};  // that these commands would take less
  Cycles gain{};    // by which the kernel would be shorter
  std::string what, help;
  Changes changes;  // that were planned; no part of what is written

  bool operator==(const Finding&) const = default;
};

/// The names of all rules.
std::span<const std::string_view> finding_rules();

/// A finding below this share of the makespan is not worth a change: the models themselves are further off.
inline constexpr std::int64_t least_gain_permille = 35;

/// Those that are worth a change, the largest gain first.
std::vector<Finding> find(const Trace& trace);

}  // namespace tcp::trace
