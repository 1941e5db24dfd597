// What experience says about a trace: each rule looks for one way of losing cycles, and says how many it costs and what
// to write instead.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

/// All commands of one source line that a rule has something to say about.
struct Finding {
  std::string rule;  // a slug: docs/report.md has a section of that name
  std::int32_t source = none;
  std::int64_t commands = 0;
  Cycles cycles{};    // that these commands would take less, at most
  Cycles critical{};  // of these, on the critical path
  std::string what, help;

  bool operator==(const Finding&) const = default;
};

/// The most expensive first, by the cycles on the critical path.
std::vector<Finding> find(const Trace& trace);

}  // namespace tcp::trace
