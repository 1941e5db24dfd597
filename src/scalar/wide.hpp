// Unsigned fixed point with 192 binary places: what the elementary functions are computed in where double does not
// settle how they round.
//
// Every operation is exact or cuts off less than one unit of the last place (2^-192), and says which. The functions
// built of it count these units: see elementary.cpp. Room for values below 2^64.
#pragma once

#include <bit>
#include <cstdint>

#include "tcp/support/bug.hpp"

namespace tcp::detail {

__extension__ using Double64 = unsigned __int128;

struct Wide {
  static constexpr int limbs = 4;
  static constexpr int places = 192;

  std::uint64_t limb[limbs]{};  // lowest first; the last one stands before the point

  static constexpr Wide integer(std::uint64_t n) { return {{0, 0, 0, n}}; }

  constexpr bool is_zero() const { return (limb[0] | limb[1] | limb[2] | limb[3]) == 0; }
  /// Law: n is the number of digits; value() < 2^n units. 0 for zero.
  constexpr int width() const {
    for (int i = limbs - 1; i >= 0; --i)
      if (limb[i] != 0) return 64 * i + static_cast<int>(std::bit_width(limb[i]));
    return 0;
  }
};

constexpr bool operator<(const Wide& a, const Wide& b) {
  for (int i = Wide::limbs - 1; i >= 0; --i)
    if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i];
  return false;
}

/// Exact.
constexpr Wide operator+(const Wide& a, const Wide& b) {
  Wide sum;
  Double64 carry = 0;
  for (int i = 0; i < Wide::limbs; ++i) {
    carry += Double64{a.limb[i]} + b.limb[i];
    sum.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  TCP_BUG_UNLESS(carry == 0, "a sum left the range of fixed point");
  return sum;
}

/// Exact. Needs: b not above a.
constexpr Wide operator-(const Wide& a, const Wide& b) {
  TCP_BUG_UNLESS(!(a < b), "a difference of fixed-point numbers is negative");
  Wide difference;
  std::uint64_t borrow = 0;
  for (int i = 0; i < Wide::limbs; ++i) {
    difference.limb[i] = a.limb[i] - b.limb[i] - borrow;
    borrow = a.limb[i] < b.limb[i] || (a.limb[i] == b.limb[i] && borrow != 0);
  }
  return difference;
}

/// Exact to the left, less than a unit too small to the right (by < 0).
constexpr Wide shifted(const Wide& a, int by) {
  Wide out;
  for (int i = 0; i < Wide::limbs; ++i) {
    // Bit 0 of this limb comes from bit `from` of a.
    int const from = 64 * i - by;
    int const word = from >> 6, bit = from & 63;
    std::uint64_t const low = word >= 0 && word < Wide::limbs ? a.limb[word] >> bit : 0;
    std::uint64_t const high = bit != 0 && word + 1 >= 0 && word + 1 < Wide::limbs ? a.limb[word + 1] << (64 - bit) : 0;
    out.limb[i] = low | high;
  }
  TCP_BUG_UNLESS(by <= 0 || a.width() + by <= 64 * Wide::limbs, "a shift left the range of fixed point");
  return out;
}

/// Less than a unit too small.
constexpr Wide operator*(const Wide& a, const Wide& b) {
  std::uint64_t product[2 * Wide::limbs]{};
  for (int i = 0; i < Wide::limbs; ++i) {
    Double64 carry = 0;
    for (int j = 0; j < Wide::limbs; ++j) {
      carry += Double64{a.limb[i]} * b.limb[j] + product[i + j];
      product[i + j] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    product[i + Wide::limbs] = static_cast<std::uint64_t>(carry);
  }
  TCP_BUG_UNLESS(product[7] == 0, "a product left the range of fixed point");
  return {{product[3], product[4], product[5], product[6]}};
}

/// Exact.
constexpr Wide operator*(const Wide& a, std::uint32_t n) {
  Wide product;
  Double64 carry = 0;
  for (int i = 0; i < Wide::limbs; ++i) {
    carry += Double64{a.limb[i]} * n;
    product.limb[i] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
  TCP_BUG_UNLESS(carry == 0, "a product left the range of fixed point");
  return product;
}

/// Less than a unit too small.
constexpr Wide operator/(const Wide& a, std::uint32_t n) {
  Wide quotient;
  Double64 rest = 0;
  for (int i = Wide::limbs - 1; i >= 0; --i) {
    rest = rest << 64 | a.limb[i];
    quotient.limb[i] = static_cast<std::uint64_t>(rest / n);
    rest %= n;
  }
  return quotient;
}

/// Less than a unit too small. Needs: a < 2 b, b < 2^62.
constexpr Wide operator/(const Wide& a, const Wide& b) {
  Wide quotient, rest = a;
  for (int place = Wide::places; place >= 0; --place) {
    if (!(rest < b)) {
      rest = rest - b;
      quotient.limb[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    rest = shifted(rest, 1);
  }
  return quotient;
}

}  // namespace tcp::detail
