// What is computed row by row (norms, softmax, activations, residuals) takes rows of 1 to 28,672 columns, the longest of published models, and at least one of
// them: of no row and of no column there is nothing to compute.
//
// run time only: sizes are values
#include "kernels/rowwise/spread/spread.hpp"
#include "refuse_test.hpp"
#include "tcp/device/chips.hpp"
using namespace tcp;

REFUSED_AT_RUN_TIME { return kernels::spread_rows(rngd, 4, 28'673, {}).refusal(); }
