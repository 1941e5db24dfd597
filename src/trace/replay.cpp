// Computes starts, slacks and the critical path of a trace from its edges and lengths.
#include "tcp/trace/replay.hpp"

#include <algorithm>

namespace tcp::trace {

namespace {

std::size_t taken(const Trace& trace, std::size_t i) { return trace.order.empty() ? i : static_cast<std::size_t>(trace.order[i]); }

void start_of(Trace& trace, Command& c) {
  Cycles const length = c.length();
  c.start = Cycles{0};
  std::int32_t const before = c.binding;
  c.binding = none;
  for (std::size_t e = 0; e < c.after.size(); ++e) {
    Cycles const free = trace.commands[static_cast<std::size_t>(c.after[e].from)].end;
    bool const kept = static_cast<std::int32_t>(e) == before && free == c.start;  // of several that end at once the former one stays
    if (free <= c.start && !kept) continue;
    c.start = free;
    c.binding = static_cast<std::int32_t>(e);
  }
  c.end = c.start + length;
}

/// Backwards: a command may end as late as all that come after it may start.
void slacks(Trace& trace) {
  for (Command& c : trace.commands) c.slack = trace.makespan - c.end;
  for (std::size_t i = trace.commands.size(); i-- > 0;) {
    const Command& c = trace.commands[taken(trace, i)];
    for (const Edge& e : c.after) {
      Command& from = trace.commands[static_cast<std::size_t>(e.from)];
      from.slack = std::min(from.slack, c.start + c.slack - from.end);
    }
  }
}

/// From the last command that ends with the program, along binding edges.
void critical_path(Trace& trace) {
  trace.critical_path.clear();
  for (Command& c : trace.commands) c.critical = false;
  std::int32_t at = none;
  for (std::size_t i = 0; i < trace.commands.size() && at == none; ++i)
    if (trace.commands[i].end == trace.makespan) at = static_cast<std::int32_t>(i);
  while (at != none) {
    Command& c = trace.commands[static_cast<std::size_t>(at)];
    c.critical = true;
    trace.critical_path.push_back(at);
    at = c.binding == none ? none : c.after[static_cast<std::size_t>(c.binding)].from;
  }
  std::reverse(trace.critical_path.begin(), trace.critical_path.end());
}

}  // namespace

void replay(Trace& trace) {
  trace.makespan = Cycles{0};
  for (std::size_t i = 0; i < trace.commands.size(); ++i) {
    Command& c = trace.commands[taken(trace, i)];
    start_of(trace, c);
    trace.makespan = std::max(trace.makespan, c.end);
  }
  slacks(trace);
  critical_path(trace);
}

}  // namespace tcp::trace
