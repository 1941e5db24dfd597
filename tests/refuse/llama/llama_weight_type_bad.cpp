// The kernels multiply bf16. Weights of bf16 are taken as they are; f32 and f16 are rounded to it. Integers, and floats of 8 and 4 bits, are quantised weights that mean
// something only with their scales, which checkpoints keep in different ways.
//
// run time only: files are values
#include "llama/tiny_config.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return llama_test::refused_embedding("F8_E4M3", "[8, 4]", 32); }
