// `tcp compile PROGRAM` runs the executable to record the kernels that it launches. One that ends with another exit code than 0 may have stopped half way.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"compile", "/bin/false"}); }
