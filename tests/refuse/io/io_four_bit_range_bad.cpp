// npy and safetensors have no 4-bit integers (and npy no 4-bit floats). There each takes a byte of its own, which every reader of the format can look at: an
// `i4` is an 8-bit integer from -8 to 7, an `f4e2m1` a byte from 0 to 15. A byte that is none of these was not meant as one.
//
// Look at the array: perhaps two values were packed into a byte, or the tensor should be `i8`.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("|i1", "(3,)", "\x07\x01\x21"), ScalarType::i4); }
