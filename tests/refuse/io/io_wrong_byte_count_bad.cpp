// An array is written from its elements as they lie in memory: little-endian, without gaps, two 4-bit values to a byte. Fewer bytes would leave elements without a
// value; more are a sign of another shape or type.
// run time only: files are written when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return io::write_npy("x.npy", ScalarType::bf16, {2, 3}, bytes_of("abcdef")).refusal(); }
