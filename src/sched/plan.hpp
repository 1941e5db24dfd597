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
  std::vector<std::int32_t> after;  // the commands that need what is overwritten

  Cycles total() const { return dma + sub; }
};

/// The commands that the tables were written for which a command needs: itself, or earlier ones with the same tables.
struct Tables {
  std::int32_t of_switch = -1, of_lookup = -1;  // -1: it needs none
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
  std::vector<Tables> tables;                 // empty as well: whose preparations a command needs
  std::vector<program::Edge> hazards;         // by `to`
  std::vector<std::size_t> first_hazard;      // of each command, and one past the last
  Cycles chain{};                             // the longest chain of results
  Cycles prologue{}, synchronisation{};       // before the first command and after the last, whichever these are
  std::vector<Cycles> enters;                 // before each command: the loops that are entered since the barrier; empty: none
  std::vector<Cycles> lags;                   // how much later cluster 1 ends than cluster 0; empty: nobody lags
  std::vector<std::uint64_t> clusters;        // of each command, one bit per cluster of a chip; empty as well
  Cycles behind_pass{};                       // that a pass into TRF or VRF waits for the one that made its source

  std::size_t size() const { return totals.size(); }
  bool prepares(std::int32_t c) const { return !preparations.empty() && preparations[static_cast<std::size_t>(c)].total() > Cycles{0}; }
  /// Calls `visit(writer)` for each command whose preparation a command needs.
  template <class Visit>
  void each_preparation(std::size_t command, const Visit& visit) const {
    if (tables.empty()) return;
    const Tables& needed = tables[command];
    if (needed.of_switch >= 0) visit(needed.of_switch);
    if (needed.of_lookup >= 0 && needed.of_lookup != needed.of_switch) visit(needed.of_lookup);
  }
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
/// The order that ends first, as far as so many partial orders tell. Law: if fewer were looked at, no two commands are
/// kept apart for a bank of DM, no tables are written and no cluster lags, no order is shorter; so a program with a
/// command less, or a shorter one, never takes longer.
BestOrder best_order(const Plan& plan, Cycles known, std::int64_t nodes, const TimeOrder& in_time);

}  // namespace tcp::sched
