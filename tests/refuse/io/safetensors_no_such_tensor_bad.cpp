// A file was asked for a tensor that is not in it. Names are exact.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  return refused_tensor(safetensors_file(R"({"layer.0.weight": {"dtype": "I8", "shape": [1], "data_offsets": [0, 1]}})", "a"),
                        "layer.0.weights");
}
