// The file is no trace: a trace begins with its format, so that another file of JSON, a report or a chip, is not mistaken for one.
//
// Give the file that `TCP_TRACE` named when the kernel ran.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"(tcp-trace)", R"(tcp-report)"); }
