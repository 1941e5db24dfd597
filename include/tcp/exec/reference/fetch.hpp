// What the fetch adapter and the cast engine do to elements; neither moves anything.
#pragma once

#include "tcp/exec/reference/value.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp::reference {

/// Two tensors as one, told apart by an axis of size 2: coordinate 0 is the first.
Value interleave(const Value& first, const Value& second, Name axis);

/// Table lookup (by the unsigned value of the element), cast, zero points; in this order. `turns` tells which zero
/// point an element takes, if there are two.
struct Adapter {
  const std::vector<std::uint32_t>* table = nullptr;
  ScalarType table_type = ScalarType::i8;
  std::vector<std::int64_t> zero_points;
  Name turns{};
  ScalarType to = ScalarType::i32;
};
Value fetch(const Value& source, const Adapter& adapter, NumericModel model);

/// Element by element into another type.
Value cast(const Value& value, ScalarType to, NumericModel model);

}  // namespace tcp::reference
