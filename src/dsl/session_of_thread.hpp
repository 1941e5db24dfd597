// The device whose kernel is being recorded on this thread: what `from_addr`, which the book gives no context, belongs to.
#pragma once

#include "tcp/dsl/record.hpp"

namespace tcp::detail {

Session* recording_session();

}  // namespace tcp::detail
