// What reading and writing of both formats have in common: how many elements there are, and whether their type goes
// with what is wanted. Names of files as sentences show them.
#pragma once

#include <string>
#include <string_view>

#include "tcp/io/npy.hpp"

namespace tcp::io {

/// The product of a shape that a file or a caller gives, small enough to be counted in bits. `place` begins the
/// message: `x.npy: `.
Expected<std::int64_t> count_elements(const Extents& shape, std::string_view place);

/// Only types with a form in memory can stand in a file: all but i5 and i9.
Verdict check_in_memory(ScalarType type, std::string_view place);

/// `held` as the file names it.
Refusal other_type(std::string_view place, std::string_view held, ScalarType wanted);

/// Checks 4-bit elements that take a byte each: the upper half repeats the sign, or, where `raw`, may also be zero.
Verdict check_four_bits(const Array& array, bool raw, std::string_view place);

/// The writers' counterpart: elements of memory, a byte each.
std::vector<std::byte> byte_each(ScalarType type, std::int64_t elements, std::span<const std::byte> memory);

/// What a writer is given must be a tensor. Its number of elements.
Expected<std::int64_t> check_to_write(ScalarType type, const Extents& shape, std::span<const std::byte> bytes, std::string_view place);

Refusal not_written(const std::string& path, std::string_view why);

/// At most `room` characters, none of them unprintable.
std::string shown(std::string_view text, std::size_t room);

/// How a message begins: `x.npy: `. The end of a path says most.
std::string shown_file(std::string_view path);

}  // namespace tcp::io
