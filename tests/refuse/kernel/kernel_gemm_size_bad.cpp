// The product of two matrices is written for M from 1 to 16,384 and N and K from 1 to 131,072, the longest vocabularies: whoever multiplies larger matrices wants
// to say where their parts lie.
//
// run time only: sizes are values
#include "kernels/tiling/tiling.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::tile_gemm(rngd, ScalarType::bf16, 16385, 16, 0).refusal(); }
