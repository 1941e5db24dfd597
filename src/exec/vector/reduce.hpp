// The two reduces of the vector engine, in their order. Elements that do not exist are skipped, never replaced.
#pragma once

#include "exec/vector/chain.hpp"
#include "tcp/rules/reduce.hpp"

namespace tcp::vector {

/// Folds `axis` as far as it lies in Time and Packet: op(op(a, b), op(c, d)) in a packet, then over time. `in` and
/// `out` have all levels before and after.
Tensor intra_slice_reduce(const Tensor& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, const How& how);

/// Folds `reduced`, the innermost factors of Slice, in ascending order of slices.
Tensor inter_slice_reduce(const Tensor& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out, const How& how);

}  // namespace tcp::vector
