// A row's block is its number shifted, and a block of one row could be the only row of a table.
//
// run time only: sizes are values
#include "kernels/moe/blocks.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
#include "tcp/support/refused.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  try {
    kernels::BlockIndices(rngd, 16, 8, 2, 12);
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}
