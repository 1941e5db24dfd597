// The kernel that is being recorded on a device, or, where no device is given, on this thread: what `from_addr`, which
// the book gives no context, belongs to.
#pragma once

#include "tcp/dsl/session.hpp"

namespace tcp::detail {

/// Refused: there is none.
Recording& recording(Session* session, Where at);

}  // namespace tcp::detail
