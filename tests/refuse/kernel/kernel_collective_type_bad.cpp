// A sum over chips is added by the Vector Engine, in f32 or i32. bf16 widens on the way there; other types are converted by whoever knows what that costs.
//
// run time only: sizes are values
#include "kernels/collectives/collectives.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::AllReduce(rngd, ScalarType::i8, 2, 64, 128);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
