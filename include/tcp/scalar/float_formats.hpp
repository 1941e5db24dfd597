// The floating-point formats, as plain values that hold the raw bits.
//
//   bf16::from_float(1.0f).bits == 0x3f80;  f8e4m3::from_double(448).to_float() == 448.0f;
//
// These conversions are for host code. They round once, to nearest even, keep subnormals, and write one NaN: the casts
// of NumericModel::ieee. What the chip does to subnormals is said by scalar_cast (cast.hpp), which asks for the model.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "tcp/scalar/detail/rounding.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp {

namespace detail {

constexpr const FloatFormat& float_format(ScalarType type) {
  switch (type) {
    case ScalarType::f4e2m1: return e2m1_format;
    case ScalarType::f8e4m3: return e4m3_format;
    case ScalarType::f8e5m2: return e5m2_format;
    case ScalarType::f16: return half_format;
    case ScalarType::bf16: return bfloat_format;
    default: break;
  }
  TCP_BUG_UNLESS(type == ScalarType::f32, "an integer format was taken for a floating-point one");
  return single_format;
}

template <class Self, ScalarType Type, class Bits>
struct Float {
  static constexpr ScalarType type = Type;

  Bits bits = 0;  // above the width of the format: zero

  constexpr Float() = default;
  /// f32{1}: a value, never bits. Law: Self{v} == from_double(v).
  template <class Number>
  constexpr Float(Number value) requires(std::is_arithmetic_v<Number> && Type != ScalarType::f4e2m1)
      : bits(from_double(static_cast<double>(value)).bits) {}

  static constexpr Self from_bits(std::uint32_t b) {
    Self s;
    s.bits = static_cast<Bits>(b & scalar_mask(Type));
    return s;
  }
  /// One rounding to nearest even. f4e2m1 is only ever read.
  static constexpr Self from_double(double x) requires(Type != ScalarType::f4e2m1) {
    Number const n = unpack(double_format, std::bit_cast<std::uint64_t>(x));
    return from_bits(static_cast<std::uint32_t>(pack(float_format(Type), n)));
  }
  /// Law: from_float(x.to_float()) == x, unless x is a NaN.
  static constexpr Self from_float(float x) requires(Type != ScalarType::f4e2m1) {
    std::uint32_t const b = std::bit_cast<std::uint32_t>(x);
    if constexpr (Type == ScalarType::f32) return from_bits(b);
    else return from_bits(static_cast<std::uint32_t>(pack(float_format(Type), unpack(single_format, b))));
  }
  /// Exact.
  constexpr float to_float() const {
    if constexpr (Type == ScalarType::f32) return std::bit_cast<float>(bits);
    else return std::bit_cast<float>(static_cast<std::uint32_t>(pack(single_format, unpack(float_format(Type), bits))));
  }
  /// Exact.
  constexpr double to_double() const { return std::bit_cast<double>(pack(double_format, unpack(float_format(Type), bits))); }

  constexpr bool is_nan() const {
    constexpr FloatFormat f = float_format(Type);
    std::uint64_t const code = bits & (f.sign_bit() - 1);
    return f.specials == Specials::infinity_and_nan ? code > f.beyond() : code == f.beyond();
  }

  /// Compares bits, as results are compared: a NaN equals itself, and -0 is not +0. For the order of numbers see
  /// arithmetic.hpp.
  friend constexpr bool operator==(const Self& a, const Self& b) { return a.bits == b.bits; }
};

}  // namespace detail

struct f4e2m1 : detail::Float<f4e2m1, ScalarType::f4e2m1, std::uint8_t> {};
struct f8e4m3 : detail::Float<f8e4m3, ScalarType::f8e4m3, std::uint8_t> {};
struct f8e5m2 : detail::Float<f8e5m2, ScalarType::f8e5m2, std::uint8_t> {};
struct f16 : detail::Float<f16, ScalarType::f16, std::uint16_t> {};
struct bf16 : detail::Float<bf16, ScalarType::bf16, std::uint16_t> {};
struct f32 : detail::Float<f32, ScalarType::f32, std::uint32_t> {};

}  // namespace tcp
