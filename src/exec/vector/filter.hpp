// A filter: in each slice, the lanes whose execution id is kept, one behind the other through all lanes of all time
// steps.
#pragma once

#include "exec/vector/tensor.hpp"
#include "tcp/rules/vector.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::vector {

/// What a filter lets through, in its new places, and how many lanes of each slice that were.
struct Filtered {
  Tensor kept;
  Tensor count;  // i32, over the axes of Chip, Cluster and Slice
};

/// `in` and `out`: Chip, Cluster, Slice, Time and Packet before and after. `ids`: i32. Places beyond the number kept
/// are undefined, by `origin`.
/// Refused: more lanes than Time after the filter has room for.
Expected<Filtered> filter(const Tensor& stream, const Tensor& ids, OperandGuard keep, const Levels& in, const Levels& out, Origin origin,
                          Where at);

}  // namespace tcp::vector
