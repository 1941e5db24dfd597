// All units of a level share one mapping, so a level is written once. Several factors on one level are one mapping, separated by commas.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=16,J=16", "--levels", "Slice: I; Slice: J; Element: 1"}); }
