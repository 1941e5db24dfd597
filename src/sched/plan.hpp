// What the parts of the scheduler hand to each other: the commands with their costs, and the edges that hold whatever
// the order.
#pragma once

#include <span>

#include "sched/hazards.hpp"
#include "tcp/device/device.hpp"
#include "tcp/sched/schedule.hpp"

namespace tcp::sched {

struct Plan {
  const program::Program& program;
  const Device& device;
  std::vector<program::Cost> costs;
  std::vector<Cycles> totals;                 // of the costs
  std::vector<BankRuns> runs;                 // empty where the rule is off
  std::vector<program::Resources> resources;  // with the tensor DMA where a command would starve it
  std::vector<std::uint64_t> dma_queues;      // of those that occupy the tensor DMA: one bit per queue
  std::vector<program::Edge> hazards;         // by `to`
  std::vector<std::size_t> first_hazard;      // of each command, and one past the last
  Cycles chain{};                             // the longest chain of results

  std::size_t size() const { return totals.size(); }
  std::span<const program::Edge> hazards_of(std::size_t command) const {
    return std::span(hazards).subspan(first_hazard[command], first_hazard[command + 1] - first_hazard[command]);
  }
};

/// Finds the hazards of a plan whose costs and resources are known.
void find_hazards(Plan& plan, Kept kept);

/// Starts, ends and binding edges when commands are taken in this order.
program::Schedule put_in_time(const Plan& plan, std::vector<std::int32_t> order, bool keep_banks_free);

/// Another order that keeps the hazards: of the commands that could start, the one with the longest way to the end
/// first.
std::vector<std::int32_t> list_order(const Plan& plan);

}  // namespace tcp::sched
