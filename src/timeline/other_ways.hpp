// Transfers as they would be if advice were followed, for a timing model to say what they take.
#pragma once

#include <optional>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"

namespace tcp::timeline {

/// Moves the same packets to and from the same places of DM, and in HBM one after the other, in the order of addresses.
/// Packets below a unit of HBM keep a unit each. None: HBM is read and written, an index names rows, or it is no
/// transfer of HBM.
std::optional<program::Dma> walked_in_order(const Device& device, const program::Dma& d);

/// Changes the slices of a transfer: engines whose slices are all of one DMN find half of them in the other one. None:
/// no engine has slices that could be shared out.
std::optional<program::Dma> by_both_dmns(const Device& device, const program::Dma& d);

}  // namespace tcp::timeline
