// What would help most: every wait, buffer, engine, cause of stalls and finding of a trace is left out in turn, and the
// program planned again without it (what_if.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tcp/trace/findings.hpp"

namespace tcp::trace {

/// One thing that was tried.
struct Trial {
  std::string kind;  // "wait", "buffer", "engine", "stall" or "finding"
  std::string what;  // in words: "sub at gemm.cpp:14 need not wait: it reads b_dm in DM, which dma at gemm.cpp:13 writes"
  Cycles after{};    // the makespan then
  Cycles gain{};
  std::int32_t finding = none;  // its number, where it is one
  Changes changes;              // that were planned; no part of what is written

  bool operator==(const Trial&) const = default;
};

struct Trials {
  std::vector<Trial> best;         // the largest gain first; none that gains nothing
  std::int64_t tried = 0, of = 0;  // of a large program those that are likeliest to help

  bool operator==(const Trials&) const = default;
};

/// Commands and edges that are looked at in all trials together, at most: a second or so.
inline constexpr std::int64_t trial_steps = 50'000'000;

/// Findings are tried first, then stalls, engines, waits and buffers, each by the cycles that they have. Law: the same
/// trace has the same trials, and no gain is below 0. Needs the findings of the trace.
Trials try_all(const Trace& trace, const std::vector<Finding>& findings, std::size_t kept = 3, std::int64_t steps = trial_steps);

}  // namespace tcp::trace
