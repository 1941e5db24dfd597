// Arrays and programs are read where they lie, by mapping the file into memory; so it must be a regular file that may be read. Folders, pipes and devices are none. The
// reason that the system gives follows the name.
//
// Store what a pipe brings in a file first.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return io::read_npy("arrays/no_such_array.npy").refusal(); }
