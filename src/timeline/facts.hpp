// What the rules of a report want to know of a command: how much of the chip it uses, and how it asks the memories.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcp/device/device.hpp"
#include "tcp/program/program.hpp"
#include "tcp/program/schedule.hpp"
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
  /// `length`: of the command. A channel works no longer than that.
  trace::DmaFacts facts_of(const program::Dma& d, Cycles length);
  void add_other_ways(const program::Command& from, const program::Dma& d, trace::Command& to) const;
  Cycles length_if(const program::Dma& d, const std::optional<program::Dma>& other, const trace::Command& now) const;

  const program::Program& program_;
  const Device& device_;
  std::string model_;
  TransferAlone alone_;
  sched::BankRunFinder bank_runs_;
  std::map<std::int32_t, std::vector<ChannelSum>> channels_;
};

// Records of a program as words of a trace: which cause, which engine, which slices.

const char* word_of(program::Engine engine);
const char* word_of(program::Stall cause);
const char* word_of(program::EdgeKind kind);
const char* word_of(program::Memory memory);
const char* word_of(program::Resource resource);
const char* word_of(program::OrderKind kind);

trace::Units units_of(const program::Units& units);

/// Those of 0 to 63 whose bit is set, as a text: "0-3,8".
std::string numbers_of(std::uint64_t bits);
/// Numbers that stand in order, as such a text.
std::string numbers_of(const std::set<std::int32_t>& numbers);

/// How the engines are set.
std::vector<trace::Setting> setting_texts(const program::Command& command);

/// Moves the same packets to and from the same places of DM, and in HBM one after the other, in the order of addresses.
/// Packets below a unit of HBM keep a unit each. None: HBM is read and written, an index names rows, or it is no
/// transfer of HBM.
std::optional<program::Dma> walked_in_order(const Device& device, const program::Dma& d);

/// Changes the slices of a transfer: engines whose slices are all of one DMN find half of them in the other one. None:
/// no engine has slices that could be shared out.
std::optional<program::Dma> by_both_dmns(const Device& device, const program::Dma& d);

}  // namespace tcp::timeline
