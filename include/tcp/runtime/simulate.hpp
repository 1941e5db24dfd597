// A module on the simulated chip: lowered, scheduled, submitted to a machine, run, and its results read back.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "tcp/ir/verify.hpp"
#include "tcp/sim/machine.hpp"
#include "tcp/support/image.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp {

/// An element of a result that an undefined value decides.
struct UndefinedElement {
  std::size_t result;  // in the order of Module::results
  const Index& element;
  const std::string& what;
  Where at;
};

struct SimulateOptions {
  bool check = true;                // refuse results that undefined values decide; without it those are zero
  std::string_view model = "book";  // of the time that commands take: timing_models in plan.hpp
  bool reorder = false;
  sim::Options machine;
  sim::Observer* observer = nullptr;
  std::function<void(std::size_t done, std::size_t of)> on_progress;  // commands; of the model `detailed` first, then of the values
  std::function<void(const program::Program&, const program::Schedule&)> on_schedule;  // before it runs
  std::function<Verdict(trace::Trace)> on_trace;  // what has run: all of it, or what was done until `stop`
  std::int64_t values = 0;                        // bytes of what commands write that the trace keeps; 0: none, and no digests
  std::function<bool()> stop;                     // asked between commands, and by slow models on the way
  /// Without the check: every element of a result that an undefined value decides.
  std::function<void(const UndefinedElement&)> on_undefined;
};

/// Images come and go in the order of the module's arguments and results. Refused: what does not lower, what goes wrong
/// on the machine, and what was stopped.
Expected<Images> simulate(const ir::Verified& module, const Images& arguments, const SimulateOptions& options = {});

/// The second half, for a program that is there already: it was lowered from this module.
Expected<Images> simulate(const ir::Module& module, const Device& device, program::Program program, const Images& arguments,
                          const SimulateOptions& options = {});

}  // namespace tcp
