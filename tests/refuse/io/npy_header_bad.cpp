// The header of an npy file is a Python dictionary with three keys: `descr`, the type; `fortran_order`, True or False; and `shape`, a tuple of sizes. Behind it there
// may be blanks. Any other text is refused, because a reader could only guess what it means.
//
//     {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(npy_of("<f4", "(2)", "12345678")); }
