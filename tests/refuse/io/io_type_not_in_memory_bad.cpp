// `i5` and `i9` are what is left of `i4` and `i8` when a zero point has been subtracted. They exist on the way from fetch to contraction, never in a memory, and
// so in no file.
//
// Store the values before the subtraction.
// run time only: files are written when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return io::write_npy("x.npy", ScalarType::i9, {1}, bytes_of("ab")).refusal(); }
