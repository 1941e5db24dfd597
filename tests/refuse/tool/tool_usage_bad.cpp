// The command line was not understood: an option that there is none of, a value that is missing or no number, two options that
// contradict each other. The exit code is then 2, where a mapping or a tensor that is refused gives 1, so that scripts can tell the two
// apart.
//
// `tcp --help` lists the commands, `tcp COMMAND --help` the options of one, with examples. A mapping is one argument: put it into quotes.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "A=8", "A / 2", "--limit", "many"}); }
