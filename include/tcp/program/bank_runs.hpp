// How long a walk holds a bank of DM, access after access: what the 64-access rule counts.
//
// DMA has the lowest priority in a bank. Sixty-four accesses in a row to one bank keep it out for longer than the
// network waits; so lowering gives a command with such a run the DMA engines, too, and the scheduler adds up what runs
// side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"

namespace tcp::program {

/// By bank, accesses in a row.
using BankRuns = std::vector<std::int64_t>;

/// Law: runs[b] is the longest stretch of accesses all of which touch bank b, or the device's limit where that is less.
BankRuns bank_runs(const Device& device, const Sequencer& walk);

/// The walks of a fetch: one for all units that begin alike, the nearest first.
std::vector<Sequencer> walks_of(const Fetch& fetch, const Units& units);

}  // namespace tcp::program
