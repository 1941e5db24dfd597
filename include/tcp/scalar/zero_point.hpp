// Zero points of asymmetric quantisation: value = stored value - zero point.
//
// The fetch subtracts them: i4 → i5, i8 → i9, and, into the wide type, → i32. Because a zero point is in the range of
// the source type, the difference of i4 always fits i5 and that of i8 fits i9; i16 → i9 keeps the low nine bits.
#pragma once

#include "tcp/scalar/integer_formats.hpp"

namespace tcp {

/// A zero point that was checked against its source type; made by zero_point() only.
class ZeroPoint {
 public:
  constexpr ScalarType source() const { return source_; }
  constexpr std::int32_t value() const { return value_; }

  friend constexpr Expected<ZeroPoint> zero_point(ScalarType source, std::int64_t value, Where at);

 private:
  constexpr ZeroPoint(ScalarType source, std::int32_t value) : source_(source), value_(value) {}
  ScalarType source_;
  std::int32_t value_;
};

constexpr Expected<ZeroPoint> zero_point(ScalarType source, std::int64_t value, Where at = {}) {
  if (source != ScalarType::i4 && source != ScalarType::i8 && source != ScalarType::i16)
    return refuse("scalar-zero-point-type", at)
        .what("a zero point is subtracted from i4, i8 or i16, not from ", source)
        .why("zero points belong to quantised integers in memory")
        .help("drop the zero point, or store the tensor as i4, i8 or i16");
  std::int64_t const greatest = scalar_mask(source) >> 1;
  std::int64_t const least = -greatest - 1;
  if (value < least || value > greatest)
    return refuse("scalar-zero-point-out-of-range", at)
        .what("zero point ", value, " is no value of ", source, ", whose range is ", least, " to ", greatest)
        .why("the difference would not fit the type that the subtraction makes")
        .help("use a zero point from ", least, " to ", greatest, ", or a wider source type");
  return ZeroPoint(source, static_cast<std::int32_t>(value));
}

/// Law: the result is value(stored) - z, wrapped into the range of `to`. Needs: an integer type `to`.
constexpr std::uint32_t subtract_zero_point_bits(std::uint32_t stored, const ZeroPoint& z, ScalarType to) {
  TCP_BUG_UNLESS(is_integer(to), "a zero point was subtracted into a floating-point type");
  std::int32_t const difference = detail::sign_extend(stored, scalar_info(z.source()).bits) - z.value();
  return static_cast<std::uint32_t>(difference) & scalar_mask(to);
}

/// Needs: a zero point of the source's type.
template <Scalar To, Scalar From>
constexpr To subtract_zero_point(From stored, const ZeroPoint& z) {
  TCP_BUG_UNLESS(z.source() == From::type, "the zero point was checked for another type");
  return To::from_bits(subtract_zero_point_bits(stored.bits, z, To::type));
}

}  // namespace tcp
