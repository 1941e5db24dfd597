// The sums of a report: one walk over the commands a table.
#include "tcp/trace/report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

constexpr std::size_t most_gaps = 100;

const Command& command_taken(const Trace& trace, std::size_t i) {
  return trace.commands[trace.order.empty() ? i : static_cast<std::size_t>(trace.order[i])];
}

std::vector<UnitUse> resources_of(const Trace& trace) {
  std::vector<UnitUse> all;
  for (const std::string& name : trace.resources) all.push_back({name, {}, 0});
  for (const Command& c : trace.commands)
    for (std::int32_t r : c.resources) {
      all[static_cast<std::size_t>(r)].busy += c.length();
      ++all[static_cast<std::size_t>(r)].commands;
    }
  return all;
}

std::vector<UnitUse> engines_of(const Trace& trace) {
  std::map<std::string, UnitUse> by_name;
  for (const Command& c : trace.commands)
    for (const Part& p : c.engines) {
      UnitUse& u = by_name[p.name];
      u.busy += p.cycles;
      ++u.commands;
    }
  std::vector<UnitUse> all;
  for (auto& [name, u] : by_name) {
    u.name = name;
    all.push_back(u);
  }
  std::sort(all.begin(), all.end(), [](const UnitUse& a, const UnitUse& b) { return std::tie(b.busy, a.name) < std::tie(a.busy, b.name); });
  return all;
}

std::vector<MemoryUse> memories_of(const Trace& trace) {
  std::map<std::string, std::int64_t> highest;
  for (const Tensor& t : trace.tensors) highest[t.memory] = std::max(highest[t.memory], t.end);
  for (const Command& c : trace.commands) {
    for (const Range& r : c.reads) highest[r.memory] = std::max(highest[r.memory], r.end);
    for (const Range& r : c.writes) highest[r.memory] = std::max(highest[r.memory], r.end);
  }
  std::vector<MemoryUse> all;
  for (const auto& [memory, end] : highest) {
    MemoryUse use{memory, Bytes{end}, {}};
    for (const Capacity& c : trace.capacities)
      if (c.memory == memory) use.capacity = c.bytes;
    all.push_back(use);
  }
  return all;
}

/// The tensor DMA may have several queues. Slots count them: the first of each resource has its number, the others
/// follow after all resources.
class Slots {
 public:
  explicit Slots(const Trace& trace) : trace_(trace) {
    for (std::size_t r = 0; r < trace.resources.size(); ++r) alone_.push_back({r});
  }
  const std::vector<std::size_t>& of(const Command& c, std::size_t r) {
    if (c.queues.empty() || trace_.resources[r] != "tensor DMA") return alone_[r];
    auto const [found, fresh] = sets_.try_emplace({r, c.queues});
    if (fresh)
      for (std::int64_t q : numbers_of(c.queues))
        found->second.push_back(q == 0 ? r : trace_.resources.size() + static_cast<std::size_t>(q) - 1);
    return found->second;
  }

 private:
  const Trace& trace_;
  std::vector<std::vector<std::size_t>> alone_;
  std::map<std::pair<std::size_t, std::string>, std::vector<std::size_t>> sets_;
};

/// What stood still before each command: its own queue makes a wait, every resource of it a gap.
/// `visit(command, resource, since, own)`.
template <class Visit>
void each_standstill(const Trace& trace, Visit&& visit) {
  Slots slots(trace);
  std::vector<Cycles> free(trace.resources.size() + most_queues);
  for (std::size_t i = 0; i < trace.commands.size(); ++i) {
    const Command& c = command_taken(trace, i);
    for (std::size_t k = 0; k < c.resources.size(); ++k) {
      std::size_t const r = static_cast<std::size_t>(c.resources[k]);
      Cycles since{};
      for (std::size_t s : slots.of(c, r)) since = std::max(since, free[s]);
      if (c.start > since) visit(c, r, since, k == 0);
      for (std::size_t s : slots.of(c, r)) free[s] = std::max(free[s], c.end);
    }
  }
}

std::string reason_or_start(const Trace& trace, const Command& c, Naming naming = Naming::own) {
  if (!trace.imported.empty()) return "begins; why then is not said";
  return c.binding == none ? "starts with the program" : reason_of(trace, c, naming);
}

std::vector<Wait> waits_of(const Trace& trace) {
  if (!trace.imported.empty()) return {};  // a wait has a reason, which the file does not say
  std::map<std::tuple<std::int32_t, std::string, std::string>, Wait> by_reason;
  each_standstill(trace, [&](const Command& c, std::size_t, Cycles since, bool own) {
    if (!own) return;
    Wait& w = by_reason[{c.source, c.name, reason_or_start(trace, c, Naming::family)}];
    ++w.commands;
    w.cycles += c.start - since;
    w.longest = std::max(w.longest, c.start - since);
  });
  std::vector<Wait> all;
  for (auto& [key, w] : by_reason) {
    std::tie(w.source, w.name, w.reason) = key;
    all.push_back(std::move(w));
  }
  std::sort(all.begin(), all.end(), [](const Wait& a, const Wait& b) {
    return std::tie(b.cycles, a.source, a.name, a.reason) < std::tie(a.cycles, b.source, b.name, b.reason);
  });
  return all;
}

/// The longest only, and their reasons only for those.
std::vector<Gap> gaps_of(const Trace& trace) {
  struct Standstill {
    Cycles begin, end;
    std::size_t resource;
    const Command* command;
  };
  std::vector<Standstill> found;
  std::vector<Cycles> last(trace.resources.size());
  each_standstill(trace, [&](const Command& c, std::size_t r, Cycles since, bool) { found.push_back({since, c.start, r, &c}); });
  for (const Command& c : trace.commands)
    for (std::int32_t r : c.resources) last[static_cast<std::size_t>(r)] = std::max(last[static_cast<std::size_t>(r)], c.end);
  for (std::size_t r = 0; r < last.size(); ++r)
    if (last[r] > Cycles{0} && last[r] < trace.makespan)
      found.push_back({last[r], trace.makespan, r, nullptr});  // one that is never used has no gaps
  std::sort(found.begin(), found.end(), [](const Standstill& a, const Standstill& b) {
    Cycles const of_a = a.end - a.begin, of_b = b.end - b.begin;
    return std::tie(of_b, a.begin, a.resource) < std::tie(of_a, b.begin, b.resource);
  });
  found.resize(std::min(found.size(), most_gaps));
  std::vector<Gap> all;
  for (const Standstill& s : found) {
    auto const number = s.command == nullptr ? none : static_cast<std::int32_t>(s.command - trace.commands.data());
    std::string reason = s.command == nullptr ? "nothing is left to do" : reason_or_start(trace, *s.command);
    all.push_back({trace.resources[s.resource], s.begin, s.end, number, std::move(reason)});
  }
  return all;
}

/// Clusters that were watched beside each other do the same at the same time: the slowest counts.
std::vector<LineUse> lines_of(const Trace& trace) {
  std::map<std::pair<std::int32_t, std::int32_t>, LineUse> by_cluster;  // of each line
  for (const Command& c : trace.commands) {
    LineUse& l = by_cluster[{c.source, c.cluster}];
    ++l.commands;
    l.busy += c.length();
    if (c.critical) l.critical += c.length();
  }
  each_standstill(trace, [&](const Command& c, std::size_t, Cycles since, bool own) {
    if (own) by_cluster[{c.source, c.cluster}].waited += c.start - since;
  });
  std::vector<LineUse> all;
  for (const auto& [key, l] : by_cluster) {
    if (all.empty() || all.back().source != key.first) all.push_back({key.first, 0, {}, {}, {}});
    LineUse& most = all.back();
    most.commands = std::max(most.commands, l.commands);
    most.busy = std::max(most.busy, l.busy);
    most.critical = std::max(most.critical, l.critical);
    most.waited = std::max(most.waited, l.waited);
  }
  std::sort(all.begin(), all.end(), [](const LineUse& a, const LineUse& b) {
    return std::tie(b.critical, b.busy, a.source) < std::tie(a.critical, a.busy, b.source);
  });
  return all;
}

std::vector<RegionUse> regions_of(const Trace& trace) {
  std::map<std::string, RegionUse> by_name;
  std::set<std::int32_t> seen;
  for (const Command& c : trace.commands) {
    if (c.region == none) continue;
    RegionUse& r = by_name[trace.regions[static_cast<std::size_t>(c.region)].name];
    if (seen.insert(c.region).second) ++r.iterations;
    ++r.commands;
    r.busy += c.length();
    if (c.critical) r.critical += c.length();
  }
  std::vector<RegionUse> all;
  for (auto& [name, r] : by_name) {
    r.name = name;
    all.push_back(r);
  }
  std::sort(all.begin(), all.end(), [](const RegionUse& a, const RegionUse& b) {
    return std::tie(b.critical, b.busy, a.name) < std::tie(a.critical, a.busy, b.name);
  });
  return all;
}

}  // namespace

std::string stall_name(std::string_view cause) { return cause == "engine" ? "slowest engine" : "stall: " + std::string(cause); }

std::string pace_engine(const Command& command) {
  Cycles most{};
  for (const Part& p : command.engines) most = std::max(most, p.cycles);
  bool const multiplies = std::any_of(command.engines.begin(), command.engines.end(),
                                      [&](const Part& p) { return p.name == "Contraction" && p.cycles == most && most > Cycles{}; });
  return multiplies ? "Contraction" : command.slowest;
}

Report make_report(const Trace& trace, bool what_if) {
  Report r;
  r.program = trace.program;
  r.chip = trace.chip;
  r.model = trace.model;
  r.tool = trace.tool;
  r.hash = trace.hash;
  r.chips = trace.chips;
  r.core_mhz = trace.core_mhz;
  r.ticks_per_cycle = trace.ticks_per_cycle;
  r.order_by = trace.order_by;
  r.imported = trace.imported;
  r.facts = trace.facts;
  r.complete = trace.complete;
  r.commands = static_cast<std::int64_t>(trace.commands.size());
  r.critical_commands = std::count_if(trace.commands.begin(), trace.commands.end(), [](const Command& c) { return c.critical; });
  r.makespan = trace.makespan;
  r.gained = trace.gained;
  r.bounds = trace.bounds;
  r.path = trace.path;
  r.resources = resources_of(trace);
  r.engines = engines_of(trace);
  r.usage = trace.usage;
  r.host_transfers = trace.host_transfers;
  r.memories = memories_of(trace);
  r.waits = waits_of(trace);
  r.gaps = gaps_of(trace);
  r.lines = lines_of(trace);
  r.regions = regions_of(trace);
  r.findings = find(trace);
  if (what_if) r.what_if = try_all(trace, r.findings);
  r.assumptions = trace.assumptions;
  r.sources = trace.sources;
  return r;
}

}  // namespace tcp::trace
