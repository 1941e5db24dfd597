// Two traces of one kernel, before and after a change: what appeared, vanished, became longer, moved, by line and by
// resource, and a verdict. Where one was imported, what the model, the plan and the chip say of each call.
//
// join.hpp says which commands are the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

struct LineChange {
  std::string at, text;  // of the later trace where it has the line
  std::int64_t appeared = 0, vanished = 0;
  std::int64_t changed = 0;  // another length
  std::int64_t moved = 0;    // the same length, another start
  Cycles busy_before{}, busy_after{};
  Cycles critical_before{}, critical_after{};

  bool operator==(const LineChange&) const = default;
};

struct ResourceChange {
  std::string name;
  std::int64_t commands_before = 0, commands_after = 0;
  Cycles busy_before{}, busy_after{};

  bool operator==(const ResourceChange&) const = default;
};

/// The commands of a call in both, with all rounds of a loop together.
struct CommandChange {
  std::string name, at, text;
  std::int64_t commands_before = 0, commands_after = 0;  // 0: it has no partner
  Cycles busy_before{}, busy_after{};

  bool has_partner() const { return commands_before > 0 && commands_after > 0; }
  bool operator==(const CommandChange&) const = default;
};

struct Diff {
  std::vector<std::string> remarks;  // what makes the two hard to compare: other chip, other model, an interrupted run
  bool same_program = false;
  Cycles before{}, after{};             // makespans
  std::int64_t ticks_per_cycle = 0;     // of both; 0: neither says, or they differ
  std::string name_before, name_after;  // what the times are: the model; of imported traces "plan" or "chip"
  std::vector<LineChange> lines;        // that changed; the largest change first
  std::vector<CommandChange> commands;  // where a trace was imported, in place of lines; those without a partner last
  std::vector<ResourceChange> resources;
  std::string verdict;  // one line

  bool operator==(const Diff&) const = default;
};

Diff compare(const Trace& before, const Trace& after);

/// How much longer the second takes, in hundredths of a percent, rounded up; below 0: it is shorter.
std::int64_t slowdown(const Diff& diff);

struct ShowDiff {
  std::size_t rows = 20;  // lines of the kernel, at most
  bool colour = false;
  bool ticks = false;  // beside cycles; needs traces that know how many a cycle has
};
/// At most 100 columns wide.
std::string show(const Diff& diff, const ShowDiff& how = {});

}  // namespace tcp::trace
