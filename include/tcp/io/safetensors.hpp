// Files of named tensors: https://github.com/huggingface/safetensors, "Format".
//
//   8 bytes: N, little-endian;  N bytes: a JSON object, {"name": {"dtype": "BF16", "shape": [2, 3], "data_offsets": [0, 12]}, ...};  the elements
//
// The chip's types are I8, I16, I32, F16, BF16, F32, F8_E4M3, F8_E5M2 and F4 (f4e2m1, two to a byte). There is no 4-bit
// integer: an i4 is written as I8, and read from I8 where it is wanted, if each value is one of -8 to 7. Tensors of
// other types may be in a file, and are refused only when they are asked for.
//
// The offsets of a file must cover its bytes once, without a gap or an overlap, and each tensor's share must be what
// its shape and type need: so no file can point outside itself, or hide bytes. A header may have at most 100,000,000
// bytes, as in the format's own implementation. Run time only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tcp/io/npy.hpp"

namespace tcp::io {

struct SafetensorsEntry {
  std::string name;
  std::string dtype;               // as the file has it
  std::optional<ScalarType> type;  // none: the chip has no such type
  Extents shape;
  std::int64_t size = 1;  // the product of the shape
  std::span<const std::byte> bytes;
};

/// Free text of the file's author, key and value.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct Safetensors {
  std::vector<SafetensorsEntry> entries;  // by name
  Metadata metadata;                      // by key
  std::string file_name;
  std::shared_ptr<const MappedFile> file{};  // which the entries' bytes are part of; null if they belong to the caller

  const SafetensorsEntry* find(std::string_view name) const;
  /// One tensor of the file. Refused: a name that is not there, and another type than is wanted.
  Expected<Array> read(std::string_view name, std::optional<ScalarType> wanted = {}) const;
};

/// Maps the file; only the header is read.
Expected<Safetensors> open_safetensors(const std::string& path);

/// Parses bytes that the caller keeps alive; `file_name` is for the messages alone.
Expected<Safetensors> parse_safetensors(std::span<const std::byte> bytes, std::string_view file_name);

struct TensorToWrite {
  std::string name;
  ScalarType type = ScalarType::i32;
  Extents shape;
  std::span<const std::byte> bytes;  // as they lie in memory: bytes_to_write of them
};

/// Law: open_safetensors(path) then reads these tensors, each with this type, this shape and these bits.
Verdict write_safetensors(const std::string& path, std::span<const TensorToWrite> tensors, const Metadata& metadata = {});

}  // namespace tcp::io
