// A header says the type and the shape of one array, which takes a few dozen bytes. One of more than 65535 bytes is damaged, or was made to use up the memory
// of whoever reads it.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return refused_npy(std::string("\x93NUMPY\x02\0\xff\xff\xff\x7f", 12)); }
