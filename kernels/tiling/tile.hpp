// One tile of a product, for the planner: what its pieces take of DM, and whether they fit. The functions are used by
// the files of this folder only.
#pragma once

#include "kernels/tiling/tiling.hpp"

namespace tcp::kernels::tiling {

/// Bytes of an element of C.
std::int64_t result_bytes(ScalarType type);
/// Bytes of a sum before it is rounded: f32 or i32.
inline constexpr std::int64_t sum_bytes = 4;
/// Columns of C in a unit of HBM.
std::int64_t columns_of_unit(const Device& device, ScalarType type);

/// Rows of C in a slice when they are finished: slices that divided K have divided rows among them by then.
std::int64_t finished_rows(const Device& device, const GemmTiling& t);

/// Whether two tiles like this one, one computed and one loaded, fit into the DM of a slice.
bool fits(const Device& device, const GemmTiling& t);
/// Whether all tiles of a tiling fit. The narrow ones at the end of N must be looked at too: a slice may need more of A
/// there.
bool all_fit(const Device& device, const GemmTiling& t);

}  // namespace tcp::kernels::tiling
