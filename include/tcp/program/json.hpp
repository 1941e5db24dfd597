// The JSON twin of a program's binary form: the same fields in the same order, for people and for other languages
// (docs/program.md).
//
// It is read as strictly: every field must be there, once, with a value of its type; nothing else may be.
#pragma once

#include <string>
#include <string_view>

#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"

namespace tcp::program {

std::string to_json(const Program& program);

/// Law: from_json(to_json(p)) == p.
Expected<Program> from_json(std::string_view text);

}  // namespace tcp::program
