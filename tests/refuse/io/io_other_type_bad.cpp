// A file's elements are taken as they are. Where the tensor has another type, somebody must say how values are rounded, wrapped or saturated, and that is not
// the reader of a file.
//
// Convert the array where it is made. In Python `x.astype(np.float32)`; the package `ml_dtypes` has `bfloat16`, `float8_e4m3fn` and `float8_e5m2`.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f8", "(1,)", "12345678"), ScalarType::bf16); }
