// Lists what could be left out, the likeliest first, and plans the trace again without each of them.
#include "tcp/trace/trials.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "tcp/support/sort_stably.hpp"
#include "trace/texts.hpp"

namespace tcp::trace {

namespace {

/// Something to try, with the cycles that say how likely it is to help.
struct ToTry {
  const char* kind;
  std::string what;
  Cycles cycles{};
  Changes changes;
  bool promised = false;  // the cycles are all that can be gained
};
/// By what stands in common, in the order of the first command.
using Group = std::map<std::string, ToTry>;

class ThingsToTry {
 public:
  explicit ThingsToTry(const Trace& trace) : trace_(trace) {}

  std::vector<ToTry> all(const std::vector<Finding>& findings) {
    for (const Finding& f : findings)
      made_.push_back({"finding", f.rule + " at " + place_of(trace_.sources, f.source) + ": " + f.help, f.gain, f.changes, true});
    Group stalls, engines, waits, buffers;
    for (std::size_t i = 0; i < trace_.commands.size(); ++i) {
      std::int32_t const c = static_cast<std::int32_t>(i);
      add_stalls(c, stalls);
      add_engines(c, engines);
      add_waits(c, waits);
      add_buffers(c, buffers);
    }
    for (Group* group : {&stalls, &engines, &waits, &buffers}) take(*group);
    return std::move(made_);
  }

 private:
  const Command& at(std::int32_t c) const { return trace_.commands[static_cast<std::size_t>(c)]; }

  void take(Group& group) {
    std::size_t const first = made_.size();
    for (auto& [key, candidate] : group) made_.push_back(std::move(candidate));
    std::sort(made_.begin() + static_cast<std::ptrdiff_t>(first), made_.end(),
              [](const ToTry& a, const ToTry& b) { return a.cycles != b.cycles ? a.cycles > b.cycles : a.what < b.what; });
  }
  static ToTry& in(Group& group, const std::string& key, const char* kind) {
    ToTry& c = group[key];
    c.kind = kind;
    return c;
  }

  void add_stalls(std::int32_t c, Group& group) const {
    for (const Part& p : at(c).stalls) {
      ToTry& made = in(group, p.name, "stall");
      made.what = p.name == "engine" ? "no engine slower than the fetch" : "no stall: " + p.name;
      made.cycles += p.cycles;
      made.changes.lengths.push_back({c, at(c).length() - p.cycles});
    }
  }

  /// An engine at twice its rate: the slowest one sets the pace.
  void add_engines(std::int32_t c, Group& group) const {
    Cycles most{};
    for (const Part& p : at(c).engines) most = std::max(most, p.cycles);
    for (const Part& p : at(c).engines) {
      Cycles now{};
      for (const Part& o : at(c).engines) now = std::max(now, o.name == p.name ? Cycles{(o.cycles.value + 1) / 2} : o.cycles);
      if (now == most) continue;
      ToTry& made = in(group, p.name, "engine");
      made.what = p.name + " at twice its rate";
      made.cycles += most - now;
      made.changes.lengths.push_back({c, at(c).length() - std::min(at(c).length(), most - now)});
    }
  }

  /// A command that was held up although its queues were free. A launch cannot begin before the one before has ended.
  void add_waits(std::int32_t c, Group& group) const {
    const Command& command = at(c);
    if (command.binding == none || command.after[static_cast<std::size_t>(command.binding)].kind == "resource") return;
    if (begins_launch(trace_, command) || begins_launch(trace_, at(command.after[static_cast<std::size_t>(command.binding)].from))) return;
    Cycles free{};
    for (const Edge& e : command.after)
      if (e.kind == "resource") free = std::max(free, at(e.from).end);
    std::string const who = command.name + " at " + place_of(trace_.sources, command.source);
    std::string const why = reason_of(trace_, command, Naming::family);
    ToTry& made = in(group, who + why, "wait");
    made.what = who + " need not wait: it " + why;
    made.cycles += command.start - free;
    for (std::size_t e = 0; e < command.after.size(); ++e)
      if (command.after[e].kind != "resource" && at(command.after[e].from).end > free && !begins_launch(trace_, at(command.after[e].from)))
        made.changes.dropped.push_back({c, static_cast<std::int32_t>(e)});
  }

  /// A second place for what is overwritten: neither who still reads the first nor who wrote it is waited for.
  void add_buffers(std::int32_t c, Group& group) const {
    const Command& command = at(c);
    for (std::size_t e = 0; e < command.after.size(); ++e) {
      const Edge& edge = command.after[e];
      if (edge.kind != "war" && edge.kind != "waw") continue;
      std::string const name = written(command, edge);
      if (name.empty()) continue;
      ToTry& made = in(group, name, "buffer");
      made.what = "a second place for " + name;
      made.cycles += command.binding == static_cast<std::int32_t>(e) ? at(c).length() : Cycles{0};
      made.changes.dropped.push_back({c, static_cast<std::int32_t>(e)});
    }
  }
  /// The tensor that an edge is about, or all of its family: "tile[...] in DM".
  std::string written(const Command& command, const Edge& edge) const {
    for (const Range& r : command.writes)
      if (r.memory == edge.on && r.begin < edge.end && edge.begin < r.end && r.tensor != none)
        return family_of(trace_.tensors[static_cast<std::size_t>(r.tensor)].name) + " in " + r.memory;
    return "";
  }

  const Trace& trace_;
  std::vector<ToTry> made_;
};

}  // namespace

Trials try_all(const Trace& trace, const std::vector<Finding>& findings, std::size_t kept, std::int64_t steps) {
  std::vector<ToTry> const candidates = ThingsToTry(trace).all(findings);
  std::int64_t a_plan = 1;
  for (const Command& c : trace.commands) a_plan += 1 + static_cast<std::int64_t>(c.after.size());
  Trials made;
  made.of = static_cast<std::int64_t>(candidates.size());
  made.tried = std::min(made.of, std::max<std::int64_t>(steps / a_plan, 1));
  WhatIf what_if(trace);
  std::vector<std::pair<Trial, std::size_t>> best;  // with the number of the candidate
  for (std::int64_t i = 0; i < made.tried; ++i) {
    const ToTry& c = candidates[static_cast<std::size_t>(i)];
    Cycles gain = what_if.gain(c.changes);
    if (c.promised) gain = std::min(gain, c.cycles);
    std::int32_t const finding = i < std::ssize(findings) ? static_cast<std::int32_t>(i) : none;
    if (gain > Cycles{0}) best.push_back({{c.kind, c.what, trace.makespan - gain, gain, finding, {}}, static_cast<std::size_t>(i)});
  }
  sort_stably(best, [](const auto& a, const auto& b) { return a.first.gain > b.first.gain; });
  if (best.size() > kept) best.resize(kept);
  for (auto& [trial, number] : best) {
    trial.changes = candidates[number].changes;
    made.best.push_back(std::move(trial));
  }
  return made;
}

}  // namespace tcp::trace
