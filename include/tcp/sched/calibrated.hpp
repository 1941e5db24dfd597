// The timing models `planned` and `calibrated`: the book's closed forms, mended by what others saw (docs/accuracy.md).
//
// `planned` is what the vendor's scheduler expects of a command, `calibrated` what a chip then took, in cycles of the
// core clock. Both have the same forms; their numbers are those of Device::planned and Device::calibrated.
//
// A pass has an overhead that depends on what it is for, and then takes what its slowest engine takes. A DMA engine
// moves runs, at a rate that depends on their length and on where they begin. Engines of a cluster that read the same
// stretch of HBM wait for each other; a slice of DM sends at its own rate; a store of parts of units has a price by the
// piece, and where the parts meet they are read, changed and written one after the other.
//
// Where both clusters of a chip load, cluster 0 goes first and cluster 1 gets what HBM leaves: a load has two ends. Its
// queue is free at the first; what needs both clusters waits for the second.
//
// A program has a prologue and ends with a synchronisation. Commands are taken as they become ready. Tables of custom
// switches and of lookups are written before the pass that needs another one than there is. Two parts of one tensor in
// DM wait for each other. A loop that is not unrolled holds everything, and takes time to enter.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/sched/i_duration.hpp"

namespace tcp::sched {

enum class Figures { Planned, Seen };

namespace calibrated {

/// Before a pass streams.
Cycles pass_overhead(const Device& device, const program::Exec& e, Figures figures);
program::Cost pass_cost(const Device& device, const program::Exec& e, Figures figures);

/// Writes of HBM that leave a part of a unit as it was.
struct PartialWrites {
  std::int64_t all = 0;
  std::int64_t on_one_channel = 0;  // at most
  std::int64_t in_turn = 0;         // of one DMN, at most: those that share their unit with the partial write before or after them
  std::int64_t contested = 0;       // the squares of how many go into each unit that several engines write, of one cluster at most

  bool operator==(const PartialWrites&) const = default;
};
PartialWrites partial_writes(const Device& device, const program::Dma& d);
program::Cost dma_cost(const Device& device, const program::Dma& d, Figures figures);
/// How much later cluster 1 ends it than cluster 0, where both load.
Cycles dma_lag(const Device& device, const program::Dma& d, Figures figures);
/// Hundredths of a byte that an engine moves in a cycle, by the length of the descriptor's runs.
std::int64_t engine_rate(const Device& device, const program::DmaDescriptor& d, Figures figures);

}  // namespace calibrated

class CalibratedDuration final : public Duration {
 public:
  explicit CalibratedDuration(const Device& device, Figures figures = Figures::Seen) : device_(device), figures_(figures) {}

  std::string_view name() const override { return figures_ == Figures::Seen ? "calibrated" : "planned"; }
  Expected<program::Cost> cost(const program::Command& command, std::size_t number) const override;
  Cycles prologue() const override { return numbers().prologue; }
  Cycles synchronisation() const override { return numbers().synchronisation; }
  std::optional<Tables> tables() const override {
    return Tables{numbers().switch_table, numbers().lookup_table_dma, numbers().lookup_table_sub};
  }
  bool waits_for_whole_buffers() const override { return true; }
  bool takes_what_is_ready() const override { return true; }
  bool keeps_loops() const override { return true; }
  Cycles loop_entry() const override { return numbers().loop_entry; }
  Cycles behind_pass() const override { return numbers().behind_pass; }
  Cycles lag(const program::Command& command) const override;

 private:
  const chip::Observed& numbers() const { return figures_ == Figures::Seen ? device_.calibrated : device_.planned; }

  Device device_;
  Figures figures_;
};

}  // namespace tcp::sched
