// The product of two matrices is written for M, N and K from 1 to 16,384: above that, sums of parts along K would no longer be counted by one loop, and whoever
// multiplies matrices that large wants to say where the parts lie.
//
// run time only: sizes are values
#include "kernels/tiling/tiling.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::tile_gemm(rngd, ScalarType::bf16, 16385, 16, 0).refusal(); }
