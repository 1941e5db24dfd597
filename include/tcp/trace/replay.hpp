// The schedule worked out again from the edges and the length of each command: what the viewer's what-if does after it
// has changed a length.
#pragma once

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

/// Start and end of every command as soon as all that it comes after have ended, the makespan, slack, binding edges and
/// the critical path.
/// Law: for a trace that a scheduler made, replay changes nothing but which of several edges that end at the same time
/// is binding. Needs what check accepts.
void replay(Trace& trace);

}  // namespace tcp::trace
