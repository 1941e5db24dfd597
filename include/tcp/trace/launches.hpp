// All launches of a program as one trace: kernels one after the other on one axis of time.
#pragma once

#include <vector>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

/// What two traces must have in common to be launches of one program; empty: they have it.
std::string difference(const Trace& a, const Trace& b);

/// Each launch begins when the one before has ended; transfers of the host in between are counted in its record, and
/// take no time. A command `launch` that takes no time is before each, after all of the launch before. Needs: at
/// least one trace, and no difference between any two. Law: check() accepts it, and its makespan is the sum of theirs.
Trace in_sequence(const std::vector<Trace>& all);

}  // namespace tcp::trace
