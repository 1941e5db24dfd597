// What the parts of the scheduler hand to each other: the commands with their costs, and the edges that hold whatever
// the order.
#pragma once

#include <functional>
#include <span>

#include "sched/hazards.hpp"
#include "tcp/device/device.hpp"
#include "tcp/sched/schedule.hpp"

namespace tcp::sched {

/// What a command needs to be done before it: tables that are written, by the DMA and then by sub.
struct Preparation {
  Cycles dma{}, sub{};
  std::int32_t after = -1;  // the last command that needs what is overwritten

  Cycles total() const { return dma + sub; }
};

/// In an order of commands, what is done before command c.
constexpr std::int32_t preparation_of(std::int32_t c) { return -1 - c; }

struct Plan {
  const program::Program& program;
  const Device& device;
  std::vector<program::Cost> costs;
  std::vector<Cycles> totals;                 // of the costs
  std::vector<BankRuns> runs;                 // empty where the rule is off
  std::vector<program::Resources> resources;  // with the tensor DMA where a command would starve it
  std::vector<std::uint64_t> dma_queues;      // of those that occupy the tensor DMA: one bit per queue
  std::vector<Preparation> preparations;      // empty where the model knows of none
  std::vector<program::Edge> hazards;         // by `to`
  std::vector<std::size_t> first_hazard;      // of each command, and one past the last
  Cycles chain{};                             // the longest chain of results
  Cycles prologue{}, synchronisation{};       // before the first command and after the last, whichever these are
  std::vector<Cycles> enters;                 // before each command: the loops that are entered since the barrier; empty: none
  Cycles behind_pass{};                       // that a pass into TRF or VRF waits for the one that made its source

  std::size_t size() const { return totals.size(); }
  bool prepares(std::int32_t c) const { return !preparations.empty() && preparations[static_cast<std::size_t>(c)].total() > Cycles{0}; }
  std::span<const program::Edge> hazards_of(std::size_t command) const {
    return std::span(hazards).subspan(first_hazard[command], first_hazard[command + 1] - first_hazard[command]);
  }
};

/// Finds the hazards of a plan whose costs and resources are known.
void find_hazards(Plan& plan, Kept kept, const Duration& duration);

/// Starts, ends and binding edges when commands, and what is done before them, are taken in this order.
program::Schedule put_in_time(const Plan& plan, std::vector<std::int32_t> order, bool keep_banks_free);

/// Another order that keeps the hazards: of the commands that could start, the one with the longest way to the end
/// first, or the first of the program.
enum class First { longest_way, earliest };
std::vector<std::int32_t> list_order(const Plan& plan, First first);

/// How long the program takes in an order.
using TimeOrder = std::function<Cycles(const std::vector<std::int32_t>& order)>;
struct BestOrder {
  std::vector<std::int32_t> order;  // empty: none was found that is shorter than what is known
  Cycles least{};                   // no order is shorter; 0: none was looked for
};
/// Programs of more commands are not searched; `least` is then what their queues and chains need.
inline constexpr std::size_t most_commands_searched = 64;
/// The order that ends first, as far as so many partial orders tell. Law: if fewer were looked at, and no two commands
/// are kept apart for a bank of DM, no order is shorter; so a program with a command less, or a shorter one, never
/// takes longer.
BestOrder best_order(const Plan& plan, Cycles known, std::int64_t nodes, const TimeOrder& in_time);

}  // namespace tcp::sched
