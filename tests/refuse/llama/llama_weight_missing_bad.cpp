// The checkpoint lacks a tensor that the model needs. Either `config.json` belongs to another model (more layers, a head of its own), or not all files are there.
//
// run time only: files are values
#include "llama/tiny_config.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return llama_test::refused_embedding("BF16", "[8, 4]", 64); }
