// The backend `vector`: exec/vector behind the common interface.
#pragma once

#include <memory>

#include "tcp/dsl/backend.hpp"

namespace tcp {

/// `threads`: how many may work on one kernel; 0: as many as the machine has.
std::unique_ptr<Backend> make_vector_backend(int threads);

}  // namespace tcp
