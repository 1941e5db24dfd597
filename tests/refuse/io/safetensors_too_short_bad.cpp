// A safetensors file begins with 8 bytes, the length of its header; then comes the header. A file that ends before that was cut off, or is something else.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_safetensors(little_endian(500, 8) + "{"); }
