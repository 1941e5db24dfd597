// The backend `reference`: exec/reference behind the common interface.
#pragma once

#include <memory>

#include "tcp/dsl/backend.hpp"

namespace tcp {

std::unique_ptr<Backend> make_reference_backend();

}  // namespace tcp
