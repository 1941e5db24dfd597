// A type whose name is not known has no known size, so nobody can tell whether the file is whole. All types of the published format are known; those that the chip does
// not have may stand in a file as long as nobody asks for them.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(R"({"w": {"dtype": "I4", "shape": [2], "data_offsets": [0, 1]}})", "a"));
}
