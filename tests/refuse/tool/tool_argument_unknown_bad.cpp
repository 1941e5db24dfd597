// `--in NAME=FILE` fills a tensor that the program declares as `argument`, under its own name.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/add_one.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"run", add_one, "--in", "inn=x.npy"}); }
