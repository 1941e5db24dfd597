// Which arithmetic a program means: the chip's, or IEEE's.
//
// The chip has no subnormal numbers in f32 and bf16, and one NaN. In `rngd` every operand of an operation, or of a cast
// between two different types, is made canonical first; its result is rounded as IEEE says and then made canonical. In
// `ieee` subnormals are kept and only the NaN of a result is made canonical. Everything else is equal. f8 and f16 keep
// their subnormals in both. Moves, identity casts, bit operations and reinterpretation are no operations in this sense
// and never change a bit.
#pragma once

#include <cstdint>
#include <string_view>

#include "tcp/scalar/float_formats.hpp"

namespace tcp {

enum class NumericModel : std::uint8_t { rngd, ieee };

constexpr const char* numeric_model_name(NumericModel model) { return model == NumericModel::rngd ? "rngd" : "ieee"; }

constexpr Text& operator<<(Text& t, NumericModel model) { return t << numeric_model_name(model); }

/// Law: parse_numeric_model(numeric_model_name(m)) == m.
constexpr Expected<NumericModel> parse_numeric_model(std::string_view name, Where at = {}) {
  if (name == "rngd") return NumericModel::rngd;
  if (name == "ieee") return NumericModel::ieee;
  return refuse("scalar-unknown-numeric-model", at)
      .what("'", name.substr(0, 24), name.size() > 24 ? "..." : "", "' is not a numeric model")
      .why("rngd is the chip's arithmetic, which flushes subnormals of f32 and bf16 to zero; ieee keeps them")
      .help("write rngd or ieee");
}

namespace detail {

template <class F>
constexpr F with_canonical_nan(F x) {
  return x.is_nan() ? F::from_bits(static_cast<std::uint32_t>(float_format(F::type).canonical_nan)) : x;
}

template <class F>
constexpr F without_subnormal(F x) {
  constexpr auto sign = static_cast<std::uint32_t>(float_format(F::type).sign_bit());
  constexpr auto hidden = static_cast<std::uint32_t>(float_format(F::type).hidden_bit());
  return (x.bits & (sign - 1)) < hidden ? F::from_bits(x.bits & sign) : x;
}

template <class F>
concept Flushed = std::same_as<F, f32> || std::same_as<F, bf16>;

}  // namespace detail

/// What an operation sees of its operand. Law: idempotent; `ieee` changes nothing.
template <detail::Flushed F>
constexpr F canonical_operand(F x, NumericModel model) {
  return model == NumericModel::rngd ? detail::with_canonical_nan(detail::without_subnormal(x)) : x;
}

/// What an operation leaves of its rounded result. Law: idempotent; no NaN but 0x7fc00000 (0x7fc0) is left in either
/// model.
template <detail::Flushed F>
constexpr F canonical_result(F x, NumericModel model) {
  return detail::with_canonical_nan(model == NumericModel::rngd ? detail::without_subnormal(x) : x);
}

}  // namespace tcp
