// The backend that compiles a kernel and runs it on a simulated chip.
#pragma once

#include "tcp/dsl/backend.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp {

/// The device must outlive the backend; texts are copied.
std::unique_ptr<Backend> make_device_backend(const ContextOptions& options);

}  // namespace tcp
