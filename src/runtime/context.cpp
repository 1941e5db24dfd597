// Context::acquire: one context at a time has the device.
#include <condition_variable>
#include <mutex>

#include "runtime/backends.hpp"
#include "runtime/device/session.hpp"
#include "tcp/runtime/options.hpp"
#include "tcp/runtime/wrapped.hpp"
#include "tcp/support/refused.hpp"

namespace tcp {

namespace {

/// The device of this process, and who has it.
class Lease {
 public:
  void take(bool wait, Where at) {
    std::unique_lock lock(mutex_);
    if (taken_ && (!wait || holder_ == std::this_thread::get_id()))
      throw Refused(refuse("runtime-device-in-use", at)
                        .what("the device is in use by another context", wait ? " of this thread, which would wait for itself" : "")
                        .why("a context has the device for itself from acquire to its end")
                        .help(wait ? "let the other context go first, or use it"
                                   : "acquire with ContextOptions::wait, or let the other context go first"));
    freed_.wait(lock, [this] { return !taken_; });
    taken_ = true;
    holder_ = std::this_thread::get_id();
  }
  void give_back() {
    std::lock_guard const lock(mutex_);
    taken_ = false;
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  bool taken_ = false;
  std::thread::id holder_;
};

Lease& lease() {
  static Lease the_device;
  return the_device;
}

std::unique_ptr<Backend> backend_of(const ContextOptions& options) {
  switch (options.backend) {
    case BackendKind::reference: return make_reference_backend();
    case BackendKind::vector: return make_vector_backend(options.threads);
    case BackendKind::device: return make_device_backend(options);
    case BackendKind::plan: return make_plan_backend(options);
  }
  return nullptr;
}

}  // namespace

namespace detail {

void DeviceSession::close() {
  {
    std::lock_guard const lock(queue_mutex_);
    closing_ = true;
    queue_changed_.notify_all();
  }
  if (worker_.joinable()) worker_.join();
  lease().give_back();
}

}  // namespace detail

Context acquire_wrapped(const ContextOptions& options, const WrapBackend& wrap, Where at) {
  bool const timed = options.backend == BackendKind::device || options.backend == BackendKind::plan;
  if (!timed && (options.trace != nullptr || options.on_trace != nullptr))
    throw Refused(refuse("runtime-trace-without-device", at)
                      .what("a trace is asked for, and the backend is ", name_of(options.backend))
                      .why("an interpreter knows no cycles; traces come from the simulated chip")
                      .help("choose BackendKind::device, or set TCP_BACKEND=device; or ask for no trace"));
  lease().take(options.wait, at);
  return Context(new detail::DeviceSession(options, wrap(backend_of(options))));
}
Context Context::acquire(const ContextOptions& options, Where at) {
  return acquire_wrapped(options, [](std::unique_ptr<Backend> backend) { return backend; }, at);
}
Context Context::acquire_for(const Device& chip, Where at) { return acquire(value_or_throw(options_from_environment(at, chip)), at); }

}  // namespace tcp
