// The header is one JSON object in UTF-8. Each of its keys is the name of a tensor, and its value an object of exactly `dtype`, `shape` and `data_offsets`; the key
// `__metadata__` is for remarks, an object of texts. Anything else is refused, because readers would differ in what they make of it.
//
//     {"w": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}}
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  return refused_safetensors(safetensors_file(R"({"w": {"dtype": "I8", "shape": [-1], "data_offsets": [0, 1]}})", "a"));
}
