// In a quoted name a backslash stands before a quote, before another backslash, or before `x` and the two hexadecimal digits of a byte.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return ir::parse(R"(module "C:\\kernels\add")", "bad.tcp").refusal(); }
