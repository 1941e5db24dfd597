// `tcp doctor` looks for what kernels are built with, and refuses if something is missing, so that a script can ask it before it builds.
//
// Above the message it lists all that it looked for: what is there with its version, and for what is not there the package to install. What is only convenient,
// such as clangd, is listed as absent and refuses nothing.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"doctor"}); }
