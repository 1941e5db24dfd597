// The book's tables cut a matrix into as many equal parts as there are chips: each chip copies another one out of its own matrix, with one command for all of them.
// Without equal parts the exchange is one transfer (`Moves::at_once`), which moves the same bytes.
//
// run time only: sizes are values
#include "kernels/collectives/collectives.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::AllReduce(rngd, ScalarType::bf16, 4, 3, 130, kernels::Moves::rotations);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
