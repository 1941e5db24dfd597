// The prelude: everything that a kernel, and the program around it, needs.
#pragma once

#include "tcp/device/target.hpp"    // IWYU pragma: export
#include "tcp/dsl/context.hpp"      // IWYU pragma: export
#include "tcp/mapping/map.hpp"      // IWYU pragma: export
#include "tcp/runtime/launch.hpp"   // IWYU pragma: export
#include "tcp/scalar/scalar.hpp"    // IWYU pragma: export
#include "tcp/support/refused.hpp"  // IWYU pragma: export
#include "tcp/support/version.hpp"  // IWYU pragma: export
