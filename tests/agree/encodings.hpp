// What a program of the corpus becomes when it is lowered must be a program that check accepts, and come back from both of its encodings.
#pragma once

#include <string>

#include "program.hpp"

namespace tcp::agree {

/// Empty if all is well, or if lowering names a limit of the hardware; else what is wrong.
std::string encoding_fault(const Program& program);

}  // namespace tcp::agree
