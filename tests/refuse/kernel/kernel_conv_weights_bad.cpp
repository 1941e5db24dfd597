// All filters that look at one place of an image are applied at once, by slices that share it. There are as many filters as these slices have Rows, several times over,
// and as many weights as their memories hold.
//
// run time only: sizes are values
#include "kernels/conv/conv.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return kernels::tile_conv(rngd, {.channels = 4096, .filters = 64, .rows = 56, .columns = 56, .filter_rows = 3, .filter_columns = 3})
      .refusal();
}
