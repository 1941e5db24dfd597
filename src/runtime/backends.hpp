// The backends: the two interpreters, the simulated chip, and one that computes nothing but time.
#pragma once

#include <memory>

#include "tcp/dsl/backend.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp {

std::unique_ptr<Backend> make_reference_backend();

/// `threads`: how many may work on one kernel; 0: as many as the machine has.
std::unique_ptr<Backend> make_vector_backend(int threads);

/// The device must outlive the backend; texts are copied.
std::unique_ptr<Backend> make_plan_backend(const ContextOptions& options);

/// The device must outlive the backend; texts are copied.
std::unique_ptr<Backend> make_device_backend(const ContextOptions& options);

}  // namespace tcp
