// NumPy reads arrays of at most 32 axes, so no more are written.
//
// Join neighbouring axes: the elements of `(2, 3)` and of `(6,)` lie the same way.
// run time only: files are written when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return io::write_npy("x.npy", ScalarType::i8, io::Extents(33, 1), bytes_of("a")).refusal(); }
