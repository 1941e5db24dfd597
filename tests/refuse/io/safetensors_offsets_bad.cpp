// Tensors lie side by side behind the header, from its end to that of the file. No byte belongs to two of them, and none to no one: so a file cannot hide anything, and
// a cut or damaged one is noticed.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(
      R"({"a": {"dtype": "I8", "shape": [4], "data_offsets": [0, 4]}, "b": {"dtype": "I8", "shape": [4], "data_offsets": [2, 6]}})",
      "abcdef"));
}
