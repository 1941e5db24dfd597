// A number of a trace names an entry that is not there: a source line, a resource, a command. Lists are counted from 0 on, and -1 is none.
//
// Write the trace again; a tool of yours that makes traces must write the list as well.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("resources":[0])", R"("resources":[1])"); }
