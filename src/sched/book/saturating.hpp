// Products and sums of sizes that a file may have chosen: never negative, never beyond `endless`.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tcp/sched/book.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sched::book {

constexpr std::int64_t bounded(std::int64_t n) { return std::clamp(n, std::int64_t{0}, endless); }

constexpr std::int64_t times(std::int64_t a, std::int64_t b) {
  a = bounded(a);
  b = bounded(b);
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? endless : bounded(product);
}
constexpr std::int64_t plus(std::int64_t a, std::int64_t b) { return bounded(bounded(a) + bounded(b)); }

/// Law: for a >= 0 and b > 0 the quotient rounded up; with b below 1, a.
constexpr std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return b < 1 ? bounded(a) : ceil_div(bounded(a), b); }

}  // namespace tcp::sched::book
