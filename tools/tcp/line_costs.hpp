// What each line of a source costs by a trace.
//
// A line's cycles are those of its commands on the critical path: what the kernel would lose with them, at most. Its
// bottleneck is where most of the time of its commands goes, whether critical or not: a stall, the engine that streams
// slowest, or the start-up.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tcp/trace/report.hpp"

namespace tcp::tool {

struct LineCost {
  std::string file;
  std::int64_t number = 0;
  std::int64_t commands = 0;
  Cycles cycles{}, busy{}, waited{};
  std::map<std::string, Cycles> spent;  // by cause
  std::string reason;                   // of the longest wait
  Cycles reason_cycles{};
  std::vector<const trace::Finding*> findings;

  /// Where most of it goes; nothing: the line takes no time.
  std::pair<std::string, Cycles> bottleneck() const {
    std::pair<std::string, Cycles> most{"", Cycles{0}};
    for (auto const& [cause, time] : spent)
      if (time > most.second) most = {cause, time};
    return most;
  }
};

/// By file and number; several places in one line are one line. Findings stay the report's.
using LineCosts = std::map<std::pair<std::string, std::int64_t>, LineCost>;

LineCosts line_costs(const trace::Trace& trace, const trace::Report& report);

/// "1,234"
std::string with_commas(std::int64_t n);
/// What an editor shows above the line.
std::string label(const LineCost& line, Cycles makespan);

}  // namespace tcp::tool
