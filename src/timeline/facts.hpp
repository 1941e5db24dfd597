// What the rules of a report want to know of a command: how much of the chip it uses, and how it asks the memories.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/sched/bank_runs.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::timeline {

/// Gathers facts command by command, and what all of them together ask of each channel of HBM.
class FactFinder {
 public:
  /// What a transfer takes alone, by the model at hand; none where it does not say.
  using TransferAlone = std::function<std::optional<Cycles>(const program::Dma& transfer)>;

  /// `model` and `alone`: by whose figures costs of other ways to do the same are told.
  FactFinder(const program::Program& program, const Device& device, std::string_view model, TransferAlone alone)
      : program_(program), device_(device), model_(model), alone_(std::move(alone)), bank_runs_(device) {}

  /// Needs: the costs of `to`.
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
  void add_other_ways(const program::Command& from, const program::Dma& d, trace::Command& to) const;
  Cycles length_if(const program::Dma& d, const std::optional<program::Dma>& other, const trace::Command& now) const;

  const program::Program& program_;
  const Device& device_;
  std::string model_;
  TransferAlone alone_;
  sched::BankRunFinder bank_runs_;
  std::map<std::int32_t, std::vector<ChannelSum>> channels_;
};

}  // namespace tcp::timeline
