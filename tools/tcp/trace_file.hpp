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

/// Notes the settings without effect where no cycles are counted: those without which the kernel is compiled to the
/// same program.
void note_settings_without_effect(const TraceChoice& choice, Terminal& terminal);

Expected<trace::Trace> read_trace(const TraceChoice& choice, Terminal& terminal);
Expected<trace::Trace> read_trace(const std::string& path, Terminal& terminal);

/// What is read of a file with spans: the schedule that gives them source lines, the test, and the run ("median",
/// "all", or a number from 1 on).
struct SpanChoice {
  std::string schedule, test, run;
};
/// Declares --test and --run.
void add_span_options(CLI::App& command, SpanChoice& choice);
void add_run_option(CLI::App& command, std::string& run);
/// A schedule or spans. Refused: also a trace, and choices that are for spans where it is a schedule.
Expected<trace::Trace> import_dump(const std::string& path, const SpanChoice& choice, const std::string& chip);

/// What the dumps of the vendor's tools do not say, from the chip. Refused: a chip that there is not.
Expected<io::DumpOptions> dump_options(const std::string& chip);

/// `--ticks` of a trace that does not say how many a cycle has.
Refusal ticks_unknown(const std::string& path);

}  // namespace tcp::tool
