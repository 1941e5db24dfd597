// A trace for Perfetto (ui.perfetto.dev) and other viewers of trace events: one track per resource, one slice per
// command, an arrow from what it waited for. A cycle is shown as a nanosecond.
#pragma once

#include <iosfwd>

#include "tcp/trace/trace.hpp"

namespace tcp::trace {

void write_perfetto(const Trace& trace, std::ostream& out);

}  // namespace tcp::trace
