// A decoder layer with a mixture of experts is written for one chip, which has all experts. To use several, share the tokens out over them.
//
// run time only: sizes are values
#include "kernels/llama/moe_layer.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::MoeDecoderLayer const layer(rngd, kernels::llama_3_8b(), {.chips = 2}, {.experts = 8, .chosen = 2, .intermediate = 1024},
                                         Where{});
  } catch (const Refused& r) {
    return r.refusal();
  }
  return {};
}
