// The types that npy can name and the chip has are the integers `i1`, `i2`, `i4` and the floats `f2`, `f4`. NumPy makes 64-bit numbers unless it is told otherwise;
// strings, records and Python objects are no numbers at all, and reading an object from a file would run a program that stands in it.
//
// Convert the array where it is made: `x.astype(np.float32)`.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<i8", "(1,)", "12345678")); }
