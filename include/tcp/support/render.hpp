// A refusal as people read it at run time:
//
//   file:line: error[code]: what, with the numbers
//     note: why
//     help: what to write instead
#pragma once

#include <string>

#include "tcp/support/refusal.hpp"

namespace tcp {

std::string render(const Refusal& r);

}  // namespace tcp
