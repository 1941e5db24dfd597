// The elements of a tensor as a file holds them: in C order (the last axis counts fastest), little-endian, each of a
// type that the chip has.
//
// Neither npy nor safetensors has 4-bit integers, and npy has no 4-bit floats; there such an element takes a byte of
// its own, so that every reader of the format can look at it. In memory two of them share a byte (scalar/packing.hpp):
// `packed` and the writers convert. Run time only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tcp/io/file.hpp"
#include "tcp/scalar/packing.hpp"

namespace tcp::io {

using Extents = std::vector<std::int64_t>;

struct Array {
  ScalarType type = ScalarType::i32;
  Extents shape;                             // empty: one element
  std::int64_t size = 1;                     // the product of the shape
  std::span<const std::byte> bytes;          // as they lie in the file
  bool byte_each = false;                    // 4-bit elements: one to a byte, in its low half; else two
  std::shared_ptr<const MappedFile> file{};  // which `bytes` are part of; null if they belong to the caller

  /// The raw bits of the i-th element.
  std::uint32_t bits(std::int64_t i) const {
    if (byte_each) return std::to_integer<std::uint32_t>(bytes[static_cast<std::size_t>(i)]) & scalar_mask(type);
    return load_scalar_bits(bytes.data(), type, i);
  }
};

/// `(2, 3)`, as Python shows it; cut if there are many axes.
std::string shown_shape(const Extents& shape);

/// An array's elements as they lie in memory. Law: load_scalar_bits(packed(a).data(), a.type, i) == a.bits(i).
/// What is left over of the last byte is zero.
std::vector<std::byte> packed(const Array& array);

/// The bytes that so many elements take in memory, the last one filled up: what the writers ask for.
constexpr std::int64_t bytes_to_write(ScalarType type, std::int64_t elements) {
  return scalar_info(type).packet_bits == 4 ? elements / 2 + elements % 2 : elements * (scalar_info(type).packet_bits / 8);
}

}  // namespace tcp::io
