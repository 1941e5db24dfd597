// A collective gives every chip a part of the same size. It is written for the numbers of chips that cards come in.
//
// run time only: sizes are values
#include "kernels/collectives/collectives.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::AllReduce(rngd, ScalarType::bf16, 3, 64, 128);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
