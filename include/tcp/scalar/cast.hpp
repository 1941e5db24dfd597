// Casts between formats: value for value, with one rounding, in either numeric model.
//
// A cast stays within its kind: integers become wider by their sign or narrower by dropping high bits; floating-point
// numbers are rounded to nearest even. Between i32 and f32 the chip converts by fixed point, fxp_to_fp and fp_to_fxp
// (fixed_point.hpp). Which of these casts an engine of a given chip offers is not said here but by its rules.
#pragma once

#include "tcp/scalar/float_formats.hpp"
#include "tcp/scalar/integer_formats.hpp"
#include "tcp/scalar/numeric_model.hpp"
#include "tcp/support/refuse.hpp"

namespace tcp {

/// Whether scalar_cast has a meaning for this pair.
constexpr bool has_scalar_cast(ScalarType from, ScalarType to) {
  return from == to || (is_integer(from) == is_integer(to) && to != ScalarType::f4e2m1);
}

/// Law: accepts exactly what has_scalar_cast holds for.
constexpr Verdict check_scalar_cast(ScalarType from, ScalarType to, Where at = {}) {
  if (has_scalar_cast(from, to)) return accept();
  Refusal r = refuse("scalar-no-such-cast", at);
  if (is_integer(from) != is_integer(to)) {
    bool const up = is_integer(from);
    return r.what("there is no cast from ", from, " to ", to, ": casts stay among integers or among floating-point types")
        .why("integers and floating-point numbers are converted by the Vector Engine's fixed-point stages, from i32 to f32 and back")
        .help("use ", up ? "vector_fxp_to_fp(31) on i32" : "vector_fp_to_fxp(31) on f32", ", and cast before or after it");
  }
  return r.what("there is no cast from ", from, " to f4e2m1: this format is only ever read")
      .why("the chip decodes f4e2m1 by table and has nothing that encodes it")
      .help("use f8e4m3, or encode f4e2m1 on the host");
}

/// The bits of `to` for the bits of `from`; bits above the width of `from` are ignored. Needs: has_scalar_cast(from,
/// to).
/// Law: an identity cast changes no bit, in either model.
constexpr std::uint32_t scalar_cast_bits(ScalarType from, ScalarType to, std::uint32_t bits, NumericModel model) {
  TCP_BUG_UNLESS(has_scalar_cast(from, to), "a cast that has no meaning was not refused");
  if (from == to) return bits & scalar_mask(from);
  if (is_integer(from)) return static_cast<std::uint32_t>(detail::sign_extend(bits, scalar_info(from).bits)) & scalar_mask(to);
  if (from == ScalarType::f32) bits = canonical_operand(f32::from_bits(bits), model).bits;
  if (from == ScalarType::bf16) bits = canonical_operand(bf16::from_bits(bits), model).bits;
  auto const rounded = static_cast<std::uint32_t>(detail::pack(detail::float_format(to), detail::unpack(detail::float_format(from), bits)));
  if (to == ScalarType::f32) return canonical_result(f32::from_bits(rounded), model).bits;
  if (to == ScalarType::bf16) return canonical_result(bf16::from_bits(rounded), model).bits;
  return rounded;
}

/// The bits of i32 or f32 with 0 in the place of what is negative: of -0 as well, of NaN never.
constexpr std::uint32_t relu_bits(ScalarType type, std::uint32_t bits) {
  bool const nan = type == ScalarType::f32 && (bits & 0x7fffffffu) > 0x7f800000u;
  return bits >> 31 != 0 && !nan ? 0 : bits;
}

/// Law: scalar_cast<To>(x, ieee) == To::from_float(x.to_float()) for floating-point types that differ,
/// and To::from_int(x.to_int()) for integers.
template <Scalar To, Scalar From>
constexpr To scalar_cast(From x, NumericModel model) {
  TCP_REFUSE(check_scalar_cast(From::type, To::type));
  return To::from_bits(scalar_cast_bits(From::type, To::type, x.bits, model));
}

}  // namespace tcp
