// A tensor that is spread over levels is written as one mapping a level: the level's name, a colon, the mapping; and a semicolon between
// levels. A part of the text does not begin with a name.
//
// If it is a plain mapping, leave out `--levels`; if it belongs to the level before it, write a comma instead of the semicolon.
// run time only: the command line is read when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "I=512,K=64", "--levels", "Slice: I / 2; I % 2, K"}); }
