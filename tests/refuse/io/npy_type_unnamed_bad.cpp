// npy has no names for `bf16`, the 8-bit floats and the 4-bit types. The Python package `ml_dtypes` writes them as raw bytes, `<V2` and `<V1`, and so does `write_npy`.
// Which type they have stands nowhere in the file; whoever reads it must say.
//
// In C++: `read_npy(path, ScalarType::bf16)`. `tcp run` takes the type from the tensor that the file is given for.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<V2", "(1,)", "ab")); }
