// The matrix and the sum both lie in the HBM of each chip.
//
// run time only: sizes are values
#include "kernels/collectives/collectives.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::AllReduce(rngd, ScalarType::bf16, 2, 0, 128);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
