// `config.json` says the sizes of the model. A size that is missing cannot be guessed from the weights in every case, and a wrong guess would show only in the tokens.
// Fields that the published files leave out have defaults: `num_key_value_heads` is then `num_attention_heads`, `head_dim` is `hidden_size / num_attention_heads`,
// `rope_theta` is 10000.
//
// run time only: files are values
#include "kernels/llama/configuration.hpp"
#include "refuse_test.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::parse_llama_config(R"({"vocab_size": 8})", "config.json").refusal(); }
