// An enumerator whose value is part of its type, so that a typed method can deduce it from its argument.
#pragma once

namespace tcp {

template <auto Value>
struct Known {
  static constexpr auto value = Value;
  constexpr operator decltype(Value)() const { return Value; }
};

}  // namespace tcp
