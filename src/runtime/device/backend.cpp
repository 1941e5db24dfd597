// Runs a verified module on the simulated chip, and hands its trace to the file or the callback that the options
// name.
#include "runtime/backends.hpp"

#include <algorithm>
#include <optional>

#include "runtime/trace_files.hpp"
#include "tcp/lower/lower.hpp"
#include "tcp/runtime/interrupt.hpp"
#include "tcp/runtime/simulate.hpp"

namespace tcp {

namespace {

/// A module's program, which is the same at its next run.
class KeptProgram : public Keepsake {
 public:
  explicit KeptProgram(program::Program lowered) : program(std::move(lowered)) {}

  program::Program program;
};

/// Lowers a module, or finds what was kept of an earlier run.
Expected<program::Program> lowered(const ir::Verified& module, std::unique_ptr<Keepsake>* kept) {
  if (kept == nullptr) return lower::lower(module);
  if (*kept == nullptr) {
    auto program = lower::lower(module);
    if (!program) return program;
    *kept = std::make_unique<KeptProgram>(*std::move(program));
  }
  return static_cast<const KeptProgram&>(**kept).program;
}

class DeviceBackend : public Backend {
 public:
  explicit DeviceBackend(const ContextOptions& options)
      : options_(options), model_(options.model), trace_(options.trace == nullptr ? "" : options.trace) {}

  std::string_view name() const override { return "device"; }

  Expected<Images> run(const ir::Verified& module, const Images& arguments, const RunOptions& options) override {
    SimulateOptions how;
    how.check = options.check;
    auto program = lowered(module, options.kept);
    if (!program) return program.refusal();
    if (!options.kernel) return transfer(module, *std::move(program), arguments, how);
    how.on_progress = options.on_progress;
    how.model = model_;
    how.reorder = options_.reorder;
    if (is_traced()) how.on_trace = [this](trace::Trace t) { return hand_out(std::move(t)); };
    if (options_.stop != nullptr) how.stop = [this] { return options_.stop(options_.stop_user); };
    std::optional<InterruptWatch> watch;
    if (options_.stop == interrupt_asked) watch.emplace();
    return simulate(module.module(), module.device(), *std::move(program), arguments, how);
  }

 private:
  bool is_traced() const { return !trace_.empty() || options_.on_trace != nullptr; }

  /// An upload or download of the host. How long it takes is for the trace of the next kernel; without one no slow
  /// model need be asked.
  Expected<Images> transfer(const ir::Verified& module, program::Program program, const Images& arguments, SimulateOptions how) {
    if (is_traced()) {
      how.model = model_;
      how.on_trace = [&](const trace::Trace& t) {
        note(module.module(), t);
        return accept();
      };
    }
    return simulate(module.module(), module.device(), std::move(program), arguments, how);
  }
  void note(const ir::Module& module, const trace::Trace& t) {
    const ir::Tensor &from = module.tensor(module.arguments[0]), &to = module.tensor(module.results[0]);
    bool const upload = from.memory == Memory::Host;
    const std::string &in_hbm = (upload ? to : from).name, &on_host = (upload ? from : to).name;
    Noted noted;
    noted.transfer.direction = upload ? "upload" : "download";
    noted.transfer.tensor = in_hbm.empty() ? on_host : in_hbm;
    noted.transfer.cycles = t.makespan;
    for (const trace::Command& c : t.commands) {
      if (c.dma) noted.transfer.bytes += c.dma->bytes;
      if (c.source != trace::none) noted.at = t.sources[static_cast<std::size_t>(c.source)];
    }
    transfers_.push_back(std::move(noted));
  }

  Verdict hand_out(trace::Trace trace) {
    for (Noted& noted : transfers_) {
      noted.transfer.source = noted.at ? number_of(*noted.at, trace) : trace::none;
      trace.host_transfers.push_back(std::move(noted.transfer));
    }
    transfers_.clear();
    if (options_.on_trace != nullptr) options_.on_trace(options_.trace_user, trace);
    return trace_.empty() ? accept() : write_trace(trace, trace_);
  }
  static std::int32_t number_of(const trace::Source& at, trace::Trace& trace) {
    auto found = std::find_if(trace.sources.begin(), trace.sources.end(),
                              [&at](const trace::Source& s) { return s.file == at.file && s.line == at.line; });
    if (found == trace.sources.end()) found = trace.sources.insert(found, at);
    return static_cast<std::int32_t>(found - trace.sources.begin());
  }

  /// What the host moved since the last kernel.
  struct Noted {
    trace::HostTransfer transfer;
    std::optional<trace::Source> at;
  };

  ContextOptions options_;
  std::string model_, trace_;  // the latter empty: none
  std::vector<Noted> transfers_;
};

}  // namespace

std::unique_ptr<Backend> make_device_backend(const ContextOptions& options) { return std::make_unique<DeviceBackend>(options); }

}  // namespace tcp
