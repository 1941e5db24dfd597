// `tcp compile --explain`: every setting of a program beside the source line and the mapping that it comes from, and
// why it is so.
#pragma once

#include <iosfwd>

#include "tcp/program/program.hpp"

namespace tcp::tool {

void explain_program(std::ostream& out, const program::Program& program);

}  // namespace tcp::tool
