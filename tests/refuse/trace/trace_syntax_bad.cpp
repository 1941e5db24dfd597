// The file of a trace is not JSON, or ends too early. A run that is still going on, or was killed, leaves a file that is cut; one that was interrupted in an
// orderly way does not.
//
// Write the trace again.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("makespan":9,)", R"("makespan":9;)"); }
