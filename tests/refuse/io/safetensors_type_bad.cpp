// A file may hold tensors of types that the chip does not have, such as 64-bit numbers; but they cannot be read.
//
// Convert them where the file is made.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  return refused_tensor(safetensors_file(R"({"ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}})", "12345678"), "ids");
}
