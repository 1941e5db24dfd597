// What a placed schedule means; for code that places commands by other means than `schedule`.
#pragma once

#include "tcp/program/schedule.hpp"

namespace tcp::sched {

/// Adds the slack of every command, the critical path and its totals to starts, ends, edges and binding edges that are
/// there already. Edges stand in an order in which those that lead to a command come before those that lead away from
/// it.
void explain(program::Schedule& s);

}  // namespace tcp::sched
