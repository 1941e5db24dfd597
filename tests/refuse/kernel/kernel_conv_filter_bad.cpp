// A row of the filter is applied by shifting one packet of columns. The stream adapter holds three flits, 48 columns of bf16; a packet takes 32 of them, and what is
// left is how far the filter can reach. Strides and dilations other than 1 and 2 would leave most of a packet empty.
//
// run time only: sizes are values
#include "kernels/conv/conv.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME {
  return kernels::tile_conv(rngd, {.rows = 64, .columns = 64, .filter_rows = 3, .filter_columns = 3, .stride = 3}).refusal();
}
