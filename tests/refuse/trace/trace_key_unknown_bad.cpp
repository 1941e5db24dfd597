// A key that this version of the tool does not know. It is refused instead of skipped, because it might change what the rest means.
//
// Write the trace again with a tool of this version. What you want to note in a trace belongs into a file beside it.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("chip")", R"("chop")"); }
