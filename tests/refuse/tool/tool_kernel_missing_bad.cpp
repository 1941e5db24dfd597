// `tcp compile PROGRAM` compiles what the executable launches. This one launches nothing.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"compile", "/bin/true"}); }
