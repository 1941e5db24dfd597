// The integers: two's complement, sign extended when read, low bits kept when written.
//
// Plain values that hold the raw bits. i5 and i9 are what zero-point subtraction makes of i4 and i8: they have no place
// in memory.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tcp/scalar/format.hpp"

namespace tcp {

namespace detail {

constexpr std::int32_t sign_extend(std::uint32_t bits, int width) {
  return static_cast<std::int32_t>(bits << (32 - width)) >> (32 - width);
}

template <class Self, ScalarType Type, class Bits>
struct Integer {
  static constexpr ScalarType type = Type;

  Bits bits = 0;  // above the width of the format: zero

  constexpr Integer() = default;
  /// i8{3}: a value, never bits. Law: Self{v} == from_int(v).
  template <class Number>
  constexpr Integer(Number value) requires(std::is_arithmetic_v<Number>) : bits(from_int(static_cast<std::int64_t>(value)).bits) {}

  static constexpr Self from_bits(std::uint32_t b) {
    Self s;
    s.bits = static_cast<Bits>(b & scalar_mask(Type));
    return s;
  }
  /// Law: from_int(v).to_int() is v, wrapped into the range of the format.
  static constexpr Self from_int(std::int64_t v) { return from_bits(static_cast<std::uint32_t>(v)); }
  constexpr std::int32_t to_int() const { return sign_extend(bits, scalar_info(Type).bits); }

  static constexpr Self least() { return from_bits(1u << (scalar_info(Type).bits - 1)); }
  static constexpr Self greatest() { return from_bits(scalar_mask(Type) >> 1); }

  friend constexpr bool operator==(const Self& a, const Self& b) { return a.bits == b.bits; }
};

}  // namespace detail

struct i4 : detail::Integer<i4, ScalarType::i4, std::uint8_t> {};
struct i5 : detail::Integer<i5, ScalarType::i5, std::uint8_t> {};
struct i8 : detail::Integer<i8, ScalarType::i8, std::uint8_t> {};
struct i9 : detail::Integer<i9, ScalarType::i9, std::uint16_t> {};
struct i16 : detail::Integer<i16, ScalarType::i16, std::uint16_t> {};
struct i32 : detail::Integer<i32, ScalarType::i32, std::uint32_t> {};

}  // namespace tcp
