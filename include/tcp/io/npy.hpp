// NumPy's files of one array: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html, versions 1.0, 2.0
// and 3.0.
//
//   npy type                 is read as
//   '|i1' '<i2' '<i4'        i8, i16, i32; '|i1' also as i4 where that is wanted, if each value is one of -8 to 7
//   '<f2' '<f4'              f16, f32
//   '<f1'                    f8e5m2, as the Python package ml_dtypes names it
//   '<V1' '|u1'              f8e4m3, f8e5m2, f4e2m1, i4 ('<V1' alone), whichever is wanted: the raw bits
//   '<V2' '<u2'              bf16 where that is wanted: the raw bits
//
// npy has no name for bf16 and the 8-bit floats. ml_dtypes writes them as opaque bytes ('<V2'), and so do we:
// load(...).view(ml_dtypes.bfloat16) gives them back. Unsigned numbers are no type of the chip, so where one of these
// types is wanted they too can only mean raw bits. A file does not say which of them it holds; so its reader must.
// Elements of other types are refused, never converted: what a cast does to a value is the user's decision.
//
// Refused as well: Fortran order, big-endian numbers, Python objects (reading one runs code), and a file of another
// length than its header promises. Run time only.
//
// An array, here and in safetensors.hpp, has the elements of a tensor as a file holds them: in C order (the last axis
// counts fastest), little-endian, each of a type that the chip has.
//
// Neither npy nor safetensors has 4-bit integers, and npy has no 4-bit floats; there such an element takes a byte of
// its own, so that every reader of the format can look at it. In memory two of them share a byte (scalar/packing.hpp):
// `packed` and the writers convert. Run time only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

/// Maps the file; nothing is copied. Without a wanted type the file must name its own.
Expected<Array> read_npy(const std::string& path, std::optional<ScalarType> wanted = {});

/// Parses bytes that the caller keeps alive; `file_name` is for the messages alone.
Expected<Array> parse_npy(std::span<const std::byte> bytes, std::string_view file_name, std::optional<ScalarType> wanted = {});

/// `bytes` hold the elements as they lie in memory: bytes_to_write of them.
/// Law: read_npy(path, type) then has this type, this shape and these bits.
Verdict write_npy(const std::string& path, ScalarType type, const Extents& shape, std::span<const std::byte> bytes);

}  // namespace tcp::io
