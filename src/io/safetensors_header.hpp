// The JSON header of a safetensors file as records, each still to be compared with the bytes behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/io/safetensors.hpp"

namespace tcp::io {

inline constexpr std::size_t length_bytes = 8;  // of the number before the header
inline constexpr std::string_view metadata_key = "__metadata__";

/// A type by the format's name.
struct Dtype {
  const char* name;
  int bits;
  std::optional<ScalarType> type;  // none: the chip does not have it
};
inline constexpr Dtype dtypes[] = {
    {"I8", 8, ScalarType::i8},
    {"I16", 16, ScalarType::i16},
    {"I32", 32, ScalarType::i32},
    {"F4", 4, ScalarType::f4e2m1},
    {"F8_E4M3", 8, ScalarType::f8e4m3},
    {"F8_E5M2", 8, ScalarType::f8e5m2},
    {"F16", 16, ScalarType::f16},
    {"BF16", 16, ScalarType::bf16},
    {"F32", 32, ScalarType::f32},
    {"BOOL", 8, {}},
    {"U8", 8, {}},
    {"U16", 16, {}},
    {"U32", 32, {}},
    {"U64", 64, {}},
    {"I64", 64, {}},
    {"F64", 64, {}},
    {"C64", 64, {}},
    {"F6_E2M3", 6, {}},
    {"F6_E3M2", 6, {}},
    {"F8_E8M0", 8, {}},
    {"F8_E4M3FNUZ", 8, {}},
    {"F8_E5M2FNUZ", 8, {}},
};

struct WrittenEntry {
  std::string name;
  const Dtype* dtype = nullptr;
  Extents shape;
  std::uint64_t begin = 0, end = 0;  // after the header
};
struct WrittenHeader {
  std::vector<WrittenEntry> entries;  // as they stand in the header
  Metadata metadata;                  // by key
};

/// Refuses what is not the JSON of a header: other text, other keys, other kinds of values, a name that stands there
/// twice.
Expected<WrittenHeader> parse_header(std::span<const std::byte> header, std::string_view place);

}  // namespace tcp::io
