// Moves that do more than lay the same elements out anew: rows by number, chips and clusters exchanged, positions read
// under other names.
#pragma once

#include <functional>

#include "exec/vector/tensor.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::vector {

/// Two tensors as one, told apart by an axis of size 2: coordinate 0 is the first.
Tensor interleaved(const Tensor& first, const Tensor& second, Name axis);

/// out[x] = table[x, with row_axis = rows[x]]. Refused: a number that is no row.
Expected<Tensor> gather(const Tensor& table, const Tensor& rows, Name row_axis, const RowNumbers& numbers, const std::vector<AxisSize>& out,
                        Where at);

/// table[x, with row_axis = rows[x]] = in[x]; other rows stay. Needs: a table of the caller's own. Refused: a number
/// that is no row, and one that comes twice.
Verdict scatter(Tensor& table, const Tensor& in, const Tensor& rows, Name row_axis, const RowNumbers& numbers, Where at);

/// Reads the places under another mapping, those of one level taken from others: out at c is in at from[c]. With no
/// list, a reshape.
Tensor reread(const Tensor& in, const Levels& in_levels, const Levels& out_levels, Level level, const std::vector<std::int64_t>& from);

/// Reads the places under other names, of which some may be of padding: those elements are undefined, by the origin
/// that `why` gives, unless zeros are promised there.
Tensor relabelled(const Tensor& in, const Levels& from, const Levels& to, const std::function<Origin()>& why);

/// Chip c takes `length` of the `steps` of a factor of Element from start[c] on; a step is `stride` positions.
Tensor chip_slice(const Tensor& in, const Levels& in_levels, const Levels& out_levels, std::int64_t steps, std::int64_t stride,
                  std::int64_t length, const std::vector<std::int64_t>& start);

}  // namespace tcp::vector
