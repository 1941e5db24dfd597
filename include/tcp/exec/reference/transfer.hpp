// Moves that do more than lay the same elements out anew: rows by number, chips and clusters exchanged, positions read
// under other names.
#pragma once

#include "tcp/exec/reference/value.hpp"
#include "tcp/rules/gather.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::reference {

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
