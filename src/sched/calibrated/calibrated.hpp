// What the parts of the models `planned` and `calibrated` share.
#pragma once

#include "sched/book/saturating.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/sched/calibrated.hpp"

namespace tcp::sched::calibrated {

/// To the nearest.
constexpr std::int64_t in_parts(std::int64_t n, std::int64_t parts, std::int64_t of) { return (book::times(n, parts) + of / 2) / of; }

constexpr const chip::Observed& observed(const Device& device, Figures figures) {
  return figures == Figures::Seen ? device.calibrated : device.planned;
}

/// More of a stall; causes stand once.
inline void add_stall(program::Cost& cost, program::Stall cause, std::int64_t cycles) {
  if (cycles <= 0) return;
  for (program::StallCycles& s : cost.stalls)
    if (s.cause == cause) {
      s.cycles += Cycles{cycles};
      return;
    }
  cost.stalls.push_back({cause, Cycles{cycles}});
}

}  // namespace tcp::sched::calibrated
