// A rotary embedding turns pairs of columns in the Contraction Engine, in packets that do not cross the border of a head: 8, 16 or 32 columns. Heads are therefore
// multiples of 8; they are at most 512 columns long, so that a slice holds the table's rows of many tokens.
//
// run time only: sizes are values
#include "kernels/rowwise/rope/rope.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::spread_rope(rngd, {.tokens = 1, .heads = 32, .head = 100, .positions = 1}).refusal(); }
