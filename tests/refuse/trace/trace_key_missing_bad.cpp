// A key that has no default is not there. docs/trace.md has those that must be there in bold.
//
// Add the key, or write the trace again.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("chip":"rngd",)", R"()"); }
