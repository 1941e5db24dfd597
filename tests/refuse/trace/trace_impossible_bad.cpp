// The numbers of a trace contradict each other: a command ends before it starts or behind the makespan, its parts do not sum up to its length, or an edge comes from a
// command that is taken later. Reports rely on these laws, which docs/trace.md lists.
//
// Write the trace again.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("streaming":9)", R"("streaming":8)"); }
