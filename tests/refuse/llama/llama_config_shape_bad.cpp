// The sizes in `config.json` do not fit together. Every key and value head serves the same number of query heads; elements of a head are rotated in pairs;
// and without `head_dim` the heads share `hidden_size`.
//
// run time only: files are values
#include "llama/tiny_config.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return llama_test::refused_config(R"(, "head_dim": 3)"); }
