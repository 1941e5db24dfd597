// A tensor of the checkpoint has another shape than `config.json` asks for. Weights are matrices `[out, in]`; those of norms are vectors.
//
// run time only: files are values
#include "llama/tiny_config.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return llama_test::refused_embedding("BF16", "[4, 8]", 64); }
