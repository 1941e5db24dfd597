// Bytes of one memory, from an address to before another.
#pragma once

#include "tcp/support/units.hpp"

namespace tcp {

struct Interval {
  Bytes begin{}, end{};  // end is the first byte after it

  constexpr bool operator==(const Interval&) const = default;
  constexpr bool overlaps(const Interval& o) const { return begin < o.end && o.begin < end; }
};

}  // namespace tcp
