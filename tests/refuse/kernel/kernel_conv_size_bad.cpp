// A result of a convolution lies where the whole filter lies within the padded image. A filter that is larger than that has no result, and neither has one without
// channels.
//
// run time only: sizes are values
#include "kernels/conv/conv.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return kernels::tile_conv(rngd, {.rows = 4, .columns = 5, .filter_rows = 3, .filter_columns = 3, .dilation = 2, .padding = 0}).refusal();
}
