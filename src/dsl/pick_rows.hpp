// Gathers and scatters of both front ends end here: the command, or of an index of which the first numbers alone are
// meant, the command on tiles.
#pragma once

#include "tcp/dsl/record.hpp"
#include "tcp/dsl/session.hpp"

namespace tcp::detail {

/// Needs: kind, source and destination of the transfer. Refused: a count for an index tensor of several axes, or beyond
/// its end.
void pick_rows(Recording& r, ir::Transfer t, const RowPicks& rows, Where at);

}  // namespace tcp::detail
