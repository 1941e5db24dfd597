// `tcp new` makes a folder, and the last part of its path becomes the name of a project of CMake and stands in its files.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"new", "my kernel"}); }
