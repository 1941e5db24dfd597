// The trace was written by a tool with another version of the schema. What a key means may have changed, so it is not read.
//
// Write the trace again with the tool that shall read it.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("version":1)", R"("version":3)"); }
