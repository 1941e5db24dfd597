// A trace, read from its file, or made of a kernel that is planned and not run.
#pragma once

#include <string>

#include "kernel_file.hpp"
#include "tcp/io/dumps.hpp"
#include "tcp/program/program.hpp"
#include "tcp/support/expected.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::tool {

/// A trace; or a kernel or a compiled program, of which the trace is what a timing model plans.
struct TraceChoice {
  KernelChoice kernel;
  std::string model = "book", chip, order;  // empty: the chip of a compiled program, else rngd; the order of the model
};

/// Declares the options that choose a kernel, its timing model, its order and its chip; they are not for traces.
void add_trace_options(CLI::App& command, TraceChoice& choice);

/// A kernel that was lowered, or a compiled program, and the chip that it is for.
struct LoweredProgram {
  program::Program program;
  Device device;
};
/// Refused: a file that is neither a kernel nor a compiled program.
Expected<LoweredProgram> lower_choice(const TraceChoice& choice, Terminal& terminal);
/// By the model and in the order of the choice.
Expected<trace::Trace> plan_lowered(const LoweredProgram& lowered, const TraceChoice& choice);

/// What `tcp plan` does: nothing is computed. Refused: a file that is neither a kernel nor a compiled program.
Expected<trace::Trace> plan_file(const TraceChoice& choice, Terminal& terminal);

/// A note for each chip number of `--set` without which the kernel takes as long.
void note_settings_without_effect(const TraceChoice& choice, Cycles makespan, Terminal& terminal);

Expected<trace::Trace> read_trace(const TraceChoice& choice, Terminal& terminal);
Expected<trace::Trace> read_trace(const std::string& path, Terminal& terminal);

/// A schedule or spans; `schedule`, where it is named, gives source lines to spans. Refused: also a trace.
Expected<trace::Trace> import_dump(const std::string& path, const std::string& schedule, const std::string& chip);

/// What the dumps of the vendor's tools do not say, from the chip. Refused: a chip that there is not.
Expected<io::DumpOptions> dump_options(const std::string& chip);

/// `--ticks` of a trace that does not say how many a cycle has.
Refusal ticks_unknown(const std::string& path);

}  // namespace tcp::tool
