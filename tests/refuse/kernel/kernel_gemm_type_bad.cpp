// The kernel multiplies bf16, f8 and i8, which the Contraction Engine takes as they lie in memory. Matrices of other types are converted before.
//
// run time only: types are values
#include "kernels/tiling/tiling.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::tile_gemm(rngd, ScalarType::f32, 16, 16, 16).refusal(); }
