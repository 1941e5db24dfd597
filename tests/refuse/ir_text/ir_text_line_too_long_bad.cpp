// The text form is for people. A line of a million characters is a file of another kind, or one that has lost its line ends; every blank may be a line end.
//
// run time only: a text is read when a program runs
#include "refuse_test.hpp"
#include "tcp/ir/text.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return ir::parse(std::string(2 << 20, ' '), "bad.tcp").refusal(); }
