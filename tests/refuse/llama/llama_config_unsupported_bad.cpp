// `config.json` asks for something that the model here does not compute: another architecture, another activation, biases, or a scaling of positions other than
// that of Llama 3.1 (`"rope_type": "llama3"`). To leave it out would give other tokens, and no message.
//
// run time only: files are values
#include "llama/tiny_config.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return llama_test::refused_config(R"(, "rope_scaling": {"rope_type": "yarn", "factor": 4.0})"); }
