// How long a command holds each bank of DM, access after access (tcp/program/bank_runs.hpp): commands side by side add
// up.
#pragma once

#include <string>
#include <unordered_map>

#include "tcp/device/device.hpp"
#include "tcp/sched/i_duration.hpp"

namespace tcp::sched {

/// Finds the runs of commands, and remembers them: commands of a kernel are mostly alike. A pass holds a bank for the
/// longer of its fetch and its commit, which never starve each other; a DMA takes every bank for one access.
class BankRunFinder {
 public:
  explicit BankRunFinder(const Device& device) : device_(device) {}
  BankRuns of(const program::Command& command);

 private:
  const BankRuns& of(const program::Sequencer& walk);
  BankRuns of_copy(const program::Dma& dma);

  const Device& device_;
  std::unordered_map<std::string, BankRuns> known_;
};

}  // namespace tcp::sched
