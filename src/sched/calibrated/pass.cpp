// A pass through the Tensor Unit in the model `calibrated`: an overhead by its purpose, and the slowest engine of the
// book.
#include <algorithm>

#include "sched/calibrated/calibrated.hpp"

namespace tcp::sched::calibrated {

namespace {

using program::Engine;

std::int64_t ring_of(const program::Exec& e) {
  return e.switching && e.switching->topology != program::Topology::Forwarding ? e.switching->ring_size : 0;
}

/// The book counts one cycle for each slice of a group; planners expect about nine.
Cycles inter_slice_reduces(const Device& device, const program::Exec& e) {
  std::int64_t slices = 0;
  if (e.vector)
    for (const program::VectorStep& step : e.vector->steps)
      if (const auto* r = std::get_if<program::InterSliceReduceStep>(&step.what)) slices = book::plus(slices, r->group_slices);
  return Cycles{in_parts(slices, device.calibrated.inter_slice_reduce.value, device.levels.slices_per_cluster)};
}

std::int64_t lookup_cycles(const Device& device, const program::Fetch& fetch) {
  if (fetch.table < 0) return 0;
  return book::quotient_up(book::times(book::times(fetch.read.packets, fetch.packet_elements), 10), device.calibrated.table_elements);
}

/// The engines as the book has them, but for the steps of a ring; and the time that the slowest one adds to the fetch.
void pace(program::Cost& cost, const Device& device, const program::Exec& e) {
  std::int64_t most = 0;
  for (program::EngineCycles& each : cost.engines) {
    if (each.engine == Engine::Switch) each.cycles += Cycles{book::times(ring_of(e), device.calibrated.switch_steps)};
    if (each.cycles.value <= most) continue;
    most = each.cycles.value;
    cost.slowest = each.engine;
  }
  cost.stalls.clear();
  add_stall(cost, program::Stall::Engine, most - cost.streaming.value);
}

}  // namespace

Cycles pass_overhead(const Device& device, const program::Exec& e) {
  const chip::Calibrated& c = device.calibrated;
  if (e.vector) return c.vector_pass;
  if (!std::holds_alternative<program::Commit>(e.sink)) return c.sub_pass;
  return e.contraction ? c.contraction_pass : c.switch_pass;
}

program::Cost pass_cost(const Device& device, const program::Exec& e, Figures figures) {
  program::Cost cost = book::pass_cost(device, e);
  pace(cost, device, e);
  cost.startup = pass_overhead(device, e) + inter_slice_reduces(device, e) + book::lift_table(device, e.fetch);
  if (figures == Figures::Planned) return cost;
  // What goes round in a ring has a rate of its own.
  Ratio const switched{device.flit.bytes.value, device.calibrated.switch_bytes_seen.value}, other{device.calibrated.seen_percent, 100};
  stretch(cost, cost.slowest == Engine::Switch ? switched : other);
  cost.startup = seen(device, cost.startup);
  std::int64_t const running = (cost.total() - cost.startup).value;
  if (std::int64_t const lookup = lookup_cycles(device, e.fetch); lookup > running) {
    add_stall(cost, program::Stall::Engine, lookup - running);
    cost.slowest = Engine::Fetch;
  }
  return cost;
}

}  // namespace tcp::sched::calibrated
