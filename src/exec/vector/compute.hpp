// The steps of the vector engine as operations of the kernels.
#pragma once

#include "exec/vector/kernels/elementwise.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/rules/vector.hpp"

namespace tcp::vector {

/// Needs: a step that computes or converts.
kernels::Op op_of(const VectorStep& step);

kernels::Op op_of(ReduceOp op, ScalarType type);

}  // namespace tcp::vector
