// The sizes of an array's axes are not negative, and the bits of all its elements can be counted in a 64-bit number. No array has other sizes; a file that says
// so is damaged, or was made to mislead.
//
// Write the file again.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f4", "(4294967296, 4294967296)", "")); }
