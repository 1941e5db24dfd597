// Counts with a unit. Two counts of one unit add and compare; a count times a plain number is a count; their quotient
// is a plain number.
#pragma once

#include <compare>
#include <cstdint>

#include "tcp/support/round.hpp"
#include "tcp/support/text.hpp"

namespace tcp {

template <class Unit>
struct Count {
  std::int64_t value = 0;

  constexpr Count() = default;
  constexpr explicit Count(std::int64_t v) : value(v) {}

  constexpr auto operator<=>(const Count&) const = default;
  constexpr Count& operator+=(Count o) {
    value += o.value;
    return *this;
  }
  constexpr Count& operator-=(Count o) {
    value -= o.value;
    return *this;
  }
  friend constexpr Count operator+(Count a, Count b) { return Count{a.value + b.value}; }
  friend constexpr Count operator-(Count a, Count b) { return Count{a.value - b.value}; }
  friend constexpr Count operator*(Count a, std::int64_t k) { return Count{a.value * k}; }
  friend constexpr Count operator*(std::int64_t k, Count a) { return Count{a.value * k}; }
  friend constexpr std::int64_t operator/(Count a, Count b) { return a.value / b.value; }
  friend constexpr Count operator/(Count a, std::int64_t k) { return Count{a.value / k}; }
  friend constexpr Count operator%(Count a, Count b) { return Count{a.value % b.value}; }
  friend constexpr Text& operator<<(Text& t, Count c) { return t << c.value << Unit::suffix; }
};

/// Law: ceil_div(a, b) is the least q with b * q >= a.
template <class Unit>
constexpr std::int64_t ceil_div(Count<Unit> a, Count<Unit> b) {
  return ceil_div(a.value, b.value);
}

struct ByteUnit {
  static constexpr const char* suffix = " bytes";
};
struct CycleUnit {
  static constexpr const char* suffix = " cycles";
};
struct ElementUnit {
  static constexpr const char* suffix = " elements";
};

using Bytes = Count<ByteUnit>;
using Cycles = Count<CycleUnit>;
using Elements = Count<ElementUnit>;

}  // namespace tcp
