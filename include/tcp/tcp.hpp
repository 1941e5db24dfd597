// The prelude: everything that a kernel needs.
#pragma once

#include "tcp/device/target.hpp"   // IWYU pragma: export
#include "tcp/mapping/map.hpp"     // IWYU pragma: export
#include "tcp/rules/collect.hpp"   // IWYU pragma: export
#include "tcp/rules/memory.hpp"    // IWYU pragma: export
#include "tcp/rules/sequence.hpp"  // IWYU pragma: export
#include "tcp/scalar/scalar.hpp"   // IWYU pragma: export
