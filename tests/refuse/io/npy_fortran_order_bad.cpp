// The shape of a tensor names its axes from the slowest to the fastest (C order). A file in Fortran order has them the other way round in memory, and would have to be
// reordered on the way; that is done once, where the file is made, and not at each reading.
//
// In Python: `np.save(file, np.ascontiguousarray(x))`. A transposed array `x.T` is in Fortran order if `x` is in C order.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_file("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2)}", "abcd")); }
