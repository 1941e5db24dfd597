// Whether the engines of a pass take what those before them give.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sim {

/// Follows packets and lanes through every pass of a program that program::check has accepted. After it, no engine
/// meets a stream of another shape than its settings say.
Verdict check_flow(const program::Program& program, const Device& device);

}  // namespace tcp::sim
