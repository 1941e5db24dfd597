// Makes a trace from a program and its schedule: everything that reports, comparisons and the viewer show of them, in
// one value that needs neither.
//
// Numbers are those of the program and the schedule; names, mappings and source lines are those of the program's debug
// section.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tcp/device/device.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/support/source_names.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::timeline {

struct TraceOptions {
  std::string tool;  // that makes it, with its version
  /// The text of a line of a file, for the trace to carry; none: lines have their number only.
  LineReader source_line{};
  /// Whether each cluster has a queue of tensor DMA of its own. Of the scheduler's own models make_trace knows it.
  bool queue_per_cluster = false;
  /// Whether the scheduler kept commands apart that together would hold a bank of DM too long; if so, the trace has
  /// what another schedule needs to do the same.
  bool kept_banks_free = true;
  /// What the schedule's timing model says that a transfer takes alone, for findings to be planned by the same model;
  /// none where it does not say. Of the scheduler's own models make_trace knows it.
  std::function<std::optional<Cycles>(const program::Dma& transfer)> transfer_alone{};
};

/// The schedule must be of this program. Law: trace::check accepts it.
trace::Trace make_trace(const program::Program& program, const program::Schedule& schedule, const Device& device,
                        const TraceOptions& options = {});

/// Sixteen hexadecimal digits that depend on everything a chip is given, and on nothing that is for people.
std::string hash_of(const program::Program& program);

}  // namespace tcp::timeline
