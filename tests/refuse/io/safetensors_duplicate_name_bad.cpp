// A name stands in a header once. Where it stands twice, one reader takes the first tensor and another the last.
// run time only: files are read when a program runs
#include "io/refused_file.hpp"
#include "refuse_test.hpp"

using namespace tcp;
using namespace tcp::io_test;

REFUSED_AT_RUN_TIME {
  std::string const entry = R"({"dtype": "I8", "shape": [0], "data_offsets": [0, 0]})";
  return refused_safetensors(safetensors_file("{\"w\": " + entry + ", \"w\": " + entry + "}", ""));
}
