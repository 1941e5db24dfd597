// A pass through the Tensor Unit in the models `planned` and `calibrated`: an overhead by its purpose, and the slowest
// engine of the book, but for rings, lookups and operands that plans or chips take longer for.
#include <algorithm>

#include "sched/calibrated/calibrated.hpp"

namespace tcp::sched::calibrated {

namespace {

using program::Engine;

/// The slices of the ring that data go round in; 0: they do not.
std::int64_t ring_of(const program::Exec& e) {
  return e.switching && e.switching->topology != program::Topology::Forwarding ? e.switching->ring_size : 0;
}

bool stashes(const program::Vector& v) {
  return std::any_of(v.steps.begin(), v.steps.end(),
                     [](const program::VectorStep& s) { return std::holds_alternative<program::StashStep>(s.what); });
}

/// The book counts one cycle for each slice of a group; plans and chips have more.
Cycles inter_slice_reduces(const chip::Observed& c, const program::Exec& e) {
  std::int64_t slices = 0;
  if (e.vector)
    for (const program::VectorStep& step : e.vector->steps)
      if (const auto* r = std::get_if<program::InterSliceReduceStep>(&step.what)) slices = book::plus(slices, r->group_slices);
  if (slices == 0) return {};
  if (e.contraction) return Cycles{in_parts(slices, c.reduce_sums_hundredths, 100)};
  return c.reduce + Cycles{in_parts(slices, c.reduce_hundredths, 100)};
}

/// Flits behind the table, at the pace of lookups.
std::int64_t lookup_cycles(const Device& device, const chip::Observed& c, const program::Exec& e) {
  std::int64_t const bytes = book::quotient_up(book::times(e.fetch.packet_elements, scalar_info(e.fetch.type).packet_bits), 8);
  std::int64_t const flits = book::times(e.fetch.read.packets, book::flits(device, bytes, e.dual));
  return in_parts(flits, c.lookup_hundredths, 100);
}

/// Whether lanes have operands of their own.
bool by_lane(const program::VrfWalk& walk) { return !walk.loops.empty() && walk.loops.back().stride != 0; }
/// Whether later packets have other operands.
bool moves_on(const program::VrfWalk& walk) {
  auto const steps = [](const program::Loop& l) { return l.size > 1 && l.stride != 0; };
  return !walk.loops.empty() &&
         ((by_lane(walk) && walk.loops.back().size > 4) || std::any_of(walk.loops.begin(), walk.loops.end() - 1, steps));
}

/// Percent of its time that a pass takes which works on four lanes at a time with operands of the VRF that move on.
std::int64_t vrf_percent(const chip::Observed& c, const program::Vector& v) {
  bool narrow = false;
  std::int64_t percent = 100;
  for (const program::VectorStep& step : v.steps) {
    if (const auto* shape = std::get_if<program::ReshapeStep>(&step.what))
      narrow = shape->width == program::ReshapeStep::Width::Split || shape->width == program::ReshapeStep::Width::Trim;
    const auto* operation = std::get_if<program::OperateStep>(&step.what);
    if (operation == nullptr || !narrow) continue;
    for (const program::OperandSlot& o : operation->operands)
      if (const auto* walk = std::get_if<program::VrfWalk>(&o.source); walk != nullptr && moves_on(*walk))
        percent = std::max(percent, by_lane(*walk) ? c.vrf_walk_percent : c.vrf_coarse_percent);
  }
  return percent;
}

/// Slices of a ring that have data for it: at most of all rings.
std::int64_t senders(const Device& device, const program::Exec& e) {
  std::int64_t const ring = ring_of(e);
  std::int64_t most = 0;
  for (std::int64_t first = 0; first < device.levels.slices_per_cluster; first += ring) {
    std::int64_t count = 0;
    for (std::int64_t s = first; s < std::min(first + ring, device.levels.slices_per_cluster); ++s) count += e.units.slices.contains(s);
    most = std::max(most, count);
  }
  return most;
}

/// On chips the slices without data do not hold up a broadcast, neither in the ring nor behind it; a custom switch
/// waits for all.
void leave_out_empty_slices(program::Cost& cost, const Device& device, const chip::Observed& c, const program::Exec& e) {
  std::int64_t const ring = ring_of(e);
  if (ring == 0 || (e.switching->topology != program::Topology::Broadcast1 && e.switching->topology != program::Topology::Broadcast01))
    return;
  std::int64_t const sending = senders(device, e);
  if (sending == 0 || sending >= ring) return;
  for (program::EngineCycles& each : cost.engines) {
    if (each.engine == Engine::Fetch) continue;
    std::int64_t const once_round = each.engine == Engine::Switch ? in_parts(ring, c.ring_hundredths, 100) : 0;
    each.cycles = std::min(each.cycles, Cycles{in_parts(each.cycles.value, sending, ring) + once_round});
  }
}

/// The engines as the book has them, but for those that were seen to be slower; and the time that the slowest one adds
/// to the fetch.
void pace(program::Cost& cost, const Device& device, const chip::Observed& c, const program::Exec& e, Figures figures) {
  std::int64_t most = 0;
  if (figures == Figures::Seen) leave_out_empty_slices(cost, device, c, e);
  if (e.fetch.table >= 0) cost.engines.push_back({Engine::Fetch, Cycles{lookup_cycles(device, c, e)}});
  for (program::EngineCycles& each : cost.engines) {
    if (each.engine == Engine::Switch && ring_of(e) > slices_per_pe(device))
      each.cycles += Cycles{book::times(ring_of(e), c.long_ring_steps)};
    if (each.engine == Engine::Vector && e.vector) each.cycles = Cycles{in_parts(each.cycles.value, vrf_percent(c, *e.vector), 100)};
    if (each.cycles.value <= most) continue;
    most = each.cycles.value;
    cost.slowest = each.engine;
  }
  cost.stalls.clear();
  add_stall(cost, program::Stall::Engine, most - cost.streaming.value);
}

}  // namespace

Cycles pass_overhead(const Device& device, const program::Exec& e, Figures figures) {
  const chip::Observed& c = observed(device, figures);
  if (e.vector && !e.contraction) return stashes(*e.vector) ? c.vector_pass + c.stash : c.vector_pass;
  if (e.fetch.table >= 0) return c.lookup_pass;
  if (!std::holds_alternative<program::Commit>(e.sink)) return c.sub_pass;
  if (e.contraction) return c.contraction_pass;
  return ring_of(e) > 0 ? c.switch_pass : c.move_pass;
}

program::Cost pass_cost(const Device& device, const program::Exec& e, Figures figures) {
  const chip::Observed& c = observed(device, figures);
  program::Cost cost = book::pass_cost(device, e);
  pace(cost, device, c, e, figures);
  cost.startup = pass_overhead(device, e, figures) + inter_slice_reduces(c, e) + book::lift_table(device, e.fetch);
  return cost;
}

}  // namespace tcp::sched::calibrated
