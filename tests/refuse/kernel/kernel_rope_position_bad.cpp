// A token is turned by the row of the table that belongs to its position. A table is as long as the longest context, so a position behind its end is one that the
// model was not made for.
//
// run time only: sizes are values
#include "kernels/rowwise/rope/rope.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return kernels::spread_rope(rngd, {.tokens = 1, .heads = 32, .head = 128, .positions = 4096, .start = 4096}).refusal();
}
