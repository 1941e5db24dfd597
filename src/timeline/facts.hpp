// What the rules of a report want to know of a command: how much of the chip it uses, and how it asks the memories.
#pragma once

#include <map>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/sched/bank_runs.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::timeline {

/// Gathers facts command by command, and what all of them together ask of each channel of HBM.
class FactFinder {
 public:
  explicit FactFinder(const Device& device) : device_(device), bank_runs_(device) {}

  void add_to(const program::Command& from, trace::Command& to);
  /// Accesses in a row to each bank of DM; empty: the command leaves DM alone.
  std::vector<std::int64_t> runs_of(const program::Command& command);
  /// By chip, stack and channel; nothing of chips whose HBM no command touched.
  std::vector<trace::Usage> channels() const;

 private:
  struct ChannelSum {
    std::int64_t requests = 0, row_switches = 0;
    double busy = 0;
  };

  trace::PassFacts facts_of(const program::Exec& e) const;
  trace::DmaFacts facts_of(const program::Dma& d);

  const Device& device_;
  sched::BankRunFinder bank_runs_;
  std::map<std::int32_t, std::vector<ChannelSum>> channels_;
};

}  // namespace tcp::timeline
