// How many bytes a tensor has follows from its shape and type; its `data_offsets` must say the same.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(R"({"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 6]}})", "abcdef"));
}
