// Arithmetic on the numbers of a kernel.
#pragma once

#include "rust/value.hpp"

namespace tcp::rust {

struct NumberRange {
  std::int64_t least, most;
};
/// The whole numbers of a type; u64 and usize up to 2^63 - 1, more than any kernel counts.
NumberRange range_of(NumberType type);

RustValue calculated(std::string_view op, const Number& a, const Number& b, const Span& span);
/// usize, f32 and so on; none: no number of Rust has this name.
std::optional<NumberType> number_type_named(std::string_view name);
/// `as`.
RustValue converted(const Number& n, NumberType to);

/// The element with these bits, and the one that is nearest to a number.
ScalarElement element_of_bits(ScalarType type, std::uint32_t bits);
ScalarElement element_of(ScalarType type, double value);
/// bf16::ONE and its like; none: the type has no constant of this name.
std::optional<ScalarElement> element_constant(ScalarType type, std::string_view name);

}  // namespace tcp::rust
