// A file of arrays could not be written; what the system said follows the name. It is written beside its place under another name and then put there as a
// whole, so the folder must be one that you may write to, and a file that was there before is either replaced or left as it was.
//
// Choose a folder that exists, or make it first: `mkdir -p`.
// run time only: files are written when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME { return io::write_npy("/no/such/folder/y.npy", ScalarType::i8, {1}, bytes_of("a")).refusal(); }
