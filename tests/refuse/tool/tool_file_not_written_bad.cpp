// A picture could not be written; what the system said follows the name. The file is written beside its place under another name and
// then put there as a whole, so the folder must be one that you may write to, and a file that was there before is either replaced or
// left as it was. Devices and pipes are written to directly.
//
// Choose a folder that exists, or make it first: `mkdir -p`.
// run time only: files are written when the program runs
#include "refuse_test.hpp"
#include "tool/refused_command.hpp"

REFUSED_AT_RUN_TIME { return refused_command({"layout", "--axes", "A=8", "A / 2", "--svg", "/no/such/folder/picture.svg"}); }
