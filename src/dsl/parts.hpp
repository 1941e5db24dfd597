// What several files of this folder have in common: refusals, the kernel that is being recorded, gathers and scatters
// of both front ends.
#pragma once

#include "tcp/dsl/record.hpp"
#include "tcp/dsl/session.hpp"

namespace tcp::detail {

Refusal outside_kernel(Where at);
Refusal empty_tensor(Where at);
/// A tensor that means nothing to a device: of a kernel that has ended, or of another device.
Refusal foreign_tensor(const Node& node, const Session* device, Where at);

/// Refused: there is none.
Recording& recording(Session* session, Where at);

/// Needs: kind, source and destination of the transfer. Refused: a count for an index tensor of several axes, or beyond
/// its end.
void pick_rows(Recording& r, ir::Transfer t, const RowPicks& rows, Where at);

}  // namespace tcp::detail
