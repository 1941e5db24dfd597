// The timing model `calibrated`: the book's closed forms, mended by what others saw (docs/accuracy.md). Its numbers are
// those of Device::calibrated.
//
// Two kinds of figures are public: what the vendor's planner expects of a command, and what a chip then took. The model
// has a setting for each. `Planned` is what plans can be compared with; `Seen` is the model's own name, `calibrated`,
// and adds what only the chip showed.
//
// A pass has an overhead that depends on what it is for, and then takes what its slowest engine takes. A DMA engine
// takes a little more than two cycles per request, and a stretch of HBM as long as the longest packet is given out by
// one engine at a time, so that a broadcast is no faster than one engine. Partial writes of HBM are read, changed and
// written: in a channel one after the other, and also where a DMN writes the same unit again and has to wait for
// itself.
//
// A program has a prologue and ends with a synchronisation; each cluster has a DMA queue of its own.
//
// On the chip everything takes longer by one factor, but for what has figures of its own: reads of HBM, which have
// rates by the length of their runs, and broadcasts, which wait for their descriptors.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/sched/i_duration.hpp"

namespace tcp::sched {

enum class Figures { Planned, Seen };

namespace calibrated {

/// Before a pass streams, as planned.
Cycles pass_overhead(const Device& device, const program::Exec& e);
program::Cost pass_cost(const Device& device, const program::Exec& e, Figures figures);

/// Writes of HBM that leave a part of a unit as it was.
struct PartialWrites {
  std::int64_t all = 0;
  std::int64_t on_one_channel = 0;  // at most
  std::int64_t in_turn = 0;         // of one DMN, at most: those that share their unit with the partial write before or after them
  std::int64_t contested = 0;       // of one unit that several engines write partially, at most

  bool operator==(const PartialWrites&) const = default;
};
PartialWrites partial_writes(const Device& device, const program::Dma& d);
program::Cost dma_cost(const Device& device, const program::Dma& d, Figures figures);

/// Bytes a cycle that both clusters together read from HBM in runs of this length.
std::int64_t read_rate(const Device& device, std::int64_t run_bytes);

}  // namespace calibrated

class CalibratedDuration final : public Duration {
 public:
  explicit CalibratedDuration(const Device& device, Figures figures = Figures::Seen) : device_(device), figures_(figures) {}

  std::string_view name() const override { return figures_ == Figures::Seen ? "calibrated" : "planned"; }
  Expected<program::Cost> cost(const program::Command& command, std::size_t number) const override;
  Cycles prologue() const override { return device_.calibrated.prologue; }
  Cycles synchronisation() const override { return device_.calibrated.synchronisation; }
  bool queue_per_cluster() const override { return true; }

 private:
  Device device_;
  Figures figures_;
};

}  // namespace tcp::sched
