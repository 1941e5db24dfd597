// A field of `config.json` has a value that it cannot have: a size that is no whole number or out of range, a factor that is not positive, an id that is no word.
//
// run time only: files are values
#include "llama/tiny_config.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return llama_test::refused_config(R"(, "rope_theta": -1)"); }
