// A context that Python holds, with all that the runtime's options point to.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bind.hpp"
#include "tcp/device/device.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/trace/trace.hpp"

namespace tcp::python {

BackendKind backend_named(const std::string& name);

class HeldContext {
 public:
  HeldContext(const std::string& backend, const Device& chip, const std::string& model, bool reorder, bool check, int threads,
              std::int64_t chips, const std::string& numeric, bool wait, const py::object& progress, const std::string& dump);
  ~HeldContext();
  HeldContext(const HeldContext&) = delete;
  HeldContext& operator=(const HeldContext&) = delete;

  Context& get();
  void close();
  bool closed() const { return context_ == nullptr; }
  void ask_to_stop() { stop_ = true; }

  void keep(const trace::Trace& t);
  std::vector<trace::Trace> traces();

  Device device;
  ContextOptions options;

 private:
  std::string model_, dump_;
  py::object progress_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  // of the traces, which the device's thread brings
  std::vector<trace::Trace> traces_;
  std::unique_ptr<Context> context_;
};

}  // namespace tcp::python
