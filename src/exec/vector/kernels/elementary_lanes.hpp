// The elementary functions on lanes; a part of compute() with a file of its own.
#pragma once

#include "exec/vector/kernels/elementwise.hpp"

namespace tcp::vector::kernels {

/// Needs: an elementary function other than sqrt; a RoundingScope that flushes no results.
void elementary_lanes(Op op, const Lanes& lanes, NumericModel model);

}  // namespace tcp::vector::kernels
