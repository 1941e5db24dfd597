// Refusals that several files of this folder have in common.
#pragma once

#include "tcp/dsl/session.hpp"

namespace tcp::detail {

Refusal outside_kernel(Where at);
Refusal empty_tensor(Where at);
/// A tensor that means nothing to a device: of a kernel that has ended, or of another device.
Refusal foreign_tensor(const Node& node, const Session* device, Where at);

}  // namespace tcp::detail
