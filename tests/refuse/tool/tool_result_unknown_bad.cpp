// `--out NAME=FILE` stores a tensor that the program declares as `result`, under its own name. Other tensors are not there any more when the program has run.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/add_one.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"run", add_one, "--random", "1", "--out", "y=y.npy"}); }
