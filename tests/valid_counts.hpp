// What a plan of valid counts comes to, flit by flit, by the book's formulas (unit/lower/vector_machine.hpp): the rules only set the registers.
#pragma once

#include "tcp/rules/valid_count.hpp"
#include "unit/lower/vector_machine.hpp"

namespace tcp {

inline std::int64_t flits(const ValidCountConfig& c) {
  std::int64_t n = 1;
  for (int i = 0; i < c.counters; ++i) n *= c.counter[i].limit;
  return n;
}

/// The tag of a flit: lane p holds data if p is below it.
inline std::int64_t valid_count(const ValidCountConfig& config, std::uint64_t slice, std::int64_t t) {
  program::ValidCount c;
  for (int i = 0; i < config.counters; ++i)
    c.counters.push_back({config.counter[i].limit, config.counter[i].stride, config.counter[i].serves});
  for (const ValidGate& g : config.gate) c.gates.push_back({g.mask, g.match, g.valid, g.transposed});
  c.packet_valid = config.packet_valid;
  c.lanes = config.lanes;
  return machine::valid_count(c, static_cast<std::int64_t>(slice), t);
}

}  // namespace tcp
