// Header and elements together have exactly as many bytes as the header says. A file that is shorter was cut off, perhaps by a full disk or a broken copy; one that
// is longer holds something else as well, such as a second array.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f4", "(2, 3)", "12345678")); }
