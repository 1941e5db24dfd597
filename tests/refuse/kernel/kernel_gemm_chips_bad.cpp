// On several chips all run the same commands at the same time, each on what its own HBM holds: parts of one size, so the chips must divide what lies over them.
//
// run time only: sizes are values
#include "kernels/gemm/gemm_on_chips.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::part_on_chips(1001, 4, kernels::GemmSplit::n).refusal(); }
