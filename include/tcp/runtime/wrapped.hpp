// A context whose backend is wrapped into another one: chips over several processes (tcp::ranks), or a recorder.
#pragma once

#include <functional>
#include <memory>

#include "tcp/dsl/backend.hpp"
#include "tcp/runtime/options.hpp"

namespace tcp {

using WrapBackend = std::function<std::unique_ptr<Backend>(std::unique_ptr<Backend>)>;

/// As Context::acquire(options), with the backend that `wrap` makes of the one that the options ask for.
[[nodiscard]] Context acquire_wrapped(const ContextOptions& options, const WrapBackend& wrap, Where at = std::source_location::current());

}  // namespace tcp
