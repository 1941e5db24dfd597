// What the two reduces of the vector engine compute, in their order. Elements that do not exist are skipped, never
// replaced.
#pragma once

#include "tcp/exec/reference/value.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::reference {

/// Folds axis `axis` as far as it lies in Time and Packet: op(op(a, b), op(c, d)) in a packet, then over time. `in` and
/// `out` have all levels before and after.
Value intra_slice_reduce(const Value& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, NumericModel model);

/// Folds `reduced`, the innermost factors of Slice, in ascending order of slices.
Value inter_slice_reduce(const Value& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out, NumericModel model);

}  // namespace tcp::reference
