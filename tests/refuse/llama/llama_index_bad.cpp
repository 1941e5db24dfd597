// `model.safetensors.index.json` has an object `weight_map`, which names for each tensor the file that holds it. The files stand beside the index: a name that leads into
// another folder is not followed.
//
// run time only: files are values
#include "kernels/llama/configuration.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return kernels::parse_weight_map(R"({"weight_map": {"lm_head.weight": "../other.safetensors"}})", "model.safetensors.index.json")
      .refusal();
}
