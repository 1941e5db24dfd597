// What the two encodings ask of a field's type.
#pragma once

#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "tcp/program/fields.hpp"

namespace tcp::program {

template <class T>
concept WholeNumber = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// A fixed number of values of one type.
template <class T>
inline constexpr bool is_tuple = false;
template <class T, std::size_t N>
inline constexpr bool is_tuple<std::array<T, N>> = true;

/// Makes the alternative of that number and gives it to `visit`; false if there is none.
template <std::size_t I = 0, class... T, class Visit>
bool choose(std::variant<T...>& v, std::size_t number, Visit&& visit) {
  if constexpr (I == sizeof...(T)) {
    return false;
  } else {
    if (number != I) return choose<I + 1>(v, number, visit);
    visit(v.template emplace<I>());
    return true;
  }
}

/// Texts are shown on terminals: nothing in them may steer one.
inline bool printable(std::string_view text) {
  for (char c : text)
    if (c < ' ' || c > '~') return false;
  return true;
}

}  // namespace tcp::program
