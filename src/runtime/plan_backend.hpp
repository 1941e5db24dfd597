// The backend that computes nothing: a launch is put in time, and every value is zero.
#pragma once

#include "tcp/dsl/backend.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp {

/// The device must outlive the backend; texts are copied.
std::unique_ptr<Backend> make_plan_backend(const ContextOptions& options);

}  // namespace tcp
