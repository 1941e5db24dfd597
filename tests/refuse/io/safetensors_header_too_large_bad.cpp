// The first 8 bytes of a file are the length of its header. The format's own implementation refuses more than 100,000,000 bytes, and so do we: a number beyond that was
// never meant as a length.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_safetensors("this is no safetensors file"); }
