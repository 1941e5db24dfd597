// How long a program would take if some of its commands were shorter, or did not wait for each other.
// //
// The commands are planned again in the order in which they were taken, each as soon as all that it comes after has
// ended. Edges stay but for those that are dropped, so that shorter commands never make the program longer.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

/// What is changed of a trace.
struct Changes {
  struct Length {
    std::int32_t command = none;
    Cycles cycles{};  // that it takes instead

    bool operator==(const Length&) const = default;
  };
  /// An edge that does not hold: that of `command.after` with this number.
  struct Dropped {
    std::int32_t command = none, edge = none;

    bool operator==(const Dropped&) const = default;
  };

  std::vector<Length> lengths;
  std::vector<Dropped> dropped;

  bool empty() const { return lengths.empty() && dropped.empty(); }
  bool operator==(const Changes&) const = default;
};

/// Plans a trace again and again. Law: without changes, and for a trace that a scheduler made, `makespan` is that of
/// the trace; a change never makes it longer. Needs what check accepts, and the trace to stay as it is.
class WhatIf {
 public:
  explicit WhatIf(const Trace& trace);

  Cycles makespan(const Changes& changes);
  /// By how much the program is shorter.
  Cycles gain(const Changes& changes) { return unchanged_ - makespan(changes); }

  /// Whom a command waits for where an edge does not hold; none where no other command has to end first.
  std::int32_t instead_of(std::int32_t command, const Edge& dropped);

 private:
  /// A trace has one edge for each queue that is worked off in order: the last command that must be waited for. Where
  /// that one need not be, an earlier one may still write what the command reads.
  std::int32_t earlier_writer(std::int32_t command, std::int32_t from);
  bool reads_what_is_written(const Command& reader, const Command& writer);
  bool units_meet(std::int32_t a, std::int32_t b);
  Cycles start_of(std::int32_t command, const Changes::Dropped*& next, const Changes::Dropped* last);

  const Trace& trace_;
  std::vector<std::int32_t> order_;
  std::vector<Cycles> lengths_, ends_;
  std::map<std::pair<std::int32_t, std::int32_t>, bool> meet_;  // sets of units that were compared
  Cycles unchanged_{};
};

/// Start and end of every command as soon as all that it comes after have ended, the makespan, slack, binding edges and
/// the critical path.
/// Law: for a trace that a scheduler made, replay changes nothing but which of several edges that end at the same time
/// is binding. Needs what check accepts.
void replay(Trace& trace);

}  // namespace tcp::trace
