// A table from which rows are picked lies in the HBM of one chip. It has two rows at least: with one there is nothing to choose, and no loop to go by numbers.
//
// run time only: sizes are values
#include "kernels/gather/gather.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::Embedding(rngd, 4096, 4'000'000, 8192);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
