// How long a command takes by itself: what the scheduler asks a timing model.
//
// A model sees one command and the device, never the others, so that costs can be worked out in any order and kept.
// What commands do to each other (hazards, resources, banks that are held too long) is the scheduler's.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "tcp/program/bank_runs.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::sched {

/// How long a command holds each bank of DM; empty if it touches none.
using program::BankRuns;

/// The most that one command may take, so that the sum over a program fits into 64 bits.
inline constexpr Cycles longest_command{std::int64_t{1} << 44};
/// What a model says of a longer one.
Refusal command_too_long(Cycles total);

class Duration {
 public:
  virtual ~Duration() = default;

  virtual std::string_view name() const = 0;
  /// What a command takes. `number` is its place in the program: a model that measured a program knows it by that.
  /// Refuses a command whose cycles no counter holds.
  virtual Expected<program::Cost> cost(const program::Command& command, std::size_t number) const = 0;

  /// What a program takes before its first command and after its last: added to their start-ups.
  virtual Cycles prologue() const { return Cycles{0}; }
  virtual Cycles synchronisation() const { return Cycles{0}; }
  /// What is done before a command that finds another table in the chip than its own: by the DMA, then by sub. A pass
  /// with a custom switch then holds main alone. Models that do not know of tables say nothing.
  struct Tables {
    Cycles switch_dma{};
    Cycles lookup_dma{};
    Cycles lookup_sub{};
  };
  virtual std::optional<Tables> tables() const { return {}; }
  /// Whether commands are taken as they become ready, whatever the order of the program; among those that are ready, in
  /// that order.
  virtual bool takes_what_is_ready() const { return false; }
  /// Whether commands wait for each that touches the same tensor in DM, be it another part of it.
  virtual bool waits_for_whole_buffers() const { return false; }
  /// Whether no command moves past the barriers of a program: the rounds of loops that are not unrolled.
  virtual bool keeps_loops() const { return false; }
  /// What it takes to enter one of these loops.
  virtual Cycles loop_entry() const { return Cycles{0}; }
  /// What a pass into TRF or VRF waits for the end of the pass that made its source.
  virtual Cycles behind_pass() const { return Cycles{0}; }
  /// How much later cluster 1 ends a command than cluster 0, if both begin it together. The end of a command is that of
  /// cluster 0: its queues are free then, while cluster 1 goes on.
  virtual Cycles lag(const program::Command&) const { return Cycles{0}; }
  /// Whether each cluster has a queue of tensor DMA of its own; else a chip's clusters share one.
  virtual bool queue_per_cluster() const { return false; }
};

}  // namespace tcp::sched
