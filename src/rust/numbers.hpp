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
/// `as`.
RustValue converted(const Number& n, NumberType to);

}  // namespace tcp::rust
