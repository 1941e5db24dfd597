// Runs a module on the executor that was chosen, and brings results and undefined elements into one form, so that
// they can be compared.
#include "run_module.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "tcp/exec/reference/image.hpp"
#include "tcp/exec/vector/run.hpp"
#include "tcp/runtime/interrupt.hpp"
#include "tcp/runtime/simulate.hpp"
#include "tcp/support/progress_line.hpp"
#include "tcp/trace/json.hpp"
#include "write_file.hpp"

namespace tcp::tool {
namespace {

/// An argument or result that has no image: it lies in SPM or in a register file.
std::optional<ir::TensorId> without_image(const ir::Module& module) {
  for (const auto* list : {&module.arguments, &module.results})
    for (ir::TensorId id : *list)
      if (Memory const m = module.tensor(id).memory; m != Memory::Hbm && m != Memory::Dm && m != Memory::Host) return id;
  return {};
}

Levels levels_of(const ir::Module& module, ir::TensorId id) { return module.levels(module.tensor(id)); }

/// Undefined elements as they are told of one by one, in the form in which the reference interpreter returns them.
class Undefined {
 public:
  /// An element as the vector interpreter or the machine describes it.
  void add(const auto& e) {
    if (notes.empty() || notes.back().what != e.what) notes.push_back({e.what, e.at});
    found_.push_back({e.result, e.element, static_cast<reference::Origin>(notes.size())});
  }
  void mark(std::vector<reference::Value>& results) const {
    for (const Found& f : found_) results[f.result].at(f.element) = {0, f.origin};
  }

  std::vector<reference::Note> notes;

 private:
  struct Found {
    std::size_t result;
    Index element;
    reference::Origin origin;
  };
  std::vector<Found> found_;
};

Images images_of(const ir::Module& module, const std::vector<reference::Value>& arguments) {
  Images images;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    images.push_back(std::make_shared<const Image>(reference::to_image(arguments[i], levels_of(module, module.arguments[i]))));
  return images;
}

reference::Outcome outcome_of(const ir::Module& module, const Images& images, Undefined undefined) {
  reference::Outcome outcome;
  for (std::size_t i = 0; i < images.size(); ++i) {
    ir::TensorId const id = module.results[i];
    outcome.results.push_back(reference::from_image(*images[i], module.tensor(id).type, levels_of(module, id)));
  }
  undefined.mark(outcome.results);
  outcome.notes = std::move(undefined.notes);
  return outcome;
}

Expected<reference::Outcome> run_fast(const ir::Verified& module, const std::vector<reference::Value>& arguments, vector::Options options) {
  Undefined undefined;
  options.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  options.on_undefined = [&](const vector::UndefinedElement& e) { undefined.add(e); };
  auto const out = vector::run(module, images_of(module.module(), arguments), options);
  if (!out) return out.refusal();
  return outcome_of(module.module(), *out, std::move(undefined));
}

Verdict write_trace(const trace::Trace& trace, const std::string& path) {
  std::ostringstream text;
  trace::write_json(trace, text);
  return write_file(path, text.view());
}

/// Bytes that a trace has room for: a page of them can still be sent by mail.
constexpr std::int64_t room_for_values = 16 << 20;

/// With a trace to be written, the first Ctrl-C only stops the run, so that the trace has what was done.
Expected<reference::Outcome> run_on_device(const ir::Verified& module, const std::vector<reference::Value>& arguments, const RunHow& how,
                                           SimulateOptions options) {
  Undefined undefined;
  options.check = how.check;
  options.model = how.device.model;
  options.reorder = how.device.reorder;
  options.on_undefined = [&](const UndefinedElement& e) { undefined.add(e); };
  options.on_schedule = [&](const program::Program&, const program::Schedule& s) { *how.device.schedule = s; };
  std::optional<InterruptWatch> watch;
  if (how.device.values) options.values = room_for_values;
  if (!how.device.trace.empty()) {
    watch.emplace();
    options.stop = InterruptWatch::asked;
    options.on_trace = [&](const trace::Trace& t) { return write_trace(t, how.device.trace); };
  }
  auto const out = simulate(module, images_of(module.module(), arguments), options);
  if (!out) return out.refusal();
  return outcome_of(module.module(), *out, std::move(undefined));
}

}  // namespace

Expected<reference::Outcome> run_module(const ir::Verified& verified, std::vector<reference::Value> arguments, const RunHow& how) {
  const ir::Module& module = verified.module();
  ProgressLine line(module.name, module.commands.size(), how.terminal);
  auto const on_progress = [&line](std::size_t done, std::size_t) { line.done(done); };
  auto const unreachable = without_image(module);
  if (how.backend == BackendKind::device) {
    if (unreachable)
      return refuse("tool-device-argument")
          .what(module.tensor(*unreachable).name.substr(0, 60), ", an argument or result of ",
                module.name.empty() ? "the module" : module.name.substr(0, 60), ", is in ", module.tensor(*unreachable).memory)
          .why("only tensors in HBM or DM outlive a kernel")
          .help("move it from or to HBM or DM with a command, or run it with --backend reference");
    SimulateOptions options;
    options.on_progress = on_progress;
    return run_on_device(verified, arguments, how, std::move(options));
  }
  if (how.backend == BackendKind::reference || unreachable) return reference::run(verified, std::move(arguments), {how.check, on_progress});
  vector::Options options;
  options.check = how.check;
  options.on_progress = on_progress;
  if (how.plan != nullptr)
    options.on_plan = [&how](std::size_t command, const std::string& words) { how.plan->push_back({command, words}); };
  return run_fast(verified, arguments, std::move(options));
}

}  // namespace tcp::tool
