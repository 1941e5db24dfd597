// Works out the ends of commands again, with other lengths and without some edges.
#include "tcp/trace/what_if.hpp"

#include <algorithm>
#include <tuple>

#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

/// How far back an earlier writer is looked for; where there is none so near, the edge holds.
constexpr std::int32_t looked_back = 4096;

bool sets_meet(const std::string& a, const std::string& b) {
  if (a == b) return true;
  std::vector<std::int64_t> const left = numbers_of(a), right = numbers_of(b);
  return std::any_of(left.begin(), left.end(), [&](std::int64_t n) { return std::find(right.begin(), right.end(), n) != right.end(); });
}

bool share_a_resource(const Command& a, const Command& b) {
  return std::any_of(a.resources.begin(), a.resources.end(),
                     [&](std::int32_t r) { return std::find(b.resources.begin(), b.resources.end(), r) != b.resources.end(); });
}

}  // namespace

WhatIf::WhatIf(const Trace& trace) : trace_(trace), order_(trace.order), ends_(trace.commands.size()) {
  if (order_.empty())
    for (std::size_t c = 0; c < trace.commands.size(); ++c) order_.push_back(static_cast<std::int32_t>(c));
  for (const Command& c : trace.commands) lengths_.push_back(c.length());
  unchanged_ = makespan({});
}

Cycles WhatIf::makespan(const Changes& changes) {
  std::vector<Cycles> lengths = lengths_;
  for (const Changes::Length& l : changes.lengths) {
    Cycles& length = lengths[static_cast<std::size_t>(l.command)];
    length = std::min(length, l.cycles);
  }
  std::vector<Changes::Dropped> dropped = changes.dropped;
  std::vector<std::size_t> first_dropped(trace_.commands.size() + 1, 0);
  std::sort(dropped.begin(), dropped.end(),
            [](const Changes::Dropped& a, const Changes::Dropped& b) { return std::tie(a.command, a.edge) < std::tie(b.command, b.edge); });
  for (const Changes::Dropped& d : dropped) ++first_dropped[static_cast<std::size_t>(d.command) + 1];
  for (std::size_t c = 0; c < trace_.commands.size(); ++c) first_dropped[c + 1] += first_dropped[c];
  Cycles all{};
  for (std::int32_t c : order_) {
    std::size_t const at = static_cast<std::size_t>(c);
    const Changes::Dropped* next = dropped.data() + first_dropped[at];
    ends_[at] = start_of(c, next, dropped.data() + first_dropped[at + 1]) + lengths[at];
    all = std::max(all, ends_[at]);
  }
  return all;
}

Cycles WhatIf::start_of(std::int32_t command, const Changes::Dropped*& next, const Changes::Dropped* last) {
  const Command& c = trace_.commands[static_cast<std::size_t>(command)];
  Cycles start{};
  for (std::size_t e = 0; e < c.after.size(); ++e) {
    std::int32_t from = c.after[e].from;
    if (next != last && next->edge == static_cast<std::int32_t>(e)) {
      ++next;
      from = instead_of(command, c.after[e]);
    }
    if (from != none) start = std::max(start, ends_[static_cast<std::size_t>(from)]);
  }
  return start;
}

std::int32_t WhatIf::instead_of(std::int32_t command, const Edge& dropped) {
  if (dropped.kind == "war" || dropped.kind == "waw") return earlier_writer(command, dropped.from);
  if (dropped.kind != "resource") return none;
  // Who had the resource before is waited for instead.
  for (const Edge& e : trace_.commands[static_cast<std::size_t>(dropped.from)].after)
    if (e.kind == "resource" && e.on == dropped.on) return e.from;
  return none;
}

std::int32_t WhatIf::earlier_writer(std::int32_t command, std::int32_t from) {
  const Command& reader = trace_.commands[static_cast<std::size_t>(command)];
  const Command& last = trace_.commands[static_cast<std::size_t>(from)];
  std::int32_t const end = std::max(from - looked_back, 0);
  for (std::int32_t w = from; w >= end; --w) {
    const Command& writer = trace_.commands[static_cast<std::size_t>(w)];
    if (share_a_resource(writer, last) && reads_what_is_written(reader, writer)) return w;
  }
  return end == 0 ? none : from;
}

bool WhatIf::reads_what_is_written(const Command& reader, const Command& writer) {
  for (const Range& r : reader.reads)
    for (const Range& w : writer.writes)
      if (r.memory == w.memory && r.begin < w.end && w.begin < r.end && units_meet(r.units, w.units)) return true;
  return false;
}

bool WhatIf::units_meet(std::int32_t a, std::int32_t b) {
  if (a == b || a == none || b == none) return true;
  auto const [found, fresh] = meet_.try_emplace({std::min(a, b), std::max(a, b)}, false);
  if (fresh) {
    const Units& left = trace_.units[static_cast<std::size_t>(a)];
    const Units& right = trace_.units[static_cast<std::size_t>(b)];
    found->second = sets_meet(left.chips, right.chips) && sets_meet(left.clusters, right.clusters) && sets_meet(left.slices, right.slices);
  }
  return found->second;
}

// Computes starts, slacks and the critical path of a trace from its edges and lengths.

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
