// An npy file begins with the byte 93 (hexadecimal), the letters `NUMPY`, and its version. Other files are not read: neither text nor `npz`, which is a zip archive
// of npy files.
//
// `numpy.save` writes npy files.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy("PK\x03\x04"); }
