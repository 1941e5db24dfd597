// Which commands of two traces are the same: groups, in which the k-th of one is the k-th of the other.
//
// In two traces of ours commands are the same by what they are and by the text of their line, so that a line which
// merely moved down in its file stays the same line. Where one was imported, they are the same by the call that made
// them: file, line and column, and the queue. Paths may differ in their beginning, and an imported column is that of
// the end of a call. Two imported traces name their commands alike, by type and index.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

struct JoinedCommands {
  std::string line;                         // groups of one line have the same; for no other use
  std::string name, at, text;               // of the commands, and of their line in the later trace where that has it
  std::vector<std::int32_t> before, after;  // numbers of commands; one may be empty

  bool operator==(const JoinedCommands&) const = default;
};

/// Each command of both is in one group.
std::vector<JoinedCommands> join(const Trace& before, const Trace& after);

/// For each command of `before` the same one of `after`, none where there is none: of a group the k-th is the k-th. Of
/// clusters that were watched beside each other each has a k-th command; where only one trace has them, all of them are
/// the other's, whose partner is the first.
std::vector<std::int32_t> partners(const Trace& before, const Trace& after);

/// How long these commands take together, without what the program takes before the first and after the last of all.
/// Where several clusters were watched, that of the slowest.
Cycles busy_of(const Trace& trace, const std::vector<std::int32_t>& commands);
/// How many they are, of the cluster that has most.
std::int64_t count_of(const Trace& trace, const std::vector<std::int32_t>& commands);

}  // namespace tcp::trace
