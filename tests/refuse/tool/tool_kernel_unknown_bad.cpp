// An executable may launch several kernels; `tcp compile` takes one, by its name.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"compile", TCP_SOURCE_DIR "/tests/refuse/tool/two_kernels.sh"}); }
