// A trace, read from its file.
#pragma once

#include <string>

#include "tcp/support/expected.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::tool {

Expected<trace::Trace> read_trace(const std::string& path);

}  // namespace tcp::tool
