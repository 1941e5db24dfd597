// A batch of products is one kernel, and every product is commands of its own. Where all of them have the same second matrix, one product with more rows does the
// same, and faster.
//
// run time only: sizes are values
#include "kernels/gemm/gemm.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::check_batch(2000, 1, 16, 64).refusal(); }
