// What the parts of the model `calibrated` share.
#pragma once

#include "sched/book/saturating.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/sched/calibrated.hpp"

namespace tcp::sched::calibrated {

/// To the nearest.
constexpr std::int64_t in_parts(std::int64_t n, std::int64_t parts, std::int64_t of) { return (book::times(n, parts) + of / 2) / of; }

constexpr Cycles seen(const Device& device, Cycles planned) { return Cycles{in_parts(planned.value, device.calibrated.seen_percent, 100)}; }

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

/// A plan as the chip keeps it; start-up is left to the caller.
inline void stretch(program::Cost& cost, Ratio by) {
  cost.streaming = Cycles{in_parts(cost.streaming.value, by.num, by.den)};
  for (program::StallCycles& s : cost.stalls) s.cycles = Cycles{in_parts(s.cycles.value, by.num, by.den)};
  for (program::EngineCycles& e : cost.engines) e.cycles = Cycles{in_parts(e.cycles.value, by.num, by.den)};
}

}  // namespace tcp::sched::calibrated
