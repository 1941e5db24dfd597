// The Switch Engine: topology registers, the ring, and for every slice the bitmap of the slices it takes packets from.
//
// Needs: what rules/switch.hpp found. Leaves: program::Switch. Refuses nothing.
#include "lower/pass.hpp"

namespace tcp::lower {

namespace {

std::vector<program::RouteStep> route(const SwitchRoute& r) {
  std::vector<program::RouteStep> steps;
  for (int k = 0; k < r.steps; ++k) steps.push_back({r.step[k].size, r.step[k].slice, r.step[k].time, r.step[k].held});
  return steps;
}

/// How far along the slices a position of a route leads; -1 where no slice sends.
std::int64_t slices_along(const std::vector<program::RouteStep>& steps, std::int64_t position) {
  std::int64_t slices = 0;
  for (std::size_t k = steps.size(); k-- > 0;) {
    std::int64_t const round = position % steps[k].size;
    position /= steps[k].size;
    if (round >= steps[k].held) return -1;
    slices += round * steps[k].slice;
  }
  return slices;
}

}  // namespace

Expected<program::Switch> lower_switch(const TensorUnitPass& p, std::size_t i) {
  const Switched& s = p.found(i).as<Switched>();
  const SwitchConfig& asked = std::get<ir::Switch>(p.stage(i).what).config;
  program::Switch out;
  out.topology = s.topology;
  out.slice1 = asked.slice1;
  out.slice0 = asked.slice0;
  out.time0 = asked.time0;
  out.ring_size = s.ring_size;
  out.time_out = s.time.size;
  out.of_slice = route(s.of_slice);
  out.of_time = route(s.of_time);
  if (s.topology == Topology::Forwarding) return out;
  // A slice takes packets from wherever its own route and any step of time lead; only steps that move along the slices
  // matter.
  std::vector<program::RouteStep> moving;
  for (const program::RouteStep& step : out.of_time)
    if (step.slice != 0) moving.push_back(step);
  std::vector<std::int64_t> reached{0};
  for (const program::RouteStep& step : moving) {
    std::vector<std::int64_t> next;
    for (std::int64_t from : reached)
      for (std::int64_t round = 0; round < step.held; ++round) next.push_back(from + round * step.slice);
    reached = std::move(next);
  }
  std::int64_t const slices = s.slice.size;
  out.snoop.resize(static_cast<std::size_t>(slices));
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    std::int64_t const base = slices_along(out.of_slice, slice);
    if (base < 0) continue;
    for (std::int64_t along : reached) out.snoop[static_cast<std::size_t>(slice)].insert(base + along);
  }
  return out;
}

}  // namespace tcp::lower
