// `tcp new` makes a new folder, and never writes into one that is there.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"new", "/usr"}); }
