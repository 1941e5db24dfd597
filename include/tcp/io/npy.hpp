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
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tcp/io/array.hpp"

namespace tcp::io {

/// Maps the file; nothing is copied. Without a wanted type the file must name its own.
Expected<Array> read_npy(const std::string& path, std::optional<ScalarType> wanted = {});

/// Parses bytes that the caller keeps alive; `file_name` is for the messages alone.
Expected<Array> parse_npy(std::span<const std::byte> bytes, std::string_view file_name, std::optional<ScalarType> wanted = {});

/// `bytes` hold the elements as they lie in memory: bytes_to_write of them.
/// Law: read_npy(path, type) then has this type, this shape and these bits.
Verdict write_npy(const std::string& path, ScalarType type, const Extents& shape, std::span<const std::byte> bytes);

}  // namespace tcp::io
