// What a placed schedule means: by how much each command could be late, and which commands make up its length.
#include "tcp/sched/explain.hpp"

#include <algorithm>
#include <vector>

namespace tcp::sched {

namespace {

void add_slack(program::Schedule& s) {
  std::vector<Cycles> latest_end(s.commands.size(), s.makespan);
  // Edges stand by the command they lead to, in the order of placing: backwards, every command is settled before its
  // edges are used.
  for (std::size_t e = s.edges.size(); e-- > 0;) {
    const program::Edge& edge = s.edges[e];
    std::size_t const to = static_cast<std::size_t>(edge.to);
    Cycles const latest_start = latest_end[to] - (s.commands[to].end - s.commands[to].start);
    Cycles& end = latest_end[static_cast<std::size_t>(edge.from)];
    end = std::min(end, latest_start);
  }
  for (std::size_t c = 0; c < s.commands.size(); ++c) s.commands[c].slack = latest_end[c] - s.commands[c].end;
}

void add_path(program::Schedule& s) {
  auto const ends_last = [](const program::Scheduled& a, const program::Scheduled& b) { return a.end < b.end; };
  auto const last = std::max_element(s.commands.begin(), s.commands.end(), ends_last);
  if (last == s.commands.end()) return;
  for (std::int32_t c = static_cast<std::int32_t>(last - s.commands.begin()); c >= 0;
       c = s.commands[static_cast<std::size_t>(c)].binding.from)
    s.critical_path.push_back(c);
  std::reverse(s.critical_path.begin(), s.critical_path.end());
}

void add_totals(program::Schedule& s) {
  for (std::int32_t c : s.critical_path) {
    const program::Cost& cost = s.commands[static_cast<std::size_t>(c)].cost;
    s.path.startup += cost.startup;
    s.path.streaming += cost.streaming;
    for (const program::StallCycles& stall : cost.stalls) {
      auto const same = [&](const program::StallCycles& other) { return other.cause == stall.cause; };
      auto const found = std::find_if(s.path.stalls.begin(), s.path.stalls.end(), same);
      if (found == s.path.stalls.end()) s.path.stalls.push_back(stall);
      else found->cycles += stall.cycles;
    }
  }
}

}  // namespace

void explain(program::Schedule& s) {
  add_slack(s);
  add_path(s);
  add_totals(s);
}

}  // namespace tcp::sched
