// `tcp fmt --check` accepts a file only if it is written as `tcp fmt` prints it, so that two people write the same program the same way.
//
// `tcp fmt FILE --write` writes it so; comments are kept.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/add_one.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"fmt", add_one, "--check"}); }
