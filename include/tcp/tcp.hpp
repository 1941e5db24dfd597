// The prelude: everything that a kernel, and the program around it, needs.
#pragma once

// First the files in which errors are found: a compiler prints how it came to them from here, a line for each file.
// clang-format off
#include "tcp/support/refuse.hpp"       // IWYU pragma: export
#include "tcp/mapping/map.hpp"          // IWYU pragma: export
#include "tcp/dsl/tensor.hpp"           // IWYU pragma: export
#include "tcp/dsl/pass.hpp"             // IWYU pragma: export
#include "tcp/dsl/refused_methods.hpp"  // IWYU pragma: export
// clang-format on

#include "tcp/device/target.hpp"    // IWYU pragma: export
#include "tcp/dsl/context.hpp"      // IWYU pragma: export
#include "tcp/runtime/launch.hpp"   // IWYU pragma: export
#include "tcp/scalar/scalar.hpp"    // IWYU pragma: export
#include "tcp/support/refused.hpp"  // IWYU pragma: export
#include "tcp/support/version.hpp"  // IWYU pragma: export
