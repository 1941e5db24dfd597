// The number formats by name: what they are called, how wide they are, how much room they take in a packet.
//
// ScalarType is the name that travels through IR, programs and files. Each name also has a C++ type of its own
// (tcp::i8, tcp::bf16, …), in integer_formats.hpp and float_formats.hpp, whose static member `type` leads back here.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "tcp/support/expected.hpp"

namespace tcp {

enum class ScalarType : std::uint8_t { i4, i5, i8, i9, i16, i32, f4e2m1, f8e4m3, f8e5m2, f16, bf16, f32 };

inline constexpr ScalarType scalar_types[] = {ScalarType::i4,     ScalarType::i5,  ScalarType::i8,     ScalarType::i9,
                                              ScalarType::i16,    ScalarType::i32, ScalarType::f4e2m1, ScalarType::f8e4m3,
                                              ScalarType::f8e5m2, ScalarType::f16, ScalarType::bf16,   ScalarType::f32};

enum class ScalarKind : std::uint8_t { integer, floating };

struct ScalarInfo {
  const char* name;
  int bits;         // of the value
  int packet_bits;  // of the room it takes in packets, flits, TRF and memory: i5 and i9 travel in the places of i4 and i8
  ScalarKind kind;
  bool in_memory;  // i5 and i9 exist only between zero-point subtraction and contraction
};

namespace detail {
inline constexpr ScalarInfo scalar_table[] = {
    {"i4", 4, 4, ScalarKind::integer, true},      {"i5", 5, 4, ScalarKind::integer, false},
    {"i8", 8, 8, ScalarKind::integer, true},      {"i9", 9, 8, ScalarKind::integer, false},
    {"i16", 16, 16, ScalarKind::integer, true},   {"i32", 32, 32, ScalarKind::integer, true},
    {"f4e2m1", 4, 4, ScalarKind::floating, true}, {"f8e4m3", 8, 8, ScalarKind::floating, true},
    {"f8e5m2", 8, 8, ScalarKind::floating, true}, {"f16", 16, 16, ScalarKind::floating, true},
    {"bf16", 16, 16, ScalarKind::floating, true}, {"f32", 32, 32, ScalarKind::floating, true},
};
}  // namespace detail

constexpr const ScalarInfo& scalar_info(ScalarType type) { return detail::scalar_table[static_cast<int>(type)]; }

constexpr bool is_integer(ScalarType type) { return scalar_info(type).kind == ScalarKind::integer; }
constexpr bool is_floating(ScalarType type) { return scalar_info(type).kind == ScalarKind::floating; }

/// The pattern with one bit for each bit of the format.
constexpr std::uint32_t scalar_mask(ScalarType type) { return 0xffffffffu >> (32 - scalar_info(type).bits); }

constexpr Text& operator<<(Text& t, ScalarType type) { return t << scalar_info(type).name; }

/// A C++ type that stands for one of the formats.
template <class T>
concept Scalar = requires(T x) {
  { T::type } -> std::convertible_to<ScalarType>;
  { T::from_bits(0) } -> std::same_as<T>;
  x.bits;
};

/// Law: parse_scalar_type(scalar_info(t).name) == t. The book's other spellings, `fp16` and `f8`, are refused with the
/// name to write.
constexpr Expected<ScalarType> parse_scalar_type(std::string_view name, Where at = {}) {
  for (ScalarType t : scalar_types)
    if (name == scalar_info(t).name) return t;
  Refusal r = refuse("scalar-unknown-type", at);
  r.what("'", name.substr(0, 24), name.size() > 24 ? "..." : "", "' is not a scalar type")
      .why("each format has one name, that of its C++ type");
  if (name == "fp16") return r.help("write f16");
  if (name == "f8") return r.help("write f8e4m3 or f8e5m2");
  r.help("write one of");
  const char* separator = " ";
  for (ScalarType t : scalar_types) {
    r.help(separator, t);
    separator = ", ";
  }
  return r;
}

}  // namespace tcp
