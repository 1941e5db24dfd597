// How one mapping is found inside another, by the steps that their digits count.
//
// `A % 8` counts steps 1, 2, 4 of A = 32 (as a product, 1 up to 8), `A / 4` counts 4, 8, 16: what they have in common
// is 4 up to 8. If the borders of two digits do not divide each other (base 5 against base 3) no loop nest can walk one
// mapping in the order of the other.
#pragma once

#include "tcp/mapping/print.hpp"
#include "tcp/support/round.hpp"

namespace tcp {

/// Some steps of an axis: `size` of them, `stride` apart.
struct Steps {
  std::int64_t stride = 1, size = 1;

  constexpr bool operator==(const Steps&) const = default;
  constexpr std::int64_t end() const { return stride * size; }
};

/// One loop of a sequencer: `size` rounds, `stride` positions apart. An indirect one moves by table[round] strides
/// instead.
struct Entry {
  std::int64_t size = 1, stride = 0;
  bool indirect = false;
  std::int64_t rows = 0;  // of an indirect loop: how many the table may name

  constexpr bool operator==(const Entry&) const = default;
};

/// The digit of m that counts steps of `stride` along an axis, and how many of them.
struct Found {
  int digit = -1;
  std::int64_t skip = 1;  // steps of the digit that one asked step is
  std::int64_t have = 1;  // asked steps that fit
  bool divides = false;   // and they fit exactly, or the axis ends there
  bool overlap = false;   // m counts some of the asked steps, in this way or another
};

constexpr Found find_steps(const Mapping& m, Name axis, Steps asked) {
  Found f;
  for (int k = 0; k < m.digits; ++k) {
    Digit const& y = m.digit[k];
    if (y.axis == no_axis || !(m.axis[y.axis].name == axis)) continue;
    if (asked.stride < y.stride * y.size && y.stride < asked.end()) f.overlap = true;
    if (asked.stride < y.stride || asked.stride % y.stride != 0 || asked.stride / y.stride >= y.size) continue;
    f.digit = k;
    f.skip = asked.stride / y.stride;
    f.have = ceil_div(y.size, f.skip);
    f.divides = y.size % f.skip == 0 || reaches_end(m, y);
  }
  return f;
}

}  // namespace tcp
