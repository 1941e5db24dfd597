// Numbers in the chip and in its files are little-endian: the least byte comes first. NumPy marks such types with `<`, and types of one byte with `|`.
//
// In Python: `x.astype(x.dtype.newbyteorder('<'))`.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of(">f4", "(1,)", "abcd")); }
