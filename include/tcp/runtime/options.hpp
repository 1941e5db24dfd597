// How a context runs kernels. `Context::acquire()` takes these from the environment (docs/environment.md),
// `Context::acquire(options)` as they are.
#pragma once

#include <cstdint>

#include "tcp/device/target.hpp"
#include "tcp/dsl/context.hpp"
#include "tcp/scalar/numeric_model.hpp"

namespace tcp {

namespace trace {
struct Trace;  // tcp/trace/trace.hpp
}

enum class BackendKind : std::uint8_t {
  reference,  // the meaning: slow, one operation at a time
  vector,     // the same bits, as fast as the machine can
  device,     // lowered, and run on the simulated chip
  plan,       // lowered, and put in time if a trace is asked for; nothing is computed, and every value is zero
};

/// Those that compute values: the same bits, all of them.
inline constexpr BackendKind backends[] = {BackendKind::reference, BackendKind::vector, BackendKind::device};

constexpr const char* name_of(BackendKind kind) {
  constexpr const char* names[] = {"reference", "vector", "device", "plan"};
  return names[static_cast<int>(kind)];
}

/// How far a kernel has come.
struct Progress {
  const char* kernel = "";
  std::int64_t done = 0, of = 0;  // commands
};

struct ContextOptions {
  BackendKind backend = BackendKind::vector;
  bool check = true;       // refuse results that undefined values decide
  bool wait = true;        // for a device that is in use; without it such an acquire is refused
  int threads = 0;         // that work on a kernel, in backends that share one out; 0: as many as the machine has
  std::int64_t chips = 8;  // that the machine has; a kernel for more is refused
  NumericModel numeric = NumericModel::rngd;
  const Device* device = &target;
  void (*on_progress)(void* user, const Progress&) = nullptr;
  void* progress_user = nullptr;
  const char* dump = nullptr;  // a file that takes the text form of every kernel launched

  // These are for the backends `device` and `plan` alone.
  const char* model = "book";  // of time: "book", "planned", "calibrated" or "detailed"
  bool reorder = false;        // let commands be taken in another order that keeps every hazard
  const char* trace =
      nullptr;  // a file that takes the trace of the first launch; the next ones go to FILE.2.json, FILE.3.json ... for FILE.json
  void (*on_trace)(void* user, const trace::Trace&) = nullptr;  // of every launch
  void* trace_user = nullptr;
  bool (*stop)(void* user) = nullptr;  // asked between commands: `true` ends the launch, with the trace of what was done
  void* stop_user = nullptr;
};

/// Writes a line to a terminal that is standard error, and nothing elsewhere: for on_progress.
void terminal_progress(void* user, const Progress& progress);

/// Whether Ctrl-C was pressed, for `stop`: while a kernel runs the first one ends the launch, and the second the
/// program.
bool interrupt_asked(void* user);

/// The options that the environment asks for; without TCP_CHIP, on `chip`. Refused: values that mean nothing.
Expected<ContextOptions> options_from_environment(Where at = std::source_location::current(), const Device& chip = target);

}  // namespace tcp
