// Division with a chosen rounding. C++ rounds a quotient towards zero, which is right for neither blocks to be filled
// nor negative coordinates.
#pragma once

#include <cstdint>

namespace tcp {

/// Law: for b > 0, ceil_div(a, b) is the least q with q * b >= a.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }

/// Law: for b != 0, floor_div(a, b) is the greatest whole number that is not above a / b.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

/// The least multiple of `unit` that is not below n; the greatest number there is if that does not fit.
constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
  std::int64_t multiple = 0;
  return __builtin_mul_overflow(ceil_div(n, unit), unit, &multiple) ? INT64_MAX : multiple;
}

}  // namespace tcp
