// Command lines, as the sections of tests/refuse show them.
#pragma once

#include "tcp/support/expected.hpp"

namespace tcp_refuse {

/// What `tcp …` answers to a line of words, of which some stand in double quotes.
tcp::Verdict commanded(const char* line);

}  // namespace tcp_refuse
