// 64-bit arithmetic that notices when it overflows. Sizes, strides and addresses are computed with it wherever a user
// chose the numbers.
#pragma once

#include <cstdint>

namespace tcp {

/// A number, or the news that it did not fit; sticky, so that a chain is tested once at its end.
struct Checked {
  std::int64_t value = 0;
  bool fits = true;

  constexpr Checked() = default;
  constexpr Checked(std::int64_t v) : value(v) {}

  friend constexpr Checked operator+(Checked a, Checked b) {
    Checked r;
    r.fits = !__builtin_add_overflow(a.value, b.value, &r.value) && a.fits && b.fits;
    return r;
  }
  friend constexpr Checked operator-(Checked a, Checked b) {
    Checked r;
    r.fits = !__builtin_sub_overflow(a.value, b.value, &r.value) && a.fits && b.fits;
    return r;
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    Checked r;
    r.fits = !__builtin_mul_overflow(a.value, b.value, &r.value) && a.fits && b.fits;
    return r;
  }
};

}  // namespace tcp
