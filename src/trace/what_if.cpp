// Works out the ends of commands again, with other lengths and without some edges.
#include "tcp/trace/what_if.hpp"

#include <algorithm>
#include <tuple>

#include "trace/words.hpp"

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

}  // namespace tcp::trace
