// A key stands twice in one object. JSON does not say which of the two counts, and readers differ.
//
// Remove one of them.
// run time only: traces are read when a tool runs
#include "refuse_test.hpp"
#include "trace/trace_text.hpp"

using namespace tcp;
using namespace tcp::trace_test;

REFUSED_AT_RUN_TIME { return read_with(R"("chip":"rngd")", R"("chip":"rngd","chip":"rngd")"); }
