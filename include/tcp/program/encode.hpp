// The binary form of a program: a header, then every record field by field (docs/program.md has the layout).
//
// There is one binary encoding of a program and no other, so a file can be compared byte by byte. The reader believes
// nothing: a file that is cut, lengthened or changed in any bit is refused with the byte at which it stops making
// sense, after as much work and memory as the file is long. What was read is well formed, not yet sensible: check.hpp
// says whether an executor may run it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::program {

/// Texts must be printable ASCII and enumerations must have a word, as in every program that lowering makes; decode
/// refuses others.
std::vector<std::byte> encode(const Program& program);

/// Law: decode(encode(p)) == p, and encode(decode(b)) == b for every b that is accepted.
Expected<Program> decode(std::span<const std::byte> bytes);

/// Whether a file begins like a program in binary form.
bool looks_encoded(std::span<const std::byte> bytes);

// The JSON twin of a program's binary form: the same fields in the same order, for people and for other languages
// (docs/program.md).
//
// It is read as strictly: every field must be there, once, with a value of its type; nothing else may be.

std::string to_json(const Program& program);

/// Law: from_json(to_json(p)) == p.
Expected<Program> from_json(std::string_view text);

}  // namespace tcp::program
