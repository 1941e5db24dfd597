// Where the traces of launches go: one file each.
#pragma once

#include <string>

#include "tcp/support/expected.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {

/// The first trace of this process takes `path` itself, the next ones a number before its extension: gemm.json,
/// gemm.2.json, gemm.3.json.
Verdict write_trace(const trace::Trace& trace, const std::string& path);

}  // namespace tcp
