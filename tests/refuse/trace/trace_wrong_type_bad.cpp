// A key of a trace has a value of another type than docs/trace.md says. Numbers are whole and below 2^53, which is as far as every reader of JSON keeps them exactly.
//
// Write the trace again; a tool of yours that makes traces must write numbers without a point or an exponent.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("makespan":9)", R"("makespan":9.5)"); }
