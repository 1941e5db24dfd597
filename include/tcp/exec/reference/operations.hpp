// The operations of the reference interpreter by themselves, on values.
//
// The fetch adapter and the cast engine change elements, and move nothing. The contraction engine adds in the chip's
// order: products, then pairs of neighbours up the tree, then packet after packet. The two reduces of the vector engine
// skip elements that do not exist, and never replace them. Transfers that do more than lay the same elements out anew:
// rows by number, chips and clusters exchanged, positions read under other names.
#pragma once

#include "tcp/exec/reference/value.hpp"
#include "tcp/rules/contraction.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/rules/reduce.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::reference {

/// Two tensors as one, told apart by an axis of size 2: coordinate 0 is the first.
Value interleave(const Value& first, const Value& second, Name axis);

/// Table lookup (by the unsigned value of the element), cast, zero points; in this order. `turns` tells which zero
/// point an element takes, if there are two.
struct Adapter {
  const std::vector<std::uint32_t>* table = nullptr;
  ScalarType table_type = ScalarType::i8;
  std::vector<std::int64_t> zero_points;
  Name turns{};
  ScalarType to = ScalarType::i32;
};
Value fetch(const Value& source, const Adapter& adapter, NumericModel model);

/// Element by element into another type.
Value cast(const Value& value, ScalarType to, NumericModel model);

/// `contracted` and `accumulated` are what the rules found of contract and accumulate; `pair` is the aligned pair,
/// whose zero padding makes products of +0. `out` has the levels of the result.
Value contract(const Value& data, const Value& weights, ContractOp op, const Aligned& pair, const Contracted& contracted,
               const Accumulated& accumulated, const Levels& out, NumericModel model);

/// Folds axis `axis` as far as it is in Time and Packet: op(op(a, b), op(c, d)) in a packet, then over time. `in` and
/// `out` have all levels before and after.
Value intra_slice_reduce(const Value& stream, Name axis, ReduceOp op, const Levels& in, const Levels& out, NumericModel model);

/// Folds `reduced`, the innermost factors of Slice, in ascending order of slices.
Value inter_slice_reduce(const Value& stream, const Mapping& reduced, ReduceOp op, const Levels& in, const Levels& out, NumericModel model);

/// out[x] = table[x, with row_axis = rows[x]]. Refused: a number that is no row.
Expected<Value> gather(const Value& table, const Value& rows, Name row_axis, const RowNumbers& numbers, const Levels& out, Where at);

/// table[x, with row_axis = rows[x]] = in[x]; other rows stay. Refused: a number that is no row, and one that comes
/// twice.
Expected<Value> scatter(Value table, const Value& in, const Value& rows, Name row_axis, const RowNumbers& numbers, const Levels& from,
                        Where at);

/// Reads the places under another mapping, those of one level taken from others: out at c is in at from[c]. With no
/// list, a reshape.
Value reread(const Value& in, const Levels& in_levels, const Levels& out_levels, Level level, const std::vector<std::int64_t>& from);

/// A relabelling of `from` as `to`: each element of `to` whose place was padding of `from`, and not zero, hangs on
/// `why` from now on.
void undefine_padding(Value& value, const Levels& from, const Levels& to, Origin why);

/// Chip c takes `length` of the `steps` of a factor of Element from start[c] on; a step is `stride` positions. By
/// places: the result names its axes anew.
Value chip_slice(const Value& in, const Levels& in_levels, const Levels& out_levels, std::int64_t steps, std::int64_t stride,
                 std::int64_t length, const std::vector<std::int64_t>& start);

}  // namespace tcp::reference
