// A trace, read from its file, or made of a kernel that is planned and not run.
#pragma once

#include <string>

#include "kernel_file.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::tool {

/// A trace; or a kernel, of which the trace is what a timing model plans.
struct TraceChoice {
  KernelChoice kernel;
  std::string model = "book", chip = "rngd";
};

/// Declares the options that choose a kernel and its timing model; they are for kernels alone.
void add_trace_options(CLI::App& command, TraceChoice& choice);

Expected<trace::Trace> read_trace(const TraceChoice& choice, Terminal& terminal);
Expected<trace::Trace> read_trace(const std::string& path, Terminal& terminal);

}  // namespace tcp::tool
