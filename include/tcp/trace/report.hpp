// Where the cycles of a trace went, for people, and the same as records for programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/trace/findings.hpp"
#include "tcp/trace/trace.hpp"
#include "tcp/trace/trials.hpp"

namespace tcp::trace {

/// A resource or an engine. Engines of passes that run at the same time are counted together.
struct UnitUse {
  std::string name;
  Cycles busy{};
  std::int64_t commands = 0;

  bool operator==(const UnitUse&) const = default;
};

/// Commands of one line that found their queue free and could not start, for one reason.
struct Wait {
  std::string name;  // of the commands
  std::int32_t source = none;
  std::string reason;
  std::int64_t commands = 0;
  Cycles cycles{}, longest{};

  bool operator==(const Wait&) const = default;
};

/// A resource is idle in [begin, end).
struct Gap {
  std::string resource;
  Cycles begin{}, end{};
  std::int32_t command = none;  // that ended it; none: the program did
  std::string reason;

  bool operator==(const Gap&) const = default;
};

struct LineUse {
  std::int32_t source = none;
  std::int64_t commands = 0;
  Cycles busy{}, critical{}, waited{};

  bool operator==(const LineUse&) const = default;
};

/// What a cause of stalls is called. That another engine than the fetch sets the pace of a pass is no stall: it may
/// well be the one that multiplies.
std::string stall_name(std::string_view cause);

/// The engine that sets the pace of a command. Of several that take as long, the one that multiplies: others keep up
/// with it.
std::string pace_engine(const Command& command);

/// All iterations of a region together.
struct RegionUse {
  std::string name;
  std::int64_t iterations = 0, commands = 0;
  Cycles busy{}, critical{};

  bool operator==(const RegionUse&) const = default;
};

struct MemoryUse {
  std::string memory;
  Bytes highest{};   // the first byte that no command reaches
  Bytes capacity{};  // 0: unknown

  bool operator==(const MemoryUse&) const = default;
};

/// Lists are sorted, the most important first. Sources are those of the trace.
struct Report {
  std::string program, chip, model, tool, hash;
  std::int64_t chips = 1, core_mhz = 0, ticks_per_cycle = 0;
  bool complete = true;
  std::string order_by, imported;
  std::vector<Setting> facts;
  std::int64_t commands = 0, critical_commands = 0;
  Cycles makespan{}, gained{};
  std::vector<Part> bounds, path;
  std::vector<UnitUse> resources, engines;
  std::vector<Usage> usage;
  std::vector<HostTransfer> host_transfers;  // not counted in anything else
  std::vector<MemoryUse> memories;
  std::vector<Wait> waits;
  std::vector<Gap> gaps;  // the longest hundred
  std::vector<LineUse> lines;
  std::vector<RegionUse> regions;
  std::vector<Finding> findings;
  Trials what_if;  // where it was asked for
  std::vector<Assumption> assumptions;
  std::vector<Source> sources;

  bool operator==(const Report&) const = default;
};

/// `what_if`: whether to try what would help most.
Report make_report(const Trace& trace, bool what_if = false);

struct Show {
  std::size_t rows = 10;  // of each list, at most
  bool colour = false;
  bool all_assumptions = false;
  bool ticks = false;    // beside cycles; needs a trace that knows how many a cycle has
  bool what_if = false;  // nothing but what would help most
};
/// What was planned or run, by which model and in which order, and how long it takes: the first lines of a report.
std::string show_head(const Report& report, const Show& how = {});
/// At most 100 columns wide.
std::string show(const Report& report, const Show& how = {});

}  // namespace tcp::trace
