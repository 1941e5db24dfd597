// Runs a verified module on the simulated chip, and hands its trace to the file or the callback that the options
// name.
#include "runtime/device/backend.hpp"

#include <optional>

#include "runtime/trace_files.hpp"
#include "tcp/runtime/interrupt.hpp"
#include "tcp/runtime/simulate.hpp"

namespace tcp {

namespace {

class DeviceBackend : public Backend {
 public:
  explicit DeviceBackend(const ContextOptions& options)
      : options_(options), model_(options.model), trace_(options.trace == nullptr ? "" : options.trace) {}

  std::string_view name() const override { return "device"; }

  Expected<std::vector<Image>> run(const ir::Verified& module, const std::vector<std::shared_ptr<const Image>>& arguments,
                                   const RunOptions& options) override {
    SimulateOptions how;
    how.check = options.check;
    how.on_progress = options.on_progress;
    how.model = model_;
    how.reorder = options_.reorder;
    if (!trace_.empty() || options_.on_trace != nullptr) how.on_trace = [this](const trace::Trace& t) { return hand_out(t); };
    if (options_.stop != nullptr) how.stop = [this] { return options_.stop(options_.stop_user); };
    std::optional<InterruptWatch> watch;
    if (options_.stop == interrupt_asked) watch.emplace();
    return simulate(module, arguments, how);
  }

 private:
  Verdict hand_out(const trace::Trace& trace) const {
    if (options_.on_trace != nullptr) options_.on_trace(options_.trace_user, trace);
    return trace_.empty() ? accept() : write_trace(trace, trace_);
  }

  ContextOptions options_;
  std::string model_, trace_;  // the latter empty: none
};

}  // namespace

std::unique_ptr<Backend> make_device_backend(const ContextOptions& options) { return std::make_unique<DeviceBackend>(options); }

}  // namespace tcp
