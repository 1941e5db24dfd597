// A device is one of the chips that the program knows by name, or a chip file: a path with a `/`, or a name that ends in `.json`.
//
// To try a chip of your own, copy `data/chips/rngd.json` (installed as `share/tcp/chips/rngd.json`), change it, and give its path.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=256", "--levels", "Slice: I", "--chip", "rngd2"}); }
