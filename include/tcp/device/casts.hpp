// Which conversions a device has, asked by type. The identity needs no converter.
#pragma once

#include "tcp/device/device.hpp"
#include "tcp/scalar/format.hpp"

namespace tcp {

namespace detail {

struct FetchCast {
  ScalarType from, to;
  bool chip::FetchCasts::* present;
};

inline constexpr FetchCast fetch_cast_table[] = {
    {ScalarType::i4, ScalarType::i5, &chip::FetchCasts::i4_to_i5},
    {ScalarType::i4, ScalarType::i9, &chip::FetchCasts::i4_to_i9},
    {ScalarType::i4, ScalarType::i32, &chip::FetchCasts::i4_to_i32},
    {ScalarType::i8, ScalarType::i9, &chip::FetchCasts::i8_to_i9},
    {ScalarType::i8, ScalarType::i32, &chip::FetchCasts::i8_to_i32},
    {ScalarType::i16, ScalarType::i9, &chip::FetchCasts::i16_to_i9},
    {ScalarType::i16, ScalarType::i32, &chip::FetchCasts::i16_to_i32},
    {ScalarType::f8e4m3, ScalarType::bf16, &chip::FetchCasts::f8e4m3_to_bf16},
    {ScalarType::f8e4m3, ScalarType::f32, &chip::FetchCasts::f8e4m3_to_f32},
    {ScalarType::f8e5m2, ScalarType::bf16, &chip::FetchCasts::f8e5m2_to_bf16},
    {ScalarType::f8e5m2, ScalarType::f32, &chip::FetchCasts::f8e5m2_to_f32},
    {ScalarType::bf16, ScalarType::f32, &chip::FetchCasts::bf16_to_f32},
    {ScalarType::f16, ScalarType::f32, &chip::FetchCasts::f16_to_f32},
    {ScalarType::f32, ScalarType::bf16, &chip::FetchCasts::f32_to_bf16},
};

struct CastEngineCast {
  ScalarType from, to;
  bool chip::Cast::* present;
};

inline constexpr CastEngineCast cast_engine_table[] = {
    {ScalarType::i32, ScalarType::i4, &chip::Cast::i32_to_i4},         {ScalarType::i32, ScalarType::i8, &chip::Cast::i32_to_i8},
    {ScalarType::i32, ScalarType::i16, &chip::Cast::i32_to_i16},       {ScalarType::f32, ScalarType::f8e5m2, &chip::Cast::f32_to_f8e5m2},
    {ScalarType::f32, ScalarType::f8e4m3, &chip::Cast::f32_to_f8e4m3}, {ScalarType::f32, ScalarType::f16, &chip::Cast::f32_to_f16},
    {ScalarType::f32, ScalarType::bf16, &chip::Cast::f32_to_bf16},
};

}  // namespace detail

/// Law: has_fetch_cast(d, t, t) for every t.
constexpr bool has_fetch_cast(const Device& d, ScalarType from, ScalarType to) {
  for (const detail::FetchCast& c : detail::fetch_cast_table)
    if (c.from == from && c.to == to) return d.fetch_casts.*c.present;
  return from == to;
}

/// No identity here: who needs no cast leaves the engine out.
constexpr bool has_cast_engine_cast(const Device& d, ScalarType from, ScalarType to) {
  for (const detail::CastEngineCast& c : detail::cast_engine_table)
    if (c.from == from && c.to == to) return d.cast.*c.present;
  return false;
}

}  // namespace tcp
