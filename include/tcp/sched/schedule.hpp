// Gives every command of a program its start and its end, and says what it waited for.
//
// Commands are taken in program order. Main, sub, the tensor-DMA queue and the PCIe DMA run side by side, each one
// command at a time and in order; a command starts when what it occupies is free and every earlier command that wrote
// what it touches, or read what it overwrites, has ended. Nothing else makes it wait: waits follow from addresses
// alone.
//
// A command that holds a bank of DM for as many accesses in a row as the chip allows also occupies the tensor DMA.
// Where several together would keep a DMA from a bank for as long, the later one in program order waits for one of the
// others.
#pragma once

#include <memory>
#include <string_view>

#include "tcp/device/device.hpp"
#include "tcp/program/schedule.hpp"
#include "tcp/sched/i_duration.hpp"
#include "tcp/support/version.hpp"

namespace tcp::sched {

/// What commands are taken by before any reordering.
enum class Order { of_model, program, ready };

struct Options {
  /// Commands may be taken in another order that keeps every hazard. The result is never longer; Schedule::gained says
  /// what it was worth, and Bounds::order what no order can beat.
  bool reorder = false;
  /// Partial orders of a program of at most 64 commands that are looked at to find the shortest. Where that is enough
  /// to rule the others out, a shorter program never takes longer.
  std::int64_t orders = 50'000;
  /// The 64-access rule.
  bool keep_banks_free = true;
  /// In program order, as they become ready, or whichever the model of time has (Duration::takes_what_is_ready).
  Order order = Order::of_model;
};

/// A program that was read from a file is checked first (program/check.hpp).
/// Law: no hazard is broken, nothing is occupied twice at a time, and each start is the end of the command that binds
/// it, or 0.
Expected<program::Schedule> schedule(const program::Program& program, const Device& device, const Duration& duration,
                                     const Options& options = {});

/// A timing model by its name.
Expected<std::unique_ptr<Duration>> duration_named(std::string_view name, const Device& device);

/// What no schedule of these commands can be shorter than, as far as bytes and multiply-adds tell; `chain` is left to
/// the scheduler.
program::Bounds rate_bounds(const program::Program& program, const Device& device);

/// A bit for each cluster whose queue of tensor DMA a command goes through, chip by chip; beyond the last bit queues
/// are shared.
std::uint64_t queues_by_cluster(const Device& device, const program::Command& command);

}  // namespace tcp::sched
